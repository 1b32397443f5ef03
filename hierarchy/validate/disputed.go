// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// disputed warns of managed labels and annotations that are new here, and that
// some relative sets to another value: the farthest ancestor wins, and nobody
// else would say a word.
func disputed(f *hierarchy.Forest, namespace, parent string, labels, annotations []api.MetaKVP) Verdict {
	v := Allow()
	for _, list := range []struct {
		what  string
		pairs []api.MetaKVP
		of    func(api.HierarchyConfigurationSpec) []api.MetaKVP
	}{
		{"label", labels, func(s api.HierarchyConfigurationSpec) []api.MetaKVP { return s.Labels }},
		{"annotation", annotations, func(s api.HierarchyConfigurationSpec) []api.MetaKVP { return s.Annotations }},
	} {
		asks := func(name, key string) (string, bool) {
			c := f.Observe(name).Configuration
			if c == nil {
				return "", false
			}
			return last(list.of(c.Spec), key)
		}
		for _, pair := range list.pairs {
			if was, had := asks(namespace, pair.Key); had && was == pair.Value && f.Parent(namespace) == parent {
				continue
			}
			v.Warnings = append(v.Warnings, disputes(f, namespace, parent, list.what, pair, asks)...)
		}
	}
	return v
}

func disputes(f *hierarchy.Forest, namespace, parent, what string, pair api.MetaKVP, asks func(name, key string) (string, bool)) []string {
	differs := func(name string) bool {
		value, set := asks(name, pair.Key)
		return set && value != pair.Value
	}
	if by := farthest(f, parent, pair.Key, asks); by != "" {
		if !differs(by) {
			return nil
		}
		value, _ := asks(by, pair.Key)
		return []string{fmt.Sprintf("%s %q is %q here in vain: the ancestor %q sets %q; change it there", what, pair.Key, pair.Value, by, value)}
	}
	below := slices.DeleteFunc(slices.Clone(f.Descendants(namespace)), func(name string) bool { return !differs(name) })
	if len(below) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s %q overrules other values in descendants: %s; remove it there, or here", what, pair.Key, namely(below))}
}

// farthest ancestor, counted from a parent on, that sets a key.
func farthest(f *hierarchy.Forest, parent, key string, asks func(name, key string) (string, bool)) string {
	if parent == "" {
		return ""
	}
	for _, name := range slices.Backward(append([]string{parent}, f.Ancestors(parent)...)) {
		if _, set := asks(name, key); set {
			return name
		}
	}
	return ""
}

// last value of a key; of two pairs, the later one counts.
func last(pairs []api.MetaKVP, key string) (string, bool) {
	for _, pair := range slices.Backward(pairs) {
		if pair.Key == key {
			return pair.Value, true
		}
	}
	return "", false
}

// namely lists the first names, and says how many more there are.
func namely(names []string) string {
	slices.Sort(names)
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
