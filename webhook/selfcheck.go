// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// PathSelfCheck is asked about nothing but the dry runs of Banyan itself.
const PathSelfCheck = "/self-check"

const (
	checkEvery = 15 * time.Second
	checkAgain = time.Second // until the first success
	checkLimit = 5 * time.Second

	// reached opens the answer by which a check knows that it has come through.
	reached = "reached replica "
)

// SelfCheck knows whether the API server reaches the webhooks: it has the API
// server admit something, in a dry run, which only the webhooks refuse. A probe
// of the port could not tell; the way from the API server has its own network,
// Service and trust.
type SelfCheck struct {
	// Replica is the name of this one.
	Replica string
	// Namespace that Banyan runs in.
	Namespace string
	// Client whose requests are dry runs.
	Client client.Client
	Log    logr.Logger
	// Changed, if set, is called when Reached has another answer than before.
	Changed func()

	answered atomic.Int64 // when this replica was asked last, in Unix nanoseconds; 0: never

	mu     sync.Mutex
	failed error // why the last check failed
	last   time.Time
}

// answer to a check, of this replica or of another.
func (s *SelfCheck) answer(context.Context, admission.Request) admission.Response {
	return admission.Denied(reached + s.Replica)
}

// noting notes that the API server asked. It always says for whom, which a probe
// of the port does not.
func (s *SelfCheck) noting(next admission.Handler) admission.Handler {
	return admission.HandlerFunc(func(ctx context.Context, request admission.Request) admission.Response {
		if request.UserInfo.Username != "" {
			s.answered.Store(time.Now().UnixNano())
		}
		return next.Handle(ctx, request)
	})
}

// Reached reports whether the last check came through to some replica.
func (s *SelfCheck) Reached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.last.IsZero() && s.failed == nil
}

// Start checks until the context ends.
func (s *SelfCheck) Start(ctx context.Context) error {
	for {
		s.note(s.check(ctx))
		pause := checkEvery
		if !s.Reached() {
			pause = checkAgain
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// NeedLeaderElection: every replica checks for itself.
func (s *SelfCheck) NeedLeaderElection() bool { return false }

func (s *SelfCheck) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	probe := &api.HierarchyConfiguration{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: api.HierarchyConfigurationName}}
	err := s.Client.Create(ctx, probe, client.DryRunAll)
	switch {
	case err == nil || apierrors.IsAlreadyExists(err):
		return fmt.Errorf("the API server asks no webhook of configuration %q", ObjectsConfiguration)
	case strings.Contains(err.Error(), reached):
		return nil
	}
	return err
}

// note tells of a change, and not of what stays.
func (s *SelfCheck) note(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	before := s.Reached()
	s.set(err)
	if s.Changed != nil && s.Reached() != before {
		s.Changed()
	}
}

func (s *SelfCheck) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.last.IsZero()
	switch {
	case err == nil && (first || s.failed != nil):
		s.Log.Info("the API server reaches the webhooks")
	case err != nil && !first && s.failed == nil:
		s.Log.Error(err, "the API server does not reach the webhooks; what they are asked about is refused until it does")
	case err != nil && first:
		s.Log.Info("the API server has not reached the webhooks yet", "error", err.Error())
	}
	s.failed, s.last = err, time.Now()
}

var (
	reachable = prometheus.NewDesc("banyan_admission_reachable",
		"1 if the API server reached the webhooks of some replica when this one checked last.", nil, nil)
	lastAsked = prometheus.NewDesc("banyan_admission_last_request_timestamp_seconds",
		"When the API server asked this replica last; 0 if it never did.", nil, nil)
)

// Describe and Collect make a SelfCheck a prometheus.Collector.
func (s *SelfCheck) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, ch) }

// Collect reports what is known.
func (s *SelfCheck) Collect(ch chan<- prometheus.Metric) {
	value := 0.0
	if s.Reached() {
		value = 1
	}
	ch <- prometheus.MustNewConstMetric(reachable, prometheus.GaugeValue, value)
	ch <- prometheus.MustNewConstMetric(lastAsked, prometheus.GaugeValue, float64(s.answered.Load())/float64(time.Second))
}
