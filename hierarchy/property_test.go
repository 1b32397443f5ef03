// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// names are few, so that trees meet, conflict and close to cycles.
var names = []string{"a", "b", "c", "d", "e", "x"}

func propertyScope(t interface{ Fatal(...any) }) hierarchy.Scope {
	scope, err := hierarchy.NewScope(hierarchy.ScopeOptions{
		ExcludedNamespaces:          []string{"x"},
		ManagedNamespaceLabels:      []string{"env|team"},
		ManagedNamespaceAnnotations: []string{"note"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

// drawn objects

func drawName(t *rapid.T, label string) string { return rapid.SampledFrom(names).Draw(t, label) }

func rarely(t *rapid.T, label string) bool { return rapid.IntRange(0, 4).Draw(t, label) == 0 }

func drawObject(t *rapid.T, version int) hierarchy.Object {
	v := strconv.Itoa(version)
	name := drawName(t, "namespace")
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		b := foresttest.MakeNamespace(name).Version(v)
		if rarely(t, "terminating") {
			b.Terminating()
		}
		if rarely(t, "stuck") {
			b.Terminating().Finalizer("foreign").Condition(corev1.NamespaceContentRemaining, "pods", -rapid.IntRange(0, 90).Draw(t, "since"))
		}
		if rarely(t, "external") {
			b.External().Label(hierarchy.TreeLabel("foreign"), "2").Label("env", "foreign")
		}
		if rarely(t, "labelled") {
			b.Label("color", rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "color"))
		}
		if rarely(t, "tampered") {
			b.Label(hierarchy.TreeLabel("b"), "7").Label("env", "wrong")
		}
		if rapid.Bool().Draw(t, "sub") {
			b.SubnamespaceOf(drawName(t, "owner"))
		}
		return b.Obj()
	case 1, 2:
		b := foresttest.MakeConfiguration(name).Version(v)
		if !rarely(t, "root") {
			b.Parent(drawName(t, "parent"))
		}
		if rarely(t, "cascading") {
			b.Cascading()
		}
		if rarely(t, "own key") {
			b.OwnKey()
		}
		if rarely(t, "stamped") {
			b.Stamp(drawName(t, "previous"))
		}
		if rarely(t, "terminating") {
			b.Terminating().Finalizer()
		}
		if rapid.Bool().Draw(t, "labelled") {
			b.Label(rapid.SampledFrom([]string{"env", "team", "illegal"}).Draw(t, "key"), name).Annotation("note", name)
		}
		return b.Obj()
	}
	b := foresttest.MakeAnchor(name, drawName(t, "child")).Version(v).Created(rapid.IntRange(0, 2).Draw(t, "created"))
	if rapid.Bool().Draw(t, "finalizer") {
		b.Finalizer()
	}
	if rarely(t, "terminating") {
		b.Terminating()
	}
	if rarely(t, "labelled") {
		b.Label("team", name).Annotation("illegal", name)
	}
	if rapid.Bool().Draw(t, "told") {
		b.State(rapid.SampledFrom([]api.AnchorState{"", api.Ok, api.Missing, api.Conflict, "forged"}).Draw(t, "state"))
	}
	if rapid.Bool().Draw(t, "conditions") {
		b.Ready(rapid.SampledFrom([]metav1.ConditionStatus{"True", "False", "Unknown"}).Draw(t, "ready"), rapid.SampledFrom([]string{"Arrived", "Halted", "forged"}).Draw(t, "reason"))
	}
	return b.Obj()
}

func drawArrival(t *rapid.T) hierarchy.Arrival {
	awaited := rapid.IntRange(0, 2).Draw(t, "awaited")
	return hierarchy.Arrival{
		Awaited: awaited, Failed: rapid.IntRange(0, awaited).Draw(t, "failed"), Example: "Role reader",
		Waited: time.Duration(rapid.IntRange(0, 3).Draw(t, "waited")) * time.Second,
	}
}

// arrivals are those for which the plans of anchors are compared.
var arrivals = []hierarchy.Arrival{{}, {Awaited: 1}, {Awaited: 1, Waited: time.Hour}, {Awaited: 2, Failed: 1, Example: "Role reader"}}

// place is what identifies an object among all.
func place(o hierarchy.Object) string {
	return fmt.Sprintf("%T %s/%s", o, o.GetNamespace(), o.GetName())
}

// TestOrderDoesNotMatter folds the same objects in two orders, one of them with
// what came and went in between.
func TestOrderDoesNotMatter(t *testing.T) {
	scope := propertyScope(t)
	rapid.Check(t, func(t *rapid.T) {
		history := rapid.Custom(func(t *rapid.T) hierarchy.Object { return drawObject(t, 1) })
		objects := map[string]hierarchy.Object{}
		eventful := hierarchy.NewForest(scope)
		for version := range rapid.IntRange(1, 30).Draw(t, "events") {
			o := history.Draw(t, "object")
			o.SetResourceVersion(strconv.Itoa(version + 1))
			if known, ok := objects[place(o)]; ok && rarely(t, "remove") {
				delete(objects, place(o))
				foresttest.Remove(eventful, known)
				continue
			}
			objects[place(o)] = o
			foresttest.Fold(eventful, o)
		}

		calm := hierarchy.NewForest(scope)
		order := slices.Sorted(maps.Keys(objects))
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, key := range order {
			foresttest.Fold(calm, objects[key])
		}

		want, got := everything(calm), everything(eventful)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the order of events left a trace (-calm +eventful):\n%s", diff)
		}
		if diff := cmp.Diff(newTwin(scope, objects).everything(), got); diff != "" {
			t.Fatalf("the forest differs from its dull twin (-twin +forest):\n%s", diff)
		}
	})
}

// TestStaleObjectsAreIgnored delivers each object again in an older version.
func TestStaleObjectsAreIgnored(t *testing.T) {
	scope := propertyScope(t)
	rapid.Check(t, func(t *rapid.T) {
		f := hierarchy.NewForest(scope)
		var old []hierarchy.Object
		known := map[string]hierarchy.Object{}
		for version := range rapid.IntRange(1, 20).Draw(t, "events") {
			o := drawObject(t, version+1)
			if previous, ok := known[place(o)]; ok {
				old = append(old, previous)
			}
			known[place(o)] = o
			foresttest.Fold(f, o)
		}
		want := everything(f)
		for _, o := range append(old, slices.Collect(maps.Values(known))...) {
			if c := foresttest.Fold(f, o); !c.Empty() {
				t.Fatalf("folding what is known already changed something: %v", c)
			}
		}
		if diff := cmp.Diff(want, everything(f)); diff != "" {
			t.Fatalf("a stale object changed the forest:\n%s", diff)
		}
	})
}

// TestChange compares what a fold reports with what it does.
func TestChange(t *testing.T) {
	scope := propertyScope(t)
	rapid.Check(t, func(t *rapid.T) {
		f := hierarchy.NewForest(scope)
		known := map[string]hierarchy.Object{}
		for version := range rapid.IntRange(1, 25).Draw(t, "events") {
			before := everything(f)
			o := drawObject(t, version+1)
			parent := f.Parent(o.GetNamespace())
			var change hierarchy.Change
			previous, ok := known[place(o)]
			switch {
			case rapid.IntRange(0, 19).Draw(t, "definitions") == 0:
				change = f.SetDeletingCRD(rapid.Bool().Draw(t, "deleting"))
			case ok && rarely(t, "remove"):
				delete(known, place(o))
				change = foresttest.Remove(f, previous)
			default:
				known[place(o)] = o
				change = foresttest.Fold(f, o)
			}
			after := everything(f)
			acknowledged := known[place(o)] == o && unstamped(previous, o) && f.Exists(o.GetNamespace()) && f.Parent(o.GetNamespace()) == parent
			for _, name := range names {
				was, is := before[name], after[name]
				if was.Plan != is.Plan && !slices.Contains(change.Decide, name) {
					t.Fatalf("folding %s changed the plan of %s, which is not among %v:\n%s", place(o), name, change.Decide, cmp.Diff(was.Plan, is.Plan))
				}
				for _, child := range names {
					key := hierarchy.AnchorKey{Namespace: name, Name: child}
					if was.Anchors[key] != is.Anchors[key] && !slices.Contains(change.Anchors, key) {
						t.Fatalf("folding %s changed the plan of anchor %v, which is not among %v:\n%s", place(o), key, change.Anchors, cmp.Diff(was.Anchors[key], is.Anchors[key]))
					}
				}
				both := was.writable() && is.writable()
				known := was.Moving == "" || acknowledged || was.Key == is.Key
				if moved := both && was.Moving != "" && is.Moving == "" && known; moved != slices.Contains(change.Moved, name) {
					t.Fatalf("folding %s ended the move of %s (%v), but reported %v", place(o), name, moved, change.Moved)
				}
				before, reported := change.Strayed[name]
				if strayed := both && !(was.Moving != "" && known) && was.Key != is.Key; strayed != reported || strayed && before != was.Key {
					t.Fatalf("folding %s gave %s the key %q after %q, but reported %v", place(o), name, is.Key, was.Key, change.Strayed)
				}
				objects := scope.Manages(name) && was.forCopies() != is.forCopies()
				if objects && !slices.Contains(change.Objects, name) {
					t.Fatalf("folding %s changed what %s inherits, which is not among %v:\n%s", place(o), name, change.Objects, cmp.Diff(was, is))
				}
			}
			for _, list := range [][]string{change.Decide, change.Objects, change.Moved} {
				if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
					t.Fatalf("a change is not sorted: %v", change)
				}
			}
			for i := range len(change.Anchors) - 1 {
				one, two := change.Anchors[i], change.Anchors[i+1]
				if one.Namespace > two.Namespace || one.Namespace == two.Namespace && one.Name >= two.Name {
					t.Fatalf("the anchors of a change are not sorted: %v", change.Anchors)
				}
			}
		}
	})
}

