// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"fmt"
	"strings"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// clash is an object of a user, and one of the same name that comes down to it
// from an ancestor.
type clash struct {
	kind, name string
	over, by   string // namespaces of the two

	// replaces: the user's object is lost. Otherwise it stays, and keeps the
	// other from arriving.
	replaces bool
}

func (c clash) String() string {
	return fmt.Sprintf("%s %q in namespace %q, by that of %q", c.kind, c.name, c.over, c.by)
}

// world is a state of things, real or supposed, as far as one type goes.
type world struct {
	forest  *hierarchy.Forest
	objects *propagate.Objects
	mode    api.SynchronizationMode
}

// clash at a place. It is what the controller would do there: the answer at the
// door and the deed cannot differ.
func (w world) clash(key propagate.Key) (clash, bool) {
	if !w.isOwn(key) {
		return clash{}, false
	}
	for _, problem := range propagate.Decide(w.forest, w.objects, w.mode, key).Problems {
		switch problem.Reason {
		case propagate.ReasonObjectReplaced, propagate.ReasonObjectInTheWay:
			return clash{
				kind: w.objects.GVK().Kind, name: key.Name, over: problem.Objects[0].Namespace, by: problem.Objects[1].Namespace,
				replaces: problem.Reason == propagate.ReasonObjectReplaced,
			}, true
		}
	}
	return clash{}, false
}

// isOwn: there is an object, and it is no copy.
func (w world) isOwn(key propagate.Key) bool {
	o, ok := w.objects.Get(key.Namespace, key.Name)
	return ok && !o.IsCopy()
}

// newClashes are those that a change makes. What clashes already is lost or in
// the way whatever the answer is; to refuse the change would help nobody.
func newClashes(was, is world, keys []propagate.Key) []clash {
	var found []clash
	for _, key := range keys {
		after, clashes := is.clash(key)
		if !clashes {
			continue
		}
		before, clashed := was.clash(key)
		if !clashed || after.replaces && !before.replaces {
			found = append(found, after)
		}
	}
	return found
}

// maxClashes is how many clashes a message lists, and maxWarnings for how many
// there is a warning; the API server cuts long ones.
const (
	maxClashes  = 20
	maxWarnings = 5
)

// judgeClashes refuses a change by which users lose objects, and warns of one by
// which they do not.
func judgeClashes(field string, clashes []clash, remedy string) Verdict {
	var lost []string
	v := Allow()
	for _, c := range clashes {
		if c.replaces {
			lost = append(lost, c.String())
			continue
		}
		v.Warnings = append(v.Warnings, fmt.Sprintf("namespace %q keeps its own %s %q, so that of %q is not copied there; rename or delete one of them", c.over, c.kind, c.name, c.by))
	}
	if len(lost) > 0 {
		return DenyConflict(field, "these objects would be replaced by others of the same name:\n%s;\n%s", listing(lost, "  ", maxClashes), remedy)
	}
	if more := len(v.Warnings) - maxWarnings; more > 0 {
		v.Warnings = append(v.Warnings[:maxWarnings], fmt.Sprintf("%d more objects keep those of an ancestor from being copied", more))
	}
	return v
}

// listing has one line for each entry, up to a limit.
func listing(entries []string, indent string, limit int) string {
	if more := len(entries) - limit; more > 0 {
		entries = append(entries[:limit:limit], fmt.Sprintf("... and %d more", more))
	}
	return indent + strings.Join(entries, "\n"+indent)
}
