// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package restore

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// role is the name of the source and of its copies.
const role = "reader"

// Reasons to refuse a piece.
const (
	nobodysCopy = "a copy is not for users to create"
	noParentYet = "the parent does not exist"
	notNow      = "no replica can tell now"
)

// tree is one restore, in one order.
type tree struct {
	name  string // of its root
	order []piece

	// What this restore did. One goroutine at a time.
	restored map[piece]types.UID
	left     []piece // refused, to be tried again
	refusals map[string]int
}

func newTree(prefix string, i int, order []piece) *tree {
	return &tree{
		name: fmt.Sprintf("%s-%d", prefix, i), order: order,
		restored: map[piece]types.UID{}, refusals: map[string]int{},
	}
}

func (t *tree) childName() string { return t.name + "-child" }

func (t *tree) subName() string { return t.name + "-sub" }

// object as the backup has it. The tree labels are those of another time: some name
// ancestors that are gone, some have a depth that is wrong.
func (t *tree) object(p piece) client.Object {
	switch p {
	case root:
		return t.namespace(t.name, "", map[string]string{t.name: "1", t.name + "-gone": "0"})
	case child:
		return t.namespace(t.childName(), "", map[string]string{t.childName(): "0", t.name: "2", t.name + "-gone": "1"})
	case sub:
		return t.namespace(t.subName(), t.name, map[string]string{t.subName(): "0", t.name: "1"})
	case configuration:
		c := system.Configuration(t.childName())
		c.Spec.Parent = t.name
		return c
	case anchor:
		a := system.Anchor(t.name, t.subName())
		a.Finalizers = []string{api.FinalizerAnchor}
		return a
	case source:
		return system.Role(t.name, role)
	default:
		older := system.Role(t.childName(), role)
		older.Rules[0].Verbs = []string{"delete"}
		older.Labels = map[string]string{api.LabelInheritedFrom: t.name, api.LabelManagedByApps: api.Group}
		return older
	}
}

func (t *tree) namespace(name, owner string, depths map[string]string) client.Object {
	ns := system.Namespace(name)
	ns.Labels = map[string]string{api.LabelIncludedNamespace: "true", "team": t.name}
	for ancestor, depth := range depths {
		ns.Labels[ancestor+api.LabelTreeDepthSuffix] = depth
	}
	if owner != "" {
		ns.Annotations = map[string]string{api.AnnotationSubnamespaceOf: owner}
	}
	return ns
}

// bring tries to create pieces, and what is left from before. What is refused for
// now is kept for the next time; only what must not be refused is an error.
func (t *tree) bring(s *system.System, next ...piece) error {
	all := append(t.left, next...)
	t.left = nil
	for _, p := range all {
		object := t.object(p)
		err := s.Client.Create(s.Context(), object)
		switch {
		case err == nil:
			t.restored[p] = object.GetUID()
		case apierrors.IsAlreadyExists(err) && (p == sub || p == staleCopy):
			// An anchor that came earlier made it, or a source that did.
		case p == staleCopy && apierrors.IsForbidden(err):
			t.refusals[nobodysCopy]++ // It comes from its source.
		case p == configuration && apierrors.IsForbidden(err):
			t.refusals[noParentYet]++
			t.left = append(t.left, p)
		case apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err):
			t.refusals[notNow]++
			t.left = append(t.left, p)
		default:
			return fmt.Errorf("restoring the %v of %s in the order %v: %w", p, t.name, t.order, err)
		}
	}
	return nil
}

// identities are the objects that must live to the end, if they were restored. A
// copy is not among them: it may go as long as there is no source.
func (t *tree) identities() map[piece]types.UID {
	lasting := map[piece]types.UID{}
	for p, uid := range t.restored {
		if p != staleCopy {
			lasting[p] = uid
		}
	}
	return lasting
}

// refusals of many trees, by reason.
func refusals(trees []*tree) map[string]int {
	sum := map[string]int{}
	for _, t := range trees {
		for what, n := range t.refusals {
			sum[what] += n
		}
	}
	return sum
}
