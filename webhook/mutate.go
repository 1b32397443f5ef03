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
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
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

// configuration stamps a move with the key that the namespace has before it, if it
// changes that. While the namespace is being handed over from the key before that, it
// waits; if in vain, it leaves the change to be refused.
//
// A stamp that is there stays until the namespace was handed over, whatever else a
// user writes.
func (h mutators) configuration(ctx context.Context, request admission.Request) admission.Response {
	old, configuration := &api.HierarchyConfiguration{}, &api.HierarchyConfiguration{}
	if len(request.OldObject.Raw) > 0 {
		if err := h.decoder.DecodeRaw(request.OldObject, old); err != nil {
			return admission.Errored(http.StatusBadRequest, fmt.Errorf("reading the object that is changed: %w", err))
		}
	}
	if err := h.decoder.Decode(request, configuration); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("reading the object: %w", err))
	}
	stamp := old.Annotations[api.AnnotationPreviousKey]
	if validate.IsMove(old, configuration) {
		stamp = h.stamp(ctx, configuration)
	}
	return h.mutate(request, configuration, func(hierarchy.Scope) (changed bool) {
		return setStamp(configuration, stamp)
	})
}

// stamp of a move, or none.
func (h mutators) stamp(ctx context.Context, configuration *api.HierarchyConfiguration) (stamp string) {
	ctx, cancel := context.WithTimeout(ctx, stampWithin)
	defer cancel()
	_ = wait.PollUntilContextCancel(ctx, seenEvery, true, func(context.Context) (known bool, _ error) {
		h.forest.Read(func(f *hierarchy.Forest) {
			stamp, known = validate.Stamp(f, validate.MoveTo(configuration))
		})
		return known, nil
	})
	return stamp
}

// stampWithin is how long a move waits for the one before it.
const stampWithin = time.Second

// setStamp of a configuration, or take it away if it is empty.
func setStamp(configuration *api.HierarchyConfiguration, stamp string) (changed bool) {
	if configuration.Annotations[api.AnnotationPreviousKey] == stamp {
		return false
	}
	annotations := maps.Clone(configuration.Annotations)
	delete(annotations, api.AnnotationPreviousKey)
	if stamp != "" {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[api.AnnotationPreviousKey] = stamp
	}
	configuration.Annotations = annotations
	return true
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
