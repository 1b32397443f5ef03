// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// graveTime is longer than any request takes, and so than any answer can be late.
const graveTime = time.Minute

// graves are the objects that ended a short while ago.
//
// Invariant: what has ended does not come back. Reason: the answer to a read or a
// write may arrive after the event that tells of the object's end, and nothing
// would ever tell of that end again. A UID is used only once.
type graves struct {
	buried map[types.UID]time.Time
	swept  time.Time
}

func (g *graves) bury(uid types.UID) {
	if uid == "" {
		return // it never was on a server
	}
	if g.buried == nil {
		g.buried = map[types.UID]time.Time{}
	}
	if time.Since(g.swept) > graveTime {
		maps.DeleteFunc(g.buried, func(_ types.UID, since time.Time) bool { return time.Since(since) > graveTime })
		g.swept = time.Now()
	}
	g.buried[uid] = time.Now()
}

func (g *graves) hold(uid types.UID) bool {
	_, buried := g.buried[uid]
	return buried
}
