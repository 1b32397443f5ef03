// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// Paths are those of HNC, so that its webhook configurations go on to work; the
// one that mutates anchors is new.
const (
	PathMutateNamespace  = "/mutate-namespace"
	PathNamespace        = "/validate-v1-namespace"
	PathConfiguration    = "/validate-hnc-x-k8s-io-v1alpha2-hierarchyconfigurations"
	PathAnchor           = "/validate-hnc-x-k8s-io-v1alpha2-subnamespaceanchors"
	PathMutateAnchor     = "/mutate-hnc-x-k8s-io-v1alpha2-subnamespaceanchors"
	PathHNCConfiguration = "/validate-hnc-x-k8s-io-v1alpha2-hncconfigurations"
	PathObject           = "/validate-objects"
)

// Forest is where the answers come from.
type Forest interface {
	// Read lets a function look at the forest, which it must not keep.
	Read(func(*hierarchy.Forest))
	// Look adds the objects of all types that are handled.
	Look(func(*hierarchy.Forest, []propagate.Tracked))
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
	// Catalog returns a lookup in what the API server serves now. Without it,
	// no change of the types in the HNCConfiguration can be judged, and none
	// is allowed.
	Catalog func(context.Context) (propagate.Lookup, error)
	// Moves grants changes of parents.
	Moves *Moves
	// SelfCheck is told that the API server has asked.
	SelfCheck *SelfCheck
}

// Register puts all handlers on a server.
func Register(server Registrar, o Options) {
	decoder := admission.NewDecoder(o.Scheme)
	configurations := configurations{decoder, o.Forest, rights{o.Reviews, o.Reader}, o.Moves}
	hncConfigurations := hncConfigurations{decoder, o.Forest, o.Catalog}
	objects := objects{o.Forest}
	mutators := mutators{decoder, o.Forest}

	serve := func(path string, handler admission.Handler) {
		server.Register(path, &admission.Webhook{Handler: o.SelfCheck.noting(handler)})
	}
	serve(PathMutateNamespace, admission.HandlerFunc(mutators.namespace))
	serve(PathMutateAnchor, admission.HandlerFunc(mutators.anchor))
	serve(PathSelfCheck, admission.HandlerFunc(o.SelfCheck.answer))
	for path, judge := range map[string]judge{
		PathNamespace: byForest(decoder, o.Forest, rules[*corev1.Namespace]{
			create: validate.CreateNamespace, update: validate.UpdateNamespace, delete: validate.DeleteNamespace,
		}),
		PathAnchor: byForest(decoder, o.Forest, rules[*api.SubnamespaceAnchor]{
			create: validate.CreateAnchor, update: validate.UpdateAnchor, delete: validate.DeleteAnchor,
		}),
		PathConfiguration:    configurations.judge,
		PathHNCConfiguration: hncConfigurations.judge,
		PathObject:           objects.judge,
	} {
		serve(path, except(o.Self, judge))
	}
}

// operation names, short.
const (
	opCreate = admissionv1.Create
	opUpdate = admissionv1.Update
	opDelete = admissionv1.Delete
)
