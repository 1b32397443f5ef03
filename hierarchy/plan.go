// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Object is anything that the API server stores.
type Object interface {
	metav1.Object
	runtime.Object
}

// Verb says how an Action writes.
type Verb string

const (
	// Create writes After, which must not exist yet.
	Create Verb = "Create"
	// Patch writes the difference between Before and After, on condition that
	// the object still has Before's resourceVersion.
	Patch Verb = "Patch"
	// Delete deletes Before, on condition of its UID and resourceVersion.
	Delete Verb = "Delete"
)

// Action is one write.
type Action struct {
	Verb          Verb
	Before, After Object

	// Why is a reason in a few constant words, for logs and tests.
	Why string

	// Tell is an event to be written once the action succeeded, about the
	// object that it writes. Most actions have none.
	Tell Note
}

// Note is what people are told of an action: reason and message of an event.
type Note struct{ Reason, Message string }

// Plan is what must be written for one namespace: the namespace itself and
// objects in it, in this order, or one anchor in it. The actions do not depend on one another; after
// a failed one, the next plan says what is left.
type Plan struct {
	Namespace string
	Actions   []Action

	// Again says when to look once more though nothing changed; 0 means only
	// when something changes.
	Again time.Duration
}

// Empty reports whether nothing is to be written now.
func (p Plan) Empty() bool { return len(p.Actions) == 0 }

// Deletes reports whether the plan deletes anything.
func (p Plan) Deletes() bool {
	return slices.ContainsFunc(p.Actions, func(a Action) bool { return a.Verb == Delete })
}

// Acknowledges reports whether the plan ends a move, and does nothing else. It is
// for the owner of the old key, after its writes into the namespace and all below
// it have ended.
func (p Plan) Acknowledges() bool {
	return len(p.Actions) == 1 && p.Actions[0].Why == acknowledges
}

// String returns the plan as text that is stable and shows every difference.
func (p Plan) String() string {
	var b strings.Builder
	for _, a := range p.Actions {
		object := a.After
		if object == nil {
			object = a.Before
		}
		fmt.Fprintf(&b, "%s %s: %s\n", strings.ToLower(string(a.Verb)), path(object), a.Why)
		if a.Verb != Delete {
			b.WriteString(difference(a.Before, a.After))
		}
		if a.Tell != (Note{}) {
			fmt.Fprintf(&b, "  tell %s: %s\n", a.Tell.Reason, a.Tell.Message)
		}
	}
	if p.Again > 0 {
		fmt.Fprintf(&b, "again in %s\n", p.Again)
	}
	return b.String()
}

// add appends what is to be done.
func (p *Plan) add(actions ...Action) {
	for _, a := range actions {
		if a.Verb != "" {
			p.Actions = append(p.Actions, a)
		}
	}
}

// patch returns the action that leads from one object to the other, or none if
// they mean the same.
func patch(before, after Object, why string) Action {
	if equality.Semantic.DeepEqual(before, after) {
		return Action{}
	}
	return Action{Verb: Patch, Before: before, After: after, Why: why}
}

func path(o Object) string {
	name := strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/")
	kind := fmt.Sprintf("%T", o)
	return kind[strings.LastIndex(kind, ".")+1:] + " " + name
}

// difference lists the fields that change, sorted by path.
func difference(before, after Object) string {
	was, is := flat(before), flat(after)
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		old, had := was[key]
		new, has := is[key]
		if had && (!has || old != new) {
			fmt.Fprintf(&b, "  - %s=%s\n", key, old)
		}
		if has && (!had || old != new) {
			fmt.Fprintf(&b, "  + %s=%s\n", key, new)
		}
	}
	return b.String()
}

// flat returns the fields of an object by their paths.
func flat(o Object) map[string]string {
	fields := map[string]string{}
	if o == nil {
		return fields
	}
	// These types marshal by construction; if one did not, its fields would be
	// missing from a text that only people read.
	data, _ := json.Marshal(o)
	var tree any
	_ = json.Unmarshal(data, &tree)
	flatten(fields, "", tree)
	return fields
}

func flatten(fields map[string]string, at string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			flatten(fields, strings.TrimPrefix(at+"."+key, "."), below)
		}
	case []any:
		for i, below := range v {
			flatten(fields, fmt.Sprintf("%s[%d]", at, i), below)
		}
	case nil:
	default:
		fields[at] = fmt.Sprint(v)
	}
}
