// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/banyan-hns/banyan/bench/replicas"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// eachEvent reads the audit log anew. Half a line at its end is still being written.
func (g *game) eachEvent(do func(*auditv1.Event)) {
	g.Helper()
	file, err := os.Open(g.Plane.AuditLog())
	require.NoError(g, err)
	defer func() { require.NoError(g, file.Close()) }()
	events := json.NewDecoder(bufio.NewReader(file))
	for {
		e := &auditv1.Event{}
		err := events.Decode(e)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return
		}
		require.NoError(g, err)
		do(e)
	}
}

func byBanyan(e *auditv1.Event) bool {
	return e.User.Username == replicas.User && e.ResponseStatus != nil && e.ResponseStatus.Code < 300 && e.ObjectRef != nil
}

// writes by Banyan since then; if namespaces are named, only those in them, and
// those of the control plane, too.
func (g *game) writes(from time.Time, about ...string) []string {
	var lines []string
	g.eachEvent(func(e *auditv1.Event) {
		r := e.ObjectRef
		if r == nil || r.Resource == "leases" || r.Resource == "events" || e.StageTimestamp.Time.Before(from) || e.User.Username == "admin" {
			return
		}
		concerned := slices.Contains(about, r.Namespace) || slices.Contains(about, r.Name)
		if len(about) == 0 && !byBanyan(e) || len(about) > 0 && !concerned {
			return
		}
		line := fmt.Sprintf("%s %s %s %s %s/%s", e.StageTimestamp.Format("15:04:05.000"), e.User.Username, e.Verb, r.Resource, r.Namespace, r.Name)
		if e.ResponseStatus != nil {
			line += fmt.Sprintf(": %d", e.ResponseStatus.Code)
		}
		if e.RequestObject != nil && len(e.RequestObject.Raw) < 2000 {
			line += " " + string(e.RequestObject.Raw)
		}
		lines = append(lines, line)
	})
	return lines
}

// deletesAreJust: what Banyan deleted was a copy or a subnamespace, in the very
// version that it named. Of Secrets no bodies are logged; the ledger answers for
// those.
func (g *game) deletesAreJust() {
	g.Helper()
	versions := map[string]metav1.ObjectMeta{} // by resourceVersion
	var deletes []*auditv1.Event
	g.eachEvent(func(e *auditv1.Event) {
		if seen, ok := body[metav1.PartialObjectMetadata](e.ResponseObject); ok && e.Verb != "delete" && seen.UID != "" { // Lists have versions, too.
			versions[seen.ResourceVersion] = seen.ObjectMeta
		}
		if byBanyan(e) && e.Verb == "delete" && e.ObjectRef.Resource != "secrets" && e.ObjectRef.Resource != "leases" {
			deletes = append(deletes, e)
		}
	})
	for _, e := range deletes {
		what := fmt.Sprintf("%s %s/%s", e.ObjectRef.Resource, e.ObjectRef.Namespace, e.ObjectRef.Name)
		options, logged := body[metav1.DeleteOptions](e.RequestObject)
		require.True(g, logged, what)
		require.NotNil(g, options.Preconditions, what)
		require.NotNil(g, options.Preconditions.UID, what)
		require.NotNil(g, options.Preconditions.ResourceVersion, what)
		version, known := versions[*options.Preconditions.ResourceVersion]
		if !known && e.ObjectRef.Resource == "namespaces" {
			continue // the namespace controller's finalize is logged without a body
		}
		require.Truef(g, known, "%s: nobody wrote the version that was deleted", what)
		require.Equal(g, version.UID, *options.Preconditions.UID, what)
		mark := version.Labels[api.LabelInheritedFrom]
		if e.ObjectRef.Resource == "namespaces" {
			mark = version.Annotations[api.AnnotationSubnamespaceOf]
		}
		require.NotEmptyf(g, mark, "%s was deleted: %v, %v", what, version.Labels, version.Annotations)
	}
	g.Logf("%d deletions, all of them just", len(deletes))
}

// body returns false if none was logged.
func body[T any](raw *runtime.Unknown) (T, bool) {
	var object T
	if raw == nil || len(raw.Raw) == 0 {
		return object, false
	}
	return object, json.Unmarshal(raw.Raw, &object) == nil
}
