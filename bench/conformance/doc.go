// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package conformance plays what HNC's own tests play, on three real replicas of
// Banyan of which one is killed in the middle of each scenario.
//
// Each test is named after the number of its scenario, so that -run 'INT/13.8.6'
// plays one: TestINT has those that HNC runs without webhooks, TestE2E those with.
// Scenarios of one suite share a cluster, and play at the same time in trees of
// their own.
package conformance
