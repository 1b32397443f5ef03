// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build brokenclock

package lease

import (
	"context"
	"os"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/banyan-hns/banyan/shard"
)

// ahead is by how much the wall clock of this replica is.
var ahead, _ = time.ParseDuration(os.Getenv("BANYAN_CLOCK_AHEAD"))

// misjudge has a member taken for silent when the time that it wrote into its
// heartbeat is old by the clock of this host. Binaries that are built with this tag
// show that the checks of the audit log find what comes of it.
func (m *Member) misjudge(ctx context.Context, lease *coordinationv1.Lease) {
	other, err := DecodeMember(lease)
	if err != nil || other.Name == m.opts.Config.Member || other.Holder == "" || lease.Spec.RenewTime == nil ||
		time.Since(lease.Spec.RenewTime.Time)+ahead <= m.opts.Config.LeaseDuration {
		return
	}
	record := shard.MemberRecord{Name: other.Name, State: shard.MemberFenced, RingKey: other.RingKey}
	go m.putMember(ctx, shard.PutMember{Record: record, Expect: other.Version})
}
