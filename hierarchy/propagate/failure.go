// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
)

// maxError is how much of an error fits into a problem and leaves room for the
// rest.
const maxError = 600

// WriteFailed tells of a write that the API server refused: on the source, which
// is nil if there is none, and on the place of the copy.
func WriteFailed(verb hierarchy.Verb, key Key, source *Object, err error) []Problem {
	to, from := "write to", "write from"
	if verb == Delete {
		to, from = "remove from", "remove what came from"
	}
	detail := fmt.Sprintf("%s; %s.", tellable(source, err), remedy(err))
	if source == nil {
		return []Problem{{
			Reason:  ReasonCannotUpdateObject,
			Objects: []Key{key},
			Message: fmt.Sprintf("Could not %s namespace %q: %s", to, key.Namespace, detail),
		}}
	}
	return []Problem{{
		Reason:  ReasonCannotPropagateObject,
		Objects: []Key{source.Key()},
		Message: fmt.Sprintf("Could not %s destination namespace %q: %s", to, key.Namespace, detail),
	}, {
		Reason:  ReasonCannotUpdateObject,
		Objects: []Key{key},
		Message: fmt.Sprintf("Could not %s source namespace %q: %s", from, source.Namespace, detail),
	}}
}

// tellable returns what of an error may stand in an event. That of an API server
// may quote values, which must not be told of a Secret, nor of what might be one.
func tellable(source *Object, err error) string {
	if source == nil || source.Source == nil || source.Source.GroupVersionKind().GroupKind() == (schema.GroupKind{Kind: "Secret"}) {
		return reasonOf(err)
	}
	return cut(strings.TrimRight(err.Error(), ".; \n"), maxError)
}

// reasonOf returns the reason that an API server gave, which is one of a few
// constant words.
func reasonOf(err error) string {
	if reason := statusReason(err); reason != metav1.StatusReasonUnknown {
		return string(reason)
	}
	return "the API server gave no reason"
}

func statusReason(err error) metav1.StatusReason {
	var status interface{ Status() metav1.Status }
	if errors.As(err, &status) {
		return status.Status().Reason
	}
	return metav1.StatusReasonUnknown
}

// remedy is what helps against an error.
func remedy(err error) string {
	switch statusReason(err) {
	case metav1.StatusReasonForbidden:
		return "look at Banyan's rights, and at the quotas and policies of that namespace"
	case metav1.StatusReasonInvalid, metav1.StatusReasonBadRequest:
		return "correct the object, or give it another name"
	case metav1.StatusReasonRequestEntityTooLarge:
		return "make the object smaller"
	}
	return "this is tried again"
}
