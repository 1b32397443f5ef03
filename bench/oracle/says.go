// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"fmt"
	"slices"
	"strings"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Says is everything that must be true at rest.
func (f Facts) Says() Statements {
	all := Statements{}
	for _, name := range f.wanted() {
		all[Subject{name, whatNamespace}] = "exists"
	}
	for name := range f.Namespaces {
		all[Subject{name, whatNamespace}] = "exists"
		all[Subject{name, whatLabels}] = fmt.Sprint(f.labels(name))
		all[Subject{name, whatAnnotations}] = fmt.Sprint(f.annotations(name))
		if configuration, ok := f.configuration(name); ok {
			all[Subject{name, whatConfiguration}] = configuration.String()
		}
	}
	for place := range f.Anchors {
		if state, ok := f.anchor(place); ok {
			all[Subject{place.Namespace, whatAnchor + place.Name}] = state
		}
	}
	f.sayObjects(all)
	all[Subject{"", whatSummary}] = fmt.Sprint(f.troubles())
	return all
}

// sayObjects says what is in each namespace under each name that anybody has.
func (f Facts) sayObjects(all Statements) {
	named := map[[2]string]bool{}
	for _, o := range f.Objects {
		named[[2]string{o.Kind, o.Name}] = true
	}
	for name := range f.Namespaces {
		for key := range named {
			if !f.reached(name, key[0]) {
				continue
			}
			if what := f.place(name, key[0], key[1]); what != "" {
				all[Object{Kind: key[0], Namespace: name, Name: key[1]}.subject()] = what
			}
		}
	}
	for _, kind := range Kinds {
		all[Subject{"", "mode of " + kind}] = f.modeText(kind)
	}
}

// trouble is one condition that namespaces have.
type trouble struct{ kind, reason string }

// troubles are the namespaces with each condition, sorted.
func (f Facts) troubles() map[trouble][]string {
	found := map[trouble][]string{}
	for name := range f.Namespaces {
		if f.managed(name) {
			for kind, reason := range f.conditions(name) {
				found[trouble{kind, reason}] = append(found[trouble{kind, reason}], name)
			}
		}
	}
	for _, names := range found {
		slices.Sort(names)
	}
	return found
}

const whatSummary = "summary of conditions"

// modeText is a mode, and the numbers that are told with it.
func (f Facts) modeText(kind string) string {
	sources, copies := 0, f.Copies[kind]
	for _, o := range f.Objects {
		if o.Kind == kind && f.managed(o.Namespace) {
			sources++
		}
	}
	switch mode := f.mode(kind); mode {
	case api.Propagate, api.AllowPropagate:
		return modeText(mode, &copies, &sources)
	case api.Remove:
		return modeText(mode, &copies, nil)
	default:
		return string(mode)
	}
}

// Summary counts what there is to be wrong about.
func (f Facts) Summary() string {
	copies, halted := 0, 0
	for _, text := range f.Says() {
		if strings.HasPrefix(text, "copy from") {
			copies++
		}
	}
	for name := range f.Namespaces {
		if f.halted(name) {
			halted++
		}
	}
	return fmt.Sprintf("%d namespaces (%d halted), %d anchors, %d objects of users, %d copies, modes %v",
		len(f.Namespaces), halted, len(f.Anchors), len(f.Objects), copies, f.Modes)
}
