// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package propagate decides which objects are copied down a tree, kept,
// replaced or removed.
//
// A copy is known by its label inherited-from; everything else is a source, and
// belongs to its user. What is deleted is always a copy. The duties of the
// caller:
//
//  1. Trim objects before they enter a cache, Observe them when they leave it,
//     and keep the result in Objects, one per type.
//  2. After folding an object, examine the keys that Affected gives; after a
//     hierarchy.Change, those of InNamespace for each of its Objects.
//  3. Decide about each key, and carry out the Action. Before a Delete, confirm
//     by live reads that its sources are really absent.
package propagate
