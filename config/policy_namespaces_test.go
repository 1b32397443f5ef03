// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

const (
	rootDepth = "root" + api.LabelTreeDepthSuffix
	newDepth  = "new" + api.LabelTreeDepthSuffix
)

var shop = namespaced("shop")

var treeRows = map[string]attempt{
	"a tree label is added":             {do: change(shop, label(newDepth, "1")), want: forbidden, words: "[" + newDepth + "]"},
	"an empty one is added":             {do: change(shop, label(newDepth, "")), want: forbidden, words: "leave it as it was, and change the parent"},
	"it is changed":                     {do: change(shop, label(rootDepth, "0")), want: forbidden, words: `place of namespace "shop"`},
	"it is removed":                     {do: change(shop, drop("metadata", "labels", rootDepth)), want: forbidden, words: rootDepth},
	"it is removed with all labels":     {do: change(namespaced("left-alone"), drop("metadata", "labels")), want: forbidden, words: rootDepth},
	"on a namespace that is not marked": {do: change(namespaced("bare"), label(newDepth, "1")), want: forbidden, words: newDepth},
	"on one that is excluded":           {do: change(namespaced("left-alone"), label(rootDepth, "0")), want: forbidden, words: rootDepth},
	"together with the status":          {do: changeStatus("status", shop, label(newDepth, "1")), want: forbidden, words: newDepth},
	"together with the finalizers":      {do: changeStatus("finalize", shop, label(newDepth, "1")), want: forbidden, words: newDepth},
	"by an account of hnc-system":       {user: "system:serviceaccount:hnc-system:default", do: change(shop, label(newDepth, "1")), want: forbidden, words: newDepth},
	"by Banyan":                         {user: banyan, do: change(shop, label(newDepth, "1"), label(rootDepth, "2"))},
	"it stays":                          {do: change(shop, label("team", "b"))},
	"one that looks alike":              {do: change(shop, label("root.tree.hnc.x-k8s.io/deep", "1"))},
	"a new namespace has it":            {do: create(namespaced("new", included("true"), label(rootDepth, "1")))},
	"the finalizers are changed":        {do: changeStatus("finalize", shop, set([]any{"example.com/f"}, "spec", "finalizers"))},
}

const mark = api.LabelIncludedNamespace

var includedRows = map[string]attempt{
	"a new managed one without it":                    {do: create(namespaced("new"))},
	"a new managed one with it":                       {do: create(namespaced("new", included("true")))},
	"a new managed one with a wrong one":              {do: create(namespaced("new", included("false"))), want: forbidden, words: "must have the label " + mark + "=true; set it"},
	"a new managed one with an empty one":             {do: create(namespaced("new", included(""))), want: forbidden, words: `"new" is managed`},
	"a new one that looks excluded":                   {do: create(namespaced("left-alone-too"))},
	"a new one of a generated name":                   {do: create(namespaced("new", generated))},
	"one of a generated name with it":                 {do: create(namespaced("y", generated, included("true")))},
	"one of a generated name, wrong":                  {do: create(namespaced("new", generated, included("no"))), want: forbidden, words: "set it"},
	"a new one that does not match":                   {do: create(namespaced("yes"))},
	"a new one that does not match, with it":          {do: create(namespaced("yes", included("true"))), want: forbidden, words: `does not match --included-namespace-regex "^(?:[^y].*)$", so it is not managed and must not have`},
	"a new one that does not match, wrong":            {do: create(namespaced("yes", included("no"))), want: forbidden, words: "remove it"},
	"an excluded one gets it":                         {do: change(namespaced("left-alone"), included("true")), want: forbidden, words: `"left-alone" is excluded by --excluded-namespace`},
	"kube-system gets it":                             {do: change(namespaced("kube-system"), included("true")), want: forbidden, words: "excluded"},
	"managed: none to right":                          {do: change(namespaced("bare"), included("true"))},
	"managed: none to wrong":                          {do: change(namespaced("bare"), included("no")), want: forbidden, words: "set it"},
	"managed: none stays":                             {do: change(namespaced("bare"), label("team", "a"))},
	"managed: right to none":                          {do: change(shop, drop("metadata", "labels", mark)), want: forbidden, words: "set it"},
	"managed: right to none, together with status":    {do: changeStatus("status", shop, drop("metadata", "labels", mark)), want: forbidden, words: "set it"},
	"managed: right to none, together with finalizer": {do: changeStatus("finalize", shop, drop("metadata", "labels", mark)), want: forbidden, words: "set it"},
	"managed: right to wrong":                         {do: change(shop, included("false")), want: forbidden, words: "set it"},
	"managed: right stays":                            {do: change(shop, label("team", "b"))},
	"managed: wrong to right":                         {do: change(namespaced("astray"), included("true"))},
	"managed: wrong to another wrong":                 {do: change(namespaced("astray"), included("no")), want: forbidden, words: "set it"},
	"managed: wrong to none":                          {do: change(namespaced("astray"), drop("metadata", "labels", mark)), want: forbidden, words: "set it"},
	"managed: wrong stays":                            {do: change(namespaced("astray"), label("team", "a"))},
	"unmanaged: right to none":                        {do: change(namespaced("yonder"), drop("metadata", "labels", mark))},
	"unmanaged: right to wrong":                       {do: change(namespaced("yonder"), included("no")), want: forbidden, words: "remove it"},
	"unmanaged: right stays":                          {do: change(namespaced("yonder"), label("team", "a"))},
	"by Banyan":                                       {user: banyan, do: change(shop, drop("metadata", "labels", mark))},
}
