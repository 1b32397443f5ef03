// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func TestObserveCopy(t *testing.T) {
	u := propagate.Copy(parse(t, fullSource), "c", propagate.Options{})
	u.SetUID("u2")
	u.SetResourceVersion("9")
	u.SetFinalizers([]string{"f"})
	before := u.DeepCopy()
	require.Equal(t, &propagate.Object{
		Namespace: "c", Name: "s", UID: "u2", ResourceVersion: "9",
		InheritedFrom: "p", HasFinalizers: true, Hash: propagate.Hash(u),
	}, propagate.Observe(u))
	require.Equal(t, before, u, "what is observed is not changed")
}

func TestObserveSource(t *testing.T) {
	u := parse(t, fullSource)
	before := u.DeepCopy()
	o := propagate.Observe(u)
	require.Equal(t, before, u, "what is observed is not changed")
	require.False(t, o.IsCopy())
	require.Zero(t, o.Hash)
	require.Empty(t, o.Source.GetManagedFields())

	kept := o.Source.DeepCopy()
	kept.SetManagedFields(before.GetManagedFields())
	require.Equal(t, before, kept, "only the managed fields are lost")
}

func TestObserveKeepsASourceAsItIs(t *testing.T) {
	u := source("a", "1").u
	require.Same(t, u, propagate.Observe(u).Source)
}

// TestSizeOfACopy: what is kept of a copy does not grow with what it stands for.
func TestSizeOfACopy(t *testing.T) {
	small, large := copyOf("b", "a", "x"), copyOf("b", "a", strings.Repeat("x", 1<<20))
	large.annotated("note=" + strings.Repeat("y", 1<<16))
	for i := range 100 {
		large.label(fmt.Sprintf("label-%d", i), "value")
	}
	require.Equal(t, sizeOf(propagate.Observe(small.u)), sizeOf(propagate.Observe(large.u)))
	require.Less(t, sizeOf(propagate.Observe(large.u)), 256)
	require.Greater(t, sizeOf(propagate.Observe(source("a", "x").u)), 1<<16, "a source is kept whole")
}

// sizeOf is the size of an object with its texts. Whatever else it points to
// counts as if it were large.
func sizeOf(o *propagate.Object) int {
	value := reflect.ValueOf(o).Elem()
	size := int(value.Type().Size())
	for i := range value.NumField() {
		switch field := value.Field(i); field.Kind() {
		case reflect.String:
			size += field.Len()
		case reflect.Bool, reflect.Uint64:
		default:
			if !field.IsZero() {
				size += 1 << 20
			}
		}
	}
	return size
}

// TestStoresCanIndexObjects: they ask for the metadata through an accessor.
func TestStoresCanIndexObjects(t *testing.T) {
	u := source("a", "1").u
	u.SetUID("u1")
	u.SetResourceVersion("7")
	accessor, err := meta.Accessor(propagate.Observe(u))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "s", "u1", "7"}, []string{
		accessor.GetNamespace(), accessor.GetName(), string(accessor.GetUID()), accessor.GetResourceVersion(),
	})
	require.Equal(t, propagate.Key{Namespace: "a", Name: "s"}, propagate.Observe(u).Key())
}

func TestSameSource(t *testing.T) {
	source := func(change func(*unstructured.Unstructured)) *propagate.Object {
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": map[string]any{"namespace": "a", "name": "x", "uid": "1", "labels": map[string]any{"app": "x"}},
			"spec":     map[string]any{"replicas": int64(1)},
		}}
		change(u)
		return propagate.Observe(u)
	}
	folded := func(o *propagate.Object) *propagate.Object {
		propagate.NewObjects(schema.GroupVersionKind{}, propagate.Options{}).Set(o)
		return o
	}
	before := folded(source(func(*unstructured.Unstructured) {}))
	for name, tc := range map[string]struct {
		change func(*unstructured.Unstructured)
		want   bool
	}{
		"another version": {func(u *unstructured.Unstructured) { u.SetResourceVersion("2") }, true},
		"another status":  {func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{"replicas": int64(1)} }, true},
		"another owner": {func(u *unstructured.Unstructured) {
			u.SetOwnerReferences([]metav1.OwnerReference{{Kind: "Application", Name: "y"}})
		}, true},
		"another spec":  {func(u *unstructured.Unstructured) { u.Object["spec"] = map[string]any{"replicas": int64(2)} }, false},
		"another label": {func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"app": "y"}) }, false},
		"an exception": {func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{api.AnnotationNoneSelector: "true"})
		}, false},
		"a finalizer":           {func(u *unstructured.Unstructured) { u.SetFinalizers([]string{"example.com/wait"}) }, false},
		"being deleted":         {func(u *unstructured.Unstructured) { u.SetDeletionTimestamp(&metav1.Time{Time: foresttest.Time.Time}) }, false},
		"another object":        {func(u *unstructured.Unstructured) { u.SetUID("2") }, false},
		"a copy of an ancestor": {func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{api.LabelInheritedFrom: "b"}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, propagate.SameSource(before, folded(source(tc.change))))
		})
	}
	require.False(t, propagate.SameSource(nil, before), "it came")
	require.False(t, propagate.SameSource(before, nil), "it went")
}
