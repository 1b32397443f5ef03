// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/controlplane"
)

const (
	forbidden = http.StatusForbidden
	invalid   = http.StatusUnprocessableEntity
)

// attempt is a request that changes nothing, and the answer that it must get.
type attempt struct {
	user   string // "": alice, who may do everything
	groups []string
	do     func(context.Context, client.Client) error

	want  int // the code; 0: allowed
	words string
}

// rows has the attempts that a policy is about, and that no other one refuses.
var rows = map[string]map[string]attempt{
	"banyan-copies":              copyRows,
	"banyan-exceptions":          exceptionRows,
	"banyan-included-namespaces": includedRows,
	"banyan-moves":               moveRows,
	"banyan-names":               nameRows,
	"banyan-namespaces":          treeRows,
	"banyan-parents":             parentRows,
	"banyan-readiness":           readinessRows,
	"banyan-types":               typeRows,
}

// courtroom is a control plane with all policies, and whoever comes before it.
type courtroom struct {
	client.Client
	config *rest.Config
	users  map[string]client.Client
}

// as returns the client of a user. All but bob may do everything.
func (c *courtroom) as(t *testing.T, user string, groups ...string) client.Client {
	t.Helper()
	if user == "" {
		user = alice
	}
	if user != bob {
		groups = append([]string{admins}, groups...)
	}
	key := user + " " + strings.Join(groups, " ")
	if known, ok := c.users[key]; ok {
		return known
	}
	config := rest.CopyConfig(c.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:authenticated")}
	made, err := client.New(config, client.Options{Scheme: c.Scheme(), Mapper: c.RESTMapper()})
	require.NoError(t, err)
	c.users[key] = made
	return made
}

const (
	admins = "admins"
	bob    = "bob"
)

// wrong says in which way an attempt does not get its answer; "" if it does.
func (c *courtroom) wrong(t *testing.T, a attempt) string {
	t.Helper()
	err := a.do(t.Context(), client.NewDryRunClient(c.as(t, a.user, a.groups...)))
	if a.want == 0 && err != nil {
		return fmt.Sprintf("refused: %v", err)
	}
	if a.want == 0 {
		return ""
	}
	status := apierrors.APIStatus(nil)
	switch {
	case err == nil:
		return "allowed"
	case !errors.As(err, &status):
		return fmt.Sprintf("no answer: %v", err)
	case int(status.Status().Code) != a.want || !strings.Contains(err.Error(), a.words):
		return fmt.Sprintf("refused with %d, in other words: %v", status.Status().Code, err)
	case !strings.Contains(err.Error(), "; "):
		return fmt.Sprintf("refused without a remedy: %v", err)
	}
	return ""
}

// allWrong are the attempts of a policy that do not get their answers.
func (c *courtroom) allWrong(t *testing.T, policy string) []string {
	t.Helper()
	var found []string
	for _, name := range slices.Sorted(maps.Keys(rows[policy])) {
		if what := c.wrong(t, rows[policy][name]); what != "" {
			found = append(found, name+": "+what)
		}
	}
	return found
}

// settles waits until all attempts get their answers, and leaves it to the caller
// to find out why they do not.
func (c *courtroom) settles(t *testing.T) bool {
	t.Helper()
	return eventually(func() bool {
		return !slices.ContainsFunc(slices.Collect(maps.Keys(rows)), func(policy string) bool { return len(c.allWrong(t, policy)) > 0 })
	})
}

// eventually is not require.Eventually: that one asks in another goroutine, and is
// still at it when the test has gone on.
func eventually(done func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if done() {
			return true
		}
	}
	return false
}

// openCourtroom starts the API server with the CRDs, all policies and the objects
// that the attempts are about.
func openCourtroom(t *testing.T) *courtroom {
	t.Helper()
	cp, err := controlplane.Start(t.Context(), controlplane.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cp.Stop()) })
	admin, err := client.New(cp.Config(), client.Options{Scheme: scheme(t)})
	require.NoError(t, err)
	c := &courtroom{Client: admin, config: cp.Config(), users: map[string]client.Client{}}
	installCRDs(t, c)
	c.fill(t)
	for _, object := range kustomize(t, "nowebhooks") {
		if strings.HasPrefix(object.GetKind(), "ValidatingAdmissionPolicy") {
			require.NoError(t, c.Create(t.Context(), object))
		}
	}
	return c
}

