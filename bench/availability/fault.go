// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// fault is what the error of a request shows.
type fault int

const (
	// wrong: an answer that should have been another, or a way that is closed, such as a
	// certificate that is not trusted. No death of a replica explains it.
	wrong fault = iota
	// passedOver: nobody answered, and the API server went on without.
	passedOver
	// cutOff: the connection to a webhook ended, or could not be made.
	cutOff
	// silence: a webhook did not answer in time.
	silence
	// unserved: the API server gave no answer of its own.
	unserved
)

// errUnchanged: the API server did what was asked as if there were no webhook. Some are
// passed over if they do not answer.
var errUnchanged = errors.New("the webhook was passed over")

// Words of the API server about a webhook that it did not get an answer from, as Go's
// packages net and net/http put them. The URL of a webhook has a timeout, too.
var (
	cutOffWords  = []string{"EOF", "connection reset", "connection refused", "broken pipe", "use of closed", "server closed idle connection"}
	silenceWords = []string{"deadline exceeded", "handshake timeout", "i/o timeout", "client connection lost"}
)

func faultOf(err error) fault {
	if errors.Is(err, errUnchanged) {
		return passedOver
	}
	text := err.Error()
	has := func(word string) bool { return strings.Contains(text, word) }
	switch {
	case has(validate.StampMissing): // by one webhook, and another said so
		return passedOver
	case has("failed calling webhook") && slices.ContainsFunc(silenceWords, has):
		return silence
	case has("failed calling webhook") && slices.ContainsFunc(cutOffWords, has):
		return cutOff
	case has("webhook"): // denied, not trusted, or not understood
		return wrong
	case apierrors.ReasonForError(err) == "", apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsTooManyRequests(err):
		return unserved
	}
	return wrong
}
