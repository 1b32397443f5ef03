// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// definitions of other people's types come, change and go.
var definitions = scenarios{
	"definition": definitionChangesAndGoes,
}

// definitionChangesAndGoes: a type gets a version that discovery prefers, then its
// definition goes, and comes again.
func definitionChangesAndGoes(s *scene) {
	k := s.things()
	s.define(k)
	s.setMode(k, api.Propagate)
	s.active(k, api.Propagate)
	s.tree("parent", "parent/child")
	s.put(k, "parent", "thing")
	s.arrives(k, "parent", "thing", "child")
	before := s.read(k, "child", "thing")

	crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: k.resource + "." + k.Group}}
	s.Edit(crd, false, func() {
		second := *crd.Spec.Versions[0].DeepCopy()
		second.Name, second.Storage = "v2", false
		crd.Spec.Versions = append(crd.Spec.Versions, second)
	})
	v2 := k
	v2.Version = "v2"
	s.active(v2, api.Propagate)
	s.midway()
	s.sentinel(k, "parent", "child")
	require.Equal(s, before.GetUID(), s.read(k, "child", "thing").GetUID(), "the copy was there all the time")
	s.alter(v2, "parent", "thing", with("spec", map[string]any{"foo": "new"}))
	s.arrives(v2, "parent", "thing", "child")

	require.NoError(s, s.Delete(s.Context(), crd))
	s.Eventually("the definition goes", s.Gone(&apiextensionsv1.CustomResourceDefinition{}, "", crd.Name))
	s.inactive(k)
	s.define(k)
	s.active(k, api.Propagate)
	s.put(k, "parent", "thing")
	s.arrives(k, "parent", "thing", "child")
}
