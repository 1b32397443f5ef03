// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"strings"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// with is a new source that has these annotations, keys and values in turn.
func with(annotations ...string) attempt {
	u := configMap("shop", "new")
	for i := 0; i < len(annotations); i += 2 {
		annotation(annotations[i], annotations[i+1])(u)
	}
	return attempt{do: create(u)}
}

func (a attempt) invalid(words string) attempt {
	a.want, a.words = invalid, words
	return a
}

const (
	sel  = api.AnnotationSelector
	tree = api.AnnotationTreeSelector
	none = api.AnnotationNoneSelector
	all  = api.AnnotationAllSelector
	old  = api.AnnotationPropagatePrefix + "/old"
)

var legacy = configMap("shop", "legacy")

var exceptionRows = map[string]attempt{
	"a plain annotation":                {do: create(configMap("shop", "new", annotation("a", "b")))},
	"a misspelt key":                    with("propagate.hnc.x-k8s.io/treeselect", "a").invalid(tree),
	"a wrong prefix":                    with("propagation.hnc.x-k8s.io/select", "a").invalid("Banyan knows no such annotation; use one of"),
	"no name":                           with("propagate.hnc.x-k8s.io", "a").invalid("Banyan knows no such annotation"),
	"one of the API group itself":       with("hnc.x-k8s.io/x", "a"),
	"one of a deeper domain":            with("x.y.hnc.x-k8s.io/x", "a"),
	"one that looks alike":              with("nothnc.x-k8s.io/x", "a"),
	"a misspelt key on an old object":   {do: change(configMap("shop", "source"), annotation(old, "x")), want: invalid, words: "[" + old + "]"},
	"a misspelt key stays":              {do: change(legacy, set("w", "data", "k"))},
	"a misspelt key gets another value": {do: change(legacy, annotation(old, "x")), want: invalid, words: "Banyan knows no such annotation"},
	"a misspelt key goes":               {do: change(legacy, drop("metadata", "annotations", old))},

	"select":                     with(sel, "a=b"),
	"a bad select":               with(sel, "$"),
	"none":                       with(none, "true"),
	"none in Go's words":         with(none, "F"),
	"none, empty":                with(none, ""),
	"none, in words of its own":  with(none, "yes").invalid(`"yes" is neither "true" nor "false"; correct`),
	"all":                        with(all, "1"),
	"a bad all":                  with(all, "tRUE").invalid("[" + all + "]"),
	"treeSelect":                 with(tree, "shop"),
	"treeSelect, empty":          with(tree, ""),
	"treeSelect with blanks":     with(tree, " shop , !mine"),
	"treeSelect, all but two":    with(tree, "!shop,!mine"),
	"treeSelect, a name of 63":   with(tree, strings.Repeat("a", 63)),
	"treeSelect, a name of 64":   with(tree, strings.Repeat("a", 64)).invalid("is no name of a namespace; correct"),
	"treeSelect, an illegal one": with(tree, "Shop").invalid(`"Shop" is no name of a namespace`),
	"treeSelect, a blank inside": with(tree, "! shop").invalid("is no name of a namespace"),
	"treeSelect, an empty entry": with(tree, "!shop,").invalid("an entry is empty; correct"),
	"treeSelect, only a mark":    with(tree, "!").invalid("an entry is empty; correct"),
	"treeSelect of two":          with(tree, "shop,mine").invalid("only one namespace may stand"),

	"two":                        with(all, "true", sel, "a").invalid(sel + ", " + all + "; remove"),
	"two, one of them empty":     with(all, "true", sel, ""),
	"two, of which one is false": with(none, "false", sel, "a").invalid("only one of these"),
	"a second one":               {do: change(configMap("shop", "source"), annotation(none, "true"), annotation(all, "true")), want: invalid, words: "only one of these"},
	"two that stay":              {do: change(legacy, set([]any{"example.com/f"}, "metadata", "finalizers"))},
	"a bad one beside one stays": {do: change(legacy, drop("metadata", "annotations", old), label("a", "b"))},
	"one of two is changed":      {do: change(legacy, annotation(all, "false")), want: invalid, words: "only one of these"},
	"one of two is emptied":      {do: change(legacy, annotation(all, ""))},
	"one of two is removed":      {do: change(legacy, drop("metadata", "annotations", all))},

	"of a copy, by a controller":         {user: deploymentController, groups: []string{controllersGroup}, do: change(theCopy, annotation(none, "yes"))},
	"by Banyan":                          {user: banyan, do: create(configMap("shop", "new", annotation(none, "yes")))},
	"of a type that is not propagated":   {do: create(thing("v1", "Secret", "shop", "new", annotation(none, "yes")))},
	"in a namespace that is not managed": {do: create(configMap("bare", "new", annotation(none, "yes")))},
	"a Role":                             {do: create(thing("rbac.authorization.k8s.io/v1", "Role", "shop", "new", annotation(none, "yes"))), want: invalid, words: "neither"},
	"a Lease":                            {do: create(thing("coordination.k8s.io/v1", "Lease", "shop", "new", annotation(none, "yes")))},
}