// unstamped reports whether a configuration has lost its stamp.
func unstamped(previous, o hierarchy.Object) bool {
	was, right := previous.(*api.HierarchyConfiguration)
	is, also := o.(*api.HierarchyConfiguration)
	return right && also && was.Annotations[api.AnnotationPreviousKey] != "" && is.Annotations[api.AnnotationPreviousKey] == ""
}

// known is all that a forest says of a namespace.
type known struct {
	Exists, Sub, External, Cascading bool
	Parent, Key, Moving, HaltedRoot  string
	Children, Ancestors, Descendants []string
	Cycle                            []string
	Labels                           map[string]string
	Wanted                           bool
	Plan                             string
	Anchors                          map[hierarchy.AnchorKey]string // plans
}

func (k known) writable() bool { return k.Exists || k.Wanted }

func (k known) forCopies() string {
	return fmt.Sprint(k.Exists, k.Ancestors, k.HaltedRoot, k.Labels)
}

func everything(f *hierarchy.Forest) map[string]known {
	all := map[string]known{}
	for _, name := range names {
		all[name] = known{
			Exists: f.Exists(name), Sub: f.IsSubnamespace(name), External: slices.Contains(f.Externals(), name), Cascading: f.AllowsCascadingDeletion(name),
			Parent: f.Parent(name), Key: f.Key(name), Moving: f.Moving(name), HaltedRoot: f.HaltedRoot(name),
			Children: f.Children(name), Ancestors: f.Ancestors(name), Descendants: f.Descendants(name),
			Cycle: f.Cycle(name), Labels: f.Labels(name),
			Wanted:  !f.Exists(name) && slices.Contains(f.NamespacesByKey(func(string, string) bool { return true }), name),
			Plan:    f.Decide(f.Observe(name), foresttest.Time).String(),
			Anchors: anchorPlans(f, name),
		}
	}
	return all
}

