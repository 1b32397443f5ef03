// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

type namespaces struct {
	decoder admission.Decoder
	forest  Forest
}

func (h namespaces) judge(_ context.Context, request admission.Request) (verdict validate.Verdict, err error) {
	ns, old := &corev1.Namespace{}, &corev1.Namespace{}
	if err := decode(h.decoder, request, ns, old); err != nil {
		return verdict, err
	}
	h.forest.Read(func(f *hierarchy.Forest) {
		switch request.Operation {
		case opCreate:
			verdict = validate.CreateNamespace(f, ns)
		case opUpdate:
			verdict = validate.UpdateNamespace(f, old, ns)
		case opDelete:
			verdict = validate.DeleteNamespace(f, old)
		default:
			verdict = validate.Allow()
		}
	})
	return verdict, nil
}
