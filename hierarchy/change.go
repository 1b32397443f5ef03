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
	// Decide lists the namespaces whose own plan may differ now: that of the
	// namespace itself and of its HierarchyConfiguration.
	Decide []string

	// Anchors lists the anchors whose own plan may differ now, sorted by
	// namespace and name.
	Anchors []AnchorKey

	// Objects lists the managed namespaces whose copies must be examined
	// again: their existence, ancestry, halted state or labels changed.
	Objects []string

	// Moved lists the namespaces in which somebody else than before may write
	// now. Nobody does any more under the key before.
	Moved []string

	// Strayed are those of which that is not known, by their key before: it
	// changed, and no stamp announced it.
	Strayed map[string]string
}

// Empty reports whether nothing changed.
func (c Change) Empty() bool {
	return len(c.Decide)+len(c.Anchors)+len(c.Objects)+len(c.Moved)+len(c.Strayed) == 0
}

// Merge returns what must be looked at after both changes.
func (c Change) Merge(other Change) Change {
	strayed := map[string]string{}
	maps.Copy(strayed, other.Strayed)
	maps.Copy(strayed, c.Strayed) // the key before both
	return Change{
		Decide:  union(c.Decide, other.Decide, strings.Compare),
		Anchors: union(c.Anchors, other.Anchors, AnchorKey.compare),
		Objects: union(c.Objects, other.Objects, strings.Compare),
		Moved:   union(c.Moved, other.Moved, strings.Compare),
		Strayed: strayed,
	}
}

func union[T comparable](a, b []T, compare func(T, T) int) []T {
	both := slices.Concat(a, b)
	slices.SortFunc(both, compare)
	return slices.Compact(both)
}

// foldNamespace folds a fact of a namespace. Its own plan may differ in any
// case; those of the anchors in it only if it comes, goes or begins to go.
func (f *Forest) foldNamespace(name string, do, undo func()) Change {
	before := f.Observe(name)
	c := newComparison()
	c.decide.Insert(name)
	f.fold(c, name, do, undo)
	if after := f.Observe(name); after.exists() != before.exists() || after.terminating() != before.terminating() {
		c.anchors.Insert(f.AnchorsIn(name)...)
	}
	return c.change()
}

// foldAnchor folds a fact of an anchor. The namespace in which it stands only
// wants to know whether there is any.
func (f *Forest) foldAnchor(key AnchorKey, do, undo func()) Change {
	had := f.Observe(key.Namespace).HasAnchors
	c := newComparison()
	c.anchors.Insert(key)
	f.fold(c, key.Name, do, undo)
	if f.Observe(key.Namespace).HasAnchors != had {
		c.decide.Insert(key.Namespace)
	}
	return c.change()
}

// fold changes one fact and collects what follows from it for the touched
// namespace and its relatives.
//
//  1. If no fact changed that relatives depend upon, only the touched one is
//     compared. Most events end here.
//  2. Else everything that hangs below it, before or after, is compared.
func (f *Forest) fold(c *comparison, touched string, do, undo func()) {
	factsBefore, viewBefore := f.facts(touched), f.view(touched)
	do()
	if f.facts(touched) == factsBefore {
		c.compare(touched, viewBefore, f.view(touched))
		return
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
	c.acknowledged = factsBefore.stamp != "" && f.stamp(touched) == "" && f.Exists(touched) &&
		f.configurations[touched] != nil && f.parents[touched] == parentBefore
	for name, was := range before {
		c.compare(name, was, f.view(name))
	}
	if parent := f.parents[touched]; parent != parentBefore {
		// The list of children is in the parents' plans. A root has none to
		// tell.
		c.decide.Insert(parent, parentBefore)
		c.decide.Delete("")
	}
}

// facts are those of a namespace that its relatives depend upon.
type facts struct {
	exists, terminating, external bool
	parent, annotatedParent       string
	cascading                     bool
	own                           string
	winner, stamp                 string
	ownKey                        bool
}

func (f *Forest) facts(name string) facts {
	seen := f.Observe(name)
	own := facts{
		exists:          seen.exists(),
		terminating:     seen.terminating(),
		external:        seen.external(),
		parent:          seen.parent(f.scope),
		annotatedParent: seen.annotatedParent(),
		stamp:           f.stamp(name),
		ownKey:          f.HasOwnKey(name),
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

	// Who may write, whether only to end a move, and whether there is anything to
	// write.
	key      string
	moving   bool
	writable bool

	// For its copies.
	ancestry, halted, labels string

	// For its own plan.
	annotations, conditions, asked, removal string

	// For the anchors that name it, by their namespaces.
	standings map[string]standing
}

func (f *Forest) view(name string) view {
	seen := f.Observe(name)
	v := view{
		exists:    seen.exists(),
		managed:   f.scope.Manages(name),
		key:       f.Key(name),
		moving:    f.Moving(name) != "",
		standings: map[string]standing{},
	}
	for _, claim := range seen.Claims {
		v.standings[claim.Namespace] = f.standing(claim)
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
	anchors                sets.Set[AnchorKey]
	strayed                map[string]string

	// acknowledged: the owner of the old key has said that it is done. It takes away
	// the stamp and leaves the parent; a stamp that goes in any other way proves
	// nothing.
	acknowledged bool
}

func newComparison() *comparison {
	return &comparison{
		decide: sets.Set[string]{}, objects: sets.Set[string]{}, moved: sets.Set[string]{},
		anchors: sets.Set[AnchorKey]{}, strayed: map[string]string{},
	}
}

func (c *comparison) compare(name string, was, is view) {
	switch {
	case !was.writable || !is.writable:
	case was.moving && (c.acknowledged || was.key == is.key):
		if !is.moving {
			c.moved.Insert(name)
		}
	case was.key != is.key:
		c.strayed[name] = was.key
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
	// The zero standing is none that an anchor has, so absence differs, too.
	for _, standings := range []map[string]standing{was.standings, is.standings} {
		for claimant := range standings {
			if is.standings[claimant] != was.standings[claimant] {
				c.anchors.Insert(AnchorKey{claimant, name})
			}
		}
	}
}

func (c *comparison) change() Change {
	return Change{
		Decide:  sets.List(c.decide),
		Anchors: slices.SortedFunc(maps.Keys(c.anchors), AnchorKey.compare),
		Objects: sets.List(c.objects),
		Moved:   sets.List(c.moved),
		Strayed: c.strayed,
	}
}
