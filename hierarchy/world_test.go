// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
)

// world is a crude API server with a crude Banyan. It keeps objects until their
// finalizers are gone, and a namespace until it is empty. All names are small.
type world struct {
	forest  *hierarchy.Forest
	names   []string
	objects map[string]hierarchy.Object
	version int
	round   int

	// awaited copies arrive one per round, everywhere.
	awaited int

	writes []hierarchy.Object
	log    []string
}

func newWorld(scope hierarchy.Scope, names ...string) *world {
	return &world{forest: hierarchy.NewForest(scope), names: names, objects: map[string]hierarchy.Object{}, awaited: 2}
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

// doom begins a deletion.
func (w *world) doom(o hierarchy.Object) {
	doomed := o.DeepCopyObject().(hierarchy.Object)
	now := w.now()
	doomed.SetDeletionTimestamp(&now)
	w.put(doomed)
}

// now goes on by half a second per round, and by ten once there have been many,
// so that what waits for a minute comes to its end.
func (w *world) now() metav1.Time {
	return metav1.NewTime(foresttest.Time.Add(time.Duration(w.round)*500*time.Millisecond + time.Duration(max(0, w.round-30))*10*time.Second))
}

// bounded is the number of rounds in which all comes to rest.
const bounded = 100

// rest carries out plans until there are none, and nothing to wait for.
func (w *world) rest(t interface{ Fatalf(string, ...any) }) {
	for range bounded {
		if !w.step() {
			return
		}
	}
	t.Fatalf("the world does not come to rest:\n%s", strings.Join(w.log[max(0, len(w.log)-50):], "\n"))
}

// step carries out all plans once, and tells whether anything happened or may
// happen by itself.
func (w *world) step() bool {
	w.round++
	w.awaited = max(0, w.awaited-1)
	busy := w.collect()
	for _, name := range w.names {
		busy = w.apply(w.forest.Decide(w.forest.Observe(name), w.now())) || busy
		for _, key := range w.forest.AnchorsIn(name) {
			arrival := hierarchy.Arrival{Awaited: w.awaited, Waited: time.Duration(w.round) * 100 * time.Millisecond}
			busy = w.apply(w.forest.DecideAnchor(key, arrival, w.now())) || busy
		}
	}
	return busy
}

func (w *world) apply(plan hierarchy.Plan) bool {
	if text := plan.String(); text != "" {
		w.log = append(w.log, fmt.Sprintf("round %d, for %s: %s", w.round, plan.Namespace, text))
	}
	for _, action := range plan.Actions {
		if action.Verb == hierarchy.Delete {
			w.writes = append(w.writes, action.Before)
			w.doom(action.Before)
			continue
		}
		w.writes = append(w.writes, action.After)
		w.put(action.After)
	}
	return !plan.Empty() || plan.Again > 0
}

// written lists the kinds of what was written of one subnamespace: itself, what
// is in it, and anchors of its name.
func (w *world) written(name string) []string {
	var kinds []string
	for _, o := range w.writes {
		if o.GetName() == name || o.GetNamespace() == name {
			kinds = append(kinds, fmt.Sprintf("%T", o))
		}
	}
	return kinds
}

// collect ends what may end.
func (w *world) collect() bool {
	busy := false
	for _, key := range slices.Sorted(maps.Keys(w.objects)) {
		o, ok := w.objects[key]
		if !ok {
			continue
		}
		home := w.objects["*v1.Namespace /"+o.GetNamespace()]
		switch {
		case o.GetNamespace() != "" && o.GetDeletionTimestamp() == nil && home != nil && home.GetDeletionTimestamp() != nil:
			w.doom(o)
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
