// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func newAnchor(name string, edits ...edit) *unstructured.Unstructured {
	return ours("SubnamespaceAnchor", "shop", name, edits...)
}

func newHierarchy(edits ...edit) *unstructured.Unstructured {
	return ours("HierarchyConfiguration", "shop", "hierarchy", edits...)
}

// asks for one label or annotation.
func asks(list, key, value string) edit { return set([]any{pair(key, value)}, "spec", list) }

var sub = newAnchor("sub")

var nameRows = map[string]attempt{
	"an anchor":                   {do: create(newAnchor("new-1"))},
	"an anchor with a long name":  {do: create(newAnchor(strings.Repeat("n", 63)))},
	"a name that is too long":     {do: create(newAnchor(strings.Repeat("n", 64))), want: invalid, words: "metadata.name"},
	"a name with a dot":           {do: create(newAnchor("new.er")), want: invalid, words: `"new.er" is no name of a namespace`},
	"by Banyan":                   {user: banyan, do: create(newAnchor("new.er"))},
	"a hierarchy":                 {do: create(newHierarchy(set("root", "spec", "parent")))},
	"a label":                     {do: create(newHierarchy(asks("labels", "example.com/Team", "a.B-c_1")))},
	"an empty value":              {do: create(newHierarchy(asks("labels", "team", "")))},
	"a long key":                  {do: create(newHierarchy(asks("labels", strings.Repeat("p", 63)+".com/"+strings.Repeat("n", 63), "")))},
	"a key with a bad prefix":     {do: create(newHierarchy(asks("labels", "foo;/team", ""))), want: invalid, words: `spec.labels: "foo;/team" is no legal key of a label; use`},
	"a key with a bad name":       {do: create(newHierarchy(asks("labels", "foo/-team", ""))), want: invalid, words: "spec.labels:"},
	"a key with a name too long":  {do: create(newHierarchy(asks("labels", strings.Repeat("n", 64), ""))), want: invalid, words: "spec.labels:"},
	"a key with a long prefix":    {do: create(newHierarchy(asks("labels", strings.Repeat("p.", 127)+"p/team", ""))), want: invalid, words: "spec.labels:"},
	"a key with two slashes":      {do: create(newHierarchy(asks("labels", "a/b/c", ""))), want: invalid, words: "spec.labels:"},
	"an empty key":                {do: create(newHierarchy(asks("labels", "", ""))), want: invalid, words: "spec.labels:"},
	"a bad value":                 {do: create(newHierarchy(asks("labels", "team", "-foo"))), want: invalid, words: `spec.labels[team]: "-foo" is no value of a label`},
	"a value that is too long":    {do: create(newHierarchy(asks("labels", "team", strings.Repeat("v", 64)))), want: invalid, words: "spec.labels[team]"},
	"an annotation":               {do: create(newHierarchy(asks("annotations", "example.com/team", "-any: {value}\n")))},
	"a bad key of an annotation":  {do: create(newHierarchy(asks("annotations", "foo/-team", ""))), want: invalid, words: "spec.annotations:"},
	"a long key of an annotation": {do: create(newHierarchy(asks("annotations", strings.Repeat("p.", 127)+"p/team", ""))), want: invalid, words: "spec.annotations:"},
	"a bad label of an anchor":    {do: create(newAnchor("new", asks("labels", "team", "-foo"))), want: invalid, words: "spec.labels[team]"},

	"a key of its own":          {do: create(newHierarchy(annotation(api.AnnotationOwnKey, "true")))},
	"a key of another word":     {do: create(newHierarchy(annotation(api.AnnotationOwnKey, "yes"))), want: invalid, words: `"yes" is not "true"; set it to that`},
	"an anchor asks for a key":  {do: create(newAnchor("keyed", annotation(api.AnnotationOwnKey, "yes")))},
	"a key becomes an odd word": {do: change(hierarchyOf("mine"), annotation(api.AnnotationOwnKey, "")), want: invalid, words: "[" + api.AnnotationOwnKey + "]"},

	"bad ones stay":         {do: change(sub, set([]any{"example.com/f"}, "metadata", "finalizers"))},
	"bad ones go":           {do: change(sub, drop("spec"))},
	"a bad one is replaced": {do: change(sub, asks("labels", "-bad", "good")), want: invalid, words: "spec.labels:"},
	"a bad annotation too":  {do: change(sub, asks("annotations", "-bad", "new")), want: invalid, words: "spec.annotations:"},
	"it is let go":          {do: remove(sub)},
}

