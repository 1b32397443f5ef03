// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/banyan-hns/banyan/shard"
)

// Names and metadata of the Leases. The plugin and the checker of the audit log
// read them too.
const (
	// LabelKind tells the Leases of Banyan from others, and from each other.
	LabelKind  = "banyan.hnc.x-k8s.io/lease"
	KindMember = "member"
	KindShard  = "shard"

	// AnnotationState and AnnotationRingHash are what a member says of itself.
	AnnotationState    = "banyan.hnc.x-k8s.io/state"
	AnnotationRingHash = "banyan.hnc.x-k8s.io/ring-hash"
	// AnnotationSeat is where a member sits in the ring, if not each has its own seat.
	AnnotationSeat = "banyan.hnc.x-k8s.io/seat"
	// AnnotationHandoffTo names the member for which a free shard is meant.
	AnnotationHandoffTo = "banyan.hnc.x-k8s.io/handoff-to"
	// AnnotationReason says how a shard came to its holder.
	AnnotationReason = "banyan.hnc.x-k8s.io/reason"

	memberPrefix = "banyan-member-"
	shardPrefix  = "banyan-shard-"

	// shardLeaseSeconds is long, since the heartbeat of the holder keeps the
	// shard: whoever reads only the Lease of a shard shall not think it expired.
	shardLeaseSeconds = 3600
)

// MemberName is the name of the Lease of a member.
func MemberName(member string) string { return memberPrefix + member }

// ShardName is the name of the Lease of a shard, out of P.
func ShardName(id shard.ID, shards int) string {
	return fmt.Sprintf("%s%d-%03d", shardPrefix, shards, id)
}

// encodeMember writes renewTime for people; no replica reads it.
func encodeMember(namespace string, r shard.MemberRecord, d time.Duration, now time.Time) *coordinationv1.Lease {
	lease := newLease(namespace, MemberName(r.Name), KindMember, string(r.Holder), r.Version, int32(max(1, d/time.Second)), now)
	lease.Annotations = map[string]string{AnnotationState: r.State.String(), AnnotationRingHash: r.RingKey}
	if r.Seat != "" {
		lease.Annotations[AnnotationSeat] = r.Seat
	}
	return lease
}

func encodeShard(namespace string, r shard.Record, shards int, now time.Time) *coordinationv1.Lease {
	lease := newLease(namespace, ShardName(r.ID, shards), KindShard, string(r.Holder), r.Version, shardLeaseSeconds, now)
	lease.Annotations = map[string]string{AnnotationReason: string(r.Reason)}
	if r.HandoffTo != "" {
		lease.Annotations[AnnotationHandoffTo] = r.HandoffTo
	}
	lease.Spec.AcquireTime = lease.Spec.RenewTime
	lease.Spec.LeaseTransitions = ptr.To(int32(r.Epoch))
	return lease
}

func newLease(namespace, name, kind, holder string, version shard.Version, seconds int32, now time.Time) *coordinationv1.Lease {
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{LabelKind: kind}},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity:       &holder,
			LeaseDurationSeconds: &seconds,
			RenewTime:            &metav1.MicroTime{Time: now},
		},
	}
	if version != 0 {
		lease.ResourceVersion = strconv.FormatUint(uint64(version), 10)
	}
	return lease
}

// DecodeMember reads the Lease of a member.
func DecodeMember(lease *coordinationv1.Lease) (shard.MemberRecord, error) {
	name, found := strings.CutPrefix(lease.Name, memberPrefix)
	if !found || name == "" {
		return shard.MemberRecord{}, fmt.Errorf("reading Lease %s: its name is not that of a member", lease.Name)
	}
	version, err := versionOf(lease)
	return shard.MemberRecord{
		Name:    name,
		Holder:  shard.Identity(ptr.Deref(lease.Spec.HolderIdentity, "")),
		State:   shard.ParseMemberState(lease.Annotations[AnnotationState]),
		RingKey: lease.Annotations[AnnotationRingHash],
		Seat:    lease.Annotations[AnnotationSeat],
		Version: version,
	}, err
}

// DecodeShard reads the Lease of a shard, and out of how many shards it is.
func DecodeShard(lease *coordinationv1.Lease) (r shard.Record, shards int, err error) {
	parts := strings.Split(strings.TrimPrefix(lease.Name, shardPrefix), "-")
	if !strings.HasPrefix(lease.Name, shardPrefix) || len(parts) != 2 {
		return r, 0, fmt.Errorf("reading Lease %s: its name is not that of a shard", lease.Name)
	}
	shards, err1 := strconv.Atoi(parts[0])
	id, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil || id < 0 || id >= shards {
		return r, 0, fmt.Errorf("reading Lease %s: its name holds no number of a shard", lease.Name)
	}
	version, err := versionOf(lease)
	return shard.Record{
		ID:        shard.ID(id),
		Holder:    shard.Identity(ptr.Deref(lease.Spec.HolderIdentity, "")),
		Epoch:     int64(ptr.Deref(lease.Spec.LeaseTransitions, 0)),
		HandoffTo: lease.Annotations[AnnotationHandoffTo],
		Reason:    shard.Reason(lease.Annotations[AnnotationReason]),
		Version:   version,
	}, shards, err
}

// versionOf reads the resourceVersion as a number, which KEP-5504 allows within
// one resource.
func versionOf(lease *coordinationv1.Lease) (shard.Version, error) {
	version, err := strconv.ParseUint(lease.ResourceVersion, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading the resourceVersion of Lease %s: %w", lease.Name, err)
	}
	return shard.Version(version), nil
}
