// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// objects are those of all types that are propagated.
type objects struct{ forest Forest }

// judge reads first and asks then, so that no lock is held for reading. What
// cannot be read is nobody's fault unless it would be judged.
func (h objects) judge(_ context.Context, request admission.Request) (verdict validate.Verdict, err error) {
	if request.SubResource != "" || request.Operation != opCreate && request.Operation != opUpdate && request.Operation != opDelete {
		return validate.Allow(), nil
	}
	question, unreadable := readObject(request)
	h.forest.Look(func(f *hierarchy.Forest, tracked []propagate.Tracked) {
		switch {
		case !validate.Judges(f, tracked, kindOf(request), request.Namespace):
			verdict = validate.Allow()
		case unreadable != nil:
			err = unreadable
		default:
			verdict = validate.Object(f, tracked, question)
		}
	})
	return verdict, err
}

func kindOf(request admission.Request) schema.GroupKind {
	return schema.GroupKind{Group: request.Kind.Group, Kind: request.Kind.Kind}
}

// readObject reads the two sides of a change.
func readObject(request admission.Request) (validate.ObjectRequest, error) {
	question := validate.ObjectRequest{Kind: kindOf(request), Namespace: request.Namespace}
	var err error
	if request.Operation != opDelete {
		if question.New, err = readAny(request, request.Object); err != nil {
			return question, fmt.Errorf("reading the object: %w", err)
		}
	}
	if request.Operation != opCreate {
		if question.Old, err = readAny(request, request.OldObject); err != nil {
			return question, fmt.Errorf("reading the old object: %w", err)
		}
	}
	return question, nil
}

// readAny reads an object of any kind. Labels and annotations that are no texts
// are refused: whoever looks for one would find none, and a copy would pass as a
// source.
func readAny(request admission.Request, raw runtime.RawExtension) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(raw.Raw, &u.Object); err != nil {
		return nil, err
	}
	metadata, ok := u.Object["metadata"].(map[string]any)
	if !ok {
		return nil, errors.New("it has no metadata")
	}
	for _, field := range []string{"labels", "annotations"} {
		if metadata[field] == nil {
			delete(metadata, field)
		}
		if _, _, err := unstructured.NestedStringMap(metadata, field); err != nil {
			return nil, err
		}
	}
	u.SetGroupVersionKind(schema.GroupVersionKind(request.Kind))
	u.SetNamespace(request.Namespace)
	return u, nil
}
