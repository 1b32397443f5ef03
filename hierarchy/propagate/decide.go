// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Verbs of an Action. The empty verb means that there is nothing to do.
const (
	None   hierarchy.Verb = ""
	Create                = hierarchy.Create
	Delete                = hierarchy.Delete
	// Replace puts After in the place of Before, on condition of Before's
	// resourceVersion. The object keeps its UID.
	Replace hierarchy.Verb = "Replace"
)

// Action is what must be done about one object.
type Action struct {
	Verb hierarchy.Verb

	// Before is what stands there; nil for Create.
	Before *Object
	// After is the copy to write; nil for Delete.
	After *unstructured.Unstructured
	// Source is the object that After is a copy of. For Delete it is the one
	// that Before was a copy of, if that is still there.
	Source *Object

	// Why is a reason in a few words.
	Why string

	// Problems are to be told to users, also if there is nothing to do.
	Problems []Problem
}

// Problem is something that users should know about one or more objects.
type Problem struct {
	// Reason is one of the constants below, and that of the event.
	Reason string
	// Objects are those that the event is about.
	Objects []Key
	Message string
}

// Reasons of events. The first three are HNC's.
const (
	ReasonCannotParseSelector   = "CannotParseSelector"
	ReasonCannotPropagateObject = "CannotPropagateObject"
	ReasonCannotUpdateObject    = "CannotUpdateObject"
	ReasonObjectReplaced        = "ObjectReplaced"
	ReasonObjectInTheWay        = "ObjectInTheWay"
)

// Decide says what must be done about the object at a key, present or not. It
// never deletes or replaces a source, but for one case: in mode Propagate, what
// an ancestor propagates replaces what a user had put there, since a policy must
// reach all of its subtree.
func Decide(f *hierarchy.Forest, objects *Objects, mode api.SynchronizationMode, key Key) Action {
	mode = Mode(mode)
	if mode == api.Ignore || !isDestination(f, key.Namespace) {
		return Action{}
	}
	here, present := objects.Get(key.Namespace, key.Name)
	if present && here.Terminating {
		return Action{}
	}

	source, problems := findSource(f, objects, mode, key)
	action := Action{Problems: problems}
	switch {
	case !present && source == nil:
	case !present:
		action.Verb, action.Why = Create, "it is missing"
	case !here.IsCopy():
		action.meet(here, source, mode)
	case source == nil:
		action.Verb, action.Why = Delete, "no ancestor propagates it any more"
	case here.InheritedFrom != source.Namespace:
		action.Verb, action.Why = Replace, fmt.Sprintf("it is inherited from %s now", source.Namespace)
	case here.Hash != source.Hash:
		action.Verb, action.Why = Replace, "it differs from its source"
	}
	switch action.Verb {
	case Create, Replace:
		action.Before, action.After, action.Source = here, Copy(source.Source, key.Namespace, objects.options), source
	case Delete:
		action.Before, action.Source = here, objects.source(here.InheritedFrom, key.Name)
	}
	return action
}

// isDestination reports whether anything may be written in the namespace. Below
// a halt nothing is, not even a deletion: who inherits what is not known.
func isDestination(f *hierarchy.Forest, namespace string) bool {
	return f.Exists(namespace) && f.Scope().Manages(namespace) &&
		!f.IsTerminating(namespace) && f.HaltedRoot(namespace) == ""
}

// meet decides about an object that a user put where a copy belongs, or where
// nobody propagates anything.
func (a *Action) meet(here, source *Object, mode api.SynchronizationMode) {
	if here.HasFinalizers {
		a.Problems = append(a.Problems, Problem{
			Reason:  ReasonCannotPropagateObject,
			Objects: []Key{here.Key()},
			Message: "Objects with finalizers cannot be propagated; remove the finalizers if it should be.",
		})
	}
	if source == nil {
		return
	}
	both := []Key{here.Key(), source.Key()}
	if mode == api.AllowPropagate {
		a.Problems = append(a.Problems, Problem{
			Reason:  ReasonObjectInTheWay,
			Objects: both,
			Message: fmt.Sprintf("Namespace %q has an object of its own by the name %q, so that of its ancestor %q is not copied; rename or delete one of them.", here.Namespace, here.Name, source.Namespace),
		})
		return
	}
	a.Verb = Replace
	a.Why = fmt.Sprintf("ancestor %s propagates one of the same name, which replaces this one", source.Namespace)
	a.Problems = append(a.Problems, Problem{
		Reason:  ReasonObjectReplaced,
		Objects: both,
		Message: fmt.Sprintf("Namespace %q had an object of its own by the name %q; a copy of that of its ancestor %q replaced it. Give objects in a tree different names.", here.Namespace, here.Name, source.Namespace),
	})
}

// search is one look for the source of one name.
type search struct {
	f       *hierarchy.Forest
	objects *Objects
	mode    api.SynchronizationMode
	name    string
}

// findSource returns the source whose copy belongs at the key: that of the
// topmost ancestor which may propagate there. One that may not is passed over
// in favour of a lower one.
//
// A source that is about to be replaced itself gives nothing. Otherwise, what
// becomes of the objects below it would depend on who is looked at first.
func findSource(f *hierarchy.Forest, objects *Objects, mode api.SynchronizationMode, key Key) (*Object, []Problem) {
	if mode == api.Remove {
		return nil, nil
	}
	s := search{f, objects, mode, key.Name}
	var lasting []*Object
	for _, ancestor := range slices.Backward(f.Ancestors(key.Namespace)) {
		o := s.source(ancestor)
		if o == nil {
			continue
		}
		if mode == api.Propagate && isDestination(f, ancestor) {
			if replacement, _ := s.first(lasting, ancestor); replacement != nil {
				continue
			}
		}
		lasting = append(lasting, o)
	}
	return s.first(lasting, key.Namespace)
}

// source returns the object in a namespace if it may be copied at all.
func (s search) source(namespace string) *Object {
	o, ok := s.objects.Get(namespace, s.name)
	if !ok || o.IsCopy() || o.Terminating || Excepted(s.objects.gvk, o.Source, s.objects.options) != "" {
		return nil
	}
	return o
}

// first returns the first of the sources that selects the namespace.
func (s search) first(sources []*Object, namespace string) (*Object, []Problem) {
	if len(sources) == 0 {
		return nil, nil
	}
	var problems []Problem
	labels := s.f.Labels(namespace)
	for _, o := range sources {
		selected, err := Selects(s.mode, o.Source.GetAnnotations(), labels)
		if err != nil {
			problems = append(problems, Problem{
				Reason:  ReasonCannotParseSelector,
				Objects: []Key{o.Key()},
				Message: fmt.Sprintf("This object is not propagated: %v; correct the annotation.", err),
			})
		}
		if selected {
			return o, problems
		}
	}
	return nil, problems
}