// fill grants the rights and creates what is there before.
func (c *courtroom) fill(t *testing.T) {
	t.Helper()
	admin := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}
	require.NoError(t, c.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: admins}, RoleRef: admin, Subjects: []rbacv1.Subject{{Kind: rbacv1.GroupKind, Name: admins}},
	}))
	// The API server learns of a right a moment after it was granted.
	require.True(t, eventually(func() bool {
		return c.as(t, banyan).Create(t.Context(), namespaced("hnc-system"), client.DryRunAll) == nil
	}), "the rights are in force")
	for _, object := range fixtures() {
		require.NoError(t, c.as(t, banyan).Create(t.Context(), object), id(object))
	}
	for _, namespace := range []string{"his", "mine", "ours"} {
		require.NoError(t, c.Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: bob}, RoleRef: admin, Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: bob}},
		}))
	}
}

// TestPolicies: what is refused, to whom and in which words, while no replica runs.
func TestPolicies(t *testing.T) {
	c := openCourtroom(t)
	c.settles(t)
	for policy, attempts := range rows {
		for name, tc := range attempts {
			t.Run(policy+"/"+name, func(t *testing.T) { require.Empty(t, c.wrong(t, tc)) })
		}
	}
	if t.Failed() {
		return // All that follows goes by these answers.
	}
	t.Run("the API server has nothing to say about their types", func(t *testing.T) { testTypeChecking(t, c) })
	t.Run("each condition and validation is needed", func(t *testing.T) { testEachIsNeeded(t, c) })
	t.Run("the control plane works on copies", func(t *testing.T) { testControlPlane(t, c) })
	t.Run("copies go with their namespace", func(t *testing.T) { testTerminating(t, c) })
	t.Run("without what Banyan knows nothing is refused for it", func(t *testing.T) { testWithoutParams(t, c) })
	t.Run("without bindings nothing is refused", func(t *testing.T) { testWithoutBindings(t, c) })
}

// policies of the control plane, by name.
func (c *courtroom) policies(t *testing.T) map[string]*admissionregistrationv1.ValidatingAdmissionPolicy {
	t.Helper()
	list := &admissionregistrationv1.ValidatingAdmissionPolicyList{}
	require.NoError(t, c.List(t.Context(), list))
	all := map[string]*admissionregistrationv1.ValidatingAdmissionPolicy{}
	for i := range list.Items {
		all[list.Items[i].Name] = &list.Items[i]
	}
	return all
}

func testTypeChecking(t *testing.T, c *courtroom) {
	require.True(t, eventually(func() bool {
		for _, policy := range c.policies(t) {
			if policy.Status.ObservedGeneration != policy.Generation || policy.Status.TypeChecking == nil {
				return false
			}
		}
		return true
	}), "somebody checks the types")
	for name, policy := range c.policies(t) {
		require.Contains(t, rows, name, "no attempts are about it")
		require.Empty(t, policy.Status.TypeChecking.ExpressionWarnings, name)
	}
}

// testWithoutParams: namespaces must end, and people must work, after Banyan is
// gone.
func testWithoutParams(t *testing.T, c *courtroom) {
	require.NoError(t, c.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "hnc-system", Name: "banyan-admission"}}))
	for name, policy := range c.policies(t) {
		c.allPass(t, name, policy.Spec.ParamKind != nil)
	}
}

func testWithoutBindings(t *testing.T, c *courtroom) {
	require.NoError(t, c.DeleteAllOf(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}))
	for name := range c.policies(t) {
		c.allPass(t, name, true)
	}
}

// allPass waits until everything that a policy would refuse is allowed, or makes
// sure that nothing is.
func (c *courtroom) allPass(t *testing.T, policy string, want bool) {
	t.Helper()
	refused := func(name string) bool {
		a := rows[policy][name]
		a.want = 0
		return c.wrong(t, a) != ""
	}
	for name, tc := range rows[policy] {
		if tc.want == 0 {
			continue
		}
		if want {
			require.True(t, eventually(func() bool { return !refused(name) }), "%s: %s", policy, name)
		} else {
			require.True(t, refused(name), "%s: %s", policy, name)
		}
	}
}