var readinessRows = map[string]attempt{
	"a user says that it is ready": {do: change(sub, set([]any{ready("True")}, "status", "conditions")), want: forbidden, words: "only Banyan says"},
	"a user says that it is not":   {do: change(newAnchor("ready"), set([]any{ready("False")}, "status", "conditions"))},
	"a user says nothing":          {do: change(newAnchor("ready"), drop("status"))},
	"it is ready":                  {do: change(newAnchor("ready"), label("a", "b"))},
	"it says what it said":         {do: change(sub, set("Conflict", "status", "status"))},
	"Banyan says that it is":       {user: banyan, do: change(sub, set([]any{ready("True")}, "status", "conditions"))},
	"a backup says that it was":    {do: create(newAnchor("new", set([]any{ready("True")}, "status", "conditions")))},
}

var theTypes = ours("HNCConfiguration", "", "config")

var typeRows = map[string]attempt{
	"the configuration is deleted":     {do: remove(theTypes), want: forbidden, words: "leave the object"},
	"it is deleted with all there are": {do: removeAllTypes, want: forbidden, words: "leave the object"},
	"it is deleted by Banyan":          {user: banyan, do: remove(theTypes)},
	"it is changed":                    {do: change(theTypes, set([]any{}, "spec", "resources"))},
}

func removeAllTypes(ctx context.Context, c client.Client) error {
	return c.DeleteAllOf(ctx, ours("HNCConfiguration", "", ""))
}

// hierarchyOf a namespace: that of mine has the parent theirs, that of ours has
// mine, that of his is yet to be made. The user bob has rights in these three.
func hierarchyOf(namespace string, edits ...edit) *unstructured.Unstructured {
	return ours("HierarchyConfiguration", namespace, "hierarchy", edits...)
}

func parent(name string) edit { return set(name, "spec", "parent") }

var parentRows = map[string]attempt{
	"a new hierarchy":                       {user: bob, do: create(hierarchyOf("his"))},
	"a parent where one has rights":         {user: bob, do: create(hierarchyOf("his", parent("mine")))},
	"a parent where one has none":           {user: bob, do: create(hierarchyOf("his", parent("theirs"))), want: forbidden, words: `user "bob" is not allowed to update HierarchyConfigurations in namespace "theirs", the new parent`},
	"another parent where one has rights":   {user: bob, do: change(hierarchyOf("ours"), parent("his"))},
	"another parent where one has none":     {user: bob, do: change(hierarchyOf("ours"), parent("theirs")), want: forbidden, words: `"theirs", the new parent; ask`},
	"away from a parent, with rights there": {user: bob, do: change(hierarchyOf("ours"), drop("spec"))},
	"away from a parent, without":           {user: bob, do: change(hierarchyOf("mine"), drop("spec", "parent")), want: forbidden, words: `"theirs", the old parent; ask`},
	"from one without rights to another":    {user: bob, do: change(hierarchyOf("mine"), parent("his")), want: forbidden, words: `"theirs", the old parent; ask`},
	"a label, and the parent stays":         {user: bob, do: change(hierarchyOf("mine"), asks("labels", "team", "a"))},
	"anything, with rights everywhere":      {do: change(hierarchyOf("mine"), parent("nowhere"))},
	"oneself":                               {do: change(hierarchyOf("mine"), parent("mine")), want: invalid, words: "illegal parent"},
	"oneself, says Banyan":                  {user: banyan, do: change(hierarchyOf("mine"), parent("mine"))},
}

var moveRows = map[string]attempt{
	"a stamp is forged":                       {do: change(hierarchyOf("mine"), annotation(api.AnnotationPreviousKey, "x")), want: forbidden, words: `"mine" is changing its tree`},
	"a stamp is changed":                      {do: change(hierarchyOf("ours"), annotation(api.AnnotationPreviousKey, "x")), want: forbidden, words: "leave it as it is"},
	"a stamp is removed":                      {do: change(hierarchyOf("ours"), drop("metadata", "annotations")), want: forbidden, words: "[" + api.AnnotationPreviousKey + "]"},
	"a stamp comes with a parent":             {do: change(hierarchyOf("mine"), parent("his"), annotation(api.AnnotationPreviousKey, "x"))},
	"a stamp goes with a parent":              {do: change(hierarchyOf("ours"), parent("his"), drop("metadata", "annotations"))},
	"a stamp comes with a key":                {do: change(hierarchyOf("mine"), annotation(api.AnnotationOwnKey, "true"), annotation(api.AnnotationPreviousKey, "x"))},
	"a stamp comes from a backup":             {do: create(hierarchyOf("shop", annotation(api.AnnotationPreviousKey, "x")))},
	"a stamp stays":                           {do: change(hierarchyOf("ours"), asks("labels", "team", "a"))},
	"the owner of the old tree takes it away": {user: banyan, do: change(hierarchyOf("ours"), drop("metadata", "annotations"))},
}
