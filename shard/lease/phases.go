// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/banyan-hns/banyan/shard"
)

// The phases of a hand-over. Drain and release happen at the replica that gives, the
// others at the one that receives.
const (
	phaseDrain   = "drain"   // closed, until no write is in flight
	phaseRelease = "release" // until the record says that nobody holds it
	phaseAcquire = "acquire" // asked for, until the record names this replica
	phaseWarm    = "warm"    // until this replica knows what is in it
	phaseTotal   = "total"   // seen released for this replica, until it is open
)

var handoverPhases = []string{phaseDrain, phaseRelease, phaseAcquire, phaseWarm, phaseTotal}

type stretch struct {
	id    shard.ID
	phase string
}

// phases measures how long the moves of shards take.
//
// Invariant: both ends of a stretch are read from the clock of this host. Reason: the
// clocks of two hosts cannot be compared, so a move from close to open, which begins at
// one replica and ends at another, is told in parts.
type phases struct {
	self     string
	handover *prometheus.HistogramVec
	takeover prometheus.Histogram

	began  map[stretch]shard.Instant
	heard  map[shard.Identity]shard.Instant // the last heartbeat of each life
	holder map[shard.ID]shard.Identity      // who held it last
	silent map[shard.ID]shard.Instant       // when the holder it is taken from was heard last
}

func newPhases(self string) *phases {
	p := &phases{
		self: self,
		handover: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "banyan_shard_handover_duration_seconds", Help: "Time that one phase of the move of a shard took on this replica.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 11),
		}, []string{"phase"}),
		takeover: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "banyan_shard_takeover_duration_seconds", Help: "Time from the last heartbeat of a silent holder until this replica had opened its shard.",
			Buckets: []float64{1, 2, 5, 8, 9, 10, 11, 12, 13, 15, 20, 30, 60},
		}),
		began: map[stretch]shard.Instant{}, heard: map[shard.Identity]shard.Instant{},
		holder: map[shard.ID]shard.Identity{}, silent: map[shard.ID]shard.Instant{},
	}
	for _, phase := range handoverPhases {
		p.handover.WithLabelValues(phase)
	}
	return p
}

func (p *phases) event(event shard.Event, now shard.Instant) {
	switch e := event.(type) {
	case shard.MemberObserved:
		p.hear(e.Record, now)
	case shard.ShardObserved:
		p.see(e.Record, now)
	case shard.ShardWritten:
		if e.Outcome == shard.Done && e.Put.Record.Holder == "" {
			p.end(e.Put.Record.ID, phaseRelease, now)
		} else if e.Outcome == shard.Done {
			p.end(e.Put.Record.ID, phaseAcquire, now)
		}
		if e.Outcome != shard.Unknown {
			p.see(e.Record, now)
		}
	case shard.Drained:
		p.end(e.ID, phaseDrain, now)
		p.begin(e.ID, phaseRelease, now)
	case shard.Warmed:
		p.end(e.ID, phaseWarm, now)
	}
}

func (p *phases) effect(effect shard.Effect, now shard.Instant) {
	switch e := effect.(type) {
	case shard.PutShard:
		p.ask(e.Record, now)
	case shard.Drain:
		p.begin(e.ID, phaseDrain, now)
	case shard.Warm:
		p.begin(e.ID, phaseWarm, now)
	case shard.Opened:
		if heard, known := p.silent[e.ID]; known && e.Reason == shard.ReasonTakeover {
			p.takeover.Observe((now - heard).Seconds())
		}
		delete(p.silent, e.ID)
		if e.Reason == shard.ReasonHandover {
			p.end(e.ID, phaseTotal, now)
		}
	case shard.Fenced:
		clear(p.began)
		clear(p.silent)
	}
}

// hear notes a heartbeat. Lives that are long over are forgotten when a new one begins.
func (p *phases) hear(record shard.MemberRecord, now shard.Instant) {
	if record.Holder == "" || record.State == shard.MemberFenced {
		return
	}
	if _, known := p.heard[record.Holder]; !known {
		for life, at := range p.heard {
			if (now - at).Hours() > 1 {
				delete(p.heard, life)
			}
		}
	}
	p.heard[record.Holder] = now
}

// see notes who holds a shard. What another member took is no move to this one.
func (p *phases) see(record shard.Record, now shard.Instant) {
	switch {
	case record.Holder == "" && record.HandoffTo == p.self:
		p.begin(record.ID, phaseTotal, now)
	case record.Holder != "":
		p.holder[record.ID] = record.Holder
		if record.Holder.Member() != p.self {
			delete(p.began, stretch{record.ID, phaseAcquire})
			delete(p.began, stretch{record.ID, phaseTotal})
			delete(p.silent, record.ID)
		}
	}
}

// ask notes that this replica asks for a shard.
func (p *phases) ask(record shard.Record, now shard.Instant) {
	switch {
	case record.Holder == "":
	case record.Reason == shard.ReasonHandover:
		p.begin(record.ID, phaseAcquire, now)
	case record.Reason == shard.ReasonTakeover:
		if heard, known := p.heard[p.holder[record.ID]]; known {
			p.silent[record.ID] = heard
		}
	}
}

// begin does not begin anew what is under way: a try that failed is part of the time.
func (p *phases) begin(id shard.ID, phase string, now shard.Instant) {
	if _, under := p.began[stretch{id, phase}]; !under {
		p.began[stretch{id, phase}] = now
	}
}

func (p *phases) end(id shard.ID, phase string, now shard.Instant) {
	if start, under := p.began[stretch{id, phase}]; under {
		p.handover.WithLabelValues(phase).Observe((now - start).Seconds())
		delete(p.began, stretch{id, phase})
	}
}
