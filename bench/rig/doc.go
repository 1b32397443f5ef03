// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package rig is a cluster to be measured: a real control plane, real replicas of
// Banyan, and a client of it that nothing slows down and whose requests are
// counted.
//
// The caller's duties:
//
//  1. Close what Start returned, also when a later step fails.
//  2. Wait until it is quiet before anything is measured, and again before anything
//     is counted: a request is in the API server's metrics a little after its
//     answer, and the controllers of a cluster work on after whatever is waited for.
//  3. Compare only what was measured in the same way: with an Aim, from the first
//     request until a watch has shown the last object.
package rig
