// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

type anchors struct {
	decoder admission.Decoder
	forest  Forest
}

func (h anchors) judge(_ context.Context, request admission.Request) (verdict validate.Verdict, err error) {
	anchor, old := &api.SubnamespaceAnchor{}, &api.SubnamespaceAnchor{}
	if err := decode(h.decoder, request, anchor, old); err != nil {
		return verdict, err
	}
	h.forest.Read(func(f *hierarchy.Forest) {
		switch request.Operation {
		case opCreate:
			verdict = validate.CreateAnchor(f, anchor)
		case opUpdate:
			verdict = validate.UpdateAnchor(f, old, anchor)
		case opDelete:
			verdict = validate.DeleteAnchor(f, old)
		default:
			verdict = validate.Allow()
		}
	})
	return verdict, nil
}
