// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// ObjectRequest is what somebody wants to do to an object of any type.
type ObjectRequest struct {
	Kind      schema.GroupKind
	Namespace string

	// Old is nil if the object is being created, New if it is being deleted.
	Old, New *unstructured.Unstructured
}

// Judges reports whether objects of a kind in a namespace are judged at all:
// whether the namespace is managed and copies of the kind are made. The version
// makes no difference.
func Judges(f *hierarchy.Forest, tracked []propagate.Tracked, kind schema.GroupKind, namespace string) bool {
	_, ok := copied(f, tracked, kind, namespace)
	return ok
}

func copied(f *hierarchy.Forest, tracked []propagate.Tracked, kind schema.GroupKind, namespace string) (propagate.Tracked, bool) {
	i := slices.IndexFunc(tracked, func(t propagate.Tracked) bool { return t.GVK.GroupKind() == kind && propagate.Copies(t.Mode) })
	if i < 0 || !f.Scope().Manages(namespace) {
		return propagate.Tracked{}, false
	}
	return tracked[i], true
}

// Object judges a change of an object that may be copied. A copy is not judged:
// that takes no forest, so that a policy in the API server does it. HNC's own
// webhook configuration, if it is still there, sends copies nevertheless.
func Object(f *hierarchy.Forest, tracked []propagate.Tracked, r ObjectRequest) Verdict {
	t, ok := copied(f, tracked, r.Kind, r.Namespace)
	if !ok || r.New == nil || origin(r.Old) != "" || origin(r.New) != "" {
		return Allow()
	}
	return first(
		func() Verdict { return readableSelect(r.Old, r.New) },
		func() Verdict { return changeOfSource(f, t, r) },
	)
}

// origin is the namespace that an object says it is a copy from.
func origin(u *unstructured.Unstructured) string {
	if u == nil {
		return ""
	}
	return u.GetLabels()[api.LabelInheritedFrom]
}

// changeOfSource: it must replace no object of a user, in any namespace below.
// That it will be replaced itself, or is in the way, is only told: whoever makes
// an object may not know what is above, and has nothing yet to lose.
func changeOfSource(f *hierarchy.Forest, t propagate.Tracked, r ObjectRequest) Verdict {
	name := r.New.GetName()
	before, after := observe(r.Old), observe(r.New)
	if name == "" || propagate.SameSource(before, after) {
		return Allow() // A name that is yet to be generated is nobody else's.
	}
	below := f.Descendants(r.Namespace)
	relatives := slices.Concat(f.Ancestors(r.Namespace), []string{r.Namespace}, below)
	with := func(o *propagate.Object) world {
		objects := t.Named(name, relatives)
		objects.Remove(r.Namespace, name)
		if o != nil {
			objects.Set(o)
		}
		return world{f, objects, t.Mode}
	}
	was, is := with(before), with(after)

	keys := make([]propagate.Key, len(below))
	for i, namespace := range below {
		keys[i] = propagate.Key{Namespace: namespace, Name: name}
	}
	v := judgeClashes("metadata.name", newClashes(was, is, keys), "choose another name, or exclude these namespaces by an annotation of "+api.AnnotationPropagatePrefix)
	v.Warnings = append(v.Warnings, fate(was, is, propagate.Key{Namespace: r.Namespace, Name: name})...)
	return v
}

// fate warns of what will become of the object itself.
func fate(was, is world, key propagate.Key) []string {
	clashes := newClashes(was, is, []propagate.Key{key})
	if len(clashes) > 0 && clashes[0].replaces {
		c := clashes[0]
		return []string{fmt.Sprintf("%s %q will be replaced by that of the ancestor %q; choose another name", c.kind, c.name, c.by)}
	}
	return judgeClashes("", clashes, "").Warnings
}

// observe returns what would be folded of an object; nil for none. The hash is
// not known before it is folded, and does not matter here: no clash depends upon
// content.
func observe(u *unstructured.Unstructured) *propagate.Object {
	if u == nil {
		return nil
	}
	return propagate.Observe(u)
}
