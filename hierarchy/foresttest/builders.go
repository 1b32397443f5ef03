// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package foresttest

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Time is a moment that builders use where any will do.
var Time = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))

func after(seconds int) metav1.Time {
	return metav1.NewTime(Time.Add(time.Duration(seconds) * time.Second))
}

// Namespace builds a namespace.
type Namespace struct{ o *corev1.Namespace }

// MakeNamespace begins a namespace.
func MakeNamespace(name string) *Namespace {
	return &Namespace{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}}
}

// Label sets a label.
func (b *Namespace) Label(key, value string) *Namespace {
	metav1.SetMetaDataLabel(&b.o.ObjectMeta, key, value)
	return b
}

// Annotation sets an annotation.
func (b *Namespace) Annotation(key, value string) *Namespace {
	metav1.SetMetaDataAnnotation(&b.o.ObjectMeta, key, value)
	return b
}

// SubnamespaceOf makes it a subnamespace.
func (b *Namespace) SubnamespaceOf(parent string) *Namespace {
	return b.Annotation(api.AnnotationSubnamespaceOf, parent)
}

// External puts it into the care of another system.
func (b *Namespace) External() *Namespace { return b.Annotation(api.AnnotationManagedBy, "others") }

// Terminating marks it as being deleted.
func (b *Namespace) Terminating() *Namespace { b.o.DeletionTimestamp = Time.DeepCopy(); return b }

// Condition adds a condition that is True, since some seconds after Time.
func (b *Namespace) Condition(kind corev1.NamespaceConditionType, message string, seconds int) *Namespace {
	b.o.Status.Conditions = append(b.o.Status.Conditions, corev1.NamespaceCondition{
		Type: kind, Status: corev1.ConditionTrue, Message: message, LastTransitionTime: after(seconds),
	})
	return b
}

// Finalizer adds a finalizer of somebody else, so that it does not go away.
func (b *Namespace) Finalizer(finalizer string) *Namespace {
	b.o.Finalizers = append(b.o.Finalizers, finalizer)
	return b
}

// Version sets the resourceVersion.
func (b *Namespace) Version(version string) *Namespace { b.o.ResourceVersion = version; return b }

// Obj returns the namespace.
func (b *Namespace) Obj() *corev1.Namespace { return b.o }

// Configuration builds a HierarchyConfiguration.
type Configuration struct{ o *api.HierarchyConfiguration }

// MakeConfiguration begins the HierarchyConfiguration of a namespace.
func MakeConfiguration(namespace string) *Configuration {
	return &Configuration{&api.HierarchyConfiguration{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: api.HierarchyConfigurationName,
	}}}
}

// Parent sets the parent.
func (b *Configuration) Parent(parent string) *Configuration { b.o.Spec.Parent = parent; return b }

// Cascading allows cascading deletion.
func (b *Configuration) Cascading() *Configuration { b.o.Spec.AllowCascadingDeletion = true; return b }

// Label adds a managed label.
func (b *Configuration) Label(key, value string) *Configuration {
	b.o.Spec.Labels = append(b.o.Spec.Labels, api.MetaKVP{Key: key, Value: value})
	return b
}

// Annotation adds a managed annotation.
func (b *Configuration) Annotation(key, value string) *Configuration {
	b.o.Spec.Annotations = append(b.o.Spec.Annotations, api.MetaKVP{Key: key, Value: value})
	return b
}

// Children sets the children in the status.
func (b *Configuration) Children(names ...string) *Configuration {
	b.o.Status.Children = names
	return b
}

// Finalizer adds Banyan's finalizer.
func (b *Configuration) Finalizer() *Configuration {
	b.o.Finalizers = append(b.o.Finalizers, api.FinalizerHasSubnamespace)
	return b
}

// Terminating marks it as being deleted.
func (b *Configuration) Terminating() *Configuration {
	b.o.DeletionTimestamp = Time.DeepCopy()
	return b
}

// Stamp says that its namespace is changing its tree, and what the key was.
func (b *Configuration) Stamp(previous string) *Configuration {
	metav1.SetMetaDataAnnotation(&b.o.ObjectMeta, api.AnnotationPreviousKey, previous)
	return b
}

// OwnKey gives its namespace a key of its own.
func (b *Configuration) OwnKey() *Configuration {
	metav1.SetMetaDataAnnotation(&b.o.ObjectMeta, api.AnnotationOwnKey, api.OwnKey)
	return b
}

// Version sets the resourceVersion.
func (b *Configuration) Version(version string) *Configuration {
	b.o.ResourceVersion = version
	return b
}

// Obj returns the HierarchyConfiguration.
func (b *Configuration) Obj() *api.HierarchyConfiguration { return b.o }

// Anchor builds a SubnamespaceAnchor.
type Anchor struct{ o *api.SubnamespaceAnchor }

// MakeAnchor begins an anchor in a namespace.
func MakeAnchor(namespace, name string) *Anchor {
	return &Anchor{&api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}}
}

// Label adds a managed label.
func (b *Anchor) Label(key, value string) *Anchor {
	b.o.Spec.Labels = append(b.o.Spec.Labels, api.MetaKVP{Key: key, Value: value})
	return b
}

// Annotation adds a managed annotation.
func (b *Anchor) Annotation(key, value string) *Anchor {
	b.o.Spec.Annotations = append(b.o.Spec.Annotations, api.MetaKVP{Key: key, Value: value})
	return b
}

// Finalizer adds Banyan's finalizer.
func (b *Anchor) Finalizer() *Anchor {
	b.o.Finalizers = append(b.o.Finalizers, api.FinalizerAnchor)
	return b
}

// State sets the state.
func (b *Anchor) State(state api.AnchorState) *Anchor { b.o.Status.State = state; return b }

// Created sets the time of creation, in seconds after Time.
func (b *Anchor) Created(seconds int) *Anchor {
	b.o.CreationTimestamp = after(seconds)
	return b
}

// Ready sets the condition Ready, since Time.
func (b *Anchor) Ready(status metav1.ConditionStatus, reason string) *Anchor {
	b.o.Status.Conditions = append(b.o.Status.Conditions, metav1.Condition{
		Type: api.ConditionReady, Status: status, Reason: reason, LastTransitionTime: Time,
	})
	return b
}

// Terminating marks it as being deleted.
func (b *Anchor) Terminating() *Anchor { b.o.DeletionTimestamp = Time.DeepCopy(); return b }

// Version sets the resourceVersion.
func (b *Anchor) Version(version string) *Anchor { b.o.ResourceVersion = version; return b }

// Obj returns the anchor.
func (b *Anchor) Obj() *api.SubnamespaceAnchor { return b.o }
