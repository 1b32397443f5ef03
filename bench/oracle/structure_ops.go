// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func createNamespace(t turn) (outcome, error) {
	if t.in != "" {
		return nothing, nil
	}
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: t.Namespace}}
	if err := t.Create(t.ctx, n); err != nil {
		return "", err
	}
	t.Ledger.change(func(l *Ledger) { l.uids[n.Name] = n.UID })
	t.in = n.UID
	for what, text := range (Facts{Namespaces: map[string]Namespace{n.Name: {}}}).written([]string{n.Name}) {
		t.wrote(what.What, text)
	}
	return done, nil
}

func deleteNamespace(t turn) (outcome, error) {
	if t.in == "" {
		return absent, nil
	}
	// It counts from before: Banyan may be quicker than the answer.
	t.Ledger.change(func(l *Ledger) { l.loose[t.Namespace] = true })
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: t.Namespace}}
	return dying, t.Delete(t.ctx, n, client.Preconditions{UID: &t.in})
}

// editNamespace changes the namespace itself.
func (t turn) editNamespace(change func(*corev1.Namespace)) error {
	var n corev1.Namespace
	if err := t.Get(t.ctx, client.ObjectKey{Name: t.Namespace}, &n); err != nil {
		return err
	}
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	if n.Annotations == nil {
		n.Annotations = map[string]string{}
	}
	change(&n)
	return t.Update(t.ctx, &n)
}

// set puts a value under a key, or removes the key if the value is empty.
func set(m map[string]string, key, value string) {
	if value == "" {
		delete(m, key)
		return
	}
	m[key] = value
}

func labelNamespace(t turn) (outcome, error) {
	if err := t.editNamespace(func(n *corev1.Namespace) { set(n.Labels, t.Name, t.Value) }); err != nil {
		return "", err
	}
	if t.Name == "color" { // The other keys are Banyan's.
		t.wrote("label color", t.Value)
	}
	return done, nil
}

func annotateNamespace(t turn) (outcome, error) {
	t.Ledger.change(func(l *Ledger) { l.placed[t.Namespace] = true })
	if err := t.editNamespace(func(n *corev1.Namespace) { set(n.Annotations, t.Name, t.Value) }); err != nil {
		return "", err
	}
	t.wrote("annotation "+t.Name, t.Value)
	return done, nil
}

var errNoNamespace = apierrors.NewNotFound(corev1.Resource("namespaces"), "")

// editConfiguration changes the HierarchyConfiguration, or creates one.
func (t turn) editConfiguration(change func(*api.HierarchyConfigurationSpec)) error {
	c := &api.HierarchyConfiguration{ObjectMeta: metav1.ObjectMeta{Namespace: t.Namespace, Name: api.HierarchyConfigurationName}}
	if t.in == "" {
		return errNoNamespace
	}
	if err := t.Get(t.ctx, client.ObjectKeyFromObject(c), c); client.IgnoreNotFound(err) != nil {
		return err
	}
	change(&c.Spec)
	if c.ResourceVersion == "" {
		return t.Create(t.ctx, c)
	}
	return t.Update(t.ctx, c)
}

func setParent(t turn) (outcome, error) {
	if err := t.editConfiguration(func(s *api.HierarchyConfigurationSpec) { s.Parent = t.Value }); err != nil {
		return "", err
	}
	t.wrote("parent", t.Value)
	return done, nil
}

func setCascading(t turn) (outcome, error) {
	allowed := t.Value != ""
	if err := t.editConfiguration(func(s *api.HierarchyConfigurationSpec) { s.AllowCascadingDeletion = allowed }); err != nil {
		return "", err
	}
	t.wrote("cascading", fmt.Sprint(allowed))
	return done, nil
}

func setManaged(t turn) (outcome, error) {
	labels, annotations := managed(t.Value)
	err := t.editConfiguration(func(s *api.HierarchyConfigurationSpec) { s.Labels, s.Annotations = labels, annotations })
	if err != nil {
		return "", err
	}
	t.wrote("managed labels", fmt.Sprint(labels))
	return done, nil
}

// managed labels and annotations, by the names of the choices.
func managed(choice string) (labels, annotations []api.MetaKVP) {
	switch choice {
	case "team":
		labels = []api.MetaKVP{{Key: "team", Value: "one"}, {Key: "cost", Value: "low"}}
	case "other team":
		labels = []api.MetaKVP{{Key: "team", Value: "two"}}
		annotations = []api.MetaKVP{{Key: "contact", Value: "somebody"}}
	case "contact":
		annotations = []api.MetaKVP{{Key: "contact", Value: "nobody"}}
	case "illegal":
		labels = []api.MetaKVP{{Key: "bogus", Value: "x"}, {Key: "cost", Value: "high"}}
	case "illegal value":
		labels = []api.MetaKVP{{Key: "team", Value: "no label!"}}
	case "illegal annotation":
		annotations = []api.MetaKVP{{Key: "bogus", Value: "x"}}
	}
	return labels, annotations
}

func putAnchor(t turn) (outcome, error) {
	if t.in == "" {
		return absent, nil
	}
	labels, annotations := managed(t.Value)
	t.Ledger.change(func(l *Ledger) {
		l.claims[Place{t.Namespace, t.Name}] = true
		l.placed[t.Name] = true
	})
	a := &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: t.Namespace, Name: t.Name}}
	if err := t.Get(t.ctx, client.ObjectKeyFromObject(a), a); client.IgnoreNotFound(err) != nil {
		return "", err
	}
	if a.DeletionTimestamp != nil {
		return dying, nil
	}
	a.Spec = api.SubnamespaceAnchorSpec{Labels: labels, Annotations: annotations}
	write := func() error { return t.Update(t.ctx, a) }
	if a.ResourceVersion == "" {
		write = func() error { return t.Create(t.ctx, a) }
	}
	if err := write(); err != nil {
		return "", err
	}
	t.wrote(whatAnchor+t.Name, anchorSpec(labels))
	return done, nil
}

func deleteAnchor(t turn) (outcome, error) {
	a := &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: t.Namespace, Name: t.Name}}
	if err := t.Get(t.ctx, client.ObjectKeyFromObject(a), a); err != nil {
		return "", err
	}
	t.Ledger.change(func(l *Ledger) { l.loose[t.Name] = true })
	if err := t.Delete(t.ctx, a); err != nil {
		return "", err
	}
	t.wrote(whatAnchor+t.Name, "")
	return done, nil
}

// setModes replaces the whole HNCConfiguration.
func setModes(t turn) (outcome, error) {
	var config api.HNCConfiguration
	if err := t.Get(t.ctx, client.ObjectKey{Name: api.HNCConfigurationName}, &config); err != nil {
		return "", err
	}
	resource := map[string]string{"ConfigMap": "configmaps", "Secret": "secrets"}[t.Kind]
	mode := api.SynchronizationMode(t.Value)
	var rest []api.ResourceSpec
	for _, entry := range config.Spec.Resources {
		if entry.Resource != resource {
			rest = append(rest, entry)
		}
	}
	if mode != unlisted {
		rest = append(rest, api.ResourceSpec{Resource: resource, Mode: mode})
	}
	config.Spec.Resources = rest
	if mode == api.Propagate {
		t.Ledger.change(func(l *Ledger) { l.wins[t.Kind] = true })
	}
	if err := t.Update(t.ctx, &config); err != nil {
		return "", err
	}
	return done, nil
}

const unlisted api.SynchronizationMode = "unlisted"
