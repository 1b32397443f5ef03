// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var configMaps = schema.GroupResource{Resource: "configmaps"}

// Memory is one ConfigMap, or what is wrong with it.
type Memory struct {
	kept    *corev1.ConfigMap
	version int

	text   string // what it holds at first
	err    error  // of each read
	outrun bool   // each write comes late
}

func (m *Memory) Get(context.Context, string, metav1.GetOptions) (*corev1.ConfigMap, error) {
	switch {
	case m.err != nil:
		return nil, m.err
	case m.text != "":
		return &corev1.ConfigMap{Data: map[string]string{movesField: m.text}}, nil
	case m.kept == nil:
		return nil, apierrors.NewNotFound(configMaps, MovesConfigMap)
	}
	return m.kept.DeepCopy(), nil
}

func (m *Memory) Create(_ context.Context, c *corev1.ConfigMap, _ metav1.CreateOptions) (*corev1.ConfigMap, error) {
	return m.put(c, m.kept == nil)
}

func (m *Memory) Update(_ context.Context, c *corev1.ConfigMap, _ metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	return m.put(c, m.kept != nil && m.kept.ResourceVersion == c.ResourceVersion)
}

func (m *Memory) put(c *corev1.ConfigMap, fits bool) (*corev1.ConfigMap, error) {
	if m.outrun || !fits {
		return nil, apierrors.NewConflict(configMaps, MovesConfigMap, errOutrun)
	}
	m.version++
	m.kept = c.DeepCopy()
	m.kept.ResourceVersion = strconv.Itoa(m.version)
	return m.kept, nil
}

// Text is what was written last.
func (m *Memory) Text() string {
	if m.kept == nil {
		return ""
	}
	return m.kept.Data[movesField]
}
