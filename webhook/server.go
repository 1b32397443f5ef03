// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
)

// Paths are those of HNC, so that its webhook configurations go on to work; the
// one that mutates anchors is new.
const (
	PathMutateNamespace = "/mutate-namespace"
	PathNamespace       = "/validate-v1-namespace"
	PathConfiguration   = "/validate-hnc-x-k8s-io-v1alpha2-hierarchyconfigurations"
	PathAnchor          = "/validate-hnc-x-k8s-io-v1alpha2-subnamespaceanchors"
	PathMutateAnchor    = "/mutate-hnc-x-k8s-io-v1alpha2-subnamespaceanchors"
)

// Forest is where the answers come from.
type Forest interface {
	// Read lets a function look at the forest, which it must not keep.
	Read(func(*hierarchy.Forest))
}

// Registrar is the part of a webhook server that is needed here.
type Registrar interface {
	Register(path string, hook http.Handler)
}

// Options of the handlers.
type Options struct {
	Scheme *runtime.Scheme
	Forest Forest
	// Self is the one user name whose requests are not judged: Banyan's own.
	Self string
	// Reviews creates SubjectAccessReviews, and nothing else.
	Reviews client.Client
	// Reader reads past the cache.
	Reader client.Reader
}

// Register puts all handlers on a server.
func Register(server Registrar, o Options) {
	decoder := admission.NewDecoder(o.Scheme)
	namespaces := namespaces{decoder, o.Forest}
	configurations := configurations{decoder, o.Forest, rights{o.Reviews, o.Reader}}
	anchors := anchors{decoder, o.Forest}
	mutators := mutators{decoder, o.Forest}

	server.Register(PathMutateNamespace, &admission.Webhook{Handler: admission.HandlerFunc(mutators.namespace)})
	server.Register(PathMutateAnchor, &admission.Webhook{Handler: admission.HandlerFunc(mutators.anchor)})
	for path, judge := range map[string]judge{
		PathNamespace:     namespaces.judge,
		PathConfiguration: configurations.judge,
		PathAnchor:        anchors.judge,
	} {
		server.Register(path, &admission.Webhook{Handler: except(o.Self, judge)})
	}
}

// operation names, short.
const (
	opCreate = admissionv1.Create
	opUpdate = admissionv1.Update
	opDelete = admissionv1.Delete
)
