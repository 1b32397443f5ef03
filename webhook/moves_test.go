// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/webhook"
)

// replicas serve over one record, as several replicas do.
func replicas(t *testing.T, record *webhook.Memory, n int) (servers []*httptest.Server) {
	for range n {
		mux := http.NewServeMux()
		o := options(t)
		o.Moves = webhook.NewMoves(record, o.Forest, o.Reader)
		webhook.Register(registrar{mux}, o)
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		servers = append(servers, server)
	}
	return servers
}

// versioned is a configuration as the API server has it.
func versioned(namespace, parent, version string) *api.HierarchyConfiguration {
	c := configuration(namespace, parent)
	c.ResourceVersion, c.UID = version, "uid"
	return c
}

func moving(namespace, parent string) request {
	return request{
		path: webhook.PathConfiguration, operation: admissionv1.Create, user: admin, object: versioned(namespace, parent, ""),
	}
}

// TestOpposingMoves: what one replica has granted, no other one opposes.
func TestOpposingMoves(t *testing.T) {
	for name, tc := range map[string]struct {
		first       request
		wantGranted bool
		wantRecord  bool
		wantOpposed bool // the opposite is refused
	}{
		"a move":             {first: moving("a", "e"), wantGranted: true, wantRecord: true, wantOpposed: true},
		"a dry run":          {first: moving("a", "e").dry(), wantGranted: true},
		"without the rights": {first: moving("a", "e").by(alice)},
		"no parent any more": {first: request{
			path: webhook.PathConfiguration, operation: admissionv1.Update, user: admin, object: configuration("c", ""), old: configuration("c", "a"),
		}, wantGranted: true, wantRecord: true},
		"the parent stays": {first: request{
			path: webhook.PathConfiguration, operation: admissionv1.Update, user: admin, object: configuration("c", "a"), old: configuration("c", "a"),
		}, wantGranted: true},
	} {
		t.Run(name, func(t *testing.T) {
			record := &webhook.Memory{}
			servers := replicas(t, record, 2)
			require.Equal(t, tc.wantGranted, ask(t, servers[0], tc.first).Allowed)
			require.Equal(t, tc.wantRecord, record.Text() != "", record.Text())

			for _, opposite := range []request{moving("e", "d"), moving("e", "d").dry()} {
				answer := ask(t, servers[1], opposite)
				require.Equal(t, !tc.wantOpposed, answer.Allowed, "%+v", answer)
				if tc.wantOpposed {
					require.EqualValues(t, http.StatusConflict, answer.Result.Code)
					require.Contains(t, answer.Result.Message, "spec.parent: illegal parent")
					require.Contains(t, answer.Result.Message, "a move that is under way succeeds: e <- a <- c <- d <- e; try again in a moment")
				}
			}
		})
	}
}

// TestLateForest: what a user saw, the replica must have seen, too, before it says
// that nothing changes.
func TestLateForest(t *testing.T) {
	late := &growing{forest: foresttest.Create(layout)}
	late.forest.SetConfiguration(versioned("c", "a", "5"))
	o := options(t)
	o.Forest, o.Moves = late, webhook.NewMoves(&webhook.Memory{}, late, o.Reader)
	mux := http.NewServeMux()
	webhook.Register(registrar{mux}, o)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	// Somebody has taken c away from a, and the user, who has no rights in a, gives
	// it back.
	back := request{
		path: webhook.PathConfiguration, operation: admissionv1.Update, user: authenticationv1.UserInfo{Username: "bob"},
		object: versioned("c", "a", "7"), old: versioned("c", "", "7"),
	}
	answer := ask(t, server, back)
	require.EqualValues(t, http.StatusServiceUnavailable, answer.Result.Code, "%+v", answer)
	require.Contains(t, answer.Result.Message, "try again in a moment")

	time.AfterFunc(50*time.Millisecond, func() { late.set(versioned("c", "", "7")) })
	answer = ask(t, server, back)
	require.EqualValues(t, http.StatusUnauthorized, answer.Result.Code, "%+v", answer)
}

// growing is a forest that sees something.
type growing struct {
	mu     sync.Mutex
	forest *hierarchy.Forest
}

func (g *growing) set(c *api.HierarchyConfiguration) {
	g.Read(func(f *hierarchy.Forest) { f.SetConfiguration(c) })
}

func (g *growing) Read(look func(*hierarchy.Forest)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	look(g.forest)
}

func (g *growing) Look(look func(*hierarchy.Forest, []propagate.Tracked)) {
	g.Read(func(f *hierarchy.Forest) { look(f, nil) })
}

