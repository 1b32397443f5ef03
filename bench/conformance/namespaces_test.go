// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// namespaces creates full namespaces, and waits until they are in the forest.
func (s *scene) namespaces(shorts ...string) {
	s.Helper()
	for _, short := range shorts {
		s.Admit(system.Namespace(s.name(short)))
	}
	for _, short := range shorts {
		s.labelled(short, api.LabelIncludedNamespace, "true")
	}
}

// tree creates full namespaces, given as "parent/child" or as "root".
func (s *scene) tree(places ...string) {
	s.Helper()
	for _, place := range places {
		parent, child, below := strings.Cut(place, "/")
		if !below {
			s.namespaces(parent)
			continue
		}
		s.namespaces(child)
		s.setParent(child, parent)
	}
	for _, place := range places {
		if parent, child, below := strings.Cut(place, "/"); below {
			s.labelled(child, s.name(parent)+api.LabelTreeDepthSuffix, "1")
		}
	}
}

// configure changes the HierarchyConfiguration of a namespace.
func (s *scene) configure(short string, change func(*api.HierarchyConfigurationSpec)) {
	s.Helper()
	hc := system.Configuration(s.name(short))
	s.Edit(hc, true, func() { change(&hc.Spec) })
}

func (s *scene) setParent(child, parent string) {
	s.Helper()
	s.configure(child, func(spec *api.HierarchyConfigurationSpec) { spec.Parent = s.name(parent) })
}

func (s *scene) allowCascading(short string) {
	s.Helper()
	s.configure(short, func(spec *api.HierarchyConfigurationSpec) { spec.AllowCascadingDeletion = true })
}

// configuration of a namespace as it is now, empty if there is none.
func (s *scene) configuration(short string) (*api.HierarchyConfiguration, error) {
	hc := system.Configuration(s.name(short))
	err := s.Exists(hc, hc.Namespace, hc.Name)()
	if apierrors.IsNotFound(err) {
		return system.Configuration(s.name(short)), nil
	}
	return hc, err
}

// configured waits until a HierarchyConfiguration is as it should be.
func (s *scene) configured(short, what string, right func(*api.HierarchyConfiguration) bool) {
	s.Helper()
	s.Eventually(short+": "+what, func() error {
		hc, err := s.configuration(short)
		if err == nil && !right(hc) {
			err = fmt.Errorf("it is %+v, %+v", hc.Spec, hc.Status)
		}
		return err
	})
}

// children waits until a namespace lists exactly these.
func (s *scene) children(parent string, want ...string) {
	s.Helper()
	s.configured(parent, fmt.Sprintf("its children are %v", want), func(hc *api.HierarchyConfiguration) bool {
		return cmp.Equal(hc.Status.Children, s.names(want...), cmpopts.EquateEmpty())
	})
}

func (s *scene) parent(child, want string) {
	s.Helper()
	s.configured(child, "its parent is "+want, func(hc *api.HierarchyConfiguration) bool { return hc.Spec.Parent == s.name(want) })
}

// troubled waits until the conditions of a namespace have exactly these reasons;
// none means that all is well.
func (s *scene) troubled(short string, want ...string) {
	s.Helper()
	s.Eventually(fmt.Sprintf("%s has the conditions %v", short, want), func() error {
		hc, err := s.configuration(short)
		if err != nil {
			return err
		}
		var got []string
		for _, condition := range hc.Status.Conditions {
			got = append(got, condition.Reason)
		}
		return differs(want, got)
	})
}

// haltedBy waits until a namespace says that this ancestor is halted.
func (s *scene) haltedBy(short, ancestor string) {
	s.Helper()
	s.troubled(short, api.ReasonAncestor)
	s.configured(short, "its condition names "+ancestor, func(hc *api.HierarchyConfiguration) bool {
		conditions := hc.Status.Conditions
		return len(conditions) == 1 && conditions[0].Type == api.ConditionActivitiesHalted && strings.Contains(conditions[0].Message, s.name(ancestor))
	})
}

// editNamespace changes labels and annotations of a namespace.
func (s *scene) editNamespace(short string, change func(*corev1.Namespace)) {
	s.Helper()
	ns := system.Namespace(s.name(short))
	s.Edit(ns, false, func() {
		if ns.Labels == nil {
			ns.Labels = map[string]string{}
		}
		if ns.Annotations == nil {
			ns.Annotations = map[string]string{}
		}
		change(ns)
	})
}

func (s *scene) label(short, key, value string) {
	s.Helper()
	s.editNamespace(short, func(ns *corev1.Namespace) { ns.Labels[key] = value })
}

func (s *scene) unlabel(short, key string) {
	s.Helper()
	s.editNamespace(short, func(ns *corev1.Namespace) { delete(ns.Labels, key) })
}

// labelled waits until a namespace has a label.
func (s *scene) labelled(short, key, want string) {
	s.Helper()
	ns := &corev1.Namespace{}
	s.Eventually(fmt.Sprintf("%s gets the label %s=%s", short, key, want), func() error {
		if err := s.Exists(ns, "", s.name(short))(); err != nil {
			return err
		}
		if got, found := ns.Labels[key]; !found || got != want {
			return fmt.Errorf("its labels are %v", ns.Labels)
		}
		return nil
	})
}

// depths waits until a namespace has exactly these tree labels.
func (s *scene) depths(short string, want map[string]int) {
	s.Helper()
	full := map[string]string{}
	for other, depth := range want {
		full[s.name(other)+api.LabelTreeDepthSuffix] = strconv.Itoa(depth)
	}
	s.Eventually(short+" has its tree labels", func() error {
		ns := &corev1.Namespace{}
		if err := s.Exists(ns, "", s.name(short))(); err != nil {
			return err
		}
		got := map[string]string{}
		for key, value := range ns.Labels {
			if strings.HasSuffix(key, api.LabelTreeDepthSuffix) {
				got[key] = value
			}
		}
		return differs(full, got)
	})
}

// deleteNamespace and wait until it is gone.
func (s *scene) deleteNamespace(short string) {
	s.Helper()
	s.Remove(system.Namespace(s.name(short)))
	s.namespaceGone(short)
}

func (s *scene) namespaceGone(shorts ...string) {
	s.Helper()
	for _, short := range shorts {
		s.Eventually(short+" goes", s.Gone(&corev1.Namespace{}, "", s.name(short)))
	}
}

// stays requires that a namespace lives.
func (s *scene) stays(shorts ...string) {
	s.Helper()
	for _, short := range shorts {
		ns := &corev1.Namespace{}
		require.NoError(s, s.Exists(ns, "", s.name(short))())
		require.Nil(s, ns.DeletionTimestamp, "%s is being deleted", short)
	}
}

// differs says how, or nil.
func differs(want, got any) error {
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("(-want +got)\n%s", diff)
	}
	return nil
}