func anchorPlans(f *hierarchy.Forest, namespace string) map[hierarchy.AnchorKey]string {
	plans := map[hierarchy.AnchorKey]string{}
	for _, key := range f.AnchorsIn(namespace) {
		for _, arrival := range arrivals {
			plans[key] += f.DecideAnchor(key, arrival, foresttest.Time).String()
		}
	}
	return plans
}

// TestPlansWriteOnlyTheirNamespace is what makes one key enough for one plan.
func TestPlansWriteOnlyTheirNamespace(t *testing.T) {
	scope := propertyScope(t)
	rapid.Check(t, func(t *rapid.T) {
		f := hierarchy.NewForest(scope)
		for version := range rapid.IntRange(1, 25).Draw(t, "events") {
			foresttest.Fold(f, drawObject(t, version+1))
		}
		for _, name := range names {
			plan := f.Decide(f.Observe(name), foresttest.Time)
			for _, key := range f.AnchorsIn(name) {
				plan.Actions = append(plan.Actions, f.DecideAnchor(key, hierarchy.Arrival{}, foresttest.Time).Actions...)
			}
			for _, action := range plan.Actions {
				object := action.After
				if action.Verb == hierarchy.Delete {
					object = action.Before
				}
				if object.GetNamespace() != name && !(object.GetNamespace() == "" && object.GetName() == name) {
					t.Fatalf("the plan for %s writes %s", name, place(object))
				}
			}
		}
	})
}

