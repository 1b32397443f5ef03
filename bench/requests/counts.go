// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package requests counts writes: as the API server counts them, and as one client
// of it does, so that the difference is what everybody else wrote.
package requests

import (
	"maps"
	"slices"
	"strings"
)

// Kind is what requests are counted by.
type Kind struct {
	// Verb is POST, PUT, PATCH, APPLY, DELETE or DELETECOLLECTION.
	Verb string
	// Resource, with its subresource, if any: "namespaces/finalize".
	Resource string
	// Refused: the answer was no success.
	Refused bool
}

// Verbs that write, in the order in which tables show them.
var Verbs = []string{"POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION"}

// Counts of write requests. What is not there, is 0.
type Counts map[Kind]int

// Minus returns what is in c and not in other. The result has no zeros.
func (c Counts) Minus(other Counts) Counts {
	difference := maps.Clone(c)
	if difference == nil {
		difference = Counts{}
	}
	for kind, n := range other {
		difference[kind] -= n
	}
	maps.DeleteFunc(difference, func(_ Kind, n int) bool { return n == 0 })
	return difference
}

// Plus returns the sum.
func (c Counts) Plus(other Counts) Counts {
	sum := maps.Clone(c)
	if sum == nil {
		sum = Counts{}
	}
	for kind, n := range other {
		sum[kind] += n
	}
	return sum
}

// Of sums all requests for the resources, whatever their verb and answer.
// Subresources count as their resource.
func (c Counts) Of(resources ...string) int {
	return c.sum(func(k Kind) bool { return slices.Contains(resources, base(k.Resource)) })
}

// Except sums all requests for other resources than these.
func (c Counts) Except(resources ...string) int {
	return c.sum(func(k Kind) bool { return !slices.Contains(resources, base(k.Resource)) })
}

// Done sums the successes for exactly this verb and resource.
func (c Counts) Done(verb, resource string) int { return c[Kind{Verb: verb, Resource: resource}] }

// Refused sums the refusals for exactly this resource.
func (c Counts) Refused(resource string) int {
	return c.sum(func(k Kind) bool { return k.Resource == resource && k.Refused })
}

// Resources that occur, sorted.
func (c Counts) Resources() []string {
	seen := map[string]bool{}
	for kind := range c {
		seen[kind.Resource] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func (c Counts) sum(match func(Kind) bool) int {
	sum := 0
	for kind, n := range c {
		if match(kind) {
			sum += n
		}
	}
	return sum
}

// base is the resource without its subresource.
func base(resource string) string {
	before, _, _ := strings.Cut(resource, "/")
	return before
}
