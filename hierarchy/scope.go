// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// ScopeOptions are the flags that limit what Banyan manages.
type ScopeOptions struct {
	// ExcludedNamespaces are left alone, by exact name.
	ExcludedNamespaces []string

	// IncludedNamespaceRegex must match the whole name of a managed namespace.
	// Empty includes every namespace. Exclusion wins.
	IncludedNamespaceRegex string

	// ManagedNamespaceLabels are regular expressions for whole keys of labels
	// that Banyan owns on namespaces. Default: none.
	ManagedNamespaceLabels []string

	// ManagedNamespaceAnnotations is the same for annotations.
	ManagedNamespaceAnnotations []string
}

// Scope says which namespaces are managed, and which keys Banyan owns on them.
// It is a value; the zero Scope manages every namespace and owns no key.
type Scope struct {
	excluded    map[string]bool
	included    *regexp.Regexp
	pattern     string
	labels      []*regexp.Regexp
	annotations []*regexp.Regexp
}

// NewScope returns the scope that the options describe, or all their faults.
func NewScope(o ScopeOptions) (Scope, error) {
	s := Scope{excluded: map[string]bool{}, pattern: o.IncludedNamespaceRegex}
	for _, name := range o.ExcludedNamespaces {
		s.excluded[name] = true
	}

	var faults []error
	if o.IncludedNamespaceRegex != "" {
		var err error
		if s.included, err = whole(o.IncludedNamespaceRegex); err != nil {
			faults = append(faults, fmt.Errorf("parsing --included-namespace-regex %q: %w", o.IncludedNamespaceRegex, err))
		}
	}
	var err error
	if s.labels, err = managed("--managed-namespace-label", o.ManagedNamespaceLabels); err != nil {
		faults = append(faults, err)
	}
	if s.annotations, err = managed("--managed-namespace-annotation", o.ManagedNamespaceAnnotations); err != nil {
		faults = append(faults, err)
	}
	return s, errors.Join(faults...)
}

// Manages reports whether the namespace is managed. The empty name is: to have
// no parent is legal.
func (s Scope) Manages(namespace string) bool { return s.WhyUnmanaged(namespace) == "" }

// WhyUnmanaged gives the cause in words that fit into a sentence; it is empty
// for a managed namespace.
func (s Scope) WhyUnmanaged(namespace string) string {
	switch {
	case namespace == "":
		return ""
	case s.excluded[namespace]:
		return fmt.Sprintf("namespace %q is excluded by --excluded-namespace", namespace)
	case s.included != nil && !s.included.MatchString(namespace):
		return fmt.Sprintf("namespace %q does not match --included-namespace-regex %q", namespace, s.pattern)
	}
	return ""
}

// Excluded returns the names of the namespaces that are left alone, sorted.
func (s Scope) Excluded() []string { return slices.Sorted(maps.Keys(s.excluded)) }

// Included returns a regular expression that a managed namespace's name matches.
func (s Scope) Included() string {
	if s.included == nil {
		return "^.*$"
	}
	return s.included.String()
}

// ManagesLabel reports whether Banyan owns the label on namespaces.
func (s Scope) ManagesLabel(key string) bool {
	// The API server sets this label on every namespace. Removing it would
	// never end.
	if key == corev1.LabelMetadataName {
		return false
	}
	return manages(s.labels, key)
}

// ManagesAnnotation reports whether Banyan owns the annotation on namespaces.
func (s Scope) ManagesAnnotation(key string) bool { return manages(s.annotations, key) }

func manages(expressions []*regexp.Regexp, key string) bool {
	return !InDomain(key) &&
		slices.ContainsFunc(expressions, func(e *regexp.Regexp) bool { return e.MatchString(key) })
}

// InDomain reports whether a key of a label or annotation belongs to Banyan:
// whether its prefix is the API group or a subdomain of it.
func InDomain(key string) bool {
	prefix, _, ok := strings.Cut(key, "/")
	return key == api.Group || ok && (prefix == api.Group || strings.HasSuffix(prefix, "."+api.Group))
}

// ourKeys stand for all keys that a managed expression must not match, so that
// nobody believes to have put Banyan's own metadata under another rule.
var ourKeys = []string{
	api.Group,
	api.LabelIncludedNamespace,
	api.LabelInheritedFrom,
	api.AnnotationSubnamespaceOf,
	api.AnnotationManagedBy,
	"hnc" + api.LabelTreeDepthSuffix,
}

func managed(flag string, patterns []string) ([]*regexp.Regexp, error) {
	var expressions []*regexp.Regexp
	var faults []error
	for _, pattern := range patterns {
		e, err := whole(pattern)
		if err != nil {
			faults = append(faults, fmt.Errorf("parsing %s %q: %w", flag, pattern, err))
			continue
		}
		if i := slices.IndexFunc(ourKeys, e.MatchString); i >= 0 {
			faults = append(faults, fmt.Errorf("checking %s %q: it matches %q, which belongs to Banyan; use a narrower expression", flag, pattern, ourKeys[i]))
			continue
		}
		expressions = append(expressions, e)
	}
	return expressions, errors.Join(faults...)
}

// whole compiles an expression that must match from beginning to end. The
// group keeps alternatives together: "a|b" means "a" or "b", nothing longer.
func whole(pattern string) (*regexp.Regexp, error) {
	// Compiled by itself first, so that ")(" cannot close the group.
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, err
	}
	return regexp.Compile("^(?:" + pattern + ")$")
}
