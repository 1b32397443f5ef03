// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

type namespaces struct {
	decoder admission.Decoder
	forest  Forest
}

// mutate adds the labels that a managed namespace must have. It refuses nothing
// but what it cannot read.
func (h namespaces) mutate(_ context.Context, request admission.Request) admission.Response {
	ns := &corev1.Namespace{}
	if err := h.decoder.Decode(request, ns); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("reading the namespace: %w", err))
	}
	var missing map[string]string
	h.forest.Read(func(f *hierarchy.Forest) { missing = validate.MissingLabels(f.Scope(), ns) })
	if len(missing) == 0 {
		return admission.Allowed("")
	}
	if ns.Labels == nil {
		ns.Labels = map[string]string{}
	}
	maps.Copy(ns.Labels, missing)
	mutated, err := json.Marshal(ns)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("writing the namespace: %w", err))
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, mutated)
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
