// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package admission

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/system"
)

// rule is one side of a rule: a request, and what becomes of it.
type rule struct {
	// as is a user; empty: a cluster administrator.
	as string
	// do makes the request with a client whose writes are dry runs.
	do func(context.Context, client.Client) error
	// want is the HTTP code of a denial; 0: it is allowed.
	want int
	// message is part of the denial, and warning of a warning.
	message, warning string
}

// TestRules asks about both sides of every rule, through each replica alone. The
// keys begin with the number of the rule in the specification of HNC's admission.
func TestRules(t *testing.T) {
	w := newWorld(t)
	w.grant("alice", "acme", "full", "other", "team", "single")
	w.grant("bob", "full", "single", "ours")
	w.grant("carol", "orphan")
	everyRule := map[string]rule{}
	for _, rules := range []map[string]rule{ofNamespaces, ofConfigurations, ofRights, ofAnchors, ofSources, ofCopies, ofTypes} {
		for name, r := range rules {
			require.NotContains(t, everyRule, name)
			everyRule[name] = r
		}
	}
	asked := func(name string) float64 {
		n, err := w.Set.Metric(w.Context(), name, "banyan_admission_last_request_timestamp_seconds")
		require.NoError(t, err)
		return n
	}
	for _, replica := range system.Names {
		t.Run(replica, func(t *testing.T) {
			w.Set.AnswerOnly(replica)
			before := map[string]float64{}
			for _, name := range system.Names {
				before[name] = asked(name)
			}
			for _, name := range slices.Sorted(maps.Keys(everyRule)) {
				t.Run(name, func(t *testing.T) { w.play(t, everyRule[name]) })
			}
			for _, name := range system.Names {
				if name == replica {
					require.Greater(t, asked(name), before[name], "%s was not asked", name)
				} else {
					require.Equal(t, before[name], asked(name), "%s was asked", name)
				}
			}
		})
	}
	w.Set.AnswerOnly()
}

func (w world) play(t *testing.T, r rule) {
	heard := &warnings{}
	config := rest.CopyConfig(w.Plane.Config())
	config.WarningHandler = heard
	if r.as != "" {
		config.Impersonate = rest.ImpersonationConfig{UserName: r.as, Groups: []string{"system:authenticated"}}
	}
	c, err := client.New(config, client.Options{Scheme: w.Scheme()})
	require.NoError(t, err)
	// The connection to the replica that was asked before has been cut; a request
	// that was under way meets that once.
	ctx, cancel := context.WithTimeout(w.Context(), 20*time.Second)
	defer cancel()
	err = r.do(ctx, client.NewDryRunClient(c))
	if r.want == 0 {
		require.NoError(t, err)
	} else {
		require.Error(t, err)
		status, ok := err.(apierrors.APIStatus)
		require.True(t, ok, "%v", err)
		require.EqualValues(t, r.want, status.Status().Code, "%v", err)
		require.Contains(t, err.Error(), r.message)
		require.NotContains(t, err.Error(), "failed calling webhook")
	}
	if r.warning == "" {
		require.Empty(t, heard.texts)
		return
	}
	require.Contains(t, strings.Join(heard.texts, "\n"), r.warning)
}

// warnings that the API server sent with its answers.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

// HandleWarningHeader makes it one that a client tells.
func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	if strings.HasPrefix(text, "metadata.finalizers") {
		return // Kubernetes would call the finalizer otherwise, but the name is HNC's.
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}

// The requests that rules are made of.

type request = func(context.Context, client.Client) error

func create(o client.Object) request {
	return func(ctx context.Context, c client.Client) error {
		return c.Create(ctx, o.DeepCopyObject().(client.Object))
	}
}

// change an object that exists.
func change[O client.Object](o O, edit func(O)) request {
	return func(ctx context.Context, c client.Client) error {
		is := o.DeepCopyObject().(O)
		for {
			if err := c.Get(ctx, client.ObjectKeyFromObject(o), is); err != nil {
				return err
			}
			edit(is)
			err := c.Update(ctx, is)
			if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "the object has been modified") {
				return err
			}
		}
	}
}

func remove(o client.Object) request {
	return func(ctx context.Context, c client.Client) error {
		return c.Delete(ctx, o.DeepCopyObject().(client.Object))
	}
}

const (
	denied      = http.StatusForbidden
	conflicting = http.StatusConflict
	invalid     = http.StatusUnprocessableEntity
	bad         = http.StatusBadRequest
	noRights    = http.StatusUnauthorized
)
