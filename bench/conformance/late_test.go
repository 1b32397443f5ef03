// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/proxy"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// detours are the proxies that the replicas go through, and what is held in all
// of them.
type detours struct {
	dir string

	mu      sync.Mutex
	proxies map[string]*proxy.Proxy // by kubeconfig
	release []func()
}

func (d *detours) route(_, kubeconfig string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p, known := d.proxies[kubeconfig]; known {
		return p.Kubeconfig(), nil
	}
	p, err := proxy.Start(kubeconfig, d.dir)
	if err != nil {
		return "", err
	}
	d.proxies[kubeconfig] = p
	return p.Kubeconfig(), nil
}

func (d *detours) hold(match func(*http.Request) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.proxies {
		d.release = append(d.release, p.Hold(match))
	}
}

func (d *detours) releaseAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, release := range d.release {
		release()
	}
}

func (d *detours) held() (requests int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.proxies {
		requests += p.Held()
	}
	return requests
}

// TestLateSourcesDeleteNothing: all replicas restart, and the API server takes its
// time to list one type. Namespaces are known meanwhile, sources are not. Nobody's
// copy is touched, and nobody waits for that type to be admitted or to get copies
// of others.
func TestLateSourcesDeleteNothing(t *testing.T) {
	d := &detours{dir: t.TempDir(), proxies: map[string]*proxy.Proxy{}}
	s := system.Start(t, system.Options{Route: d.route})
	s.Create(
		&rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: "configmaps", Labels: map[string]string{"hnc.x-k8s.io/aggregate-to-banyan": "true"}},
			Rules: []rbacv1.PolicyRule{{
				APIGroups: []string{""}, Resources: []string{"configmaps"},
				Verbs: []string{"get", "list", "watch", "create", "update", "delete"},
			}},
		},
		system.Namespace("acme"), system.Anchor("acme", "team-a"), system.Anchor("acme", "team-b"),
	)
	configuration := &api.HNCConfiguration{}
	s.Eventually("the HNCConfiguration is there", s.Exists(configuration, "", api.HNCConfigurationName))
	s.Edit(configuration, false, func() {
		configuration.Spec.Resources = []api.ResourceSpec{{Resource: "configmaps", Mode: api.Propagate}}
	})
	const sources = 20
	for i := range sources {
		s.Create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: fmt.Sprintf("policy-%d", i)}})
	}
	copies := func() map[string]types.UID {
		found := map[string]types.UID{}
		for _, ns := range []string{"team-a", "team-b"} {
			list := &corev1.ConfigMapList{}
			require.NoError(t, s.List(s.Context(), list, client.InNamespace(ns), client.HasLabels{api.LabelInheritedFrom}))
			for _, o := range list.Items {
				found[ns+"/"+o.Name] = o.UID
			}
		}
		return found
	}
	s.Eventually("all copies are there", func() error {
		if got := len(copies()); got != 2*sources {
			return fmt.Errorf("there are %d", got)
		}
		return nil
	})
	before := copies()

	began := time.Now()
	d.hold(func(r *http.Request) bool { return r.Method == http.MethodGet && r.URL.Path == "/api/v1/configmaps" })
	for _, name := range system.Names {
		require.NoError(t, s.Set.Kill(name))
	}
	for _, name := range system.Names {
		require.NoError(t, s.Set.StartReplica(s.Context(), name))
	}
	s.Ready() // none of them has read a ConfigMap
	require.GreaterOrEqual(t, d.held(), len(system.Names))
	for _, ns := range []string{"acme", "team-a", "team-b"} {
		o := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}
		s.Edit(o, false, func() { metav1.SetMetaDataLabel(&o.ObjectMeta, "color", "red") })
	}
	s.Create(system.Role("acme", "sentinel"))
	for _, ns := range []string{"team-a", "team-b"} {
		s.Eventually("the Role arrives, whatever becomes of ConfigMaps", s.Exists(&rbacv1.Role{}, ns, "sentinel"))
	}
	require.Equal(t, before, copies())

	d.releaseAll()
	s.Create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "sentinel"}})
	for _, ns := range []string{"team-a", "team-b"} {
		s.Eventually("ConfigMaps arrive again", s.Exists(&corev1.ConfigMap{}, ns, "sentinel"))
	}
	after := copies()
	delete(after, "team-a/sentinel")
	delete(after, "team-b/sentinel")
	require.Equal(t, before, after)
	report := s.Audited()
	require.Empty(t, report.Violations, report.String())
	for _, tally := range report.Writes(began, time.Now()) {
		require.NotEqualf(t, "delete", tally.Verb, "%s wrote %+v", replicas.User, tally)
	}
}
