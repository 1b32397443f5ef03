// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"fmt"
	"slices"
	"strings"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Kinds that are propagated, or may be.
var Kinds = []string{"Role", "RoleBinding", "ConfigMap", "Secret"}

// mode of a kind: Roles and RoleBindings have no other, and what is not listed is
// ignored.
func (f Facts) mode(kind string) api.SynchronizationMode {
	if kind == "Role" || kind == "RoleBinding" {
		return api.Propagate
	}
	switch mode, listed := f.Modes[kind]; {
	case !listed:
		return api.Ignore
	case mode == "":
		return api.Propagate
	default:
		return mode
	}
}

// reached reports whether copies of a kind are made in and removed from a namespace.
func (f Facts) reached(namespace, kind string) bool {
	return f.exists(namespace) && f.managed(namespace) && !f.halted(namespace) && f.mode(kind) != api.Ignore
}

// own is a user's object, nil if there is none.
func (f Facts) own(namespace, kind, name string) *Object {
	for i, o := range f.Objects {
		if o.Namespace == namespace && o.Kind == kind && o.Name == name {
			return &f.Objects[i]
		}
	}
	return nil
}

// source is the object that a namespace inherits under a name: of the ancestors
// from the top, the first that has one that is let in. In Propagate mode, one that
// itself must give way to an inherited one does not count.
func (f Facts) source(namespace, kind, name string) *Object {
	mode := f.mode(kind)
	if mode != api.Propagate && mode != api.AllowPropagate {
		return nil
	}
	for _, ancestor := range slices.Backward(f.ancestors(namespace)) {
		o := f.own(ancestor, kind, name)
		if o == nil || excepted(*o) || !selects(mode, o.Annotations, f.labels(namespace)) {
			continue
		}
		if mode == api.Propagate && f.source(ancestor, kind, name) != nil {
			continue
		}
		return o
	}
	return nil
}

// refuses reports whether the API server does not let a user's object become a
// copy. Banyan does not delete what it did not write, so the object stays.
func refuses(own, source Object) bool {
	return own.Fixed != source.Fixed || own.Immutable && own.Content != source.Content
}

// place says what must be in a namespace under a name; empty if nothing.
func (f Facts) place(namespace, kind, name string) string {
	own, source := f.own(namespace, kind, name), f.source(namespace, kind, name)
	switch {
	case own == nil && source == nil:
		return ""
	case own == nil:
		return copyOf(*source)
	case source == nil, f.mode(kind) != api.Propagate, refuses(*own, *source):
		return aUsers
	}
	return copyOf(*source)
}

// blocked reports whether a copy that belongs into a namespace cannot be written.
func (f Facts) blocked(namespace string) bool {
	return slices.ContainsFunc(f.Objects, func(own Object) bool {
		if own.Namespace != namespace || f.mode(own.Kind) != api.Propagate {
			return false
		}
		source := f.source(namespace, own.Kind, own.Name)
		return source != nil && refuses(own, *source)
	})
}

const aUsers = "a user's own"

// copyOf is what a copy must be made of.
func copyOf(source Object) string {
	labels, annotations := map[string]string{}, map[string]string{}
	for key, value := range source.Labels {
		if !ours(key) {
			labels[key] = value
		}
	}
	for key, value := range source.Annotations {
		if !ours(key) {
			annotations[key] = value
		}
	}
	labels[api.LabelManagedByApps] = api.Group
	return copyText(source.Namespace, labels, annotations, source.Content)
}

func copyText(from string, labels, annotations map[string]string, content string) string {
	return fmt.Sprintf("copy from %s: labels=%v annotations=%v %s", from, labels, annotations, content)
}

// ours reports whether the prefix of a key is hnc.x-k8s.io or a subdomain.
func ours(key string) bool {
	prefix, _, hasPrefix := strings.Cut(key, "/")
	return hasPrefix && (prefix == api.Group || strings.HasSuffix(prefix, "."+api.Group))
}
