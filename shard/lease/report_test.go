// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
)

func TestRanges(t *testing.T) {
	for want, ids := range map[string][]int{
		"-": nil, "3": {3}, "0-3": {3, 1, 0, 2}, "0,2": {2, 0}, "0-1,5,7-9": {9, 8, 7, 5, 1, 0},
	} {
		require.Equal(t, want, Ranges(ids))
	}
}

var status = shard.Status{
	Self: "a/uid/one.0", State: shard.MemberActive, Remain: 7 * time.Second, RingKey: "abc", Agreed: true,
	Members: []shard.MemberStatus{
		{Name: "a", Holder: "a/uid/one.0", State: shard.MemberActive, RingKey: "abc", Owned: 2, Expected: 2},
		{Name: "b", State: shard.MemberFenced, Silent: 1500 * time.Millisecond, Owned: 1, Expected: 1},
	},
	Shards: []shard.ShardStatus{
		{ID: 0, Holder: "a", Expected: "a", Epoch: 1, State: shard.Owned, Reason: shard.ReasonFree},
		{ID: 1, Holder: "a", Expected: "b", Epoch: 2, State: shard.Draining},
		{ID: 2, Holder: "b", Expected: "b", Epoch: 2, State: shard.Idle},
		{ID: 3, Expected: "a", Epoch: 2, State: shard.Acquiring, Vacant: 3 * time.Second},
	},
}

func TestSummarize(t *testing.T) {
	require.Equal(t, Summary{Owned: 1, Desired: 2, Unowned: 1, Misplaced: 1, Moving: 2, OldestUnownedSeconds: 3}, Summarize(status))

	suspended := status
	suspended.Remain = -time.Second
	require.Zero(t, Summarize(suspended).Owned, "without a heartbeat nothing is owned")
	suspended.Shards = []shard.ShardStatus{{Holder: "a", Expected: "a", State: shard.Suspended}}
	require.Zero(t, Summarize(suspended).Moving, "what is suspended goes nowhere")
	require.Equal(t, "suspended", NewReport(suspended).Shards[0].State)
}

func TestReportText(t *testing.T) {
	var text strings.Builder
	NewReport(status).WriteText(&text)
	require.Equal(t, strings.Join([]string{
		"a (active), 4 shards: 1 owned here, 1 unowned, 1 misplaced; ring abc, agreement true",
		"",
		"MEMBER    STATE   OWNED  DESIRED  LAST SEEN  SHARDS",
		"a         active  2      2        0.0s       0-1",
		"b         fenced  1      1        1.5s       2",
		"(nobody)          1                          3",
		"",
	}, "\n"), text.String())
}

func TestReportOverHTTP(t *testing.T) {
	m := newTestMember(t)
	for query, want := range map[string]struct {
		code int
		kind string
	}{
		"":             {http.StatusOK, "application/json"},
		"?format=json": {http.StatusOK, "application/json"},
		"?format=text": {http.StatusOK, "text/plain; charset=utf-8"},
		"?format=xml":  {http.StatusBadRequest, "text/plain; charset=utf-8"},
	} {
		recorder := httptest.NewRecorder()
		m.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/shards"+query, http.NoBody))
		require.Equal(t, want.code, recorder.Code, query)
		require.Equal(t, want.kind, recorder.Header().Get("Content-Type"), query)
		if want.kind == "application/json" {
			var report Report
			require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &report))
			require.Len(t, report.Shards, testConfig.Shards)
			require.Equal(t, "a", report.Self.Member)
		}
	}
}
