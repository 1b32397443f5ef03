// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"strings"

	"github.com/banyan-hns/banyan/bench/system"
)

// scene is where one scenario plays: a tree of namespaces of its own. Methods
// take short names, which mean different namespaces in different scenarios.
type scene struct {
	*system.System
	number   string
	parallel func() // lets others play, too; for those that begin alone

	sentinels int
	killed    bool
}

// unasked is the same scene, as if nobody had asked admission about objects.
func (s *scene) unasked() *scene {
	s.Helper()
	other := *s
	other.System = s.Unasked()
	return &other
}

// name of a namespace in the cluster. Those that Kubernetes brings along are
// everybody's.
func (s *scene) name(short string) string {
	if short == "" || strings.HasPrefix(short, "kube-") {
		return short
	}
	return "s" + strings.ReplaceAll(s.number, ".", "-") + "-" + short
}

func (s *scene) names(shorts ...string) []string {
	var all []string
	for _, short := range shorts {
		all = append(all, s.name(short))
	}
	return all
}

// midway kills a replica.
func (s *scene) midway() {
	s.Helper()
	s.killed = true
	s.Midway()
}
