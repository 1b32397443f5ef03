// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/shard"
)

// settled: in a namespace that is moving, replicas write nothing but the end of the
// move, which takes the stamp away. That it is the owner of the old key who does it,
// C1 says. For a moment, that owner may not know of the move, and may go on: nobody
// else writes there yet.
func settled(w *world, e *event) finding {
	nearest := w.forest.Moving(e.ref.home())
	if nearest == "" || endsMove(e, nearest) {
		return finding{verdict: allowed, idle: nearest == ""}
	}
	key := w.forest.Key(nearest)
	why := fmt.Sprintf("%q has not ended its move from key %q (shard %d)", nearest, key, shard.Of(key, w.cfg.Shards))
	if e.answered.Sub(w.stamped[nearest]) <= patience {
		return finding{verdict: late, why: why}
	}
	return finding{verdict: violates, why: why}
}

// endsMove reports whether a write takes the stamp off the configuration of a namespace.
func endsMove(e *event, namespace string) bool {
	configuration, ours := e.object.(*api.HierarchyConfiguration)
	return ours && (e.verb == "patch" || e.verb == "update") && e.ref.namespace == namespace &&
		e.ref.name == api.HierarchyConfigurationName && configuration.Annotations[api.AnnotationPreviousKey] == ""
}
