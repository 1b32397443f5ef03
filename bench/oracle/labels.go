// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

const treeSuffix = ".tree.hnc.x-k8s.io/depth"

// asked is what somebody asks a namespace to be labelled or annotated with.
func (f Facts) asked(name string) (labels, annotations []api.MetaKVP) {
	if owner := f.owner(name); owner != "" {
		if anchor, ok := f.Anchors[Place{owner, name}]; ok {
			return anchor.Labels, anchor.Annotations
		}
	}
	return f.Configurations[name].Labels, f.Configurations[name].Annotations
}

func (f Facts) legalLabel(pair api.MetaKVP) bool {
	return slices.Contains(f.ManagedLabels, pair.Key) && len(validation.IsValidLabelValue(pair.Value)) == 0
}

func (f Facts) legalAnnotation(pair api.MetaKVP) bool {
	return slices.Contains(f.ManagedAnnotations, pair.Key)
}

// ownLabels are the managed labels that a namespace passes on. An external one
// may also carry them itself.
func (f Facts) ownLabels(name string) map[string]string {
	own := map[string]string{}
	asked, _ := f.asked(name)
	for _, pair := range asked {
		if f.legalLabel(pair) {
			own[pair.Key] = pair.Value
		}
	}
	for key, value := range f.Namespaces[name].Labels {
		if f.external(name) && slices.Contains(f.ManagedLabels, key) {
			own[key] = value
		}
	}
	return own
}

func (f Facts) ownAnnotations(name string) map[string]string {
	own := map[string]string{}
	_, asked := f.asked(name)
	for _, pair := range asked {
		if f.legalAnnotation(pair) {
			own[pair.Key] = pair.Value
		}
	}
	for key, value := range f.Namespaces[name].Annotations {
		if f.external(name) && slices.Contains(f.ManagedAnnotations, key) {
			own[key] = value
		}
	}
	return own
}

// labels that a namespace must have, all of them.
func (f Facts) labels(name string) map[string]string {
	want := map[string]string{}
	for key, value := range f.Namespaces[name].Labels {
		banyans := strings.HasSuffix(key, treeSuffix) || slices.Contains(f.ManagedLabels, key)
		if !f.managed(name) || f.external(name) || !banyans {
			want[key] = value
		}
	}
	if !f.managed(name) {
		delete(want, api.LabelIncludedNamespace)
		return want
	}
	want[api.LabelIncludedNamespace] = "true"
	lineage := f.lineage(name)
	for _, n := range lineage { // The farthest wins.
		maps.Copy(want, f.ownLabels(n))
	}
	for depth, n := range lineage {
		if depth == 0 || !f.external(n) {
			continue
		}
		for key, value := range f.Namespaces[n].Labels {
			if strings.HasSuffix(key, treeSuffix) {
				foreign, err := strconv.Atoi(value)
				if err != nil {
					foreign = 0
				}
				want[key] = strconv.Itoa(depth + foreign)
			}
		}
	}
	for depth, n := range lineage {
		want[n+treeSuffix] = strconv.Itoa(depth)
	}
	return want
}

func (f Facts) annotations(name string) map[string]string {
	want := map[string]string{}
	theirs := f.external(name) || !f.managed(name)
	for key, value := range f.Namespaces[name].Annotations {
		if theirs || !slices.Contains(f.ManagedAnnotations, key) {
			want[key] = value
		}
	}
	if theirs {
		return want
	}
	for _, n := range f.lineage(name) {
		maps.Copy(want, f.ownAnnotations(n))
	}
	return want
}

// overridden reports whether a namespace passes something on that an ancestor
// sets to another value.
func (f Facts) overridden(name string, own func(string) map[string]string) bool {
	for key, value := range own(name) {
		farthest := value
		for _, n := range f.lineage(name) {
			if theirs, ok := own(n)[key]; ok {
				farthest = theirs
			}
		}
		if farthest != value {
			return true
		}
	}
	return false
}
