// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/rig"
)

// managed is the regex of the namespaces that Banyan looks after.
const managed = "tree.*"

// labelOf names, on every object of the bench, the part of the bench that it
// belongs to. Copies get it from their sources.
const labelOf = "bench/of"

// labelEdition tells a changed object from what it was before.
const labelEdition = "bench/edition"

// plan is the size of everything.
type plan struct {
	subnamespaces, trees, sources, rounds, workers int
}

// copies that one round makes.
func (p plan) copies() int { return p.subnamespaces * p.sources }

// root of a tree of a round.
func root(round, tree int) string { return fmt.Sprintf("tree%d-%d", round, tree) }

// subnamespace returns the name of the i-th, and its tree. Trees are of the same
// size, but for one.
func (p plan) subnamespace(round, i int) (name string, tree int) {
	tree = i % p.trees
	return fmt.Sprintf("%s-%04d", root(round, tree), i), tree
}

// bareNamespace is the i-th namespace of the plain client.
func bareNamespace(round, i int) string { return fmt.Sprintf("bare%d-%04d", round, i) }

// objects of one namespace, as they are at first.
func (p plan) objects(namespace, of string) []client.Object {
	return rig.Sources(namespace, p.sources, map[string]string{labelOf: of, labelEdition: "1"})
}

// change an object as somebody would: one more rule, one more subject.
func change(object client.Object) {
	labels := object.GetLabels()
	labels[labelEdition] = "2"
	object.SetLabels(labels)
	switch o := object.(type) {
	case *rbacv1.Role:
		o.Rules = append(o.Rules, rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"get"}})
	case *rbacv1.RoleBinding:
		o.Subjects = append(o.Subjects, rbacv1.Subject{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "all"})
	}
}
