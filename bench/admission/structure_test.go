// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package admission

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func namespace(name string, labels, annotations map[string]string) *corev1.Namespace {
	ns := system.Namespace(name)
	ns.Labels, ns.Annotations = labels, annotations
	return ns
}

func label(key, value string) map[string]string { return map[string]string{key: value} }

// ofNamespaces has 8.1 and 8.5.
var ofNamespaces = map[string]rule{
	"8.1 M1: a managed namespace gets its label":    {do: labelled("fresh", true)},
	"8.1 M1: an excluded one gets none":             {do: unlabelled("kube-public")},
	"8.5.2: a managed namespace with the label":     {do: create(namespace("fresh", label(api.LabelIncludedNamespace, "true"), nil))},
	"8.5.2: with a wrong value":                     {do: create(namespace("fresh", label(api.LabelIncludedNamespace, "yes"), nil)), want: denied, message: api.LabelIncludedNamespace},
	"8.5.3: a name that an external tree has":       {do: create(namespace("reserved", nil, nil)), want: conflicting, message: "external"},
	"8.5.3: a name that none has":                   {do: create(namespace("unreserved", nil, nil))},
	"8.5.4: a restored tree label is corrected":     {do: create(namespace("fresh", label("acme"+api.LabelTreeDepthSuffix, "3"), nil))},
	"8.5.2': the label is taken away":               {do: unlabel("acme")},
	"8.5.2': the label gets another value":          {do: change(system.Namespace("acme"), func(ns *corev1.Namespace) { ns.Labels[api.LabelIncludedNamespace] = "no" }), want: denied},
	"8.5.2': an excluded namespace gets it":         {do: change(system.Namespace("kube-public"), func(ns *corev1.Namespace) { ns.Labels[api.LabelIncludedNamespace] = "true" }), want: denied, message: api.LabelIncludedNamespace},
	"8.5.2': another label is free":                 {do: change(system.Namespace("acme"), func(ns *corev1.Namespace) { ns.Labels["color"] = "red" })},
	"8.5.5: a child becomes external":               {do: change(system.Namespace("full"), external), want: denied, message: api.AnnotationManagedBy},
	"8.5.5: a root becomes external":                {do: change(system.Namespace("single"), external)},
	"8.5.4': a tree label is added":                 {do: change(system.Namespace("acme"), func(ns *corev1.Namespace) { ns.Labels["other"+api.LabelTreeDepthSuffix] = "1" }), want: denied, message: "tree"},
	"8.5.4': a tree label is changed":               {do: change(system.Namespace("full"), func(ns *corev1.Namespace) { ns.Labels["acme"+api.LabelTreeDepthSuffix] = "7" }), want: denied},
	"8.5.4': a tree label is removed":               {do: change(system.Namespace("full"), func(ns *corev1.Namespace) { delete(ns.Labels, "acme"+api.LabelTreeDepthSuffix) }), want: denied},
	"8.5.4': also of a namespace that is excluded":  {do: change(system.Namespace("kube-public"), func(ns *corev1.Namespace) { ns.Labels["acme"+api.LabelTreeDepthSuffix] = "1" }), want: denied},
	"8.5.6: a subnamespace is deleted past anchor":  {do: remove(system.Namespace("svc")), want: denied, message: "anchor"},
	"8.5.7: a namespace with a subnamespace":        {do: remove(system.Namespace("acme")), want: denied, message: "allowCascadingDeletion"},
	"8.5.7: a namespace with a full child only":     {do: remove(system.Namespace("other"))},
	"8.5.7: a leaf":                                 {do: remove(system.Namespace("full"))},
	"beyond: a managed label is set by hand":        {do: create(namespace("fresh", label("team", "x"), nil)), warning: "team"},
	"beyond: a label of nobody is set without word": {do: create(namespace("fresh", label("color", "x"), nil))},
}

func external(ns *corev1.Namespace) {
	if ns.Annotations == nil {
		ns.Annotations = map[string]string{}
	}
	ns.Annotations[api.AnnotationManagedBy] = "elsewhere"
}

// labelled: what the API server would store has the label.
func labelled(name string, want bool) request {
	return func(ctx context.Context, c client.Client) error {
		ns := system.Namespace(name)
		if err := c.Create(ctx, ns); err != nil {
			return err
		}
		if _, has := ns.Labels[api.LabelIncludedNamespace]; has != want {
			return fmt.Errorf("the labels are %v", ns.Labels)
		}
		return nil
	}
}

