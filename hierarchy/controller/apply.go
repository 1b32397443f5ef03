// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/banyan-hns/banyan/hierarchy"
)

// object is what both plans and clients can handle.
type object interface {
	metav1.Object
	runtime.Object
}

// writer carries out actions, one API request each.
//
// Invariant: no request changes anything but the version of the object that the
// decision was made for. Reason: between the look and the write, somebody else
// may have put something of theirs there.
type writer struct{ client client.Client }

// apply returns the object as the server has it afterwards, nil if it has none.
func (w writer) apply(ctx context.Context, verb hierarchy.Verb, before, after object, why string) (object, error) {
	var err error
	target := after
	switch verb {
	case hierarchy.Create:
		target = after.DeepCopyObject().(object)
		err = w.client.Create(ctx, target)
	case hierarchy.Patch:
		target = after.DeepCopyObject().(object)
		from := client.MergeFromWithOptions(before.DeepCopyObject().(client.Object), client.MergeFromWithOptimisticLock{})
		err = w.client.Patch(ctx, target, from)
	case hierarchy.Delete:
		target = before
		err = w.client.Delete(ctx, before, exactly(before))
	default:
		return nil, fmt.Errorf("applying a plan: unknown verb %q", verb)
	}
	if done := settled(verb, err); done {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s of %s %s/%s (%s): %w", verb, kindOf(target), target.GetNamespace(), target.GetName(), why, err)
	}
	log.FromContext(ctx).Info("wrote", "verb", verb, "kind", kindOf(target),
		"namespace", target.GetNamespace(), "name", target.GetName(), "reason", why)
	if verb == hierarchy.Delete {
		return nil, nil
	}
	return target, nil
}

// settled: the world moved on in a way that leaves nothing to do.
func settled(verb hierarchy.Verb, err error) bool {
	switch verb {
	case hierarchy.Delete:
		return apierrors.IsNotFound(err)
	case hierarchy.Create:
		return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
	}
	return false
}

// exactly the object that was looked at, and no other of its name.
func exactly(o metav1.Object) client.Preconditions {
	uid, version := o.GetUID(), o.GetResourceVersion()
	return client.Preconditions{UID: &uid, ResourceVersion: &version}
}

// kindOf an object, as people call it. Typed objects do not always know.
func kindOf(o object) string {
	if kind := o.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	name := fmt.Sprintf("%T", o)
	return name[strings.LastIndex(name, ".")+1:]
}
