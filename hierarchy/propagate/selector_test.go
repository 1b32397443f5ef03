// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// exceptions makes annotations of "select=a treeSelect=!b,c".
func exceptions(pairs ...string) map[string]string {
	annotations := map[string]string{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		annotations["propagate.hnc.x-k8s.io/"+name] = value
	}
	return annotations
}

func TestSelects(t *testing.T) {
	const yes, no, bad = "yes", "no", "bad"
	labels := map[string]string{"color": "red", "p.tree.hnc.x-k8s.io/depth": "1", "c.tree.hnc.x-k8s.io/depth": "0"}
	tests := map[string]struct {
		annotations        []string
		want, wantAllowing string // in modes Propagate and AllowPropagate
	}{
		"nothing said":                    {nil, yes, no},
		"select matches":                  {[]string{"select=color=red"}, yes, yes},
		"select does not match":           {[]string{"select=color=blue"}, no, no},
		"select does not match, all":      {[]string{"select=color=blue", "all=true"}, no, no},
		"treeSelect matches":              {[]string{"treeSelect=p"}, yes, yes},
		"treeSelect matches itself":       {[]string{"treeSelect=c"}, yes, yes},
		"select matches, treeSelect not":  {[]string{"select=color", "treeSelect=!c", "all=true"}, no, no},
		"treeSelect matches, select not":  {[]string{"select=!color", "treeSelect=c"}, no, no},
		"both match":                      {[]string{"select=color", "treeSelect=c"}, yes, yes},
		"none":                            {[]string{"none=true"}, no, no},
		"none beats all":                  {[]string{"none=true", "all=true"}, no, no},
		"none=false":                      {[]string{"none=false"}, yes, no},
		"none is empty":                   {[]string{"none="}, yes, no},
		"all":                             {[]string{"all=true"}, yes, yes},
		"all=false":                       {[]string{"all=false"}, yes, no},
		"all is empty":                    {[]string{"all="}, yes, no},
		"select matches, all=false":       {[]string{"select=color", "all=false"}, yes, yes},
		"select is empty":                 {[]string{"select="}, yes, no},
		"treeSelect is empty":             {[]string{"treeSelect="}, yes, no},
		"everything at once":              {[]string{"select=color", "treeSelect=c", "none=true", "all=true"}, no, no},
		"short literals":                  {[]string{"none=0", "all=t"}, yes, yes},
		"select in a set":                 {[]string{"select=color in (red, green)"}, yes, yes},
		"select not in a set":             {[]string{"select=color notin (red)"}, no, no},
		"select by !=":                    {[]string{"select=color!=blue"}, yes, yes},
		"select by ==":                    {[]string{"select=color==red"}, yes, yes},
		"select by the label of a tree":   {[]string{"select=c.tree.hnc.x-k8s.io/depth"}, yes, yes},
		"negated select of two":           {[]string{"select=!c,!d"}, yes, yes},
		"names are trimmed":               {[]string{"treeSelect= !x , c "}, yes, yes},
		"bad select":                      {[]string{"select=$foo"}, bad, bad},
		"select by number":                {[]string{"select=depth>1"}, bad, bad},
		"bad treeSelect":                  {[]string{"treeSelect=$foo"}, bad, bad},
		"two positives":                   {[]string{"treeSelect=p, c"}, bad, bad},
		"dotted name":                     {[]string{"treeSelect=a.b"}, bad, bad},
		"a blank instead of a name":       {[]string{"treeSelect= "}, bad, bad},
		"an empty entry at the end":       {[]string{"treeSelect=c,"}, bad, bad},
		"only a comma":                    {[]string{"treeSelect=,"}, bad, bad},
		"only a bang":                     {[]string{"treeSelect=!"}, bad, bad},
		"bad none":                        {[]string{"none=$foo"}, bad, bad},
		"bad all":                         {[]string{"all=all"}, bad, bad},
		"bad all behind none":             {[]string{"none=true", "all=all"}, no, no},
		"bad none behind another select":  {[]string{"select=!color", "none=$foo"}, no, no},
		"bad none behind a matching one":  {[]string{"select=color", "none=$foo"}, bad, bad},
		"bad treeSelect behind a non-one": {[]string{"select=!color", "treeSelect=,"}, no, no},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for mode, want := range map[api.SynchronizationMode]string{api.Propagate: tc.want, "": tc.want, api.AllowPropagate: tc.wantAllowing} {
				selected, err := propagate.Selects(mode, exceptions(tc.annotations...), labels)
				require.Equal(t, want == bad, err != nil, "%q: %v", mode, err)
				require.Equal(t, want == yes, selected, "%q", mode)
				if err != nil {
					require.Contains(t, err.Error(), "reading annotation propagate.hnc.x-k8s.io/")
				}
			}
		})
	}
}

// TestTreeSelectOnATree is the example of the specification: root has a, with
// a1 below, and b. Here root is a, a is b, a1 is c and b is d.
func TestTreeSelectOnATree(t *testing.T) {
	f := foresttest.Create("-aba")
	for value, want := range map[string]string{
		"b":       "b c",
		"c":       "c",
		"!b":      "d",
		"!b, !d":  "",
		"b, !c":   "b",
		"b, d":    "", // and an error
		"a":       "b c d",
		"nosuch":  "",
		"!nosuch": "b c d",
	} {
		var got []string
		for _, name := range f.Descendants("a") {
			if ok, _ := propagate.Selects(api.Propagate, exceptions("treeSelect="+value), f.Labels(name)); ok {
				got = append(got, name)
			}
		}
		require.Equal(t, want, strings.Join(got, " "), value)
	}
}

// FuzzSelectors: no value may bring the process down, and what cannot be read
// selects nothing.
func FuzzSelectors(f *testing.F) {
	for _, value := range []string{"", " ", "a,", ",", "!", "!a", "a, !b", "color=red", "color in (", "$foo", "true", "T", "depth>1", "\x00", "a.b"} {
		f.Add(value, value, value, value, value, value)
	}
	f.Fuzz(func(t *testing.T, selector, tree, none, all, key, value string) {
		annotations := exceptions("select="+selector, "treeSelect="+tree, "none="+none, "all="+all)
		labels := map[string]string{key: value, tree + api.LabelTreeDepthSuffix: "0"}
		wide, err := propagate.Selects(api.Propagate, annotations, labels)
		if err != nil && wide {
			t.Errorf("selects in spite of %v", err)
		}
		narrow, errNarrow := propagate.Selects(api.AllowPropagate, annotations, labels)
		if narrow && !wide {
			t.Error("AllowPropagate propagates what Propagate does not")
		}
		if (err == nil) != (errNarrow == nil) {
			t.Errorf("the mode decides what can be read: %v, %v", err, errNarrow)
		}
	})
}
