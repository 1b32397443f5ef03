// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/banyan-hns/banyan/bench/replicas"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Deletions by Banyan, but for Leases. Each list has one resource per deletion.
type Deletions struct {
	// Just: a copy or a subnamespace, in the very version that was named.
	Just []string
	// Unlogged: no bodies are logged of these.
	Unlogged []string
	// Unwritten: the version that was named is not among those in the log.
	Unwritten []string
}

// Deletions reads the audit log anew, and fails the test at one that is not just.
func (s *System) Deletions() Deletions {
	s.Helper()
	versions := map[string]metav1.ObjectMeta{} // by resourceVersion
	var deletes []*auditv1.Event
	s.EachEvent(func(e *auditv1.Event) {
		// Lists have versions, too, but no UID.
		if seen, ok := body[metav1.PartialObjectMetadata](e.ResponseObject); ok && e.Verb != "delete" && seen.UID != "" {
			versions[seen.ResourceVersion] = seen.ObjectMeta
		}
		if ByBanyan(e) && e.Verb == "delete" && e.ObjectRef.Resource != "leases" {
			deletes = append(deletes, e)
		}
	})
	var all Deletions
	for _, e := range deletes {
		resource := e.ObjectRef.Resource
		what := resource + " " + e.ObjectRef.Namespace + "/" + e.ObjectRef.Name
		options, logged := body[metav1.DeleteOptions](e.RequestObject)
		if !logged {
			all.Unlogged = append(all.Unlogged, resource)
			continue
		}
		require.NotNil(s, options.Preconditions, what)
		require.NotNil(s, options.Preconditions.UID, what)
		require.NotNil(s, options.Preconditions.ResourceVersion, what)
		version, known := versions[*options.Preconditions.ResourceVersion]
		if !known {
			all.Unwritten = append(all.Unwritten, resource)
			continue
		}
		require.Equal(s, version.UID, *options.Preconditions.UID, what)
		require.NotEmptyf(s, mark(resource, version), "%s was deleted: %v, %v", what, version.Labels, version.Annotations)
		all.Just = append(all.Just, resource)
	}
	return all
}

// mark is what makes an object one that Banyan may delete on its own account.
func mark(resource string, object metav1.ObjectMeta) string {
	if resource == "namespaces" {
		return object.Annotations[api.AnnotationSubnamespaceOf]
	}
	return object.Labels[api.LabelInheritedFrom]
}

// ByBanyan: a replica asked for it, and it was done.
func ByBanyan(e *auditv1.Event) bool {
	return e.User.Username == replicas.User && e.ResponseStatus != nil && e.ResponseStatus.Code < 300 && e.ObjectRef != nil
}

// EachEvent reads the audit log anew. Half a line at its end is still being written.
func (s *System) EachEvent(do func(*auditv1.Event)) {
	s.Helper()
	file, err := os.Open(s.Plane.AuditLog())
	require.NoError(s, err)
	defer func() { require.NoError(s, file.Close()) }()
	events := json.NewDecoder(bufio.NewReader(file))
	for {
		e := &auditv1.Event{}
		err := events.Decode(e)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return
		}
		require.NoError(s, err)
		do(e)
	}
}

// body returns false if none was logged.
func body[T any](raw *runtime.Unknown) (T, bool) {
	var object T
	if raw == nil || len(raw.Raw) == 0 {
		return object, false
	}
	return object, json.Unmarshal(raw.Raw, &object) == nil
}
