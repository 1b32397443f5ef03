// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"fmt"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// exceptions are the flags that name objects of other controllers.
type exceptions struct{ labels, names, selectors []string }

// parse adds them to the options of propagation, or returns all their faults.
func (e exceptions) parse(to *propagate.Options) error {
	return errors.Join(
		parseEach("nopropagation-label", e.labels, propagate.ParseLabel, &to.NoPropagationLabels),
		parseEach("nopropagation-name", e.names, propagate.ParseNamePattern, &to.NoPropagationNames),
		parseEach("nopropagation-selector", e.selectors, propagate.ParseSelector, &to.NoPropagationSelectors),
	)
}

func parseEach[T any](flag string, values []string, parse func(string) (T, error), to *[]T) error {
	var faults []error
	for _, value := range values {
		parsed, err := parse(value)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", flag, err))
			continue
		}
		*to = append(*to, parsed)
	}
	return errors.Join(faults...)
}
