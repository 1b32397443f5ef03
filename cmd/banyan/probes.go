// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// addProbes: ready means that this replica can answer admission from a complete
// forest, at the port and with the certificate that the API server meets, whether
// it owns anything or not; alive, that the protocol goes on and the port answers.
func (r *replica) addProbes() error {
	return errors.Join(
		r.manager.AddReadyzCheck("forest", func(*http.Request) error {
			if !r.feed.Synced() || !r.kinds.Synced() {
				return errors.New("not everything has been read yet")
			}
			return nil
		}),
		r.manager.AddReadyzCheck("ending", func(*http.Request) error {
			if r.ending.Load() {
				return errors.New("this replica is ending")
			}
			return nil
		}),
		r.manager.AddReadyzCheck("webhooks", r.unlessOff(func(request *http.Request) error {
			if err := r.served.Check(time.Now()); err != nil {
				return err
			}
			return r.loopback.Ready(request.Context())
		})),
		r.manager.AddHealthzCheck("shard", func(*http.Request) error { return r.member.Alive() }),
		r.manager.AddHealthzCheck("webhooks", r.unlessOff(func(request *http.Request) error {
			return r.loopback.Alive(request.Context(), time.Now())
		})),
	)
}

// unlessOff asks only if admission is served at all.
func (r *replica) unlessOff(check healthz.Checker) healthz.Checker {
	if r.options.noWebhooks {
		return healthz.Ping
	}
	return check
}
