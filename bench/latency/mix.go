// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/banyan-hns/banyan/webhook"
)

// weights say how many of a hundred requests each webhook gets: many for objects,
// which every deployment brings, few for what only administrators do.
var weights = map[string]int{
	webhook.PathObject:              50,
	webhook.PathNamespace:           12,
	webhook.PathMutateNamespace:     10,
	webhook.PathConfiguration:       10,
	webhook.PathAnchor:              9,
	webhook.PathMutateAnchor:        4,
	webhook.PathMutateConfiguration: 3,
	webhook.PathHNCConfiguration:    2,
}

// paths of all webhooks, the most frequent first.
func paths() []string {
	return slices.SortedFunc(maps.Keys(weights), func(a, b string) int { return weights[b] - weights[a] })
}

// ask is one kind of request, for each place of the forest.
type ask struct {
	path string
	what string
	// code of the denial; 0 if it is to be allowed.
	code   int32
	bodies [][]byte
}

// mix is an endless sequence of requests.
type mix struct {
	wheel []string // paths
	asks  map[string][]ask
}

func newMix(asks []ask) (mix, error) {
	m := mix{asks: map[string][]ask{}}
	for _, a := range asks {
		if weights[a.path] == 0 || len(a.bodies) == 0 {
			return m, fmt.Errorf("planning requests: %q to %s would never be sent", a.what, a.path)
		}
		m.asks[a.path] = append(m.asks[a.path], a)
	}
	for _, path := range paths() {
		if len(m.asks[path]) == 0 {
			return m, fmt.Errorf("planning requests: there are none to %s", path)
		}
		m.wheel = append(m.wheel, slices.Repeat([]string{path}, weights[path])...)
	}
	shuffle := rand.New(rand.NewPCG(1, 1)) // The same in each run.
	shuffle.Shuffle(len(m.wheel), func(i, j int) { m.wheel[i], m.wheel[j] = m.wheel[j], m.wheel[i] })
	return m, nil
}

// sequence of n requests. Those to one path take turns through its kinds, and those of
// one kind through the forest.
func (m mix) sequence(n int) []sendable {
	all, turns := make([]sendable, n), map[string]int{}
	for i := range all {
		path := m.wheel[i%len(m.wheel)]
		turn := turns[path]
		turns[path]++
		kinds := m.asks[path]
		a := kinds[turn%len(kinds)]
		all[i] = sendable{path: path, what: a.what, code: a.code, body: a.bodies[turn/len(kinds)%len(a.bodies)]}
	}
	return all
}

// sendable is one request and the answer that it must get.
type sendable struct {
	path, what string
	code       int32
	body       []byte
}
