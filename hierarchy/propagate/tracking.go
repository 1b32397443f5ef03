// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"slices"
	"strings"
)

// tracking is the metadata by which a tool recognizes the objects that it
// applied and may prune. On a copy it would be a lie: Argo CD, Flux, Config
// Sync, Helm and kubectl would fight Banyan over the copy.
var tracking = []string{
	"app.kubernetes.io/instance", // Argo CD, unless it tracks by annotation
	"applyset.kubernetes.io/part-of",
	"argocd.argoproj.io/",
	"config.k8s.io/owning-inventory",
	"configmanagement.gke.io/",
	"configsync.gke.io/",
	"kubectl.kubernetes.io/last-applied-configuration",
	"meta.helm.sh/",
	".toolkit.fluxcd.io/",
}

// DefaultTracking returns the labels and annotations that no copy gets, since
// by them a tool claims the source as its own. The forms are those of
// Options.UnpropagatedLabels.
func DefaultTracking() []string { return slices.Clone(tracking) }

// fits reports whether a key is in a list of keys, which may also have all keys
// of a domain ("domain/") and of its subdomains (".domain/").
func fits(patterns []string, key string) bool {
	domain, _, prefixed := strings.Cut(key, "/")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ours, whole := strings.CutSuffix(pattern, "/")
		switch {
		case !whole:
			return key == pattern
		case strings.HasPrefix(ours, "."):
			return prefixed && strings.HasSuffix(domain, ours)
		}
		return prefixed && domain == ours
	})
}
