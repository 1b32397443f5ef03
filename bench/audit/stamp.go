// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/shard"
)

// annotationPreviousKey is the stamp of a move between shards, on the configuration
// of the namespace that moved. Its value is the key that the namespace had. While it
// is there, the namespace and all below it keep that key.
const annotationPreviousKey = api.Group + "/previous-key"

// stamps are the moves that have not ended, by namespace.
type stamps struct {
	keys  map[string]string
	since map[string]time.Time
}

func newStamps() stamps { return stamps{map[string]string{}, map[string]time.Time{}} }

// set follows the object, if it is a configuration.
func (s stamps) set(object metav1.Object) {
	configuration, ours := object.(*api.HierarchyConfiguration)
	if !ours || configuration.Name != api.HierarchyConfigurationName {
		return
	}
	delete(s.keys, configuration.Namespace)
	if key := configuration.Annotations[annotationPreviousKey]; key != "" {
		s.keys[configuration.Namespace] = key
	}
}

// noteTime tells since when the stamp is what it is, right after a fold that
// changed it.
func (s stamps) noteTime(namespace string, at time.Time) {
	if s.keys[namespace] == "" {
		delete(s.since, namespace)
		return
	}
	s.since[namespace] = at
}

// stamped returns the nearest namespace with a stamp, from this one upwards.
func (w *world) stamped(namespace string) (nearest string, found bool) {
	if len(w.stamps.keys) == 0 {
		return "", false
	}
	seen := map[string]bool{}
	for name := namespace; name != "" && !seen[name]; name = w.above(name) {
		if w.stamps.keys[name] != "" {
			return name, true
		}
		seen[name] = true
	}
	return "", false
}

// above returns the parent, or that which an absent namespace will have.
func (w *world) above(namespace string) string {
	if w.forest.Exists(namespace) {
		return w.forest.Parent(namespace)
	}
	for _, claim := range w.forest.Observe(namespace).Claims {
		if w.forest.Key(claim.Namespace) == w.forest.Key(namespace) {
			return claim.Namespace
		}
	}
	return ""
}

// keyOf a namespace is that of the nearest stamp, or else the root of its tree.
func (w *world) keyOf(namespace string) string {
	if nearest, found := w.stamped(namespace); found {
		return w.stamps.keys[nearest]
	}
	return w.forest.Key(namespace)
}

// settled: in a namespace that is moving, replicas write nothing but the end of the
// move, which takes the stamp away. That it is the owner of the old key who does it,
// C1 says. For a moment, that owner may not know of the move, and may go on: nobody
// else writes there yet.
func settled(w *world, e *event) finding {
	nearest, found := w.stamped(e.ref.home())
	if !found || endsMove(e, nearest) {
		return finding{verdict: allowed, idle: !found}
	}
	why := fmt.Sprintf("%q has not ended its move from key %q (shard %d)", nearest,
		w.stamps.keys[nearest], shard.Of(w.stamps.keys[nearest], w.cfg.Shards))
	if e.answered.Sub(w.stamps.since[nearest]) <= patience {
		return finding{verdict: late, why: why}
	}
	return finding{verdict: violates, why: why}
}

// endsMove reports whether a write takes the stamp off the configuration of a namespace.
func endsMove(e *event, namespace string) bool {
	configuration, ours := e.object.(*api.HierarchyConfiguration)
	return ours && (e.verb == "patch" || e.verb == "update") && e.ref.namespace == namespace &&
		e.ref.name == api.HierarchyConfigurationName && configuration.Annotations[annotationPreviousKey] == ""
}
