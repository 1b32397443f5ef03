// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// decode reads the object, unless it is being deleted, and the old one, unless
// it is being created.
func decode(decoder admission.Decoder, request admission.Request, object, old runtime.Object) error {
	if request.Operation != opDelete {
		if err := decoder.DecodeRaw(request.Object, object); err != nil {
			return fmt.Errorf("reading the object: %w", err)
		}
	}
	if request.Operation != opCreate {
		if err := decoder.DecodeRaw(request.OldObject, old); err != nil {
			return fmt.Errorf("reading the old object: %w", err)
		}
	}
	return nil
}
