// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// standing is where the namespace of an anchor stands with it.
//
// Invariant: it is all that an anchor's plan takes from the namespace that it
// names. Equal standings make equal plans; that is how a Change finds anchors.
type standing struct {
	state api.AnchorState

	// why a name is forbidden, or who has it.
	why string

	// terminating, and what keeps it from ending, since when. The time is in
	// seconds, as the API server keeps it.
	terminating bool
	left        string
	leftSince   int64

	// halted names the namespace that halts it.
	halted string

	// placed: its configuration says where it belongs.
	placed bool

	// goes: it may be deleted with its anchor.
	goes bool
}

func (f *Forest) standing(anchor *api.SubnamespaceAnchor) standing {
	child := f.Observe(anchor.Name)
	switch owner := child.annotatedParent(); {
	case !f.scope.Manages(anchor.Name):
		return standing{state: api.Forbidden, why: f.scope.WhyUnmanaged(anchor.Name)}
	case !child.exists() && !f.mayBeSubnamespace(anchor.Name):
		return standing{state: api.Forbidden, why: strings.Join(validation.IsDNS1123Label(anchor.Name), ", ")}
	case !child.exists():
		return standing{state: api.Missing}
	case owner == "":
		return standing{state: api.Conflict, why: "is no subnamespace"}
	case owner != anchor.Namespace:
		return standing{state: api.Conflict, why: fmt.Sprintf("is a subnamespace of %q", owner)}
	}
	where := standing{
		state:       api.Ok,
		terminating: child.terminating(),
		halted:      f.HaltedRoot(anchor.Name),
		placed:      child.Configuration != nil && child.Configuration.Spec.Parent == anchor.Namespace,
		goes:        f.mayGo(anchor.Name),
	}
	if child.external() {
		where.why = fmt.Sprintf("is managed by %q (annotation %s)", child.Namespace.Annotations[api.AnnotationManagedBy], api.AnnotationManagedBy)
	}
	if where.terminating {
		where.left, where.leftSince = remains(child.Namespace)
	}
	return where
}
