// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package audit reads what the API server itself wrote down, and says whether
// every write of a replica was allowed to it.
//
// It trusts nothing that a replica says of itself: neither its logs nor its
// metrics. The Leases say who held what, the namespaces and their configurations
// say which shard a namespace belonged to, and the resourceVersion of each
// outcome says in which order all of that happened: on a single etcd it is one
// order for all resources.
//
// Some writes have no revision of their own in the log: most deletes, updates
// that took the last finalizer away, updates that changed nothing, and whatever
// is logged without its body. They happened at some moment while the API server
// worked on the request. Such a write is a violation only if it was not allowed
// at any of these moments.
//
// # What it cannot see
//
//   - A write that was done without an answer, or without a line in the log because
//     the API server was killed. If it was of a Lease, a later write of that Lease
//     names its version, and what happened in between counts as unclear, not as a
//     violation. If no write of that Lease follows, it stays unknown, so a run should
//     end with replicas that give their shards back.
//   - What was before the log. It should begin with the control plane.
//   - Whether a user agent lies. It tells the processes of one Pod apart; Pods are
//     told apart by their tokens.
//   - Which life of one process sent a write. A process that was fenced and has
//     begun a new life is judged by what the new life holds.
//
// # Adding a rule
//
// A rule about single writes is one of the judges in verdict.go. One about the
// course of things is called in check.fold, before each event is folded.
package audit
