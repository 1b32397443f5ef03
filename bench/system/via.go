// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	viaPrefix        = "via-"
	configurationsBy = "hierarchyconfigurations.hnc.x-k8s.io"
)

// Via returns a client for each replica, in the order of Names. What the client
// does to a HierarchyConfiguration is admitted by that replica and no other; all
// the rest, by whichever one the balancer chooses.
func (s *System) Via() (clients []client.Client) {
	s.Helper()
	common := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	require.NoError(s, s.Exists(common, "", "hnc-validating-webhook-configuration")())
	at := slices.IndexFunc(common.Webhooks, func(w admissionregistrationv1.ValidatingWebhook) bool { return w.Name == configurationsBy })
	require.GreaterOrEqual(s, at, 0)

	pinned := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "one-replica-each"}}
	for _, name := range Names {
		hook := *common.Webhooks[at].DeepCopy()
		hook.Name = viaPrefix + name + "." + hook.Name
		balanced := *hook.ClientConfig.URL
		hook.ClientConfig.URL = ptr.To(s.Set.WebhookURL(name) + balanced[strings.LastIndex(balanced, "/"):])
		hook.MatchConditions = append(hook.MatchConditions, admissionregistrationv1.MatchCondition{
			Name: "via", Expression: fmt.Sprintf("request.userInfo.username == %q", viaPrefix+name),
		})
		pinned.Webhooks = append(pinned.Webhooks, hook)
	}
	s.Create(pinned)
	common.Webhooks[at].MatchConditions = append(common.Webhooks[at].MatchConditions, admissionregistrationv1.MatchCondition{
		Name: "not-via", Expression: fmt.Sprintf("!request.userInfo.username.startsWith(%q)", viaPrefix),
	})
	require.NoError(s, s.Update(s.ctx, common))

	for _, name := range Names {
		c := s.impersonate(viaPrefix + name)
		s.Eventually("only "+name+" is asked", func() error {
			illegal := Configuration("default")
			illegal.Spec.Parent = "kube-system"
			err := c.Create(s.ctx, illegal, client.DryRunAll)
			if err == nil || !strings.Contains(err.Error(), viaPrefix+name) {
				return errors.Join(errors.New("somebody else was"), err)
			}
			return nil
		})
		clients = append(clients, c)
	}
	return clients
}

// impersonate returns a client of an administrator of another name.
func (s *System) impersonate(user string) client.Client {
	config := rest.CopyConfig(s.Plane.Config())
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:masters", "system:authenticated"}}
	c, err := client.New(config, client.Options{Scheme: s.Scheme()})
	require.NoError(s, err)
	return c
}
