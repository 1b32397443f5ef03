// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// rules of one kind, which need nothing but the forest: one for each operation.
type rules[O any] struct {
	create func(f *hierarchy.Forest, object O) validate.Verdict
	update func(f *hierarchy.Forest, old, object O) validate.Verdict
	delete func(f *hierarchy.Forest, old O) validate.Verdict
}

// pointer is what decodes into a T.
type pointer[T any] interface {
	*T
	runtime.Object
}

// byForest judges by such rules.
func byForest[T any, O pointer[T]](decoder admission.Decoder, forest Forest, rules rules[O]) judge {
	return func(_ context.Context, request admission.Request) (verdict validate.Verdict, err error) {
		object, old := O(new(T)), O(new(T))
		if err := decode(decoder, request, object, old); err != nil {
			return verdict, err
		}
		forest.Read(func(f *hierarchy.Forest) {
			switch request.Operation {
			case opCreate:
				verdict = rules.create(f, object)
			case opUpdate:
				verdict = rules.update(f, old, object)
			case opDelete:
				verdict = rules.delete(f, old)
			default:
				verdict = validate.Allow()
			}
		})
		return verdict, nil
	}
}
