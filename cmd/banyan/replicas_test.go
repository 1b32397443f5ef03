// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/controlplane"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/replicas/build"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// system is three real replicas on a real control plane.
type system struct {
	*testing.T
	client.Client
	ctx   context.Context
	plane *controlplane.ControlPlane
	set   *replicas.Set
}

var names = []string{"banyan-0", "banyan-1", "banyan-2"}

// startSystem with a binary that was built with the given flags.
func startSystem(t *testing.T, buildFlags ...string) *system {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	binary, err := build.Banyan(ctx, t.TempDir(), buildFlags...)
	require.NoError(t, err)
	plane, err := controlplane.Start(ctx, controlplane.Options{Dir: t.TempDir(), Out: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, plane.Stop()) })
	set, err := replicas.Start(ctx, plane, replicas.Options{Dir: t.TempDir(), Binary: binary, Names: names, Out: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, set.Close()) })

	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, api.AddToScheme(scheme))
	c, err := client.New(plane.Config(), client.Options{Scheme: scheme})
	require.NoError(t, err)
	s := &system{T: t, Client: c, ctx: ctx, plane: plane, set: set}
	t.Cleanup(func() {
		if t.Failed() {
			s.tellLogs()
		}
	})
	s.ready()
	return s
}

// ready waits until all replicas are, and every shard has its owner.
func (s *system) ready() {
	s.Helper()
	require.NoError(s, s.set.WaitReady(s.ctx, names...))
	require.NoError(s, s.set.WaitSettled(s.ctx, names...))
}

func (s *system) tellLogs() {
	for _, name := range s.set.Names() {
		content, err := os.ReadFile(s.set.LogFile(name))
		if err != nil {
			continue
		}
		const most = 6000
		s.Logf("%s:\n%s", name, content[max(0, len(content)-most):])
	}
}

func (s *system) create(objects ...client.Object) {
	s.Helper()
	for _, object := range objects {
		require.NoErrorf(s, s.Create(s.ctx, object), "creating %T %s/%s", object, object.GetNamespace(), object.GetName())
	}
}

// eventually polls until the function has no objection.
func (s *system) eventually(what string, check func() error) {
	s.Helper()
	var last error
	require.Eventuallyf(s, func() bool { last = check(); return last == nil }, time.Minute, 50*time.Millisecond,
		"%s: %v", what, &lateError{&last})
}

// lateError is formatted when it is printed.
type lateError struct{ err *error }

func (e *lateError) String() string {
	if *e.err == nil {
		return ""
	}
	return (*e.err).Error()
}

func (s *system) exists(object client.Object, namespace, name string) func() error {
	return func() error { return s.Get(s.ctx, types.NamespacedName{Namespace: namespace, Name: name}, object) }
}

func (s *system) gone(object client.Object, namespace, name string) func() error {
	return func() error {
		err := s.Get(s.ctx, types.NamespacedName{Namespace: namespace, Name: name}, object)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			return apierrors.NewAlreadyExists(corev1.Resource("objects"), name)
		}
		return err
	}
}

// audited is what the API server wrote down so far.
func (s *system) audited() audit.Report {
	s.Helper()
	file, err := os.Open(s.plane.AuditLog())
	require.NoError(s, err)
	defer func() { require.NoError(s, file.Close()) }()
	log, err := audit.Read(file)
	require.NoError(s, err)
	return log.Check(audit.Config{ServiceAccount: replicas.User, Namespace: replicas.Namespace, Shards: 128})
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func anchor(parent, name string) *api.SubnamespaceAnchor {
	return &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: parent, Name: name}}
}

func role(namespace, name string) *rbacv1.Role {
	return &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}},
	}
}

func roleBinding(namespace, name, role string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: "somebody"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role},
	}
}