// TestStamps: a change of parent says in which tree the namespace was, and what says
// so wrongly, or not at all, is refused.
func TestStamps(t *testing.T) {
	update := func(object, old *api.HierarchyConfiguration) request {
		r := request{path: webhook.PathMutateConfiguration, operation: admissionv1.Update, user: admin, object: object, old: old}
		if old == nil {
			r.operation, r.old = admissionv1.Create, nil
		}
		return r
	}
	with := func(c *api.HierarchyConfiguration, stamp string) *api.HierarchyConfiguration {
		c.Annotations = map[string]string{api.AnnotationPreviousKey: stamp}
		return c
	}
	for name, tc := range map[string]struct {
		request   request
		wantPatch string
	}{
		"a root below another tree":    {request: update(configuration("e", "a"), nil), wantPatch: `"hnc.x-k8s.io/previous-key":"e"`},
		"out of a tree":                {request: update(configuration("d", ""), configuration("d", "c")), wantPatch: `"hnc.x-k8s.io/previous-key":"a"`},
		"from one tree to another":     {request: update(configuration("d", "e"), configuration("d", "c")), wantPatch: `"hnc.x-k8s.io/previous-key":"a"`},
		"within a tree":                {request: update(configuration("d", "b"), configuration("d", "c"))},
		"a forged stamp":               {request: update(with(configuration("d", "e"), "x"), configuration("d", "c")), wantPatch: `"value":"a"`},
		"a forged stamp, within":       {request: update(with(configuration("d", "b"), "x"), configuration("d", "c")), wantPatch: `"op":"remove"`},
		"the parent stays":             {request: update(configuration("d", "c"), configuration("d", "c"))},
		"a stamp that is taken away":   {request: update(configuration("d", "c"), with(configuration("d", "c"), "e")), wantPatch: `"hnc.x-k8s.io/previous-key":"e"`},
		"a stamp that comes by itself": {request: update(with(configuration("d", "c"), "e"), configuration("d", "c")), wantPatch: `"op":"remove"`},
	} {
		t.Run(name, func(t *testing.T) {
			answer := ask(t, serve(t), tc.request)
			require.True(t, answer.Allowed, "%+v", answer)
			if tc.wantPatch == "" {
				require.Empty(t, string(answer.Patch))
			}
			require.Contains(t, string(answer.Patch), tc.wantPatch)
		})
	}
	for name, tc := range map[string]struct {
		object *api.HierarchyConfiguration
		want   string
	}{
		"without a stamp":              {object: versioned("d", "e", ""), want: "the webhook that prepares for this has not been asked; try again in a moment"},
		"with a wrong stamp":           {object: with(versioned("d", "e", ""), "e"), want: `from the key "e" to "a" just now; try again in a moment`},
		"within a tree, with a stamp":  {object: with(versioned("d", "b", ""), "a")},
		"with the right stamp":         {object: with(versioned("d", "e", ""), "a")},
		"out of all trees, without it": {object: versioned("d", "", ""), want: "has not been asked"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := askUnstamped(t, serve(t), request{
				path: webhook.PathConfiguration, operation: admissionv1.Update, user: admin, object: tc.object, old: configuration("d", "c"),
			})
			require.Equal(t, tc.want == "", answer.Allowed, "%+v", answer)
			if tc.want != "" {
				require.EqualValues(t, http.StatusServiceUnavailable, answer.Result.Code)
				require.Contains(t, answer.Result.Message, tc.want)
			}
		})
	}
}

// TestMoveWaitsForTheOneBefore: a namespace that is being handed over is handed over
// first.
func TestMoveWaitsForTheOneBefore(t *testing.T) {
	forest := &growing{forest: foresttest.Create(layout)}
	moving := versioned("c", "e", "7")
	moving.Annotations = map[string]string{api.AnnotationPreviousKey: "a"}
	forest.set(moving)
	o := options(t)
	o.Forest = forest
	mux := http.NewServeMux()
	webhook.Register(registrar{mux}, o)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	next := request{path: webhook.PathMutateConfiguration, operation: admissionv1.Update, user: admin, object: configuration("d", "a"), old: configuration("d", "c")}
	require.Empty(t, ask(t, server, next).Patch, "in vain: what judges will refuse it")
	time.AfterFunc(50*time.Millisecond, func() { forest.set(versioned("c", "e", "8")) })
	require.Contains(t, string(ask(t, server, next).Patch), `"hnc.x-k8s.io/previous-key":"e"`)
}
