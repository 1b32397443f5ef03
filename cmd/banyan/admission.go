// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/banyan-hns/banyan/hierarchy/controller"
	"github.com/banyan-hns/banyan/webhook"
)

func (r *replica) addWebhooks() error {
	if r.options.noWebhooks {
		return nil
	}
	reviews, err := client.New(r.conns.reviews, client.Options{Scheme: r.manager.GetScheme()})
	if err != nil {
		return fmt.Errorf("making the client of access reviews: %w", err)
	}
	r.reached = &webhook.SelfCheck{
		Replica: r.options.member.Member, Namespace: r.options.namespace, Client: reviews, Log: r.log.WithName("self-check"), Changed: r.live.Register,
	}
	webhook.Register(r.manager.GetWebhookServer(), webhook.Options{
		Scheme: r.manager.GetScheme(), Forest: r.live, Reviews: reviews, Reader: r.manager.GetAPIReader(),
		Catalog: r.catalog, Moves: r.moves,
		Self: r.self(), SelfCheck: r.reached,
	})
	return errors.Join(r.manager.Add(r.moves), r.manager.Add(r.reached), metrics.Registry.Register(r.reached))
}

// registered is what the API server must know of this installation. The policies
// in it judge also if no webhook does.
func (r *replica) registered() []controller.Registered {
	namespace := r.options.namespace
	facts := webhook.Facts{Namespace: namespace, Scope: r.scope}
	if r.options.noWebhooks {
		return []controller.Registered{facts}
	}
	return []controller.Registered{facts, webhook.ObjectRules{
		Namespace: namespace, Self: r.self(), URL: r.options.webhookURL, Bundle: r.served.Bundle, Reached: r.reached.Reached,
	}}
}

// self is the user name of Banyan.
func (r *replica) self() string {
	return fmt.Sprintf("system:serviceaccount:%s:banyan", r.options.namespace)
}
