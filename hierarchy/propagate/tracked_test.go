// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestNamed: one can try anything with a part of what is known.
func TestNamed(t *testing.T) {
	all := observed(source("a", "1"), copyOf("b", "a", "1"), source("c", "1"))
	tracked := propagate.Tracked{Objects: all}

	part := tracked.Named("s", []string{"a", "b", "d"})
	require.Equal(t, configMaps, part.GVK())
	require.Equal(t, propagate.Counts{Sources: 1, Copies: 1}, part.Counts())
	_, ok := part.Get("c", "s")
	require.False(t, ok, "nobody asked for that namespace")
	require.Equal(t, propagate.Counts{}, tracked.Named("other", []string{"a", "b"}).Counts())

	part.Remove("a", "s")
	part.Set(propagate.Observe(source("d", "2").u))
	require.Equal(t, propagate.Counts{Sources: 1, Copies: 1}, part.Counts())
	require.Equal(t, propagate.Counts{Sources: 2, Copies: 1}, all.Counts(), "the whole stays as it was")
	_, ok = all.Get("a", "s")
	require.True(t, ok)
}

func TestEdited(t *testing.T) {
	object := func(gvk schema.GroupVersionKind, fields ...any) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetGroupVersionKind(gvk)
		u.SetName("s")
		for i := 0; i < len(fields); i += 2 {
			u.Object[fields[i].(string)] = fields[i+1]
		}
		return u
	}
	claims := schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"}
	plain := object(configMaps, "data", map[string]any{"k": "v"})
	with := func(change func(*unstructured.Unstructured)) *unstructured.Unstructured {
		u := plain.DeepCopy()
		change(u)
		return u
	}
	for name, tc := range map[string]struct {
		old, new *unstructured.Unstructured
		want     string
	}{
		"nothing":               {old: plain, new: plain},
		"its data":              {old: plain, new: object(configMaps, "data", map[string]any{"k": "w"}), want: "content"},
		"a new field":           {old: plain, new: object(configMaps, "data", map[string]any{"k": "v"}, "immutable", true), want: "content"},
		"large numbers, by one": {old: object(configMaps, "n", int64(1<<60)), new: object(configMaps, "n", int64(1<<60+1)), want: "content"},
		"its status":            {old: plain, new: object(configMaps, "data", map[string]any{"k": "v"}, "status", map[string]any{"ready": true})},
		"a finalizer":           {old: plain, new: with(func(u *unstructured.Unstructured) { u.SetFinalizers([]string{"f"}) })},
		"a label":               {old: plain, new: with(func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"a": "b"}) }), want: "labels"},
		"a label of ours":       {old: plain, new: with(func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"hnc.x-k8s.io/a": "b"}) }), want: "labels"},
		"an annotation":         {old: plain, new: with(func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{"a": "b"}) }), want: "annotations"},
		"an annotation of ours": {old: plain, new: with(func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{api.AnnotationNoneSelector: "true"})
		}), want: "annotations"},
		"an annotation that a tool sets": {old: plain, new: with(func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}"})
		}), want: "annotations"},
		"a claim is bound": {old: object(claims, "spec", map[string]any{"accessModes": []any{"ReadWriteOnce"}}), new: func() *unstructured.Unstructured {
			u := object(claims, "spec", map[string]any{"accessModes": []any{"ReadWriteOnce"}, "volumeName": "v"})
			u.SetAnnotations(map[string]string{"pv.kubernetes.io/bind-completed": "yes"})
			return u
		}()},
		"a claim grows": {old: object(claims, "spec", map[string]any{"resources": "1"}), new: object(claims, "spec", map[string]any{"resources": "2"}), want: "content"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, propagate.Edited(tc.old, tc.new))
		})
	}
}

func TestIsTracking(t *testing.T) {
	require.True(t, propagate.IsTracking("app.kubernetes.io/instance"))
	require.True(t, propagate.IsTracking("kustomize.toolkit.fluxcd.io/name"))
	require.False(t, propagate.IsTracking("team"))
}
