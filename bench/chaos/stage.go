// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/banyan-hns/banyan/bench/proxy"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/trees"
)

// stage is the cluster that is tormented.
type stage struct {
	*rig.Rig
	options options
	dir     string
	began   time.Time // of the first fault

	links map[string]*proxy.Link
	each  map[string]*sync.Mutex // by replica: for one fault at a time
	users *users
	// running is how many replicas there are to be: the first so many.
	running int
	told    told
	record  *recording

	mu    sync.Mutex // guards links and deeds
	deeds []deed
}

// deed is a fault that happened.
type deed struct {
	Fault
	From, To time.Time
	Note     string
}

// stopFiles is where a replica that stops itself reads the point.
const stopFiles = "BANYAN_STOP_DIR"

// open a cluster with replicas behind links.
func open(ctx context.Context, o options, ground rig.Ground) (*stage, error) {
	s := &stage{options: o, dir: ground.Dir, running: o.replicas, links: map[string]*proxy.Link{}, each: map[string]*sync.Mutex{}}
	for _, dir := range []string{"stop", "links"} {
		if err := os.MkdirAll(filepath.Join(ground.Dir, dir), 0o700); err != nil {
			return nil, fmt.Errorf("making a place for the stage: %w", err)
		}
	}
	if err := os.Setenv(stopFiles, filepath.Join(ground.Dir, "stop")); err != nil {
		return nil, fmt.Errorf("telling replicas where to read: %w", err)
	}
	ctrllog.SetLogger(logr.Discard()) // clients of the rig have nothing to log
	var err error
	s.Rig, err = rig.Start(ctx, rig.Options{
		Dir: filepath.Join(ground.Dir, "cluster"), Binary: ground.Binary, Replicas: o.replicas, Flags: o.flags, Route: s.route, Out: os.Stderr,
	})
	if err != nil {
		return nil, err
	}
	for _, name := range s.Names {
		s.each[name] = &sync.Mutex{}
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.record, err = record(ctx, s.Plane.Config(), filepath.Join(ground.Dir, "record.jsonl")); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// route gives each pod a link of its own.
func (s *stage) route(name, kubeconfig string) (string, error) {
	link, err := proxy.NewLink(kubeconfig, filepath.Join(s.dir, "links"))
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	old := s.links[name]
	s.links[name] = link
	s.mu.Unlock()
	if old != nil {
		_ = old.Close() // nobody uses it any more
	}
	return link.Kubeconfig(), nil
}

// link of the process that was started last under a name.
func (s *stage) link(name string) *proxy.Link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.links[name]
}

// Close ends everything.
func (s *stage) Close() error {
	err := errors.Join(s.record.stop(), s.Rig.Close())
	for _, link := range s.links {
		err = errors.Join(err, link.Close())
	}
	return err
}

// setName is that of the StatefulSet in the manifests.
const setName = "banyan"

// prepare gives replicas a StatefulSet to read, which nobody obeys: the rig starts
// the processes itself.
func (s *stage) prepare(ctx context.Context) error {
	binding := &rbacv1.ClusterRoleBinding{}
	if err := s.Client.Get(ctx, client.ObjectKey{Name: "system:controller:statefulset-controller"}, binding); err != nil {
		return fmt.Errorf("finding the rights of the StatefulSet controller: %w", err)
	}
	binding.Annotations[rbacv1.AutoUpdateAnnotationKey] = "false"
	binding.Subjects = nil
	if err := s.Client.Update(ctx, binding); err != nil {
		return fmt.Errorf("taking the rights of the StatefulSet controller: %w", err)
	}
	labels := map[string]string{"app": setName}
	if err := s.Client.Create(ctx, &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: replicas.Namespace, Name: setName},
		Spec: appsv1.StatefulSetSpec{
			Replicas: ptr.To(int32(s.options.replicas)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "banyan", Image: "none"}}},
			},
		},
	}); err != nil {
		return fmt.Errorf("making a StatefulSet: %w", err)
	}
	return nil
}

// grow the forest, with two objects in each namespace.
func (s *stage) grow(ctx context.Context) (trees.Forest, error) {
	forest := trees.PlanTrees(s.options.namespaces, s.options.trees)
	g := trees.Grower{Rig: s.Rig, Forest: forest, Objects: 2, Workers: 20}
	took, err := g.Grow(ctx)
	if err != nil {
		return nil, err
	}
	s.Say("%d namespaces in %d trees grew in %v", len(forest), s.options.trees, took.Round(time.Second))
	took, err = g.FanOut(ctx)
	if err != nil {
		return nil, err
	}
	s.Say("%d copies arrived in %v", g.Copies(), took.Round(time.Second))
	return forest, nil
}

// perform the plan. A fault that could not be made, or not be mended, ends it.
func (s *stage) perform(ctx context.Context, plan []Fault) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.began = time.Now()
	late := time.Duration(0) // what recovery took longer than was estimated
	var running sync.WaitGroup
	for _, f := range plan {
		if err := pause(ctx, time.Until(s.began.Add(f.At+late))); err != nil {
			break
		}
		begin := func() {
			if err := s.inflict(ctx, f); err != nil {
				cancel(fmt.Errorf("inflicting %s: %w", f, err))
			}
		}
		if f.Replica < 0 {
			running.Wait()
			late = max(late, time.Since(s.began)-f.At)
			begin()
			late = max(late, time.Since(s.began)-f.At-f.takes())
			continue
		}
		running.Go(begin)
	}
	running.Wait()
	return context.Cause(ctx)
}

func (s *stage) inflict(ctx context.Context, f Fault) error {
	if f.Replica >= 0 {
		turn := s.each[s.Names[f.Replica]]
		turn.Lock()
		defer turn.Unlock()
	}
	d := deed{Fault: f, From: time.Now()}
	s.Say("%s", f)
	note, err := inflictions[f.Kind](ctx, s, f)
	d.To, d.Note = time.Now(), note
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deeds = append(s.deeds, d)
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