// unlabel takes the label away, which comes to nothing: it is added again.
func unlabel(name string) request {
	return func(ctx context.Context, c client.Client) error {
		ns := system.Namespace(name)
		if err := c.Get(ctx, client.ObjectKeyFromObject(ns), ns); err != nil {
			return err
		}
		delete(ns.Labels, api.LabelIncludedNamespace)
		if err := c.Update(ctx, ns); err != nil {
			return err
		}
		if ns.Labels[api.LabelIncludedNamespace] != "true" {
			return fmt.Errorf("the labels are %v", ns.Labels)
		}
		return nil
	}
}

func unlabelled(name string) request {
	return func(ctx context.Context, c client.Client) error {
		ns := system.Namespace(name)
		err := change(ns, func(ns *corev1.Namespace) { ns.Annotations = label("color", "red") })(ctx, c)
		if err != nil {
			return err
		}
		if err := c.Get(ctx, client.ObjectKeyFromObject(ns), ns); err != nil {
			return err
		}
		if _, has := ns.Labels[api.LabelIncludedNamespace]; has {
			return fmt.Errorf("the labels are %v", ns.Labels)
		}
		return nil
	}
}

// reparent gives a namespace another parent, whether it has a configuration or not.
func reparent(child, parent string) request {
	return reconfigure(child, func(c *api.HierarchyConfiguration) { c.Spec.Parent = parent })
}

func reconfigure(namespace string, edit func(*api.HierarchyConfiguration)) request {
	return func(ctx context.Context, c client.Client) error {
		hc := system.Configuration(namespace)
		err := c.Get(ctx, client.ObjectKeyFromObject(hc), hc)
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		if err == nil {
			return change(hc, edit)(ctx, c)
		}
		edit(hc)
		return c.Create(ctx, hc)
	}
}

func metadata(key, value string) []api.MetaKVP { return []api.MetaKVP{{Key: key, Value: value}} }

// ofConfigurations has 8.2 but for the rights. That a namespace is not known yet
// (8.2.5) cannot be provoked from outside; the unit tests have it.
var ofConfigurations = map[string]rule{
	"8.2.2: in an excluded namespace":             {do: reconfigure("kube-public", func(c *api.HierarchyConfiguration) { c.Spec.AllowCascadingDeletion = true }), want: denied, message: "not managed"},
	"8.2.3: below an excluded namespace":          {do: reparent("single", "kube-public"), want: denied, message: "not managed"},
	"8.2.4: a label that is no key":               {do: reconfigure("single", func(c *api.HierarchyConfiguration) { c.Spec.Labels = metadata("te am", "x") }), want: invalid, message: "spec.labels"},
	"8.2.4: a label that is not managed":          {do: reconfigure("single", func(c *api.HierarchyConfiguration) { c.Spec.Labels = metadata("color", "x") }), want: invalid, message: "spec.labels"},
	"8.2.4: a label with an illegal value":        {do: reconfigure("single", func(c *api.HierarchyConfiguration) { c.Spec.Labels = metadata("team", "a b") }), want: invalid, message: "spec.labels"},
	"8.2.4: an annotation that is not managed":    {do: reconfigure("single", func(c *api.HierarchyConfiguration) { c.Spec.Annotations = metadata("color", "x") }), want: invalid, message: "spec.annotations"},
	"8.2.4: a managed label":                      {do: reconfigure("single", func(c *api.HierarchyConfiguration) { c.Spec.Labels = metadata("team", "x") })},
	"8.2.4: a managed annotation of any value":    {do: reconfigure("single", func(c *api.HierarchyConfiguration) { c.Spec.Annotations = metadata("contact", "a b") })},
	"8.2.6: the halted namespace is mended":       {do: reparent("orphan", "acme")},
	"8.2.7: an external namespace gets a parent":  {do: reparent("ext", "acme"), want: denied, message: "another system"},
	"8.2.8: the parent stays":                     {do: reconfigure("full", func(c *api.HierarchyConfiguration) { c.Spec.AllowCascadingDeletion = true })},
	"8.2.9: a subnamespace moves":                 {do: reparent("team", "other"), want: conflicting, message: "illegal parent"},
	"8.2.10: a parent that does not exist":        {do: reparent("single", "nowhere"), want: denied, message: "does not exist"},
	"8.2.11: its own parent":                      {do: reparent("single", "single"), want: conflicting, message: "illegal parent"},
	"8.2.11: a cycle":                             {do: reparent("acme", "svc"), want: conflicting, message: "illegal parent"},
	"8.2.12: an object would be replaced":         {do: reparent("ours", "svc"), want: conflicting, message: `Secret "taken"`, warning: "in vain"},
	"8.2.12: nothing would be":                    {do: reparent("single", "acme")},
	"beyond: a value that an ancestor overrules":  {do: reconfigure("full", func(c *api.HierarchyConfiguration) { c.Spec.Annotations = metadata("contact", "me") }), warning: "in vain"},
	"beyond: a value that overrules a descendant": {do: reconfigure("other", func(c *api.HierarchyConfiguration) { c.Spec.Annotations = metadata("contact", "me") }), warning: "overrules"},
	"beyond: what is no spec, is free":            {do: change(system.Configuration("full"), func(c *api.HierarchyConfiguration) { c.Labels = label("color", "red") })},
}

