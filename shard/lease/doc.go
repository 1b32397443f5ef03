// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package lease carries the ownership protocol of package shard over
// coordination.k8s.io Leases: one Lease per replica that is renewed, and one per
// shard that is written only when its holder changes.
//
// client-go's LeaderElector is not used. Its release reads the present Lease but
// asks an older view of it whether it is the leader, and may so erase the record
// of its successor; and one elector per shard would renew every shard.
package lease
