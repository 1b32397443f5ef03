// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Names that operations are about. Those that do not fit what is there do nothing.
var (
	// Roots are namespaces that users create.
	Roots = []string{"a", "b", "c", "d", "e", "f"}
	// Subs are namespaces that anchors ask for, and users sometimes create.
	Subs = []string{"s", "t", "u", "v"}
	// Missing is never created.
	Missing = "ghost"
	// Excluded is there, but not managed.
	Excluded = "closed"
)

// Namespaces are all that the ledger is responsible for.
func Namespaces() []string { return slices.Concat(Roots, Subs, []string{Excluded}) }

// Operation of one user. What its parts mean depends on the verb.
type Operation struct{ Verb, Namespace, Kind, Name, Value string }

func (o Operation) String() string {
	var words []string
	for _, word := range []string{o.Verb, o.Namespace, o.Kind, o.Name} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ") + fmt.Sprintf(" %q", o.Value)
}

// concerns reports whether an operation says anything about a namespace.
func (o Operation) concerns(namespace string) bool {
	return slices.Contains([]string{o.Namespace, o.Name, o.Value}, namespace)
}

// verb is a sort of operation: how often it is drawn, how its parts are, and how
// it is done.
type verb struct {
	weight int
	draw   func(*rand.Rand, *Operation)
	do     func(turn) (outcome, error)
}

var verbs map[string]verb

func init() { // A table that is filled here, since operations refer to it.
	verbs = map[string]verb{
		"create namespace": {4, drawNamespace, createNamespace},
		"delete namespace": {1, drawNamespace, deleteNamespace},
		"set parent":       {12, drawParent, setParent},
		"allow cascading":  {3, drawCascading, setCascading},
		"ask for managed":  {4, drawManaged, setManaged},
		"label":            {6, drawLabel, labelNamespace},
		"annotate":         {2, drawAnnotation, annotateNamespace},
		"put anchor":       {7, drawAnchor, putAnchor},
		"delete anchor":    {3, drawAnchor, deleteAnchor},
		"put":              {34, drawObject, putObject},
		"remove":           {8, drawObject, removeObject},
		"hold":             {4, drawHold, holdObject},
		"meddle with":      {12, drawMeddling, meddle},
		"forge":            {2, drawForgery, forge},
		"set mode":         {4, drawMode, setModes},
	}
}

// Draw an operation by weight.
func Draw(r *rand.Rand) Operation {
	names := make([]string, 0, len(verbs))
	for name, v := range verbs {
		names = append(names, slices.Repeat([]string{name}, v.weight)...)
	}
	slices.Sort(names)
	o := Operation{Verb: pick(r, names...)}
	verbs[o.Verb].draw(r, &o)
	return o
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func anyNamespace(r *rand.Rand) string { return pick(r, slices.Concat(Roots, Roots, Subs)...) }

func drawNamespace(r *rand.Rand, o *Operation) { o.Namespace = anyNamespace(r) }

// drawParent makes a healthy tree most of the time: parents come before children.
func drawParent(r *rand.Rand, o *Operation) {
	at := r.IntN(len(Roots))
	o.Namespace, o.Value = Roots[at], Roots[r.IntN(at+1)]
	switch n := r.IntN(100); {
	case n < 3:
		o.Value = Missing
	case n < 6:
		o.Value = Excluded
	case n < 12:
		o.Namespace, o.Value = anyNamespace(r), anyNamespace(r)
	case n < 25 || o.Value == o.Namespace:
		o.Value = ""
	}
}

func drawCascading(r *rand.Rand, o *Operation) {
	o.Namespace, o.Value = anyNamespace(r), pick(r, "", "yes")
}

func drawManaged(r *rand.Rand, o *Operation) {
	o.Namespace = anyNamespace(r)
	o.Value = pick(r, "", "team", "other team", "contact", "illegal", "illegal value", "illegal annotation")
}

func drawLabel(r *rand.Rand, o *Operation) {
	o.Namespace, o.Name, o.Value = anyNamespace(r), "color", pick(r, "", "red", "blue")
	switch r.IntN(8) {
	case 0:
		o.Name, o.Value = "far"+treeSuffix, "3"
	case 1:
		o.Name, o.Value = "team", "own"
	case 2:
		o.Name, o.Value = api.LabelIncludedNamespace, ""
	}
}

func drawAnnotation(r *rand.Rand, o *Operation) {
	o.Namespace, o.Name = anyNamespace(r), api.AnnotationSubnamespaceOf
	o.Value = pick(r, "", anyNamespace(r), Roots[0], Missing)
	if r.IntN(3) == 0 {
		o.Name, o.Value = api.AnnotationManagedBy, pick(r, "", "", "others", api.Group)
	}
}

func drawAnchor(r *rand.Rand, o *Operation) {
	o.Namespace, o.Name = anyNamespace(r), pick(r, Subs...)
	o.Value = pick(r, "", "", "team", "contact", "illegal")
	switch r.IntN(12) {
	case 0:
		o.Name = pick(r, Roots...)
	case 1:
		o.Name = pick(r, Excluded, "with.dots")
	}
}

func drawMode(r *rand.Rand, o *Operation) {
	o.Kind = pick(r, "ConfigMap", "Secret")
	o.Value = string(pick(r, api.Propagate, api.Propagate, api.AllowPropagate, api.AllowPropagate, api.Remove, api.Ignore, unlisted))
}
