// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// exceptionKeys are the annotations by which users limit propagation.
var exceptionKeys = []string{api.AnnotationSelector, api.AnnotationTreeSelector, api.AnnotationNoneSelector, api.AnnotationAllSelector}

// parseException reads one of these annotations.
func parseException(key string, annotations map[string]string) (err error) {
	switch key {
	case api.AnnotationSelector:
		_, err = propagate.ParseSelect(annotations)
	case api.AnnotationTreeSelector:
		_, err = propagate.ParseTreeSelect(annotations)
	case api.AnnotationNoneSelector:
		_, err = propagate.ParseNone(annotations)
	case api.AnnotationAllSelector:
		_, err = propagate.ParseAll(annotations)
	}
	return err
}

// exceptions checks the annotations of a source that are new or other than they
// were. What stood there already must not keep anybody from removing a finalizer.
func exceptions(old, new *unstructured.Unstructured) Verdict {
	annotations, before := new.GetAnnotations(), map[string]string{}
	if old != nil {
		before = old.GetAnnotations()
	}
	var changed []string
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if was, had := before[key]; !had || was != annotations[key] {
			changed = append(changed, key)
		}
	}
	return first(
		func() Verdict { return knownExceptions(changed) },
		func() Verdict { return legalExceptions(changed, annotations) },
		func() Verdict { return oneException(changed, annotations) },
	)
}

// knownExceptions: a key that is misspelt would be silently ignored.
func knownExceptions(changed []string) Verdict {
	for _, key := range changed {
		if looksLikeException(key) && !slices.Contains(exceptionKeys, key) {
			return DenyBadRequest(annotationField(key), "Banyan knows no such annotation; use one of %s", strings.Join(exceptionKeys, ", "))
		}
	}
	return Allow()
}

// looksLikeException: a key of some direct subdomain of ours.
func looksLikeException(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	label, ok := strings.CutSuffix(prefix, "."+api.Group)
	return ok && !strings.Contains(label, ".")
}

// legalExceptions: what cannot be read would stop all propagation.
func legalExceptions(changed []string, annotations map[string]string) Verdict {
	for _, key := range changed {
		if err := parseException(key, annotations); err != nil {
			return DenyBadRequest(annotationField(key), "%v; correct the value, or remove the annotation", err)
		}
	}
	return Allow()
}

// oneException: few people foresee what two of them do together.
func oneException(changed []string, annotations map[string]string) Verdict {
	isSet := func(key string) bool { return annotations[key] != "" && slices.Contains(exceptionKeys, key) }
	set := slices.DeleteFunc(slices.Clone(exceptionKeys), func(key string) bool { return !isSet(key) })
	if len(set) > 1 && slices.ContainsFunc(changed, isSet) {
		return DenyBadRequest("metadata.annotations", "only one of these can be set at a time: %s; remove the others", strings.Join(set, ", "))
	}
	return Allow()
}

func annotationField(key string) string { return fmt.Sprintf("metadata.annotations[%s]", key) }
