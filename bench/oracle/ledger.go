// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Ledger knows what users wrote since the cluster was last at rest, and says what
// of it is no longer there without a reason. What lies in other namespaces than
// its own does not concern it.
type Ledger struct {
	mu sync.Mutex

	own    []string
	uids   map[string]types.UID // of the namespaces that users know to exist
	wrote  map[Subject]written
	claims map[Place]bool  // anchors that existed at any time
	loose  map[string]bool // namespaces that users asked to delete, or whose anchors they did
	placed map[string]bool // namespaces whose configuration was Banyan's to write at any time
	exact  bool            // those that are loose must fall, and no others
	wins   map[string]bool // kinds of which an ancestor's object replaces a user's
}

// written is what a user wrote last, empty if it was deleted, and in which life of
// the namespace.
type written struct {
	text string
	in   types.UID
}

// NewLedger begins with a cluster at rest.
func NewLedger(own []string, f Facts) *Ledger {
	l := &Ledger{
		own: own, uids: map[string]types.UID{}, wrote: map[Subject]written{}, claims: map[Place]bool{},
		loose: map[string]bool{}, placed: map[string]bool{}, wins: map[string]bool{},
	}
	for _, name := range own {
		if f.exists(name) {
			l.uids[name] = f.Namespaces[name].UID
			l.placed[name] = f.owner(name) != ""
		}
	}
	for subject, text := range f.written(own) {
		l.wrote[subject] = written{text, l.uids[subject.Namespace]}
	}
	for place := range f.Anchors {
		l.claims[place] = true
	}
	for _, kind := range Kinds {
		l.wins[kind] = f.mode(kind) == api.Propagate
	}
	return l
}

// written renders the part of the facts that the ledger remembers.
func (f Facts) written(own []string) map[Subject]string {
	all := map[Subject]string{}
	for _, name := range own {
		if !f.exists(name) {
			continue
		}
		n, c := f.Namespaces[name], f.Configurations[name]
		all[Subject{name, "label color"}] = n.Labels["color"]
		for _, key := range []string{api.AnnotationSubnamespaceOf, api.AnnotationManagedBy} {
			all[Subject{name, "annotation " + key}] = n.Annotations[key]
		}
		all[Subject{name, "cascading"}] = fmt.Sprint(c.Cascading)
		if f.owner(name) == "" {
			all[Subject{name, "parent"}] = c.Parent
			all[Subject{name, "managed labels"}] = fmt.Sprint(c.Labels)
		}
	}
	for place, a := range f.Anchors {
		all[Subject{place.Namespace, whatAnchor + place.Name}] = anchorSpec(a.Labels)
	}
	for _, o := range f.Objects {
		if o.Name != "kube-root-ca.crt" {
			all[o.subject()] = o.text()
		}
	}
	maps.DeleteFunc(all, func(s Subject, _ string) bool { return !slices.Contains(own, s.Namespace) })
	return all
}

func anchorSpec(labels []api.MetaKVP) string { return fmt.Sprintf("an anchor with %v", labels) }

func (o Object) text() string {
	return fmt.Sprintf("labels=%v annotations=%v finalizers=%t %s", o.Labels, o.Annotations, o.HasFinalizers, o.Content)
}

// write remembers one write; an empty text is a deletion.
func (l *Ledger) write(in types.UID, subject Subject, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrote[subject] = written{text, in}
}

func (l *Ledger) change(do func(*Ledger)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do(l)
}

// Lost lists what is not as users wrote it, and must be.
func (l *Ledger) Lost(f Facts) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lost []string
	for _, name := range l.own {
		if why := l.strange(f, name); why != "" {
			lost = append(lost, name+": "+why)
		}
	}
	now := f.written(l.own)
	for subject, w := range l.wrote {
		uid := f.Namespaces[subject.Namespace].UID
		if w.in == uid && uid != "" && now[subject] != w.text && !l.excused(f, subject, now[subject]) {
			lost = append(lost, fmt.Sprintf("%s\n    users wrote: %s\n    there is:    %s", subject, orNothing(w.text), orNothing(now[subject])))
		}
	}
	for subject, text := range now {
		_, known := l.wrote[subject]
		lives := l.uids[subject.Namespace] == f.Namespaces[subject.Namespace].UID
		if !known && lives && !l.excused(f, subject, text) {
			lost = append(lost, fmt.Sprintf("%s: nobody wrote %s", subject, text))
		}
	}
	slices.SortFunc(lost, cmp.Compare)
	return lost
}

// strange says what is wrong with the existence of a namespace.
func (l *Ledger) strange(f Facts, name string) string {
	before, known := l.uids[name]
	claimed := slices.ContainsFunc(slices.Collect(maps.Keys(l.claims)), func(p Place) bool { return p.Name == name })
	switch uid := f.Namespaces[name].UID; {
	case known && uid != before && !l.mayFall(name, nil):
		return fmt.Sprintf("the namespace was deleted (UID %s, now %s), and nobody asked for it", before, orNothing(string(uid)))
	case l.exact && l.loose[name] && uid == before:
		return "the namespace had to go, and stays"
	case uid != "" && uid != before && !claimed:
		return "the namespace exists, and nobody asked for it"
	}
	return ""
}

// mayFall reports whether a namespace may have been deleted: somebody deleted it,
// or its anchor, or a namespace in which an anchor of it stood.
func (l *Ledger) mayFall(name string, seen []string) bool {
	if l.exact || l.loose[name] || slices.Contains(seen, name) {
		return l.loose[name]
	}
	for claim := range l.claims {
		if claim.Name == name && l.mayFall(claim.Namespace, append(seen, name)) {
			return true
		}
	}
	return false
}

// excused reports whether a fact may differ from what users wrote.
func (l *Ledger) excused(f Facts, subject Subject, now string) bool {
	if subject.What == "parent" || subject.What == "managed labels" {
		return l.placed[subject.Namespace] || f.owner(subject.Namespace) != ""
	}
	kind, name, _ := strings.Cut(subject.What, " ")
	return now == "" && strings.HasPrefix(name, shared) && l.wins[kind]
}

// shared begins the names that objects of users have in many namespaces. All
// others are unique in the cluster, so that no ancestor can replace them.
const shared = "shared-"
