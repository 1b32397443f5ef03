// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package validate says whether a change may happen, before it does.
//
// Its verdicts are advice to whoever asks at the door. The forest they rest on
// may be a moment old, so that nothing elsewhere relies on their having been
// right: what slips through becomes a condition, not a fault. Ascent is another
// matter: it asks for live reads, and what it lets pass closes no cycle. The caller
// decides who is exempt, and does the access reviews that RightsNeeded asks for.
package validate

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Verdict is the answer to a request. The zero Verdict denies.
type Verdict struct {
	Allowed bool

	// Reason of a denial, for the status code.
	Reason metav1.StatusReason
	// Field of the object that is at fault, if there is one.
	Field string
	// Message of a denial. It ends in a remedy.
	Message string
	// Causes are the single faults of an invalid object.
	Causes []metav1.StatusCause

	// Warnings are shown to the user, also if the request is allowed.
	Warnings []string
}

// Allow lets the request pass.
func Allow() Verdict { return Verdict{Allowed: true} }

// DenyForbidden refuses what must not be.
func DenyForbidden(field, format string, args ...any) Verdict {
	return deny(metav1.StatusReasonForbidden, field, format, args...)
}

// DenyConflict refuses what does not go with what is.
func DenyConflict(field, format string, args ...any) Verdict {
	return deny(metav1.StatusReasonConflict, field, format, args...)
}

// DenyUnauthorized refuses what the user has no right to.
func DenyUnauthorized(field, format string, args ...any) Verdict {
	return deny(metav1.StatusReasonUnauthorized, field, format, args...)
}

// DenyBadRequest refuses what has no meaning.
func DenyBadRequest(field, format string, args ...any) Verdict {
	return deny(metav1.StatusReasonBadRequest, field, format, args...)
}

// DenyUnavailable refuses what cannot be judged yet.
func DenyUnavailable(format string, args ...any) Verdict {
	return deny(metav1.StatusReasonServiceUnavailable, "", format, args...)
}

// DenyInvalid refuses a malformed object, with all that is wrong with it.
func DenyInvalid(causes []metav1.StatusCause) Verdict {
	v := Verdict{Reason: metav1.StatusReasonInvalid, Causes: causes}
	for i, c := range causes {
		if i == 0 {
			v.Field, v.Message = c.Field, c.Field+": "+c.Message
			continue
		}
		v.Message += fmt.Sprintf("; %s: %s", c.Field, c.Message)
	}
	return v
}

func deny(reason metav1.StatusReason, field, format string, args ...any) Verdict {
	return Verdict{Reason: reason, Field: field, Message: fmt.Sprintf(format, args...)}
}

// first returns the first denial, or permission if there is none. It carries the
// warnings of all rules that were asked.
func first(rules ...func() Verdict) Verdict {
	var warnings []string
	for _, rule := range rules {
		v := rule()
		warnings = append(warnings, v.Warnings...)
		if !v.Allowed {
			v.Warnings = warnings
			return v
		}
	}
	return Verdict{Allowed: true, Warnings: warnings}
}
