// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// Look lets a function look at the forest and at the objects of all types that
// are handled. It must not keep them, nor call out, nor change anything.
func (l *Live) Look(look func(f *hierarchy.Forest, tracked []propagate.Tracked)) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	tracked := make([]propagate.Tracked, len(l.kinds))
	for i, k := range l.kinds {
		tracked[i] = propagate.Tracked{Active: k.Active, Objects: k.objects, Awake: k.awake}
	}
	look(l.forest, tracked)
}
