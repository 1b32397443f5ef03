// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"errors"
	"slices"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/system"
	"github.com/banyan-hns/banyan/config"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/webhook"
)

// uninstall are section 13.3. They play alone, before all others.
var uninstall = scenarios{
	"13.3.1": namespaceSurvivesAnchors,
	"13.3.2": copySurvivesAnchors,
	"13.3.3": definitionsGo,
	"13.3.4": bindingChangesMeanwhile,
}

// removal is what users do after that.
var removal = scenarios{"manifests": manifestsGo}

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

// With the manifests goes what Banyan registered by itself: it is in none of them,
// and would refuse new objects for ever.
func manifestsGo(s *scene) {
	s.namespaces("p")
	s.objectsAreAsked("p")
	stray := s.registration(webhook.ObjectsConfiguration)
	stray.OwnerReferences = nil
	require.NoError(s, s.Update(s.Context(), stray))
	s.midway()
	s.Eventually("the registration has its owner again", func() error {
		owner, is := s.registration(webhook.ValidatingConfiguration), s.registration(webhook.ObjectsConfiguration)
		if !slices.ContainsFunc(is.OwnerReferences, func(r metav1.OwnerReference) bool { return r.UID == owner.UID }) {
			return errors.New("it has none")
		}
		return nil
	})

	s.Outage(func() { // so that nobody but the garbage collector can delete it
		restore := s.unregister(client.PropagationPolicy(metav1.DeletePropagationBackground))
		s.put(roles, "p", "nobody-is-asked")
		restore()
	})
	s.objectsAreAsked("p")

	s.unregister(client.PropagationPolicy(metav1.DeletePropagationOrphan))() // so that nobody but Banyan would
	s.objectsAreAsked("p")
}

// unregister deletes the configuration in the manifests, and waits until the one that
// Banyan registered has gone along. The function makes the former anew.
func (s *scene) unregister(how client.DeleteOption) (restore func()) {
	s.Helper()
	owner := s.registration(webhook.ValidatingConfiguration)
	require.NoError(s, s.Delete(s.Context(), owner.DeepCopy(), how))
	s.Eventually("what was registered goes along", s.Gone(&admissionregistrationv1.ValidatingWebhookConfiguration{}, "", webhook.ObjectsConfiguration))
	return func() {
		owner.ObjectMeta = metav1.ObjectMeta{Name: owner.Name, Labels: owner.Labels}
		s.Create(owner)
	}
}

// registration returns the configuration of that name.
func (s *scene) registration(name string) *admissionregistrationv1.ValidatingWebhookConfiguration {
	s.Helper()
	c := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	require.NoError(s, s.Exists(c, "", name)())
	return c
}

// objectsAreAsked waits until a replica is asked about objects.
func (s *scene) objectsAreAsked(ns string) {
	s.Helper()
	s.Eventually("the webhook about objects is asked", func() error {
		wrong := system.Role(s.name(ns), "wrong")
		wrong.Annotations = map[string]string{api.AnnotationSelector: "!!"}
		if s.Client.Create(s.Context(), wrong, client.DryRunAll) == nil {
			return errors.New("a selector that is none is admitted")
		}
		return nil
	})
}
