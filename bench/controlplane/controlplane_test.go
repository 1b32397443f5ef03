// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/banyan-hns/banyan/bench/process"
)

// TestControlPlane walks through one life, since each life costs some ten seconds.
func TestControlPlane(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()

	c, err := Start(ctx, Options{Dir: t.TempDir(), Out: t.Output()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	admin, err := kubernetes.NewForConfig(c.Config())
	require.NoError(t, err)

	t.Run("a namespace that is deleted goes away", func(t *testing.T) {
		createNamespace(ctx, t, admin, "short-lived")
		require.NoError(t, admin.CoreV1().Namespaces().Delete(ctx, "short-lived", metav1.DeleteOptions{}))
		eventually(ctx, t, "the namespace is gone", func(ctx context.Context) bool {
			_, err := admin.CoreV1().Namespaces().Get(ctx, "short-lived", metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		})
	})

	t.Run("the kubeconfig file is the administrator's", func(t *testing.T) {
		_, err := load(t, c.Kubeconfig()).CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
	})

	t.Run("the audit log names the pod that wrote", func(t *testing.T) { testPodIsNamed(ctx, t, c, admin) })
	t.Run("a pod that was replaced can write no more", func(t *testing.T) { testPodIsReplaced(ctx, t, c, admin) })
	t.Run("an API server that was stopped comes back as it was", func(t *testing.T) { testOutage(ctx, t, c, admin) })

	t.Run("a second life in the same directory is refused", func(t *testing.T) {
		_, err := Start(ctx, Options{Dir: c.dir})
		require.ErrorContains(t, err, "earlier control plane")
	})

	t.Run("stop leaves no process, and may be called again", func(t *testing.T) {
		children := []*process.Process{c.etcd, c.apiServer, c.manager}
		require.NoError(t, c.Stop())
		for _, p := range children {
			require.ErrorIs(t, syscall.Kill(p.Pid(), 0), syscall.ESRCH, p.Name())
		}
		require.NoError(t, c.Stop())
	})
}

func testPodIsNamed(ctx context.Context, t *testing.T, c *ControlPlane, admin kubernetes.Interface) {
	createNamespace(ctx, t, admin, "writers")
	letWrite(ctx, t, admin, "writers", "banyan")
	identity, err := c.Pod(ctx, "writers", "banyan", "banyan-0")
	require.NoError(t, err)

	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "written"}}
	written, err := load(t, identity.Kubeconfig).RbacV1().Roles("writers").Create(ctx, role, metav1.CreateOptions{})
	require.NoError(t, err)

	// No waiting: the event precedes the response.
	event := findEvent(t, c.AuditLog(), "create", "roles", "written")
	require.Equal(t, auditv1.StageResponseComplete, event.Stage)
	require.Equal(t, "system:serviceaccount:writers:banyan", event.User.Username)
	require.Equal(t, auditv1.LevelRequestResponse, event.Level)
	require.Equal(t, identity.PodName, event.User.Extra["authentication.kubernetes.io/pod-name"][0])
	require.Equal(t, identity.PodUID, event.User.Extra["authentication.kubernetes.io/pod-uid"][0])

	var logged rbacv1.Role
	require.NoError(t, json.Unmarshal(event.ResponseObject.Raw, &logged))
	require.Equal(t, written.ResourceVersion, logged.ResourceVersion)
	require.Empty(t, logged.ManagedFields)
}

func testPodIsReplaced(ctx context.Context, t *testing.T, c *ControlPlane, admin kubernetes.Interface) {
	createNamespace(ctx, t, admin, "replaced")
	letWrite(ctx, t, admin, "replaced", "banyan")
	former, err := c.Pod(ctx, "replaced", "banyan", "banyan-0")
	require.NoError(t, err)
	latter, err := c.Pod(ctx, "replaced", "banyan", "banyan-0")
	require.NoError(t, err)

	require.Equal(t, former.PodName, latter.PodName)
	require.NotEqual(t, former.PodUID, latter.PodUID)
	require.NotEqual(t, former.Kubeconfig, latter.Kubeconfig)

	_, err = load(t, latter.Kubeconfig).RbacV1().Roles("replaced").List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	eventually(ctx, t, "the former token is refused", func(ctx context.Context) bool {
		_, err := load(t, former.Kubeconfig).RbacV1().Roles("replaced").List(ctx, metav1.ListOptions{})
		return apierrors.IsUnauthorized(err)
	})
}

func testOutage(ctx context.Context, t *testing.T, c *ControlPlane, admin kubernetes.Interface) {
	before, err := admin.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
	require.NoError(t, err)

	begin := time.Now()
	require.NoError(t, c.StopAPIServer())
	t.Logf("stopped in %s", time.Since(begin))
	require.NoError(t, c.StopAPIServer(), "nothing to stop")
	_, err = admin.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
	require.Error(t, err)

	begin = time.Now()
	require.NoError(t, c.StartAPIServer(ctx))
	t.Logf("started in %s", time.Since(begin))
	require.ErrorIs(t, c.StartAPIServer(ctx), errAPIServerRuns)
	after, err := admin.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, before.UID, after.UID)

	// The controller manager has found the server again.
	createNamespace(ctx, t, admin, "after-outage")
	eventually(ctx, t, "the namespace has its ServiceAccount", func(ctx context.Context) bool {
		_, err := admin.CoreV1().ServiceAccounts("after-outage").Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
}

// createNamespace fails the test at once when the namespace cannot be made.
func createNamespace(ctx context.Context, t *testing.T, admin kubernetes.Interface, name string) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := admin.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	require.NoError(t, err)
}

// letWrite makes a ServiceAccount that may do all in its namespace.
func letWrite(ctx context.Context, t *testing.T, admin kubernetes.Interface, namespace, account string) {
	t.Helper()
	_, err := admin.CoreV1().ServiceAccounts(namespace).Create(ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = admin.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: account},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account, Namespace: namespace}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)

	// The authorizer learns of a binding by watching, like anybody else.
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "system:serviceaccount:" + namespace + ":" + account,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: "create", Group: rbacv1.GroupName, Resource: "roles",
		},
	}}
	eventually(ctx, t, "the ServiceAccount may write", func(ctx context.Context) bool {
		answer, err := admin.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		return err == nil && answer.Status.Allowed
	})
}

func load(t *testing.T, kubeconfig string) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

func eventually(ctx context.Context, t *testing.T, what string, holds func(context.Context) bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(ctx, pollEvery, time.Minute, true, func(ctx context.Context) (bool, error) {
		return holds(ctx), nil
	})
	require.NoError(t, err, what)
}

// findEvent returns the only event of that verb on that object.
func findEvent(t *testing.T, path, verb, resource, name string) auditv1.Event {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)

	var found []auditv1.Event
	scan := bufio.NewScanner(bytes.NewReader(content))
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		var event auditv1.Event
		require.NoError(t, json.Unmarshal(scan.Bytes(), &event))
		if event.ObjectRef == nil || event.ObjectRef.Resource != "leases" {
			require.NotContains(t, []string{"get", "list", "watch"}, event.Verb, "reads are not logged, but those of Leases")
		}
		if ref := event.ObjectRef; ref != nil && event.Verb == verb && ref.Resource == resource && ref.Name == name {
			found = append(found, event)
		}
	}
	require.NoError(t, scan.Err())
	require.Len(t, found, 1)
	return found[0]
}
