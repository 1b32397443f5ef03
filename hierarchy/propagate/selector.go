// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Selects reports whether the annotations of a source let it propagate to a
// namespace with the given labels. All annotations must agree; they are looked
// at in a fixed order, and the first that says no is the last one looked at. An
// annotation that cannot be read says no, and is an error.
func Selects(mode api.SynchronizationMode, annotations, namespace map[string]string) (bool, error) {
	asked := false

	for _, parse := range []func(map[string]string) (labels.Selector, error){ParseSelect, ParseTreeSelect} {
		selector, err := parse(annotations)
		if err != nil || !selector.Matches(labels.Set(namespace)) {
			return false, err
		}
		asked = asked || !selector.Empty()
	}

	none, err := ParseNone(annotations)
	if err != nil || none {
		return false, err
	}
	all, err := ParseAll(annotations)
	if err != nil {
		return false, err
	}
	return Mode(mode) != api.AllowPropagate || asked || all, nil
}

// ParseSelect reads the annotation that selects namespaces by their labels.
func ParseSelect(annotations map[string]string) (labels.Selector, error) {
	value := annotations[api.AnnotationSelector]
	selector, err := labels.Parse(value)
	if err != nil {
		return nil, fmt.Errorf("reading annotation %s=%q: %w", api.AnnotationSelector, value, err)
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		if r.Operator() == selection.GreaterThan || r.Operator() == selection.LessThan {
			return nil, fmt.Errorf("reading annotation %s=%q: %q is no operator of a label selector on namespaces", api.AnnotationSelector, value, r.Operator())
		}
	}
	return selector, nil
}

// ParseTreeSelect reads the annotation that selects namespaces by their
// ancestors. Each name stands for its whole subtree.
func ParseTreeSelect(annotations map[string]string) (labels.Selector, error) {
	value := annotations[api.AnnotationTreeSelector]
	if value == "" {
		return labels.Everything(), nil
	}
	selector := labels.NewSelector()
	positive := 0
	for _, entry := range strings.Split(value, ",") {
		name, negated := strings.CutPrefix(strings.TrimSpace(entry), "!")
		operator := selection.DoesNotExist
		if !negated {
			operator = selection.Exists
			positive++
		}
		requirement, err := treeRequirement(name, operator)
		if err != nil {
			return nil, fmt.Errorf("reading annotation %s=%q: %w", api.AnnotationTreeSelector, value, err)
		}
		selector = selector.Add(*requirement)
	}
	if positive > 1 {
		return nil, fmt.Errorf("reading annotation %s=%q: only one namespace may stand without \"!\"", api.AnnotationTreeSelector, value)
	}
	return selector, nil
}

func treeRequirement(name string, operator selection.Operator) (*labels.Requirement, error) {
	if name == "" {
		return nil, errors.New("an entry is empty")
	}
	if faults := validation.IsDNS1123Label(name); len(faults) > 0 {
		return nil, fmt.Errorf("%q is no name of a namespace: %s", name, strings.Join(faults, "; "))
	}
	return labels.NewRequirement(hierarchy.TreeLabel(name), operator, nil)
}

// ParseNone reads the annotation that stops all propagation.
func ParseNone(annotations map[string]string) (bool, error) {
	return parseBool(annotations, api.AnnotationNoneSelector)
}

// ParseAll reads the annotation that asks for propagation to everywhere.
func ParseAll(annotations map[string]string) (bool, error) {
	return parseBool(annotations, api.AnnotationAllSelector)
}

func parseBool(annotations map[string]string, key string) (bool, error) {
	value := annotations[key]
	if value == "" {
		return false, nil
	}
	yes, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("reading annotation %s=%q: it must be \"true\" or \"false\"", key, value)
	}
	return yes, nil
}
