// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// mutators add what Banyan would have to write a moment later. They refuse
// nothing but what they cannot read.
type mutators struct {
	decoder admission.Decoder
	forest  Forest
}

// namespace adds the labels that a managed namespace must have.
func (h mutators) namespace(_ context.Context, request admission.Request) admission.Response {
	ns := &corev1.Namespace{}
	return h.mutate(request, ns, func(scope hierarchy.Scope) (changed bool) {
		missing := validate.MissingLabels(scope, ns)
		if ns.Labels == nil {
			ns.Labels = map[string]string{}
		}
		maps.Copy(ns.Labels, missing)
		return len(missing) > 0
	})
}

// anchor adds the finalizer by which a subnamespace goes with its anchor.
func (h mutators) anchor(_ context.Context, request admission.Request) admission.Response {
	anchor := &api.SubnamespaceAnchor{}
	return h.mutate(request, anchor, func(scope hierarchy.Scope) (changed bool) {
		missing := validate.MissingFinalizers(scope, anchor)
		anchor.Finalizers = append(anchor.Finalizers, missing...)
		return len(missing) > 0
	})
}

// mutate reads an object, changes it, and answers with the difference.
func (h mutators) mutate(request admission.Request, object client.Object, change func(hierarchy.Scope) (changed bool)) admission.Response {
	if err := h.decoder.Decode(request, object); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("reading the object: %w", err))
	}
	changed := false
	h.forest.Read(func(f *hierarchy.Forest) { changed = change(f.Scope()) })
	if !changed {
		return admission.Allowed("")
	}
	mutated, err := json.Marshal(object)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("writing the object: %w", err))
	}
	response := admission.PatchResponseFromRaw(request.Object.Raw, mutated)
	if !response.Allowed { // What was written here is well formed, so what was read is not.
		return admission.Errored(http.StatusBadRequest, errors.New("reading the object: no difference can be told between it and what it should be"))
	}
	return response
}
