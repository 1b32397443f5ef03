// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// review is a question of the API server, before it is encoded.
type review struct {
	user      string
	operation admissionv1.Operation
	kind      schema.GroupVersionKind
	resource  string
	// object as it is to be, and as it is. A creation has no old one, a deletion no new
	// one.
	object, old client.Object
}

// encode as an API server does.
func (r review) encode() ([]byte, error) {
	either := r.object
	if either == nil {
		either = r.old
	}
	request := &admissionv1.AdmissionRequest{
		UID:       uuid.NewUUID(),
		Kind:      metav1.GroupVersionKind(r.kind),
		Resource:  metav1.GroupVersionResource{Group: r.kind.Group, Version: r.kind.Version, Resource: r.resource},
		Name:      either.GetName(),
		Namespace: either.GetNamespace(),
		Operation: r.operation,
		UserInfo:  authenticationv1.UserInfo{Username: r.user, Groups: []string{"bench:users", "system:authenticated"}},
	}
	if r.resource == "namespaces" { // each is in itself
		request.Namespace = either.GetName()
	}
	var err error
	if request.Object, err = r.raw(r.object); err != nil {
		return nil, err
	}
	if request.OldObject, err = r.raw(r.old); err != nil {
		return nil, err
	}
	return json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "AdmissionReview"},
		Request:  request,
	})
}

func (r review) raw(object client.Object) (runtime.RawExtension, error) {
	if object == nil {
		return runtime.RawExtension{}, nil
	}
	object.GetObjectKind().SetGroupVersionKind(r.kind)
	raw, err := json.Marshal(object)
	if err != nil {
		return runtime.RawExtension{}, fmt.Errorf("encoding a %s: %w", r.kind.Kind, err)
	}
	return runtime.RawExtension{Raw: raw}, nil
}
