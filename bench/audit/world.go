// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// patience is how long replicas may take to notice what users did: that a
// namespace changed trees, or that a Lease was changed by hand.
const patience = 2 * time.Second

// world is the state at one revision: who holds what, and where namespaces belong.
type world struct {
	cfg Config

	forest  *hierarchy.Forest
	objects map[reference]metav1.Object // what the forest was made from
	moves   map[string][]move
	stamped map[string]time.Time // since when namespaces are
	// marked and unstamped count moves of users between shards, and handed those that
	// ended with another replica.
	marked, unstamped, handed int

	members map[string]*memberState
	shards  map[shard.ID]*shardState
	ended   map[string]bool   // processes of which a life has ended
	authors map[string]author // by namespace

	// dissolving counts the deletions of definitions that may be under way.
	dissolving int

	// turn changes with every fold, so that nothing is judged twice alike.
	turn int
}

// leaseState is what is known of the record of a member or of a shard.
type leaseState struct {
	exists bool
	holder shard.Identity
	// unseen: it was written since, and the log does not have what.
	unseen bool
	// meddled is when somebody who is no replica last wrote it, and honest who held
	// it before.
	meddled time.Time
	honest  shard.Identity
}

type memberState struct {
	leaseState
	pulse
}

type shardState struct {
	leaseState
	epoch int64
	// tenure counts epochs, also those whose numbers repeat.
	tenure int
	// deleted: it was, and is not written anew. That released nobody: claim is who
	// held it.
	deleted bool
	claim   shard.Identity
}

// move is a change of the key of a namespace that users made.
type move struct {
	from string
	at   time.Time
}

func newWorld(cfg Config) *world {
	return &world{
		cfg:     cfg,
		forest:  hierarchy.NewForest(cfg.Scope),
		objects: map[reference]metav1.Object{},
		moves:   map[string][]move{},
		stamped: map[string]time.Time{},
		members: map[string]*memberState{},
		shards:  map[shard.ID]*shardState{},
		ended:   map[string]bool{},
		authors: map[string]author{},
	}
}

// isReplica reports whether a request came from one.
func (w *world) isReplica(r writer) bool { return r.user == w.cfg.ServiceAccount }

// judged reports whether a write needs a shard: all but those into the replicas'
// own namespace, and Events, which are sent later and by the way. It may be hidden:
// then its writer is known because nobody else asked for it.
func (w *world) judged(e *event) bool {
	if !w.isReplica(e.writer) || e.outcome != done || e.ref.resource == "events" {
		return false
	}
	own := w.cfg.Namespace
	return e.ref.namespace != own && (!e.ref.isNamespace() || e.ref.name != own)
}

// home is the namespace that an object is in, or that it is.
func (r reference) home() string {
	if r.isNamespace() {
		return r.name
	}
	return r.namespace
}

func (r reference) isNamespace() bool { return r.group == "" && r.resource == "namespaces" }

// key of the namespace that is written to, or of the cluster.
func (w *world) key(ref reference) string {
	if home := ref.home(); home != "" {
		return w.forest.Key(home)
	}
	return shard.ClusterKey
}

// ours reports whether an event is about a Lease of the replicas, and about which.
func (w *world) ours(ref reference) (member string, id shard.ID, isMember, isShard bool) {
	if ref.group != coordinationv1.GroupName || ref.resource != "leases" || ref.namespace != w.cfg.Namespace {
		return "", 0, false, false
	}
	named := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: ref.name, ResourceVersion: "1"}}
	if r, shards, err := lease.DecodeShard(named); err == nil {
		return "", r.ID, false, shards == w.cfg.Shards
	}
	r, err := lease.DecodeMember(named)
	return r.Name, 0, err == nil, false
}

// exists reports whether an object is there, for the kinds that are kept track of.
func (w *world) exists(ref reference) bool {
	member, id, isMember, isShard := w.ours(ref)
	_, known := w.objects[ref]
	return known || isMember && w.member(member).exists || isShard && w.shard(id).exists
}

func (w *world) member(name string) *memberState {
	if w.members[name] == nil {
		w.members[name] = &memberState{}
	}
	return w.members[name]
}

func (w *world) shard(id shard.ID) *shardState {
	if w.shards[id] == nil {
		w.shards[id] = &shardState{}
	}
	return w.shards[id]
}

// valid reports whether a shard has a holder whose heartbeat names the same life,
// and who that is.
func (w *world) valid(id shard.ID) (shard.Identity, bool) {
	holder := w.shard(id).holder
	return holder, holder != "" && w.member(holder.Member()).holder == holder
}

// alive reports whether the heartbeat of the writer's Pod names a life of the
// process that wrote.
func (w *world) alive(r writer) bool { return r.lives(w.member(r.pod).holder) }
