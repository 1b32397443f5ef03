// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// How often a Kinds looks at what the API server serves, though nothing told it to.
const (
	lookCalm   = 30 * time.Second // nothing is missing
	lookUneasy = 3 * time.Second  // something is
	lookSoon   = time.Second      // a definition has just changed; discovery may be behind
	soonLasts  = 15 * time.Second
)

// listBound is how long one type may keep the others from being looked at.
const listBound = 5 * time.Second

// userTypesBound is how long a replica waits with its readiness for the types that
// users configured.
//
// Invariant: no type of theirs can keep a replica from answering admission for
// ever. Reason: one definition that cannot be listed would stop every namespace of
// the cluster, and a kind that is not awake is safe without it.
const userTypesBound = 30 * time.Second

// Kinds watches the types that are propagated: the enforced ones, and those that
// the HNCConfiguration names, for as long as it does.
type Kinds struct {
	live      *Live
	feed      *Feed
	informers cache.Cache
	reader    client.Reader
	catalog   Catalog

	complete  atomic.Bool // the types of users were waited for
	uneasyTil time.Time
}

// NewKinds begins to watch the enforced types. The cache need not have been
// started; the catalog says what else there is.
func NewKinds(ctx context.Context, live *Live, feed *Feed, informers cache.Cache, reader client.Reader, catalog Catalog) (*Kinds, error) {
	t := &Kinds{live: live, feed: feed, informers: informers, reader: reader, catalog: catalog}
	begun, _ := live.adopt(propagate.Resolution{Active: enforcedKinds})
	for _, k := range begun {
		if err := t.follow(ctx, k); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// enforcedKinds are handled whatever the HNCConfiguration says, and need no lookup.
var enforcedKinds = propagate.Resolve(api.HNCConfigurationSpec{}, nil).Active

// Synced reports whether everything that existed has been folded: the forest is
// complete.
func (t *Kinds) Synced() bool { return t.complete.Load() }

// NeedLeaderElection: there is no leader to wait for.
func (t *Kinds) NeedLeaderElection() bool { return false }

// Start keeps the kinds fit until the context ends. It must know the
// HNCConfiguration, or that there is none.
func (t *Kinds) Start(ctx context.Context) error {
	if !t.feed.WaitForSync(ctx) {
		return nil
	}
	go t.waitComplete(ctx)
	for {
		pause := t.look(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-t.live.stale:
			t.uneasyTil = time.Now().Add(soonLasts)
		case <-time.After(pause):
		}
	}
}

// look returns when to look again.
func (t *Kinds) look(ctx context.Context) time.Duration {
	logger := log.FromContext(ctx).WithName("kinds")
	resolution, err := t.resolve(ctx)
	if err != nil {
		// Whatever is handled goes on to be.
		logger.Error(err, "could not look up the types of the HNCConfiguration; tries again")
		return lookUneasy
	}
	_, ended := t.live.adopt(resolution)
	for _, k := range ended {
		logger.Info("stops watching", "type", k.GVK.String())
		if err := t.informers.RemoveInformer(ctx, objectOf(k.GVK)); err != nil {
			logger.Error(err, "could not stop watching", "type", k.GVK.String())
		}
	}
	missing := t.followAll(ctx)
	switch {
	case time.Now().Before(t.uneasyTil):
		return lookSoon
	case missing || len(resolution.Faults) > 0:
		return lookUneasy
	}
	return lookCalm
}

func (t *Kinds) resolve(ctx context.Context) (propagate.Resolution, error) {
	spec := api.HNCConfigurationSpec{}
	if c := t.live.hncConfiguration(); c != nil {
		spec = c.Spec
	}
	if len(spec.Resources) == 0 {
		return propagate.Resolution{Active: enforcedKinds}, nil
	}
	lookup, err := t.catalog(ctx)
	if err != nil {
		return propagate.Resolution{}, err
	}
	return propagate.Resolve(spec, lookup), nil
}

// followAll begins to watch what can be watched, and reports whether something
// cannot.
func (t *Kinds) followAll(ctx context.Context) (missing bool) {
	for _, k := range t.live.unfollowed() {
		if why := t.listable(ctx, k.GVK); why != "" {
			t.live.setUnwatched(k, why)
			missing = true
			continue
		}
		if err := t.follow(ctx, k); err != nil {
			t.live.setUnwatched(k, err.Error())
			missing = true
		}
	}
	return missing
}

// unfollowed are the kinds that could not be watched yet.
func (l *Live) unfollowed() []*kind {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var kinds []*kind
	for _, k := range l.kinds {
		if k.unwatched != "" {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// listable asks for one object, since an informer would try for ever and tell
// nobody.
func (t *Kinds) listable(ctx context.Context, gvk schema.GroupVersionKind) (why string) {
	ctx, cancel := context.WithTimeout(ctx, listBound)
	defer cancel()
	if err := t.reader.List(ctx, listOf(gvk), client.Limit(1)); err != nil {
		return fmt.Sprintf("it cannot be listed: %v", err)
	}
	return ""
}

// follow feeds a kind from the cache, and awakens it when everything was read.
func (t *Kinds) follow(ctx context.Context, k *kind) error {
	synced, err := feed(ctx, t.informers, objectOf(k.GVK),
		func(o *propagate.Object) { t.live.setObject(k, o) },
		func(o *propagate.Object) { t.live.removeObject(k, o) })
	if err != nil {
		return err
	}
	t.live.setUnwatched(k, "")
	go func() {
		if toolscache.WaitForCacheSync(k.ended, synced) {
			t.live.awaken(k)
		}
	}()
	return nil
}

// waitComplete waits for everything, and for the types of users not for ever.
func (t *Kinds) waitComplete(ctx context.Context) {
	patience := time.After(userTypesBound)
	for given := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-patience:
			given = true
		case <-time.After(50 * time.Millisecond):
		}
		if t.live.allAwake(given) {
			t.complete.Store(true)
			return
		}
	}
}

// allAwake reports whether every kind is that can be; without those of users, if
// they were waited for long enough.
func (l *Live) allAwake(enforcedOnly bool) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, k := range l.kinds {
		if !k.awake && (isEnforced(k.GVK) || !enforcedOnly) {
			return false
		}
	}
	return true
}

func isEnforced(gvk schema.GroupVersionKind) bool {
	return slices.ContainsFunc(enforcedKinds, func(a propagate.Active) bool { return a.GVK == gvk })
}

func objectOf(gvk schema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	return u
}

func listOf(gvk schema.GroupVersionKind) *unstructured.UnstructuredList {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	return l
}
