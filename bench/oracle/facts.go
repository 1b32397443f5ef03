// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"k8s.io/apimachinery/pkg/types"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Facts are what users wrote.
type Facts struct {
	Rules
	Namespaces     map[string]Namespace
	Configurations map[string]Configuration // by namespace
	Anchors        map[Place]Anchor
	Objects        []Object // that are no copies
	Modes          map[string]api.SynchronizationMode
	// Copies that there are of each kind, for the counters: frozen ones count, too.
	Copies map[string]int
}

// Rules are what Banyan was told by its flags.
type Rules struct {
	Excluded           []string // namespaces
	ManagedLabels      []string // keys
	ManagedAnnotations []string // keys
}

// Namespace as it stands there. What Banyan keeps on it, the oracle takes away.
type Namespace struct {
	UID                 types.UID
	Labels, Annotations map[string]string
}

// Configuration is the spec of a HierarchyConfiguration.
type Configuration struct {
	Parent              string
	Cascading           bool
	Labels, Annotations []api.MetaKVP
}

// Place of an anchor, or of an object of a known kind.
type Place struct{ Namespace, Name string }

// Anchor is the spec of one.
type Anchor struct{ Labels, Annotations []api.MetaKVP }

// Object is one that can be propagated.
type Object struct {
	Kind, Namespace, Name string
	Labels, Annotations   map[string]string
	HasFinalizers         bool
	// Content is all but metadata and status, in canonical JSON.
	Content string
	// Fixed is the part of it that the API server never lets anybody change.
	Fixed string
	// Immutable: no part of it can be changed.
	Immutable bool
	// Type of a Secret.
	Type string
}

func (o Object) subject() Subject { return Subject{o.Namespace, o.Kind + " " + o.Name} }

// Subject is something about which there is one thing to say.
type Subject struct {
	Namespace string // empty for what the cluster has once
	What      string
}

func (s Subject) String() string {
	if s.Namespace == "" {
		return s.What
	}
	return s.Namespace + ": " + s.What
}

// Statements are what there is to say, in words that can be compared.
type Statements map[Subject]string
