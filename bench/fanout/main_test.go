// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		args    []string
		wantErr string
	}{
		"the defaults are good":         {},
		"half of the sources are Roles": {args: []string{"-sources=3"}, wantErr: "sources: is 3; set it to an even number"},
		"no round is no bench":          {args: []string{"-rounds=0"}, wantErr: "rounds: is 0"},
		"a tree has a subnamespace":     {args: []string{"-trees=3", "-subnamespaces=2"}, wantErr: "trees: is 3, more than there are subnamespaces"},
		"there is a replica":            {args: []string{"-replicas=0"}, wantErr: "replicas: is 0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parse(tc.args)
			if tc.wantErr == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.wantErr)
		})
	}
}

func TestPlan(t *testing.T) {
	p := plan{subnamespaces: 5, trees: 2, sources: 4}
	require.Equal(t, 20, p.copies())
	perTree := map[int]int{}
	for i := range p.subnamespaces {
		name, tree := p.subnamespace(1, i)
		require.Regexp(t, "^"+managed+"$", name)
		perTree[tree]++
	}
	require.Equal(t, map[int]int{0: 3, 1: 2}, perTree)
	require.NotRegexp(t, "^"+managed+"$", bareNamespace(1, 1))

	objects := p.objects("a", "b")
	require.Len(t, objects, p.sources)
	for _, object := range objects {
		before := object.DeepCopyObject()
		change(object)
		require.Equal(t, "2", object.GetLabels()[labelEdition])
		switch after := object.(type) {
		case *rbacv1.Role:
			require.Len(t, after.Rules, len(before.(*rbacv1.Role).Rules)+1)
		case *rbacv1.RoleBinding:
			require.Len(t, after.Subjects, len(before.(*rbacv1.RoleBinding).Subjects)+1)
		}
	}
}

// TestSmall measures a small tree for real. Times say nothing there, but writes do.
func TestSmall(t *testing.T) {
	r, err := bench(t.Context(), options{
		plan:     plan{subnamespaces: 20, trees: 2, sources: 2, rounds: 1, workers: 10},
		replicas: 3, dir: t.TempDir(),
	})
	require.NoError(t, err)
	t.Log(r.text())
	require.Empty(t, r.violations)
	for _, name := range []string{fanOut, update, remove} {
		phases := r.of(name, false)
		require.Len(t, phases, 1)
		require.Equal(t, 40, phases[0].objects)
		require.Equal(t, 40, phases[0].others().Of(copied...), "one write request for each copy, to %s", name)
		require.Equal(t, 40, phases[0].banyan.Of(copied...), "one write for each copy, to %s, by the audit log", name)
		require.Positive(t, phases[0].took)
	}
	growth := r.of(grow, false)
	require.Len(t, growth, 1)
	require.Equal(t, 20, growth[0].banyan.Done("POST", "namespaces"))
}
