// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// linger is how long admission is served after readiness was taken back, so that
// whoever spreads the requests has noticed.
const linger = 3 * time.Second

// giveBack hands everything over and serves admission to the last.
func (r *replica) giveBack(ctx context.Context) {
	r.ending.Store(true)
	lingered := time.After(linger)
	r.member.Stop(r.leaving(ctx))
	select {
	case <-r.member.Stopped():
	case <-time.After(shutdownBound):
		r.log.Info("not everything could be given back in time; the lease covers the rest")
	}
	<-lingered
}

// leaving reports whether the StatefulSet has no place for this replica any more.
// If that cannot be known, the replica is expected back: its shards then wait for
// it, but not for long.
func (r *replica) leaving(ctx context.Context) bool {
	set, ordinal, found := cutOrdinal(r.options.member.Member)
	if !found {
		return false
	}
	clientset, err := kubernetes.NewForConfig(r.conns.reads)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	s, err := clientset.AppsV1().StatefulSets(r.options.namespace).Get(ctx, set, metav1.GetOptions{})
	if err != nil {
		r.log.V(1).Info("could not read the StatefulSet; expects to be back", "statefulset", set, "error", err.Error())
		return false
	}
	start := 0
	if s.Spec.Ordinals != nil {
		start = int(s.Spec.Ordinals.Start)
	}
	return s.Spec.Replicas != nil && ordinal >= start+int(*s.Spec.Replicas)
}

// cutOrdinal splits the name of a pod of a StatefulSet.
func cutOrdinal(pod string) (set string, ordinal int, found bool) {
	dash := strings.LastIndex(pod, "-")
	if dash <= 0 {
		return "", 0, false
	}
	ordinal, err := strconv.Atoi(pod[dash+1:])
	return pod[:dash], ordinal, err == nil && ordinal >= 0
}
