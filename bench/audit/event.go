// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// outcome says what came of a request.
type outcome int

const (
	done       outcome = iota
	unanswered         // it may have been done, or not
)

// event is a write that was done, or that may have been.
type event struct {
	writer  writer
	verb    string
	ref     reference
	outcome outcome

	received, answered time.Time

	// revision of the object that was returned, 0 if none was.
	revision uint64
	// gone: the object no longer exists afterwards.
	gone bool
	// object is what exists afterwards, for the kinds that say who owns what; for
	// a request without an answer it is what was asked for.
	object metav1.Object

	request request
	// hidden: it is known from its consequences only, its times are not.
	hidden bool
}

// reference names an object, or all objects of a resource in a namespace.
type reference struct {
	group, resource, namespace, name string
}

func (r reference) String() string {
	s := r.resource
	if r.namespace != "" {
		s += " " + r.namespace + "/" + r.name
	} else {
		s += " " + r.name
	}
	return s
}

// reduce returns nil for what changes nothing.
func reduce(logged *auditv1.Event) *event {
	if !changes(logged) {
		return nil
	}
	e := &event{
		writer:   writerOf(logged),
		verb:     logged.Verb,
		ref:      referenceOf(logged.ObjectRef),
		received: logged.RequestReceivedTimestamp.Time,
		answered: logged.StageTimestamp.Time,
		request:  requestOf(logged),
	}
	switch code := codeOf(logged); {
	case code >= 200 && code < 300:
		e.outcome = done
		e.takeResponse(logged)
	case code == 0 || code >= 500:
		e.outcome = unanswered
		e.object = decode(e.ref, rawOf(logged.RequestObject))
	default:
		return nil
	}
	return e
}

// changes reports whether a request of this sort could change anything. Reviews
// are created, but store nothing.
func changes(logged *auditv1.Event) bool {
	if logged.ObjectRef == nil || logged.Stage != auditv1.StageResponseComplete && logged.Stage != auditv1.StagePanic {
		return false
	}
	if strings.HasPrefix(logged.ObjectRef.APIGroup, "authorization.") || strings.HasPrefix(logged.ObjectRef.APIGroup, "authentication.") {
		return false
	}
	switch logged.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return !strings.Contains(logged.RequestURI, "dryRun=All")
	}
	return false
}

func codeOf(logged *auditv1.Event) int32 {
	if logged.ResponseStatus == nil || logged.Stage == auditv1.StagePanic {
		return 0
	}
	return logged.ResponseStatus.Code
}

// referenceOf gives namespaces no namespace: the API server logs their own name
// there for some verbs only.
func referenceOf(r *auditv1.ObjectReference) reference {
	ref := reference{group: r.APIGroup, resource: r.Resource, namespace: r.Namespace, name: r.Name}
	if ref.group == "" && ref.resource == "namespaces" {
		ref.namespace = ""
	}
	return ref
}

func (e *event) takeResponse(logged *auditv1.Event) {
	raw := rawOf(logged.ResponseObject)
	var b body
	if raw == nil || json.Unmarshal(raw, &b) != nil {
		e.gone = e.verb == "delete" || e.verb == "deletecollection"
		return
	}
	if e.verb == "deletecollection" || b.Kind == "Status" {
		e.gone = e.verb == "delete" || e.verb == "deletecollection"
		return
	}
	if e.ref.name == "" {
		e.ref.name = b.Metadata.Name
	}
	e.revision = revisionOf(b.Metadata.ResourceVersion)
	e.gone = b.Metadata.DeletionTimestamp != nil && len(b.Metadata.Finalizers) == 0 && !b.heldBySpec(e.ref)
	e.gone = e.gone || e.verb == "delete" && b.Metadata.DeletionTimestamp == nil
	if !e.gone {
		e.object = decode(e.ref, raw)
	}
}

// body is what rules ask of any object, and of DeleteOptions.
type body struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name              string   `json:"name"`
		ResourceVersion   string   `json:"resourceVersion"`
		DeletionTimestamp *string  `json:"deletionTimestamp"`
		Finalizers        []string `json:"finalizers"`
	} `json:"metadata"`
	Spec          json.RawMessage `json:"spec"`
	Preconditions *struct {
		UID             *string `json:"uid"`
		ResourceVersion *string `json:"resourceVersion"`
	} `json:"preconditions"`
}

// heldBySpec: namespaces have finalizers in a place of their own.
func (b *body) heldBySpec(ref reference) bool {
	if ref.group != "" || ref.resource != "namespaces" {
		return false
	}
	var spec corev1.NamespaceSpec
	return json.Unmarshal(b.Spec, &spec) == nil && len(spec.Finalizers) > 0
}

// decode returns nil for kinds that do not say who owns what.
func decode(ref reference, raw []byte) metav1.Object {
	var object metav1.Object
	switch ref.group + "/" + ref.resource {
	case "coordination.k8s.io/leases":
		object = &coordinationv1.Lease{}
	case "/namespaces":
		object = &corev1.Namespace{}
	case api.Group + "/hierarchyconfigurations":
		object = &api.HierarchyConfiguration{}
	case api.Group + "/subnamespaceanchors":
		object = &api.SubnamespaceAnchor{}
	}
	if object == nil || raw == nil || json.Unmarshal(raw, object) != nil {
		return nil
	}
	return object
}

func revisionOf(version string) uint64 {
	revision, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0
	}
	return revision
}
