// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// configurationAction brings the HierarchyConfiguration up to date. It is
// created only if it has something to say, and never in a namespace that is
// going away; it is never deleted.
func (f *Forest) configurationAction(seen Observed, now metav1.Time) Action {
	before := seen.Configuration
	if before == nil {
		after := f.wantedConfiguration(seen, now)
		if seen.terminating() || !hasContent(after) {
			return Action{}
		}
		return Action{Verb: Create, After: after, Why: "there is something to say about the namespace"}
	}
	return patch(before, f.wantedConfiguration(seen, now), "it does not fit the place of its namespace in the tree")
}

func (f *Forest) wantedConfiguration(seen Observed, now metav1.Time) *api.HierarchyConfiguration {
	want := &api.HierarchyConfiguration{ObjectMeta: metav1.ObjectMeta{
		Name: api.HierarchyConfigurationName, Namespace: seen.Name,
	}}
	if seen.Configuration != nil {
		want = seen.Configuration.DeepCopy()
	}
	setFinalizer(want, api.FinalizerHasSubnamespace, keepsConfiguration(seen))
	if owner := seen.subnamespaceOf(f.scope); owner != "" {
		want.Spec.Parent = owner
		if seen.claimOf(owner) != nil {
			labels, annotations := seen.asked(f.scope)
			want.Spec.Labels, want.Spec.Annotations = slices.Clone(labels), slices.Clone(annotations)
		}
	}
	want.Status.Children = f.Children(seen.Name)
	want.Status.Conditions = since(now, f.conditions(seen), want.Status.Conditions)
	return want
}

// keepsConfiguration says whether the configuration is held by our finalizer.
// While there are anchors it is, so that allowCascadingDeletion stays readable
// when the namespace goes; but a user may delete it from a living namespace.
func keepsConfiguration(seen Observed) bool {
	if !seen.HasAnchors {
		return false
	}
	return seen.terminating() || seen.Configuration == nil || seen.Configuration.DeletionTimestamp == nil
}

// hasContent reports whether a configuration is worth creating. Its finalizer
// alone is no content.
func hasContent(c *api.HierarchyConfiguration) bool {
	return c.Spec.Parent != "" || len(c.Spec.Labels) > 0 || len(c.Spec.Annotations) > 0 ||
		len(c.Status.Children) > 0 || len(c.Status.Conditions) > 0
}

// releaseConfiguration lets a configuration go together with its definition.
func (f *Forest) releaseConfiguration(seen Observed, now metav1.Time) Action {
	before := seen.Configuration
	if before == nil || before.DeletionTimestamp == nil {
		return Action{}
	}
	after := before.DeepCopy()
	setFinalizer(after, api.FinalizerHasSubnamespace, false)
	after.Status.Conditions = since(now, f.conditions(seen), after.Status.Conditions)
	return patch(before, after, "its definition is being deleted")
}

// abandonConfiguration clears what would be wrong, or in the way, in a
// namespace that is not managed.
func abandonConfiguration(seen Observed) Action {
	before := seen.Configuration
	if before == nil {
		return Action{}
	}
	after := before.DeepCopy()
	setFinalizer(after, api.FinalizerHasSubnamespace, false)
	after.Status.Children = nil
	return patch(before, after, "its namespace is not managed")
}

// setFinalizer adds or removes a finalizer. None is added to an object that is
// being deleted; the API server would refuse the whole write.
func setFinalizer(o Object, finalizer string, wanted bool) {
	finalizers := o.GetFinalizers()
	has := slices.Contains(finalizers, finalizer)
	switch {
	case wanted && !has && o.GetDeletionTimestamp() == nil:
		o.SetFinalizers(append(slices.Clone(finalizers), finalizer))
	case !wanted && has:
		o.SetFinalizers(slices.DeleteFunc(slices.Clone(finalizers), func(s string) bool { return s == finalizer }))
	}
}
