// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// MovesConfigMap is the object that holds the changes of parents that are under
// way. The first one creates it. If somebody deletes it while there are some, these
// are forgotten, and one that opposes them may be granted.
const (
	MovesConfigMap = "banyan-moves"
	movesField     = "moves"
)

// ConfigMaps are those of Banyan's own namespace; a client of client-go has them.
type ConfigMaps interface {
	Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.ConfigMap, error)
	Create(ctx context.Context, c *corev1.ConfigMap, o metav1.CreateOptions) (*corev1.ConfigMap, error)
	Update(ctx context.Context, c *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error)
}

// record reads and writes the moves that are under way.
type record struct{ maps ConfigMaps }

// page is the record at one version.
type page struct {
	kept  *corev1.ConfigMap // nil, if there is none
	moves validate.Moves
}

// errOutrun means that somebody else wrote first.
var errOutrun = errors.New("somebody else changed it")

func (r record) read(ctx context.Context) (page, error) {
	kept, err := r.maps.Get(ctx, MovesConfigMap, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return page{}, nil
	}
	if err != nil {
		return page{}, fmt.Errorf("reading ConfigMap %s: %w", MovesConfigMap, err)
	}
	p := page{kept: kept}
	if text := kept.Data[movesField]; text != "" {
		if err := json.Unmarshal([]byte(text), &p.moves); err != nil {
			return page{}, fmt.Errorf("reading ConfigMap %s: data.%s: %w; delete the ConfigMap, while nobody changes a parent", MovesConfigMap, movesField, err)
		}
	}
	return p, nil
}

// write replaces the page that was read, or returns errOutrun if it is no longer
// the last one.
func (r record) write(ctx context.Context, p page, moves validate.Moves) error {
	text, err := json.Marshal(moves)
	if err != nil {
		return fmt.Errorf("writing ConfigMap %s: %w", MovesConfigMap, err)
	}
	next := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: MovesConfigMap}}
	if p.kept != nil {
		next = p.kept.DeepCopy()
	}
	next.Data = map[string]string{movesField: string(text)}
	if p.kept == nil {
		_, err = r.maps.Create(ctx, next, metav1.CreateOptions{})
	} else {
		_, err = r.maps.Update(ctx, next, metav1.UpdateOptions{})
	}
	switch {
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err):
		return errOutrun
	case err != nil:
		return fmt.Errorf("writing ConfigMap %s: %w", MovesConfigMap, err)
	}
	return nil
}
