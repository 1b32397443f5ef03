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

	"github.com/google/go-cmp/cmp"
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
	return b.Obj()
}

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
			var change hierarchy.Change
			switch previous, ok := known[place(o)]; {
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
			for _, name := range names {
				was, is := before[name], after[name]
				if was.Plan != is.Plan && !slices.Contains(change.Decide, name) {
					t.Fatalf("folding %s changed the plan of %s, which is not among %v:\n%s", place(o), name, change.Decide, cmp.Diff(was.Plan, is.Plan))
				}
				moved := was.Key != is.Key && was.writable() && is.writable()
				if moved != slices.Contains(change.Moved, name) {
					t.Fatalf("folding %s gave %s the key %q after %q, but reported %v", place(o), name, is.Key, was.Key, change.Moved)
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
		}
	})
}

// known is all that a forest says of a namespace.
type known struct {
	Exists, Sub, External, Cascading bool
	Parent, Key, HaltedRoot          string
	Children, Ancestors, Descendants []string
	Cycle                            []string
	Labels                           map[string]string
	Wanted                           bool
	Plan                             string
}

func (k known) writable() bool { return k.Exists || k.Wanted }

func (k known) forCopies() string {
	return fmt.Sprint(k.Exists, k.Ancestors, k.HaltedRoot, k.Labels)
}

func everything(f *hierarchy.Forest) map[string]known {
	all := map[string]known{}
	for _, name := range names {
		all[name] = known{
			Exists: f.Exists(name), Sub: f.IsSubnamespace(name), External: f.IsExternal(name), Cascading: f.AllowsCascadingDeletion(name),
			Parent: f.Parent(name), Key: f.Key(name), HaltedRoot: f.HaltedRoot(name),
			Children: f.Children(name), Ancestors: f.Ancestors(name), Descendants: f.Descendants(name),
			Cycle: f.Cycle(name), Labels: f.Labels(name),
			Wanted: !f.Exists(name) && slices.Contains(f.NamespacesByKey(func(string) bool { return true }), name),
			Plan:   f.Decide(f.Observe(name), foresttest.Time).String(),
		}
	}
	return all
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
			for _, action := range f.Decide(f.Observe(name), foresttest.Time).Actions {
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

// TestPlansConverge carries out plans until there are none. The world is a
// crude API server: it keeps objects until their finalizers are gone, and a
// namespace until it is empty.
func TestPlansConverge(t *testing.T) {
	scope := propertyScope(t)
	rapid.Check(t, func(t *rapid.T) {
		w := world{forest: hierarchy.NewForest(scope), objects: map[string]hierarchy.Object{}}
		for range rapid.IntRange(1, 25).Draw(t, "events") {
			w.put(drawObject(t, 1))
		}
		for round := range 60 {
			if !w.step(foresttest.Time) {
				for _, name := range names {
					if child := w.forest.Observe(name); child.Namespace != nil && len(w.forest.Claims(name)) > 0 {
						requireOneOwner(t, w.forest, name)
					}
				}
				return
			}
			if round > 50 {
				t.Logf("round %d: %v", round, w.log)
			}
		}
		t.Fatalf("the world does not come to rest:\n%s", strings.Join(w.log, "\n"))
	})
}

func requireOneOwner(t *rapid.T, f *hierarchy.Forest, name string) {
	owners := 0
	for _, claim := range f.Claims(name) {
		if claim.Status.State == api.Ok && f.Scope().Manages(claim.Namespace) && f.Exists(claim.Namespace) {
			owners++
		}
	}
	if owners > 1 {
		t.Fatalf("%d anchors say that %s is theirs", owners, name)
	}
}

type world struct {
	forest  *hierarchy.Forest
	objects map[string]hierarchy.Object
	version int
	log     []string
}

func (w *world) put(o hierarchy.Object) {
	w.version++
	o = o.DeepCopyObject().(hierarchy.Object)
	o.SetResourceVersion(strconv.Itoa(w.version))
	w.objects[place(o)] = o
	foresttest.Fold(w.forest, o)
}

func (w *world) remove(o hierarchy.Object) {
	delete(w.objects, place(o))
	foresttest.Remove(w.forest, o)
}

// step carries out all plans once, and tells whether anything happened.
func (w *world) step(now metav1.Time) bool {
	busy := w.collect()
	for _, name := range names {
		plan := w.forest.Decide(w.forest.Observe(name), now)
		busy = busy || !plan.Empty()
		if text := plan.String(); text != "" {
			w.log = append(w.log, text)
		}
		for _, action := range plan.Actions {
			if action.Verb == hierarchy.Delete {
				doomed := action.Before.DeepCopyObject().(hierarchy.Object)
				doomed.SetDeletionTimestamp(&now)
				w.put(doomed)
				continue
			}
			w.put(action.After)
		}
	}
	return busy
}

// collect ends what may end.
func (w *world) collect() bool {
	busy := false
	for _, key := range slices.Sorted(maps.Keys(w.objects)) {
		o, ok := w.objects[key]
		home := w.objects["*v1.Namespace /"+o.GetNamespace()]
		switch {
		case !ok:
		case o.GetNamespace() != "" && o.GetDeletionTimestamp() == nil && home != nil && home.GetDeletionTimestamp() != nil:
			doomed := o.DeepCopyObject().(hierarchy.Object)
			doomed.SetDeletionTimestamp(home.GetDeletionTimestamp())
			w.put(doomed)
			busy = true
		case o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) == 0 && !w.holds(o):
			w.remove(o)
			busy = true
		}
	}
	return busy
}

func (w *world) holds(o hierarchy.Object) bool {
	if o.GetNamespace() != "" {
		return false
	}
	for _, other := range w.objects {
		if other.GetNamespace() == o.GetName() {
			return true
		}
	}
	return false
}
