// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package shard decides which replica may write where, and until when. It does
// not know what is written.
//
// Work is divided by key. Each key falls into one of P shards, each shard has
// at most one holder, and only the holder writes for the keys in it. A shard is
// validly held by X when the record of the shard names X, and the heartbeat
// record of X names the same life of X. So one heartbeat per replica keeps all
// of its shards, and its cost grows with replicas, not with shards.
//
// # The safety argument
//
//  1. A record changes only by compare-and-swap on its version. A heartbeat is
//     either renewed by its owner or taken away ("fenced") by another member,
//     never both.
//  2. A member judges its own hold from the moment before it sent its last good
//     heartbeat: it stops writing LeaseDuration - Guard after that, whatever it
//     hears later.
//  3. A member fences another only LeaseDuration after it last saw that
//     heartbeat change, on its own clock, and counts only time in which it was
//     connected itself. No clock is compared with a clock of another host.
//  4. Guard exceeds the time that one write may take. So the last write of a
//     silent member has ended before a fence can exist, and a shard is taken
//     from it only after the fence.
//  5. A shard changes hands in no other way: its holder gives it back, after
//     its writes in flight have ended, or its holder has been fenced.
//  6. A member that does not see its own heartbeats come back stops to write
//     LeaseDuration after it sent the last one that did, however well it goes on
//     to renew; and then it stops to renew.
//  7. A member that was out of touch for a moment, because its hold had ended or its
//     process stood still, suspends its shards. It opens them again only once it
//     knows anew what is in them.
//
// # Records that vanish
//
// Nobody but a human deletes a record. A member whose heartbeat vanished begins
// a new life, after Guard. The holder of a shard whose record vanished writes it
// anew; nobody else does before the holder must have noticed (6) and its writes
// have ended. One window remains: absence has no version to compare with. If
// somebody deletes the record of a shard in the first seconds of its existence,
// when a member that lags has not heard of it yet, or has a late write of the
// first one under way, then two may hold the shard until the older holder sees
// the deletion.
//
// # Joining, leaving, moving
//
// A member joins, becomes active once it could work, and is then part of the
// ring: a pure function from the set of active members to the member that should
// hold each shard. All members compute it alone and publish the hash of its
// input. A holder moves a shard voluntarily only to a member that publishes the
// same hash, so that two views of the membership cannot play ping-pong. A member
// that stops says whether it will be back (restarting: its place is kept for
// RestartGrace) or not (leaving: its shards go to the others at once).
//
// # Seats
//
// The ring is one of seats. Under Reserve, each member has a seat of its own, and
// who restarts keeps it. Under Spare there is one seat less than there shall be
// members: what a seat has never changes while members restart, only who sits there.
// A member says in its heartbeat where it sits, and all compute alone from that who
// sits where (seat). Whoever restarts gives its shards to the member that takes its
// seat, in the same breath as it says that it restarts, and comes back as the next
// spare; the spare takes the seat of one that died, too.
//
// Nothing of the safety argument rests on seats: they are advice about who should
// ask for a shard. Two views of them have two keys, and so nothing moves between
// them but what somebody who stops gives away. Members that follow different
// policies, as in the update that changes it, are no other case.
//
// # The caller's duties, in order
//
// Machine is the protocol of one member. It does no I/O and reads no clock. For
// each event, the caller
//
//  1. calls Step with the time of its boot-time clock;
//  2. publishes Machine.Holding to whatever admits writes, before anything else;
//  3. carries out the effects in any order, each one at its own pace, and
//     answers each with the event that its comment names, always;
//  4. calls Step with a Tick several times per RenewPeriod.
package shard
