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
// A namespace that moves between shards carries a stamp, the key that it had, until
// the owner of that key ends the move. Until then it keeps the old key, and nothing
// else may be written there; so of moves with a stamp, each write is judged exactly.
// A move without one (a deletion, or a parent that was set while admission was off) is
// noticed by replicas when they see it, and for a moment both keys will do: such
// writes are counted as excused.
//
// What a rig did, it tells by Marks: those let the rules about the course of things
// compare the log with what the ring demands. Recorders beside the run know what the
// log does not: a write that was answered with a timeout may have been done. A rule that was given something to judge, or that
// Config.Require names, and that judged nothing, is a violation: it shows nothing.
//
// # What it costs
//
// The whole log is in memory, some 700 bytes a line: its order is that of revisions, and
// a write of a Lease may be explained by another that comes much later. A log of 86,000
// lines needed 170 MB in all.
//
// # What it cannot see
//
//   - A write that was done without an answer, or without a line in the log because
//     the API server was killed. If it was of a Lease, a later write of that Lease
//     names its version, and what happened in between counts as unclear, not as a
//     violation. If no write of that Lease follows, it stays unknown, so a run should
//     end with replicas that give their shards back, or have a Recorder of Leases
//     beside it. If it was of what places a namespace, such as the end of a move, only a
//     Recorder of that resource knows.
//   - What was before the log. It should begin with the control plane.
//   - Whether a user agent lies. It tells the processes of one Pod apart; Pods are
//     told apart by their tokens.
//   - Which life of one process sent a write. A process that was fenced and has
//     begun a new life is judged by what the new life holds.
//   - In which order objects went that the API server deleted with their definition.
//     While they go, a write that any order would allow is unclear, or fine.
//
// # Adding a rule
//
// A rule about single writes is one of the judges in verdict.go. One about the
// course of things observes in check.fold, before each event is folded, and judges in
// check.course. Both have a line in rules.go.
package audit