// TestPlansConverge carries out plans until there are none.
func TestPlansConverge(t *testing.T) {
	scope := propertyScope(t)
	rapid.Check(t, func(t *rapid.T) { plansConverge(t, scope) })
}

func plansConverge(t *rapid.T, scope hierarchy.Scope) {
	w := newWorld(scope, names...)
	w.awaited = rapid.IntRange(0, 50).Draw(t, "awaited")
	for range rapid.IntRange(1, 25).Draw(t, "events") {
		w.put(drawObject(t, 1))
	}
	w.rest(t)
	for _, name := range names {
		requireOneOwner(t, w.forest, name)
		for _, key := range w.forest.AnchorsIn(name) {
			requireTruth(t, w, key)
		}
	}
}

func requireOneOwner(t *rapid.T, f *hierarchy.Forest, name string) {
	owners := 0
	for _, claim := range f.Claims(name) {
		if claim.Status.State == api.Ok && f.Scope().Manages(claim.Namespace) && f.Exists(claim.Namespace) && f.Exists(name) {
			owners++
		}
	}
	if owners > 1 {
		t.Fatalf("%d anchors say that %s is theirs", owners, name)
	}
}

// requireTruth compares what an anchor says at rest with what the dull twin says.
func requireTruth(t *rapid.T, w *world, key hierarchy.AnchorKey) {
	a, _ := w.forest.Anchor(key.Namespace, key.Name)
	if w.forest.IsTerminating(key.Namespace) && a.DeletionTimestamp == nil || !w.forest.Exists(key.Namespace) {
		return // Nothing is said there any more.
	}
	want, ok := (twin{scope: w.forest.Scope(), objects: w.objects}).says(key)
	if ok && want != saying(a) {
		t.Fatalf("anchor %v says %q, its twin %q:\n%s", key, saying(a), want, strings.Join(w.log, "\n"))
	}
}

// TestPlansAreDone carries out each plan once.
func TestPlansAreDone(t *testing.T) {
	scope := propertyScope(t)
	rapid.Check(t, func(t *rapid.T) { plansAreDone(t, scope) })
}

// plansAreDone: what a plan wants of things that exist is done when it is
// carried out.
func plansAreDone(t *rapid.T, scope hierarchy.Scope) {
	f := hierarchy.NewForest(scope)
	seen := map[string]hierarchy.Object{}
	for version := range rapid.IntRange(1, 25).Draw(t, "events") {
		o := drawObject(t, version+1)
		if previous, ok := seen[place(o)]; ok && rarely(t, "remove") {
			delete(seen, place(o))
			foresttest.Remove(f, previous)
			continue
		}
		seen[place(o)] = o
		foresttest.Fold(f, o)
	}
	f.SetDeletingCRD(rarely(t, "definitions"))
	arrival := drawArrival(t)
	for _, name := range names {
		plan := f.Decide(f.Observe(name), foresttest.Time)
		if f.Exists(name) && !plan.Deletes() {
			carryOutOver(f, plan)
			again := f.Decide(f.Observe(name), foresttest.Time)
			if plan.Acknowledges() && !again.Deletes() { // what is left is for the owner of the new key
				plan = again
				carryOutOver(f, plan)
				again = f.Decide(f.Observe(name), foresttest.Time)
			}
			if !again.Empty() && !again.Deletes() {
				t.Fatalf("the plan for %s\n%sleaves\n%s", name, plan, again)
			}
		}
		for _, key := range f.AnchorsIn(name) {
			plan := f.DecideAnchor(key, arrival, foresttest.Time)
			carryOutOver(f, plan)
			if again := f.DecideAnchor(key, arrival, foresttest.Time); !again.Empty() {
				t.Fatalf("the plan for %v with %+v\n%sleaves\n%s", key, arrival, plan, again)
			}
		}
	}
}

// carryOutOver folds what a plan writes as newer versions.
func carryOutOver(f *hierarchy.Forest, plan hierarchy.Plan) {
	for _, action := range plan.Actions {
		after := action.After.DeepCopyObject().(hierarchy.Object)
		version, _ := strconv.Atoi(after.GetResourceVersion())
		after.SetResourceVersion(strconv.Itoa(version + 1000))
		foresttest.Fold(f, after)
	}
}