// ofRights has 8.2.1. alice administers acme, full, other, team and single; bob full,
// single and ours; carol orphan.
var ofRights = map[string]rule{
	"8.2.1 from none: with rights in the new parent":       {as: "alice", do: reparent("single", "acme")},
	"8.2.1 from none: without":                             {as: "bob", do: reparent("single", "acme"), want: noRights, message: `"acme"`},
	"8.2.1 to none: with rights in the root":               {as: "alice", do: reparent("full", "")},
	"8.2.1 to none: without":                               {as: "bob", do: reparent("full", ""), want: noRights, message: `"acme"`},
	"8.2.1 to another tree: with rights in both":           {as: "alice", do: reparent("full", "other")},
	"8.2.1 to another tree: without those in the old":      {as: "bob", do: reparent("full", "single"), want: noRights, message: `"acme"`},
	"8.2.1 within the tree: with rights in the ancestor":   {as: "alice", do: reparent("full", "team")},
	"8.2.1 within the tree: without":                       {as: "bob", do: reparent("full", "team"), want: noRights, message: `"acme"`},
	"8.2.1 from a parent that is gone: the hole is closed": {as: "carol", do: reparent("orphan", "acme"), want: noRights, message: `"acme"`},
}

func anchor(parent, name string, edit func(*api.SubnamespaceAnchor)) *api.SubnamespaceAnchor {
	a := system.Anchor(parent, name)
	edit(a)
	return a
}

// ofAnchors has 8.3.
var ofAnchors = map[string]rule{
	"8.3.2: a name with a dot":                      {do: create(system.Anchor("acme", "a.b")), want: invalid, message: "metadata.name"},
	"8.3.2: a name that is too long":                {do: create(system.Anchor("acme", strings.Repeat("a", 64))), want: invalid, message: "metadata.name"},
	"8.3.2: a name":                                 {do: create(system.Anchor("acme", "fresh"))},
	"8.3.3: a label that is not managed":            {do: create(anchor("acme", "fresh", func(a *api.SubnamespaceAnchor) { a.Spec.Labels = metadata("color", "x") })), want: invalid, message: "spec.labels"},
	"8.3.3: the same in an update":                  {do: change(system.Anchor("acme", "team"), func(a *api.SubnamespaceAnchor) { a.Spec.Labels = metadata("color", "x") }), want: invalid, message: "spec.labels"},
	"8.3.3: a managed label":                        {do: change(system.Anchor("acme", "team"), func(a *api.SubnamespaceAnchor) { a.Spec.Labels = metadata("team", "x") })},
	"8.3.4: in an excluded namespace":               {do: create(system.Anchor("kube-public", "fresh")), want: denied, message: "not managed"},
	"8.3.5: of the name of an excluded namespace":   {do: create(system.Anchor("acme", "kube-public")), want: denied, message: "not be managed"},
	"8.3.6: of the name of another namespace":       {do: create(system.Anchor("acme", "single")), want: conflicting, message: "exists already"},
	"8.3.7: a subnamespace with children":           {do: remove(system.Anchor("acme", "team")), want: denied, message: "allowCascadingDeletion"},
	"8.3.7: a leaf":                                 {do: remove(system.Anchor("team", "svc"))},
	"8.3.8: what is no spec, is free":               {do: change(system.Anchor("acme", "team"), func(a *api.SubnamespaceAnchor) { a.Annotations = label("color", "red") })},
	"beyond: a label on the anchor will not arrive": {do: create(anchor("acme", "fresh", func(a *api.SubnamespaceAnchor) { a.Labels = label("color", "red") })), warning: "color"},
}
