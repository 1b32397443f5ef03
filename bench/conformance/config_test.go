// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Reasons of conditions and events, as HNC has them.
const (
	reasonResourceNotFound              = "ResourceNotFound"
	reasonResourceNotNamespaced         = "ResourceNotNamespaced"
	reasonMultipleConfigurationsForType = "MultipleConfigurationsForType"
	reasonCannotPropagateObject         = "CannotPropagateObject"
)

// editConfig changes the HNCConfiguration that all scenarios share.
func (s *scene) editConfig(change func(*api.HNCConfigurationSpec)) {
	s.Helper()
	config := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}
	s.Edit(config, true, func() { change(&config.Spec) })
}

func (k kind) entry(mode api.SynchronizationMode) api.ResourceSpec {
	return api.ResourceSpec{Group: k.Group, Resource: k.resource, Mode: mode}
}

// isFor reports whether an entry is about a type, by whatever mode.
func isFor(entry api.ResourceSpec) func(api.ResourceSpec) bool {
	return func(other api.ResourceSpec) bool {
		return other.Group == entry.Group && other.Resource == entry.Resource
	}
}

// setMode makes one entry of a type, or changes it.
func (s *scene) setMode(k kind, mode api.SynchronizationMode) {
	s.Helper()
	s.editConfig(func(spec *api.HNCConfigurationSpec) {
		entry := k.entry(mode)
		if at := slices.IndexFunc(spec.Resources, isFor(entry)); at >= 0 {
			spec.Resources[at] = entry
			return
		}
		spec.Resources = append(spec.Resources, entry)
	})
}

// add appends an entry, whatever the others say.
func (s *scene) add(entry api.ResourceSpec) {
	s.Helper()
	s.editConfig(func(spec *api.HNCConfigurationSpec) { spec.Resources = append(spec.Resources, entry) })
}

// drop removes this one entry.
func (s *scene) drop(entry api.ResourceSpec) {
	s.Helper()
	s.editConfig(func(spec *api.HNCConfigurationSpec) {
		spec.Resources = slices.DeleteFunc(spec.Resources, func(other api.ResourceSpec) bool { return other == entry })
	})
}

// reports waits until the HNCConfiguration is as it should be.
func (s *scene) reports(what string, right func(*api.HNCConfiguration) error) {
	s.Helper()
	s.Eventually("the HNCConfiguration: "+what, func() error {
		config := &api.HNCConfiguration{}
		if err := s.Exists(config, "", api.HNCConfigurationName)(); err != nil {
			return err
		}
		return right(config)
	})
}

// status of a type; nil if it has none.
func status(config *api.HNCConfiguration, entry api.ResourceSpec) *api.ResourceStatus {
	for _, r := range config.Status.Resources {
		if r.Group == entry.Group && r.Resource == entry.Resource {
			return &r
		}
	}
	return nil
}

// active waits until a type is in a mode.
func (s *scene) active(k kind, mode api.SynchronizationMode) {
	s.Helper()
	s.reports(k.resource+" is in mode "+string(mode), func(config *api.HNCConfiguration) error {
		got := status(config, k.entry(mode))
		if got == nil || got.Mode != mode || got.Version != k.Version {
			return fmt.Errorf("it says %+v", got)
		}
		return nil
	})
}

// inactive waits until a type is not reported on.
func (s *scene) inactive(k kind) {
	s.Helper()
	s.reports(k.resource+" is not handled", func(config *api.HNCConfiguration) error {
		if got := status(config, k.entry("")); got != nil {
			return fmt.Errorf("it says %+v", got)
		}
		return nil
	})
}

// faulty waits until a condition of a reason has all these words.
func (s *scene) faulty(reason string, words ...string) {
	s.Helper()
	s.reports(fmt.Sprintf("%s of %v", reason, words), func(config *api.HNCConfiguration) error {
		if !hasFault(config, reason, words...) {
			return fmt.Errorf("it has the conditions %+v", config.Status.Conditions)
		}
		return nil
	})
}

// sound waits until no condition of a reason has all these words.
func (s *scene) sound(reason string, words ...string) {
	s.Helper()
	s.reports(fmt.Sprintf("no %s of %v", reason, words), func(config *api.HNCConfiguration) error {
		if hasFault(config, reason, words...) {
			return errors.New("it has that condition")
		}
		return nil
	})
}

func hasFault(config *api.HNCConfiguration, reason string, words ...string) bool {
	return slices.ContainsFunc(config.Status.Conditions, func(c metav1.Condition) bool {
		missing := slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(c.Message, word) })
		return c.Type == api.ConditionBadConfiguration && c.Reason == reason && !missing
	})
}
