// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Labels of the probes. Copies get them, too.
const (
	labelProbe   = "bench/probe"
	labelEdition = "bench/edition"
)

// probe is a source that is changed, and the one of its copies that is waited for.
type probe struct {
	root         string
	source, copy types.NamespacedName
}

// change of a source.
type change struct {
	root              string
	edition           string
	answered, arrived time.Time
}

// changer changes probes, each only after its last change has arrived: which of two
// changes a copy shows could not be told otherwise.
type changer struct {
	client client.Client
	probes []probe

	mu       sync.Mutex
	next     int
	editions int
	underWay map[types.NamespacedName]*change // by copy
	done     []change
	busy     int // changes that were due when no probe was free
	refused  []error
}

func newChanger(c client.Client, probes []probe) *changer {
	return &changer{client: c, probes: probes, underWay: map[types.NamespacedName]*change{}}
}

// change the next probe that is free.
func (c *changer) change(ctx context.Context) {
	p, begun := c.begin()
	if begun == nil {
		return
	}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, labelEdition, begun.edition)
	source := &rbacv1.Role{}
	source.Namespace, source.Name = p.source.Namespace, p.source.Name
	err := c.client.Patch(ctx, source, client.RawPatch(types.MergePatchType, patch))
	answered := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		delete(c.underWay, p.copy)
		c.refused = append(c.refused, fmt.Errorf("changing %s: %w", p.source, err))
		return
	}
	begun.answered = answered
	c.settle(p.copy, begun)
}

func (c *changer) begin() (probe, *change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range c.probes {
		p := c.probes[c.next]
		c.next = (c.next + 1) % len(c.probes)
		if c.underWay[p.copy] == nil {
			c.editions++
			begun := &change{root: p.root, edition: strconv.Itoa(c.editions)}
			c.underWay[p.copy] = begun
			return p, begun
		}
	}
	c.busy++
	return probe{}, nil
}

// settle a change that has been answered and has arrived. A watch may be the quicker.
func (c *changer) settle(at types.NamespacedName, of *change) {
	if !of.answered.IsZero() && !of.arrived.IsZero() {
		c.done = append(c.done, *of)
		delete(c.underWay, at)
	}
}

// follow a watch of copies until it is stopped, or fails.
func (c *changer) follow(events <-chan watch.Event) error {
	for event := range events {
		now := time.Now()
		switch object := event.Object.(type) {
		case *rbacv1.Role:
			c.arrives(client.ObjectKeyFromObject(object), object.Labels[labelEdition], now)
		default:
			if event.Type == watch.Error {
				return fmt.Errorf("watching copies: %v", event.Object)
			}
		}
	}
	return nil
}

func (c *changer) arrives(at types.NamespacedName, edition string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of := c.underWay[at]; of != nil && of.edition == edition && of.arrived.IsZero() {
		of.arrived = now
		c.settle(at, of)
	}
}

// counts of changes until now.
type counts struct{ done, underWay, busy, refused int }

func (c *changer) counts() counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return counts{done: len(c.done), underWay: len(c.underWay), busy: c.busy, refused: len(c.refused)}
}

// lost is an error if changes are still under way.
func (c *changer) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, of := range c.underWay {
		return fmt.Errorf("%d changes did not arrive, one of them number %s in %s", len(c.underWay), of.edition, at)
	}
	return nil
}

// all changes that have arrived, and why others were refused.
func (c *changer) all() ([]change, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done, errors.Join(c.refused...)
}
