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
// Two things limit what the log can show. A write that the API server did and
// then did not log, because it was killed, is not in it; a later Lease write that
// names an unknown predecessor tells that there was one, and until then nothing
// about that shard is judged. And a user agent is the client's own word: it tells
// two lives of one Pod apart, but it is no proof against a liar.
//
// # Adding a rule
//
// A rule about single writes is a judge, one about the course of things is an
// observer; check.go lists both.
package audit
