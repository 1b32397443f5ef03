// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
)

// fixedContent is what a test says is in the shards.
type fixedContent struct{ census Census }

func (fixedContent) Key(namespace string) (string, bool) {
	return "root-of-" + namespace, namespace != "absent"
}
func (c fixedContent) Census() Census { return c.census }

// get asks a member that was never started.
func get(t *testing.T, content Content, target, accept string) *httptest.ResponseRecorder {
	t.Helper()
	m := newTestMember(t)
	m.opts.Content = content
	request := httptest.NewRequest(http.MethodGet, target, http.NoBody)
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	recorder := httptest.NewRecorder()
	m.ServeHTTP(recorder, request)
	return recorder
}

const browserAccepts = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestPageIsForBrowsers(t *testing.T) {
	for name, tc := range map[string]struct{ target, accept, want string }{
		"a browser gets the page":                {"/shards", browserAccepts, "text/html; charset=utf-8"},
		"curl gets JSON":                         {"/shards", "*/*", "application/json"},
		"a browser that wants JSON gets it":      {"/shards?format=json", browserAccepts, "application/json"},
		"who wants the page by name gets it":     {"/shards?format=html", "", "text/html; charset=utf-8"},
		"a browser that wants text gets it":      {"/shards?format=text", browserAccepts, "text/plain; charset=utf-8"},
		"a browser that asks for a place, too":   {"/shards?root=x", browserAccepts, "text/html; charset=utf-8"},
		"a program that asks for a place, as is": {"/shards?root=x", "", "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := get(t, nil, tc.target, tc.accept)
			require.Equal(t, http.StatusOK, answer.Code)
			require.Equal(t, tc.want, answer.Header().Get("Content-Type"))
		})
	}
}

func TestNothingCanBeChanged(t *testing.T) {
	recorder := httptest.NewRecorder()
	newTestMember(t).ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/shards", http.NoBody))
	require.Equal(t, http.StatusMethodNotAllowed, recorder.Code)
}

func TestPlaceOfANamespace(t *testing.T) {
	for name, tc := range map[string]struct {
		namespace string
		want      bool
	}{
		"one that exists":         {"team-a", true},
		"one that does not exist": {"absent", false},
	} {
		t.Run(name, func(t *testing.T) {
			answer := get(t, fixedContent{}, "/shards?root="+tc.namespace, "")
			var place Place
			require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &place))
			key := "root-of-" + tc.namespace
			require.Equal(t, Place{
				Namespace: tc.namespace, Exists: tc.want, Key: key, Shard: int(shard.Of(key, testConfig.Shards)), State: "idle",
			}, place)
		})
	}
}

func TestReportTellsWhatIsInTheShards(t *testing.T) {
	report := NewReport(status)
	report.fill(Census{
		Shards: map[shard.ID]ShardContent{
			1: {Roots: 2, Namespaces: 30, Largest: 20, Pending: 4, Oldest: 90 * time.Second}, 2: {Roots: 1, Namespaces: 10, Largest: 10},
		},
	})
	require.Equal(t, 40, report.Summary.Namespaces)
	require.Equal(t, 4, report.Summary.ResyncPending)
	require.Equal(t, ReportResync{Pending: 4, OldestSeconds: 90}, report.Shards[1].Resync)
	require.Equal(t, 1, report.Shards[2].Roots)
	require.InDelta(t, 0.5, report.Summary.HotKeyShare, 0)
	require.Equal(t, 1, report.Summary.HotKeyShard)
}

// TestPageEscapesNames: a name in a Lease is whatever somebody wrote there.
func TestPageEscapesNames(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	report := NewReport(shard.Status{
		Self: evil, RingKey: evil, Remain: time.Second,
		Members: []shard.MemberStatus{{Name: evil, RingKey: evil}},
		Shards:  []shard.ShardStatus{{Holder: evil, Expected: evil, Reason: evil}},
	})
	recorder := httptest.NewRecorder()
	require.NoError(t, writePage(recorder, report, &Place{Namespace: evil, Key: evil, Holder: evil}))
	body := recorder.Body.String()
	require.NotContains(t, body, evil)
	require.NotContains(t, body, "<script>")
	require.Equal(t, 1, strings.Count(body, "<script "), "the page's own")
	require.GreaterOrEqual(t, strings.Count(body, "&lt;script&gt;alert(1)"), 6, "each name is shown as it is")
}

// TestPagePolicy: nothing is loaded from elsewhere, nothing runs without this
// response's nonce, and nothing needs what the policy forbids.
func TestPagePolicy(t *testing.T) {
	first, second := get(t, nil, "/shards", browserAccepts), get(t, nil, "/shards", browserAccepts)
	policy := first.Header().Get("Content-Security-Policy")
	require.NotEqual(t, policy, second.Header().Get("Content-Security-Policy"), "a nonce is for one response")
	require.Contains(t, policy, "default-src 'none'")
	require.NotContains(t, policy, "unsafe")
	nonce := regexp.MustCompile(`script-src 'nonce-([A-Z2-7]{26})'`).FindStringSubmatch(policy)
	require.Len(t, nonce, 2, policy)

	body := first.Body.String()
	require.Contains(t, body, fmt.Sprintf("<script nonce=%q>", nonce[1]))
	require.Contains(t, body, fmt.Sprintf("<style nonce=%q>", nonce[1]))
	require.NotRegexp(t, `\s(style|on[a-z]+|src)=`, body)
	require.NotRegexp(t, `https?://`, strings.ReplaceAll(body, "http://www.w3.org/2000/svg", ""))
}

func TestPageShowsWhatIsWrong(t *testing.T) {
	p := newPage(NewReport(status), nil)
	require.Equal(t, []string{"1 of 4 shards have no owner, the longest for 3 s", "1 shards are not where the ring wants them"}, p.Notes)
	require.Equal(t, []string{"c0", "c0", "c1", "nobody"}, []string{p.Arcs[0].Outer, p.Arcs[1].Outer, p.Arcs[2].Outer, p.Arcs[3].Outer})
	require.Equal(t, "c1", p.Arcs[1].Inner, "where it belongs")

	calm := shard.Status{Self: "a", Agreed: true, Remain: time.Second, Shards: []shard.ShardStatus{{Holder: "a", Expected: "a"}}}
	require.Empty(t, newPage(NewReport(calm), nil).Notes)
}

// TestArcsFillTheRing: one shard or many, every piece is drawn and none is empty.
func TestArcsFillTheRing(t *testing.T) {
	for _, n := range []int{1, 2, 128, 4096} {
		seen := map[string]bool{}
		for i := range n {
			path := arcPath(i, n, 132, 184)
			require.False(t, seen[path], "%d of %d", i, n)
			seen[path] = true
			require.NotContains(t, path, "NaN")
		}
	}
}
