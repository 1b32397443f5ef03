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
		wantRecord  bool // and so the opposite is refused
	}{
		"a move":             {first: moving("a", "e"), wantGranted: true, wantRecord: true},
		"a dry run":          {first: moving("a", "e").dry(), wantGranted: true},
		"without the rights": {first: moving("a", "e").by(alice)},
		"no parent any more": {first: request{
			path: webhook.PathConfiguration, operation: admissionv1.Update, user: admin, object: configuration("c", ""), old: configuration("c", "a"),
		}, wantGranted: true},
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
				require.Equal(t, !tc.wantRecord, answer.Allowed)
				if tc.wantRecord {
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
