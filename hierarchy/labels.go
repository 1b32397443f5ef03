// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"maps"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TreeLabel returns the key that marks all namespaces at or below the given one.
func TreeLabel(namespace string) string { return namespace + api.LabelTreeDepthSuffix }

// IsTreeLabel reports whether the key marks a place in a tree.
func IsTreeLabel(key string) bool { return strings.HasSuffix(key, api.LabelTreeDepthSuffix) }

// Labels returns the labels of a namespace as they should be once its plan is
// carried out. It is nil if there is no such namespace.
func (f *Forest) Labels(namespace string) map[string]string {
	seen := f.Observe(namespace)
	switch {
	case !seen.exists():
		return nil
	case !f.scope.Manages(namespace):
		return withoutIncluded(seen.Namespace.Labels)
	}
	return f.labels(seen)
}

// labels says what the labels of an existing, managed namespace should be.
//
// Inherited are those of the lineage. The farthest ancestor wins: what is asked
// for at the top holds for the whole tree.
func (f *Forest) labels(seen Observed) map[string]string {
	want := map[string]string{}
	for key, value := range seen.Namespace.Labels {
		if seen.external() || !IsTreeLabel(key) && !f.scope.ManagesLabel(key) {
			want[key] = value
		}
	}
	want[api.LabelIncludedNamespace] = "true"

	lineage := f.lineage(seen)
	for _, level := range lineage {
		maps.Copy(want, f.ownLabels(level))
	}
	for depth, level := range lineage {
		if !level.external() || depth == 0 {
			continue
		}
		for key, value := range level.Namespace.Labels {
			if IsTreeLabel(key) {
				foreign, _ := strconv.Atoi(value) // Whatever is no number counts as 0.
				want[key] = strconv.Itoa(depth + foreign)
			}
		}
	}
	// Last, so that no foreign tree can misplace a namespace of this one.
	for depth, level := range lineage {
		want[TreeLabel(level.Name)] = strconv.Itoa(depth)
	}
	return want
}

// annotations says what the annotations of an existing, managed namespace
// should be. Those of an external namespace are left to the other system.
func (f *Forest) annotations(seen Observed) map[string]string {
	want := maps.Clone(seen.Namespace.Annotations)
	if seen.external() {
		return want
	}
	if want == nil {
		want = map[string]string{}
	}
	maps.DeleteFunc(want, func(key, _ string) bool { return f.scope.ManagesAnnotation(key) })
	for _, level := range f.lineage(seen) {
		maps.Copy(want, f.ownAnnotations(level))
	}
	return want
}

// lineage returns the namespace and the ancestors it inherits from, nearest
// first. A halted namespace is the last of its lineage: what is above it is
// unknown, or runs in a circle.
func (f *Forest) lineage(seen Observed) []Observed {
	c := f.climb(seen)
	path := c.path
	if at := f.halt(c); at >= 0 {
		path = path[:at+1]
	}
	lineage := []Observed{seen}
	for _, name := range path[1:] {
		lineage = append(lineage, f.Observe(name))
	}
	return lineage
}

// ownLabels returns the managed labels that this level passes on. Those found
// on an external namespace itself are the other system's, and come first.
func (f *Forest) ownLabels(seen Observed) map[string]string {
	asked, _ := seen.asked(f.scope)
	own := map[string]string{}
	for _, pair := range asked {
		if f.legalLabel(pair) {
			own[pair.Key] = pair.Value
		}
	}
	if seen.external() {
		copyIf(own, seen.Namespace.Labels, f.scope.ManagesLabel)
	}
	return own
}

// ownAnnotations does for annotations what ownLabels does for labels.
func (f *Forest) ownAnnotations(seen Observed) map[string]string {
	_, asked := seen.asked(f.scope)
	own := map[string]string{}
	for _, pair := range asked {
		if f.legalAnnotation(pair) {
			own[pair.Key] = pair.Value
		}
	}
	if seen.external() {
		copyIf(own, seen.Namespace.Annotations, f.scope.ManagesAnnotation)
	}
	return own
}

// legalLabel also asks what the API server would ask: one bad value must not
// keep a namespace from all its labels.
func (f *Forest) legalLabel(pair api.MetaKVP) bool {
	return f.scope.ManagesLabel(pair.Key) &&
		len(validation.IsQualifiedName(pair.Key)) == 0 && len(validation.IsValidLabelValue(pair.Value)) == 0
}

func (f *Forest) legalAnnotation(pair api.MetaKVP) bool {
	return f.scope.ManagesAnnotation(pair.Key) && len(validation.IsQualifiedName(pair.Key)) == 0
}

// withoutIncluded is all that an unmanaged namespace has to lose.
func withoutIncluded(labels map[string]string) map[string]string {
	want := maps.Clone(labels)
	delete(want, api.LabelIncludedNamespace)
	return want
}

func copyIf(to, from map[string]string, wanted func(key string) bool) {
	for key, value := range from {
		if wanted(key) {
			to[key] = value
		}
	}
}
