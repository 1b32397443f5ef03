// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

type hncConfigurations struct {
	decoder admission.Decoder
	forest  Forest
	catalog func(context.Context) (propagate.Lookup, error)
}

// judge asks the API server what it serves, if types are changed, and the forest
// then. No lock is held meanwhile.
func (h hncConfigurations) judge(ctx context.Context, request admission.Request) (verdict validate.Verdict, err error) {
	object, old := &api.HNCConfiguration{}, &api.HNCConfiguration{}
	if err := decode(h.decoder, request, object, old); err != nil {
		return verdict, err
	}
	switch request.Operation {
	case opCreate:
		old = nil
	case opUpdate:
	default: // That it must not be deleted, a policy in the API server says.
		return validate.Allow(), nil
	}
	lookup, known := h.lookup(ctx, old, object)
	if !known {
		return validate.DenyUnavailable("what the API server serves is not known, so the types cannot be looked up; try again in a moment"), nil
	}
	h.forest.Look(func(f *hierarchy.Forest, tracked []propagate.Tracked) {
		verdict = validate.HNCConfiguration(f, tracked, old, object, lookup)
	})
	return verdict, nil
}

// lookup is nil if none is needed.
func (h hncConfigurations) lookup(ctx context.Context, old, object *api.HNCConfiguration) (lookup propagate.Lookup, known bool) {
	if !validate.ChangesTypes(old, object) {
		return nil, true
	}
	if h.catalog == nil {
		return nil, false
	}
	lookup, err := h.catalog(ctx)
	if err != nil {
		log.FromContext(ctx).Error(err, "no answer about the types in an HNCConfiguration")
	}
	return lookup, err == nil
}
