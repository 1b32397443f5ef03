// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/banyan-hns/banyan/shard"
)

// Gate is what stands before the writes of this replica.
type Gate interface {
	Publish(shard.Holding)
	Drain(context.Context, shard.ID) error
}

// Options of a Member.
type Options struct {
	// Namespace of the Leases.
	Namespace string
	// Config of the protocol; Shards must be what ReadShards returned.
	Config shard.Config
	// Client for the Leases, on a connection that nothing else can fill.
	Client kubernetes.Interface
	// Gate is told of each new holding before anything else happens.
	Gate Gate
	// Clock, default BootTime.
	Clock func() shard.Instant
	Log   logr.Logger

	// Warm returns once what this replica knows is as new as the call, and not before.
	// The shard is opened then; but if the context has ended, it is not.
	Warm func(ctx context.Context, id shard.ID, reason shard.Reason)
	// Opened and Closed tell which shards this replica may write for.
	Opened func(id shard.ID, reason shard.Reason)
	Closed func(id shard.ID)
	// DropWrites is told that writes which are still queued must not be sent: this
	// life was fenced, or has been suspended for longer than the guard.
	DropWrites func()

	// Content tells what is in the shards, for people and metrics; nil: nothing is.
	Content Content
}

const (
	tickPeriod   = 100 * time.Millisecond
	shardWriters = 16 // writes of shard records at a time
)

// Member takes part in the protocol on behalf of this replica.
type Member struct {
	opts    Options
	machine *shard.Machine
	store   *store
	metrics *metrics
	events  chan shard.Event
	slots   chan struct{} // limits the writers of shard records

	mu      sync.Mutex // guards machine, ticked
	ticked  time.Time
	silence silence // of the loop alone

	scaled  chan shard.Eligible
	stop    chan bool // leaving?
	stopped chan struct{}
}

// NewMember returns a member that Start lets take part.
func NewMember(o Options) (*Member, error) {
	if o.Clock == nil {
		o.Clock = BootTime
	}
	machine, err := shard.NewMachine(o.Config, o.Clock())
	if err != nil {
		return nil, err
	}
	return &Member{
		opts: o, machine: machine, metrics: newMetrics(o.Config.Member), silence: silence{guard: o.Config.Guard},
		store:   newStore(o.Client.CoordinationV1().Leases(o.Namespace), o.Config.WriteTimeout),
		events:  make(chan shard.Event, 4*o.Config.Shards),
		slots:   make(chan struct{}, shardWriters),
		scaled:  make(chan shard.Eligible, 1),
		stop:    make(chan bool, 1),
		stopped: make(chan struct{}),
	}, nil
}

// Start takes part until the context ends, or until everything has been given back
// after Stop. It returns an error only if it could not begin.
func (m *Member) Start(ctx context.Context) error {
	if err := m.watch(ctx); err != nil {
		return fmt.Errorf("watching the Leases in namespace %q: %w", m.opts.Namespace, err)
	}
	ticker := time.NewTicker(tickPeriod)
	defer ticker.Stop()
	for {
		var event shard.Event
		select {
		case <-ctx.Done():
			return nil
		case <-m.stopped:
			return nil
		case leaving := <-m.stop:
			event = shard.Stop{Leaving: leaving}
		case event = <-m.scaled:
		case event = <-m.events:
		case <-ticker.C:
			event = shard.Tick{}
		}
		m.step(ctx, event)
	}
}

// NeedLeaderElection: ownership does not wait for a leader, there is none.
func (m *Member) NeedLeaderElection() bool { return false }

// Ready says that this replica could work now.
func (m *Member) Ready() { m.events <- shard.Ready{} }

// Stop gives everything back; leaving says that this replica will not return.
// Stopped is closed when it is done.
func (m *Member) Stop(leaving bool) {
	select {
	case m.stop <- leaving:
	default: // said already
	}
}

// Stopped is closed when everything has been given back after Stop.
func (m *Member) Stopped() <-chan struct{} { return m.stopped }

// Scaled tells how many replicas there shall be. It may be called before Start, and
// does not block.
func (m *Member) Scaled(e shard.Eligible) {
	select {
	case <-m.scaled: // nobody has read the last one
	default:
	}
	m.scaled <- e
}

// Status tells how things stand.
func (m *Member) Status() shard.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.machine.Status()
}

// Alive fails if the protocol has begun, and then not moved for three renew
// periods.
func (m *Member) Alive() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if silent := time.Since(m.ticked); !m.ticked.IsZero() && silent > 3*m.opts.Config.RenewPeriod {
		return fmt.Errorf("the ownership protocol has stood still for %v", silent.Round(time.Second))
	}
	return nil
}

func (m *Member) step(ctx context.Context, event shard.Event) {
	m.mu.Lock()
	m.ticked = time.Now()
	now := m.opts.Clock()
	effects := m.machine.Step(now, event)
	holding := m.machine.Holding()
	m.opts.Gate.Publish(holding)
	m.mu.Unlock()
	m.hush(holding, now)
	m.metrics.step(event, effects, now)
	for _, effect := range effects {
		m.perform(ctx, effect)
	}
}

