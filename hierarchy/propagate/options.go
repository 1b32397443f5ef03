// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

// Options are the flags that limit propagation.
type Options struct {
	// UnpropagatedLabels are keys that copies do not get. "domain/" stands for
	// all keys of a domain, ".domain/" for all keys of its subdomains.
	UnpropagatedLabels []string

	// UnpropagatedAnnotations are the same for annotations.
	UnpropagatedAnnotations []string

	// NoPropagationLabels keep whole objects from being copied.
	NoPropagationLabels []Label

	// NoPropagationNames keep objects from being copied by their names.
	NoPropagationNames []NamePattern

	// NoPropagationSelectors keep objects from being copied by their labels.
	NoPropagationSelectors []labels.Selector
}

// Label is one key with one value. Several may have the same key.
type Label struct{ Key, Value string }

// ParseLabel reads "key=value". The value may be empty.
func ParseLabel(s string) (Label, error) {
	key, value, ok := strings.Cut(s, "=")
	if !ok || key == "" || strings.Contains(value, "=") {
		return Label{}, fmt.Errorf("parsing label %q: it must have the form key=value", s)
	}
	return Label{key, value}, nil
}

// NamePattern fits objects by kind and name.
type NamePattern struct {
	// Kind is any kind if empty; upper and lower case are the same.
	Kind string
	// Glob is in the syntax of path.Match.
	Glob string
}

// ParseNamePattern reads "glob" or "kind/glob", such as "RoleBinding/system:*".
func ParseNamePattern(s string) (NamePattern, error) {
	kind, glob, ok := strings.Cut(s, "/")
	if !ok {
		kind, glob = "", s
	}
	var fault error
	switch _, err := path.Match(glob, ""); {
	case ok && kind == "":
		fault = errors.New("the kind before the slash is missing")
	case glob == "":
		fault = errors.New("the name is missing; \"*\" fits every name")
	case strings.Contains(glob, "/"):
		fault = errors.New("no name has a slash; give the kind without its group")
	case err != nil:
		fault = fmt.Errorf("reading %q: %w", glob, err)
	}
	if fault != nil {
		return NamePattern{}, fmt.Errorf("parsing name pattern %q, which must have the form [kind/]glob: %w", s, fault)
	}
	return NamePattern{kind, glob}, nil
}

// String returns the pattern as it is parsed.
func (p NamePattern) String() string {
	if p.Kind == "" {
		return p.Glob
	}
	return p.Kind + "/" + p.Glob
}

func (p NamePattern) fits(kind, name string) bool {
	matched, _ := path.Match(p.Glob, name) // A pattern that is none fits nothing.
	return matched && (p.Kind == "" || strings.EqualFold(p.Kind, kind))
}

// ParseSelector reads a label selector. It must not be empty: that would select
// every object.
func ParseSelector(s string) (labels.Selector, error) {
	selector, err := labels.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("parsing label selector %q: %w", s, err)
	}
	if selector.Empty() {
		return nil, fmt.Errorf("parsing label selector %q: it is empty, and so would select every object", s)
	}
	return selector, nil
}
