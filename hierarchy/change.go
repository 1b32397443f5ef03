// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
)

// Change names what must be looked at again after a fold. Each list is sorted.
type Change struct {
	// Decide lists the namespaces whose own plan may differ now.
	Decide []string

	// Objects lists the managed namespaces whose copies must be examined
	// again: their existence, ancestry, halted state or labels changed.
	Objects []string

	// Moved lists the namespaces whose Key changed and in which somebody may
	// have written under the old one, and may write under the new one.
	Moved []string
}

// Empty reports whether nothing changed.
func (c Change) Empty() bool { return len(c.Decide)+len(c.Objects)+len(c.Moved) == 0 }

// Merge returns what must be looked at after both changes.
func (c Change) Merge(other Change) Change {
	return Change{
		Decide:  union(c.Decide, other.Decide),
		Objects: union(c.Objects, other.Objects),
		Moved:   union(c.Moved, other.Moved),
	}
}

func union(a, b []string) []string {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// fold changes one fact and returns what follows from it. The namespace that
// holds the fact is always decided upon again; touched is the one whose facts
// may change, which differs from it for an anchor.
//
//  1. If no fact changed that relatives depend upon, only the touched one is
//     compared. Most events end here.
//  2. Else everything that hangs below it, before or after, is compared.
func (f *Forest) fold(holder, touched string, do, undo func()) Change {
	factsBefore, viewBefore := f.facts(touched), f.view(touched)
	do()
	c := comparison{decide: sets.New(holder), objects: sets.Set[string]{}, moved: sets.Set[string]{}}
	if f.facts(touched) == factsBefore {
		c.compare(touched, viewBefore, f.view(touched))
		return c.change()
	}

	below := f.below(touched)
	undo()
	below = below.Union(f.below(touched))
	before := map[string]view{}
	for name := range below {
		before[name] = f.view(name)
	}
	parentBefore := f.parents[touched]
	do()
	for name, was := range before {
		c.compare(name, was, f.view(name))
	}
	if parent := f.parents[touched]; parent != parentBefore {
		// The list of children is in the parents' plans. A root has none to
		// tell.
		c.decide.Insert(parent, parentBefore)
		c.decide.Delete("")
	}
	return c.change()
}

// facts are those of a namespace that its relatives depend upon.
type facts struct {
	exists, terminating, external bool
	parent, annotatedParent       string
	cascading                     bool
	own                           string
	winner                        string
}

func (f *Forest) facts(name string) facts {
	seen := f.glance(name)
	own := facts{
		exists:          seen.exists(),
		terminating:     seen.terminating(),
		external:        seen.external(),
		parent:          seen.parent(f.scope),
		annotatedParent: seen.annotatedParent(),
		cascading:       seen.Configuration != nil && seen.Configuration.Spec.AllowCascadingDeletion,
	}
	if own.exists {
		own.own = canonical(f.ownLabels(seen)) + canonical(f.ownAnnotations(seen))
	}
	if own.external {
		trees := map[string]string{}
		copyIf(trees, seen.Namespace.Labels, IsTreeLabel)
		own.own += canonical(trees)
	}
	if claim := f.winner(seen); claim != nil {
		own.winner = claim.Namespace
	}
	return own
}

// below returns the namespace, its parent, and all whose plan can depend on it:
// its descendants, and absent namespaces that are claimed from among these.
func (f *Forest) below(name string) sets.Set[string] {
	found := sets.New(name)
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		next := f.children[queue[0]].UnsortedList()
		for claimed := range f.anchors[queue[0]] {
			if !f.Exists(claimed) {
				next = append(next, claimed)
			}
		}
		for _, n := range next {
			if !found.Has(n) {
				found.Insert(n)
				queue = append(queue, n)
			}
		}
	}
	if parent := f.parents[name]; parent != "" {
		found.Insert(parent)
	}
	return found
}

// view is all that can be seen of a namespace from outside, as far as it comes
// from more than its own objects.
type view struct {
	exists, managed bool

	// Who may write, and whether there is anything to write.
	key      string
	writable bool

	// For its copies.
	ancestry, halted, labels string

	// For its own plan.
	annotations, conditions, asked, removal string

	// For the anchors that name it.
	outcomes map[string]outcome
}

func (f *Forest) view(name string) view {
	seen := f.glance(name)
	v := view{
		exists:   seen.exists(),
		managed:  f.scope.Manages(name),
		key:      f.Key(name),
		outcomes: map[string]outcome{},
	}
	for _, claim := range seen.Claims {
		v.outcomes[claim.Namespace] = f.outcome(claim)
	}
	if claim := f.winner(seen); claim != nil {
		v.writable = true
		v.removal = fmt.Sprint("create ", f.creation(seen).Verb)
		seen = f.newborn(seen, claim)
	} else if v.exists {
		v.writable = true
		v.ancestry = strings.Join(f.Ancestors(name), "/")
		v.halted = f.HaltedRoot(name)
		v.removal = fmt.Sprint("delete ", f.mustGo(seen))
		for _, c := range f.conditions(seen) {
			v.conditions += c.Type + c.Reason + c.Message
		}
	}
	if seen.exists() && v.managed {
		v.labels, v.annotations = canonical(f.labels(seen)), canonical(f.annotations(seen))
		labels, annotations := seen.asked(f.scope)
		v.asked = fmt.Sprint(seen.subnamespaceOf(f.scope), labels, annotations)
	}
	return v
}

// canonical returns a map as text that is equal for equal maps only.
func canonical(m map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%q=%q ", key, m[key])
	}
	return b.String()
}

// comparison collects what differs.
type comparison struct {
	decide, objects, moved sets.Set[string]
}

func (c *comparison) compare(name string, was, is view) {
	if was.key != is.key && was.writable && is.writable {
		c.moved.Insert(name)
	}
	forCopies := was.exists != is.exists || was.ancestry != is.ancestry || was.halted != is.halted ||
		(was.exists || is.exists) && was.labels != is.labels
	if is.managed && forCopies {
		c.objects.Insert(name)
	}
	if was.exists != is.exists || was.halted != is.halted || was.labels != is.labels || was.annotations != is.annotations ||
		was.conditions != is.conditions || was.asked != is.asked || was.removal != is.removal {
		c.decide.Insert(name)
	}
	// The zero outcome is none that an anchor has, so absence differs, too.
	for _, outcomes := range []map[string]outcome{was.outcomes, is.outcomes} {
		for claimant := range outcomes {
			if is.outcomes[claimant] != was.outcomes[claimant] {
				c.decide.Insert(claimant)
			}
		}
	}
}

func (c *comparison) change() Change {
	return Change{Decide: sets.List(c.decide), Objects: sets.List(c.objects), Moved: sets.List(c.moved)}
}
