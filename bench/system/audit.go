// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"os"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/shard"
)

// Audited is what the API server wrote down so far.
func (s *System) Audited() audit.Report {
	s.Helper()
	file, err := os.Open(s.Plane.AuditLog())
	require.NoError(s, err)
	defer func() { require.NoError(s, file.Close()) }()
	log, err := audit.Read(file)
	require.NoError(s, err)
	return log.Check(audit.Config{
		ServiceAccount: replicas.User, Namespace: replicas.Namespace, Shards: shard.DefaultShards, Scope: s.scope,
	})
}