// perform begins one effect. It never blocks: the loop must go on ticking.
func (m *Member) perform(ctx context.Context, effect shard.Effect) {
	switch e := effect.(type) {
	case shard.PutMember:
		go m.putMember(ctx, e)
	case shard.PutShard:
		go m.putShard(ctx, e)
	case shard.DeleteMember:
		go m.deleteMember(ctx, e)
	case shard.Drain:
		go m.drain(ctx, e)
	case shard.Warm:
		go m.warm(ctx, e)
	case shard.Opened:
		m.opts.Log.Info("opened shard", "shard", e.ID, "epoch", e.Epoch, "reason", e.Reason)
		m.opts.Opened(e.ID, e.Reason)
	case shard.Closed:
		m.opts.Log.Info("closed shard", "shard", e.ID)
		m.opts.Closed(e.ID)
	case shard.Fenced:
		m.opts.Log.Info("was fenced; begins a new life", "member", m.opts.Config.Member)
		m.opts.DropWrites()
	case shard.Stopped:
		m.opts.Log.Info("gave everything back", "member", m.opts.Config.Member)
		close(m.stopped)
	}
}

func (m *Member) tell(ctx context.Context, event shard.Event) {
	select {
	case m.events <- event:
	case <-ctx.Done():
	case <-m.stopped:
	}
}

func (m *Member) putMember(ctx context.Context, put shard.PutMember) {
	record := put.Record
	record.Version = put.Expect
	answer := shard.MemberWritten{Put: put, Record: shard.MemberRecord{Name: record.Name}}
	outcome, lease, err := m.store.put(ctx, encodeMember(m.opts.Namespace, record, m.opts.Config.LeaseDuration, time.Now()))
	answer.Outcome = outcome
	if lease != nil && err == nil {
		answer.Record, err = DecodeMember(lease)
	}
	if err != nil {
		answer.Outcome = shard.Unknown
		m.opts.Log.Error(err, "did not write the record of a member", "member", record.Name)
	}
	if err == nil && record.State == shard.MemberFenced && outcome == shard.Done {
		m.opts.Log.Info("fenced a silent member", "member", record.Name)
	}
	m.tell(ctx, answer)
}

func (m *Member) deleteMember(ctx context.Context, e shard.DeleteMember) {
	outcome, err := m.store.remove(ctx, MemberName(e.Name), e.Expect)
	if err != nil {
		m.opts.Log.Error(err, "did not delete the record of a member that is gone", "member", e.Name)
	}
	if outcome == shard.Done {
		m.opts.Log.Info("deleted the record of a member that is gone", "member", e.Name)
	}
	m.tell(ctx, shard.MemberDeleted{Delete: e, Outcome: outcome})
}

func (m *Member) putShard(ctx context.Context, put shard.PutShard) {
	m.slots <- struct{}{}
	defer func() { <-m.slots }()
	record := put.Record
	record.Version = put.Expect
	answer := shard.ShardWritten{Put: put, Record: shard.Record{ID: record.ID}}
	outcome, lease, err := m.store.put(ctx, encodeShard(m.opts.Namespace, record, m.opts.Config.Shards, time.Now()))
	answer.Outcome = outcome
	if lease != nil && err == nil {
		answer.Record, _, err = DecodeShard(lease)
	}
	if err != nil {
		answer.Outcome = shard.Unknown
		m.opts.Log.Error(err, "did not write the record of a shard", "shard", record.ID)
	}
	m.tell(ctx, answer)
}

// drain answers only when no write is in flight. Each write is bounded, so this
// is too.
func (m *Member) drain(ctx context.Context, e shard.Drain) {
	if err := m.opts.Gate.Drain(ctx, e.ID); err != nil {
		return // the process ends; nothing may be released any more
	}
	m.tell(ctx, shard.Drained(e))
}

// warm takes as long as it takes: what is not known must not be acted upon.
func (m *Member) warm(ctx context.Context, e shard.Warm) {
	m.opts.Warm(ctx, e.ID, e.Reason)
	if ctx.Err() != nil {
		return // the process ends; nothing may be opened any more
	}
	m.tell(ctx, shard.Warmed{ID: e.ID, Epoch: e.Epoch})
}

// observed turns a Lease into the event that it means.
func (m *Member) observed(lease *coordinationv1.Lease, gone bool) (shard.Event, error) {
	if lease.Labels[LabelKind] == KindMember {
		record, err := DecodeMember(lease)
		if gone {
			return shard.MemberGone{Name: record.Name}, err
		}
		return shard.MemberObserved{Record: record}, err
	}
	record, shards, err := DecodeShard(lease)
	if err == nil && shards != m.opts.Config.Shards {
		return nil, nil // of another division; see ReadShards
	}
	if gone {
		return shard.ShardGone{ID: record.ID}, err
	}
	return shard.ShardObserved{Record: record}, err
}
