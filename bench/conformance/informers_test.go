// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/banyan-hns/banyan/bench/requests"
	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestInformersOfRemovedTypesStop counts the watches that the API server serves:
// one per replica for a type that is propagated, and none once it is not.
func TestInformersOfRemovedTypesStop(t *testing.T) {
	s := system.Start(t, system.Options{})
	s.Create(&rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "limitranges", Labels: map[string]string{aggregateToBanyan: "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"limitranges"}, Verbs: []string{"get", "list", "watch"}}},
	})
	before := watches(s, "limitranges")
	configuration := &api.HNCConfiguration{}
	s.Eventually("the HNCConfiguration is there", s.Exists(configuration, "", api.HNCConfigurationName))
	for _, step := range []struct {
		resources []api.ResourceSpec
		want      int
	}{
		{[]api.ResourceSpec{{Resource: "limitranges"}}, before + len(system.Names)},
		{[]api.ResourceSpec{{Resource: "limitranges", Mode: api.Ignore}}, before},
		{[]api.ResourceSpec{{Resource: "limitranges", Mode: api.AllowPropagate}}, before + len(system.Names)},
		{nil, before},
	} {
		s.Edit(configuration, false, func() { configuration.Spec.Resources = step.resources })
		s.Eventually(fmt.Sprintf("with %v", step.resources), func() error {
			if got := watches(s, "limitranges"); got != step.want {
				return fmt.Errorf("%d watches, not %d", got, step.want)
			}
			return nil
		})
	}
}

// watches of one resource that the API server serves now.
func watches(s *system.System, resource string) int {
	s.Helper()
	clientset, err := kubernetes.NewForConfig(s.Plane.Config())
	require.NoError(s, err)
	count, err := requests.Watches(s.Context(), clientset.RESTClient(), resource)
	require.NoError(s, err)
	return count
}
