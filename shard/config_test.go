// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func validConfig() Config {
	return Config{
		Member: "banyan-0", Instance: "uid", Incarnation: "one", Shards: DefaultShards,
		LeaseDuration: DefaultLeaseDuration, RenewPeriod: DefaultRenewPeriod,
		WriteTimeout: DefaultWriteTimeout, Guard: GuardFor(DefaultWriteTimeout),
		Settle: DefaultSettle, RestartGrace: DefaultRestartGrace, Budget: DefaultBudget,
	}
}

func TestConfigValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		change     func(*Config)
		wantFaults []string
	}{
		"the defaults are fine":        {change: func(*Config) {}},
		"a spare is fine":              {change: func(c *Config) { c.RestartPolicy = Spare }},
		"no policy is that of old":     {change: func(c *Config) { c.RestartPolicy = "" }},
		"no grace is fine":             {change: func(c *Config) { c.RestartGrace = 0 }},
		"one shard is fine":            {change: func(c *Config) { c.Shards = 1 }},
		"a member needs a name":        {change: func(c *Config) { c.Member = "" }, wantFaults: []string{"replica-name"}},
		"a process needs a name":       {change: func(c *Config) { c.Incarnation = "" }, wantFaults: []string{"incarnation"}},
		"zero shards hang the library": {change: func(c *Config) { c.Shards = 0 }, wantFaults: []string{"shards"}},
		"negative shards too":          {change: func(c *Config) { c.Shards = -128 }, wantFaults: []string{"shards"}},
		"shards split by two only":     {change: func(c *Config) { c.Shards = 100 }, wantFaults: []string{"power of two"}},
		"shards are bounded":           {change: func(c *Config) { c.Shards = 8192 }, wantFaults: []string{"4096"}},
		"a guard shorter than a write is no guard": {
			change: func(c *Config) { c.WriteTimeout = 5 * time.Second }, wantFaults: []string{"write-timeout"},
		},
		"a lease must outlast the guard and two renewals": {
			change: func(c *Config) { c.LeaseDuration = 6500 * time.Millisecond }, wantFaults: []string{"lease-duration"},
		},
		"all faults are named at once": {
			change: func(c *Config) {
				c.Shards, c.RenewPeriod, c.Settle, c.RestartGrace, c.Budget = 3, 0, -1, -1, 0
				c.RestartPolicy = "handover"
			},
			wantFaults: []string{"shards", "renew-period", "settle", "restart-grace", "budget", `restart-policy: is "handover"; set it to reserve or spare`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := validConfig()
			tc.change(&cfg)
			err := cfg.Validate()
			if len(tc.wantFaults) == 0 {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			for _, want := range tc.wantFaults {
				require.ErrorContains(t, err, want)
			}
			_, err = NewMachine(cfg, 0)
			require.Error(t, err, "a machine is not made of a faulty configuration")
		})
	}
}
