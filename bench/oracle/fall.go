// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"math/rand/v2"
	"slices"
	"strings"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// FallOfAnchor lists the namespaces that must go with the anchor at a place, and
// no others, if nobody else does anything.
func (f Facts) FallOfAnchor(place Place) []string {
	return f.fall(place, nil)
}

// FallOfNamespace lists those that must go with a namespace, and itself.
func (f Facts) FallOfNamespace(name string) []string {
	return f.fallen(name, nil)
}

func (f Facts) fall(place Place, fallen []string) []string {
	state, _ := f.anchor(place)
	isOwn := len(state) > 2 && state[:3] == "Ok "
	free := len(f.children(place.Name)) == 0 || f.cascading(place.Name)
	if !isOwn || !free || slices.Contains(fallen, place.Name) {
		return fallen
	}
	return f.fallen(place.Name, fallen)
}

// fallen adds a namespace that goes, and what goes with the anchors in it.
func (f Facts) fallen(name string, fallen []string) []string {
	fallen = append(fallen, name)
	for place := range f.Anchors {
		if place.Namespace == name {
			fallen = f.fall(place, fallen)
		}
	}
	return fallen
}

// Alone says that from now on nobody does anything but what makes these
// namespaces fall. Then they must.
func (l *Ledger) Alone(fallen []string) {
	l.change(func(l *Ledger) {
		l.loose = map[string]bool{}
		l.exact = true
		for _, name := range fallen {
			l.loose[name] = true
		}
	})
}

// DrawFall draws a deletion of which the oracle knows what goes with it. In a cycle
// it does not: that depends on who goes first.
func (f Facts) DrawFall(r *rand.Rand) (o Operation, fallen []string, found bool) {
	var all []Operation
	for place := range f.Anchors {
		all = append(all, Operation{Verb: "delete anchor", Namespace: place.Namespace, Name: place.Name})
	}
	for _, name := range Namespaces() {
		if f.inCycle(name) {
			return o, nil, false
		}
		if f.exists(name) && len(f.children(name)) > 0 {
			all = append(all, Operation{Verb: "delete namespace", Namespace: name})
		}
	}
	if len(all) == 0 {
		return o, nil, false
	}
	slices.SortFunc(all, func(a, b Operation) int { return strings.Compare(a.String(), b.String()) })
	o = pick(r, all...)
	if o.Verb == "delete namespace" {
		return o, f.FallOfNamespace(o.Namespace), true
	}
	return o, f.FallOfAnchor(Place{o.Namespace, o.Name}), true
}

// Mend lists what users must do so that no namespace is halted: whatever has no
// place in a tree becomes a root.
func (f Facts) Mend() []Operation {
	var all []Operation
	for _, name := range Namespaces() {
		if f.fault(name) != "" {
			all = append(all,
				Operation{Verb: "annotate", Namespace: name, Name: api.AnnotationSubnamespaceOf},
				Operation{Verb: "set parent", Namespace: name})
		}
	}
	return all
}
