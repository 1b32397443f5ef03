// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/banyan-hns/banyan/bench/replicas"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// audit asks the API server's own log, at the end of a suite.
func (s *scene) audit() {
	s.Helper()
	s.Rest()
	report := s.Audited()
	require.Empty(s, report.Violations, report.String())
	s.Log(report.String())
	s.deletesAreJustified()
}

// deletesAreJustified: what Banyan deleted was a copy or a subnamespace, in the
// very version that it named.
func (s *scene) deletesAreJustified() {
	s.Helper()
	versions := map[string]metav1.ObjectMeta{} // by resourceVersion
	var deletes []*auditv1.Event
	s.eachEvent(func(e *auditv1.Event) {
		if seen, ok := decode[metav1.PartialObjectMetadata](e.ResponseObject); ok && e.Verb != "delete" && seen.UID != "" {
			versions[seen.ResourceVersion] = seen.ObjectMeta
		}
		succeeded := e.ResponseStatus != nil && e.ResponseStatus.Code < 300
		if e.User.Username == replicas.User && e.Verb == "delete" && succeeded {
			deletes = append(deletes, e)
		}
	})
	judged := map[string]int{}
	for _, e := range deletes {
		options, logged := decode[metav1.DeleteOptions](e.RequestObject)
		if !logged || e.ObjectRef.Resource == "leases" {
			continue // types of which no bodies are logged, and Banyan's own
		}
		what := e.ObjectRef.Resource + " " + e.ObjectRef.Namespace + "/" + e.ObjectRef.Name
		require.NotNil(s, options.Preconditions, what)
		require.NotNil(s, options.Preconditions.ResourceVersion, what)
		version, known := versions[*options.Preconditions.ResourceVersion]
		require.Truef(s, known, "%s: nobody wrote the version that was deleted", what)
		require.Equal(s, version.UID, *options.Preconditions.UID, what)
		require.Truef(s, deletable(e.ObjectRef.Resource, version), "%s was deleted: %v, %v", what, version.Labels, version.Annotations)
		judged[e.ObjectRef.Resource]++
	}
	if !strings.Contains(flag.Lookup("test.run").Value.String(), "/") { // all scenarios were played
		require.NotEmpty(s, judged, "nothing was deleted")
	}
	s.Logf("deleted, and justly so: %v, of %d in all", judged, len(deletes))
}

// deletable reports whether Banyan may delete an object on its own account.
func deletable(resource string, object metav1.ObjectMeta) bool {
	if resource == "namespaces" {
		return object.Annotations[api.AnnotationSubnamespaceOf] != ""
	}
	return object.Labels[api.LabelInheritedFrom] != "" && slices.Contains([]string{"roles", "rolebindings", "configmaps", "networkpolicies"}, resource)
}

func (s *scene) eachEvent(do func(*auditv1.Event)) {
	s.Helper()
	file, err := os.Open(s.Plane.AuditLog())
	require.NoError(s, err)
	defer func() { require.NoError(s, file.Close()) }()
	events := json.NewDecoder(bufio.NewReader(file))
	for {
		e := &auditv1.Event{}
		err := events.Decode(e)
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(s, err)
		do(e)
	}
}

// decode returns false if no body was logged.
func decode[T any](body *runtime.Unknown) (T, bool) {
	var object T
	if body == nil || len(body.Raw) == 0 {
		return object, false
	}
	return object, json.Unmarshal(body.Raw, &object) == nil
}
