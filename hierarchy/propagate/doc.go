// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package propagate decides which objects are copied down a tree, kept,
// replaced or removed.
//
// A copy is known by its label inherited-from; everything else is a source, and
// belongs to its user. What is deleted is always a copy. The duties of the
// caller:
//
//  1. Resolve the HNCConfiguration into types, and write what
//     DecideConfiguration says of them.
//  2. Observe objects before they enter a cache, and keep the results in
//     Objects, one per type.
//  3. After folding an object, examine the keys that Affected gives; after a
//     hierarchy.Change, those of InNamespace for each of its Objects; after a
//     type was read or got another mode, those of Everywhere.
//  4. Decide about each key, and carry out the Action. Before a Delete, confirm
//     by live reads that its sources are really absent. Before a Replace of what
//     Assigns, read the object and give it to KeepAssigned.
//  5. Tell the Problems, and those of WriteFailed.
package propagate
