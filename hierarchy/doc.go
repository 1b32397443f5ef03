// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package hierarchy says what the namespaces of a cluster should look like,
// and what must be written to get there.
//
// It keeps what was observed in a Forest and answers with Plans. It reads no
// clock, opens no connection and starts no goroutine: the same observations
// give the same plan, on every replica and in whatever order they came.
//
// The duties of the caller, in order:
//
//  1. Guard the Forest. It is not safe for concurrent use; reading it in
//     parallel is safe while nobody folds.
//  2. Fold in every object that is seen: SetNamespace and its siblings. Give
//     objects that will not be mutated afterwards; the Forest mutates none.
//  3. Look again at what the returned Change names.
//  4. Decide or DecideAnchor, and carry out the Plan if Key says that the
//     namespace is yours. One plan has one key: it writes the namespace itself
//     and objects in it. Look once more when its Again says so.
//  5. Before a Delete, confirm with a live read what the plan rests on. A
//     Forest knows what was seen, not what was missed.
//  6. Say SetDeletingCRD when a definition of the API group goes away, before
//     acting upon the disappearance of its objects.
package hierarchy
