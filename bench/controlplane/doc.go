// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package controlplane starts a real etcd, kube-apiserver and kube-controller-manager on loopback, and keeps the API
// server's audit log as the record of who wrote what.
//
// It has its own processes instead of envtest's for two reasons: its children must die with a parent that was killed,
// and an API server that is stopped must come back on the same port with the same certificates.
//
// The caller's duties:
//
//  1. Have the binaries (make kube builds them, KUBEBUILDER_ASSETS may name a directory that has them).
//  2. Give Start a directory that no other control plane has used.
//  3. Call Stop, also when a later step of the caller fails. The directory stays, for its logs.
//  4. Give each writer an identity of its own by Pod, or the audit log cannot tell one from another.
//
// Everything listens on 127.0.0.1 only. etcd asks nobody for a password and never syncs its disk: this is for tests, demos and
// measurements, not for data that matters.
package controlplane
