// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package controller brings the cluster to what the forest says it should be:
// observe, decide, apply.
//
// Informer handlers fold every namespace, HierarchyConfiguration, anchor and
// propagated object into a Live forest, on every replica. The queues hold only
// what a fold says may have changed. The two reconcilers, one for namespaces and
// one for objects, ask the forest for a plan and carry it out; whether this
// replica may do so is not asked here but in the client that they are given.
//
// When a shard is opened, Resync first writes what the forest already knows to
// differ, then reads each of its namespaces again, at a bounded rate and behind
// everything fresh, for what the cache did not show.
package controller
