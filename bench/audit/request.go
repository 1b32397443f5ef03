// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// request is what a body says about the state that it was made for.
type request struct {
	// opaque: the body was not logged.
	opaque bool
	// version is the resourceVersion that the server must have had.
	version string
	// uid: the server was told which object it must be.
	uid bool
}

func requestOf(logged *auditv1.Event) request {
	if logged.Level != auditv1.LevelRequest && logged.Level != auditv1.LevelRequestResponse {
		return request{opaque: true}
	}
	raw := rawOf(logged.RequestObject)
	if raw == nil {
		return request{}
	}
	var b body
	if json.Unmarshal(raw, &b) != nil {
		return requestOfOperations(raw)
	}
	if logged.Verb != "delete" && logged.Verb != "deletecollection" {
		return request{version: b.Metadata.ResourceVersion}
	}
	r := request{}
	if p := b.Preconditions; p != nil {
		r.uid = p.UID != nil && *p.UID != ""
		if p.ResourceVersion != nil {
			r.version = *p.ResourceVersion
		}
	}
	return r
}

// requestOfOperations reads a JSON patch, which is conditional if it tests the
// version.
func requestOfOperations(raw []byte) request {
	var operations []struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	if json.Unmarshal(raw, &operations) != nil {
		return request{}
	}
	for _, o := range operations {
		if version, ok := o.Value.(string); ok && o.Op == "test" && o.Path == "/metadata/resourceVersion" {
			return request{version: version}
		}
	}
	return request{}
}

func rawOf(unknown *runtime.Unknown) []byte {
	if unknown == nil || len(unknown.Raw) == 0 {
		return nil
	}
	return unknown.Raw
}
