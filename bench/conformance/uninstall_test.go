// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/banyan-hns/banyan/config"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// uninstall are section 13.3. They play alone, before all others.
var uninstall = scenarios{
	"13.3.1": namespaceSurvivesAnchors,
	"13.3.2": copySurvivesAnchors,
	"13.3.3": definitionsGo,
	"13.3.4": bindingChangesMeanwhile,
}

// definitions of all four kinds, or of the named one.
func (s *scene) definitions(name string) []*apiextensionsv1.CustomResourceDefinition {
	s.Helper()
	crds, err := config.CRDs()
	require.NoError(s, err)
	var wanted []*apiextensionsv1.CustomResourceDefinition
	for _, crd := range crds {
		if name == "" || crd.Name == name {
			wanted = append(wanted, crd)
		}
	}
	require.NotEmpty(s, wanted)
	return wanted
}

// uninstall deletes definitions and waits until they are gone. The next scenario
// has them again, whatever becomes of this one.
func (s *scene) uninstall(name string) {
	s.Helper()
	crds := s.definitions(name)
	s.Cleanup(func() {
		for _, crd := range s.definitions(name) {
			if err := s.Client.Create(s.Context(), crd); !apierrors.IsAlreadyExists(err) {
				require.NoError(s, err)
			}
		}
	})
	for _, crd := range crds {
		require.NoError(s, s.Delete(s.Context(), crd))
	}
	for _, crd := range crds {
		s.Eventually(crd.Name+" goes", s.Gone(&apiextensionsv1.CustomResourceDefinition{}, "", crd.Name))
	}
}

// install makes definitions anew; that Banyan works with them a subnamespace shows.
func (s *scene) install(name string) {
	s.Helper()
	for _, crd := range s.definitions(name) {
		s.Create(crd)
	}
	s.namespaces("later")
	s.Eventually("anchors are served", func() error { return s.List(s.Context(), &api.SubnamespaceAnchorList{}) })
	s.Eventually("trees are served", func() error { return s.List(s.Context(), &api.HierarchyConfigurationList{}) })
	s.Eventually("the configuration is served", func() error { return s.List(s.Context(), &api.HNCConfigurationList{}) })
	s.subnamespaces("later", "later-child")
}

const anchorsDefinition = "subnamespaceanchors.hnc.x-k8s.io"

func namespaceSurvivesAnchors(s *scene) {
	s.namespaces("p")
	s.subnamespaces("p", "c")
	s.midway()
	s.uninstall(anchorsDefinition)
	s.install(anchorsDefinition)
	s.stays("c")
	s.troubled("c", api.ReasonAnchorMissing)
}

// While a definition is missing, nothing is copied either. What was created in
// the meantime arrives afterwards, and shows that the copy was looked at since.
func copySurvivesAnchors(s *scene) {
	s.tree("p", "p/c")
	s.put(roleBindings, "p", "binding")
	s.arrives(roleBindings, "p", "binding", "c")
	before := s.read(roleBindings, "c", "binding").GetUID()
	s.midway()
	s.uninstall(anchorsDefinition)
	s.put(roleBindings, "p", "meanwhile")
	require.Equal(s, before, s.read(roleBindings, "c", "binding").GetUID())
	s.install(anchorsDefinition)
	s.arrives(roleBindings, "p", "meanwhile", "c")
	require.Equal(s, before, s.read(roleBindings, "c", "binding").GetUID())
	// The next scenario takes all trees away, which no audit log tells.
	s.setParent("c", "")
	s.goes(roleBindings, "binding", "c")
	s.depths("c", map[string]int{"c": 0})
}

func definitionsGo(s *scene) {
	s.namespaces("p")
	s.subnamespaces("p", "c")
	s.midway()
	s.uninstall("")
	s.stays("p", "c")
	s.install("")
	s.stays("p", "c")
}

func bindingChangesMeanwhile(s *scene) {
	s.namespaces("p")
	s.subnamespaces("p", "c")
	s.put(roleBindings, "p", "test")
	s.arrives(roleBindings, "p", "test", "c")
	s.midway()
	s.Outage(func() {
		s.remove(roleBindings, "p", "test")
		edit := map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"}
		s.unasked().put(roleBindings, "p", "test", with("roleRef", edit)) // nobody could answer
	})
	s.arrives(roleBindings, "p", "test", "c")
}
