// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package system gives a test three real replicas of Banyan on a real control
// plane, and a hand that kills them.
//
// Everything fails the test that it belongs to, so callers have no errors to
// handle. A subtest takes its own view of the system by With.
package system
