// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package requests

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	const other = `# HELP apiserver_request_total Counter of apiserver requests.
# TYPE apiserver_request_total counter
apiserver_request_duration_seconds_bucket{resource="roles",verb="POST",le="0.05"} 99
apiserver_request_total_of_something{resource="roles",verb="POST",code="201"} 99
`
	tests := map[string]struct {
		lines   string
		want    Counts
		wantErr string
	}{
		"writes are counted by verb and resource": {
			lines: `apiserver_request_total{code="201",dry_run="",group="rbac.authorization.k8s.io",resource="roles",subresource="",verb="POST",version="v1"} 12
apiserver_request_total{code="200",dry_run="",group="",resource="namespaces",subresource="",verb="PATCH",version="v1"} 3
`,
			want: Counts{{Verb: "POST", Resource: "roles"}: 12, {Verb: "PATCH", Resource: "namespaces"}: 3},
		},
		"reads are not": {
			lines: `apiserver_request_total{code="200",dry_run="",resource="roles",verb="LIST"} 5
apiserver_request_total{code="0",dry_run="",resource="roles",verb="WATCH"} 5
`,
			want: Counts{},
		},
		"dry runs are not": {
			lines: `apiserver_request_total{code="201",dry_run="All",resource="roles",verb="POST"} 5
`,
			want: Counts{},
		},
		"all refusals are one kind, all successes another": {
			lines: `apiserver_request_total{code="409",dry_run="",resource="roles",verb="PUT"} 2
apiserver_request_total{code="504",dry_run="",resource="roles",verb="PUT"} 1
apiserver_request_total{code="200",dry_run="",resource="roles",verb="PUT"} 4
apiserver_request_total{code="201",dry_run="",resource="roles",verb="PUT"} 1
`,
			want: Counts{{Verb: "PUT", Resource: "roles", Refused: true}: 3, {Verb: "PUT", Resource: "roles"}: 5},
		},
		"a subresource is a resource of its own": {
			lines: `apiserver_request_total{code="200",dry_run="",resource="namespaces",subresource="finalize",verb="PUT"} 7
`,
			want: Counts{{Verb: "PUT", Resource: "namespaces/finalize"}: 7},
		},
		"metrics of something else are an error": {wantErr: "there is no apiserver_request_total"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(other + tc.lines))
			if tc.wantErr != "" {
				require.ErrorContains(t, err, tc.wantErr)
				return
			}
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tc.want, got))
		})
	}
}

func TestCounts(t *testing.T) {
	before := Counts{{Verb: "POST", Resource: "roles"}: 10, {Verb: "PUT", Resource: "leases"}: 4}
	after := Counts{
		{Verb: "POST", Resource: "roles"}:                15,
		{Verb: "POST", Resource: "roles", Refused: true}: 2,
		{Verb: "PUT", Resource: "leases"}:                4,
		{Verb: "PUT", Resource: "namespaces/finalize"}:   3,
	}
	difference := after.Minus(before)
	require.Empty(t, cmp.Diff(Counts{
		{Verb: "POST", Resource: "roles"}:                5,
		{Verb: "POST", Resource: "roles", Refused: true}: 2,
		{Verb: "PUT", Resource: "namespaces/finalize"}:   3,
	}, difference), "what did not change is left out")
	require.Empty(t, cmp.Diff(after, before.Plus(difference)))
	require.Equal(t, 10, before[Kind{Verb: "POST", Resource: "roles"}], "operands stay as they were")

	require.Equal(t, 7, difference.Of("roles"), "refusals are requests as well")
	require.Equal(t, 3, difference.Of("namespaces"), "subresources count as their resource")
	require.Equal(t, 3, difference.Except("roles", "leases"))
	require.Equal(t, 5, difference.Done("POST", "roles"))
	require.Equal(t, 2, difference.Refused("roles"))
	require.Equal(t, []string{"namespaces/finalize", "roles"}, difference.Resources())
	require.Empty(t, cmp.Diff(Counts{{Verb: "PUT", Resource: "leases"}: -4, {Verb: "POST", Resource: "roles"}: -10}, Counts(nil).Minus(before)))
}

func TestOwn(t *testing.T) {
	tests := map[string]struct {
		method, path string
		code         int
		err          error
		want         Counts
	}{
		"a create": {
			method: "POST", path: "/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles", code: 201,
			want: Counts{{Verb: "POST", Resource: "roles"}: 1},
		},
		"a namespace is not in itself": {
			method: "DELETE", path: "/api/v1/namespaces/a", code: 200,
			want: Counts{{Verb: "DELETE", Resource: "namespaces"}: 1},
		},
		"a subresource": {
			method: "PUT", path: "/api/v1/namespaces/a/finalize", code: 200,
			want: Counts{{Verb: "PUT", Resource: "namespaces/finalize"}: 1},
		},
		"a refusal": {
			method: "PUT", path: "/apis/hnc.x-k8s.io/v1alpha2/namespaces/a/subnamespaceanchors/b", code: 409,
			want: Counts{{Verb: "PUT", Resource: "subnamespaceanchors", Refused: true}: 1},
		},
		"no answer": {
			method: "POST", path: "/api/v1/namespaces", err: errors.New("connection refused"),
			want: Counts{{Verb: "POST", Resource: "namespaces", Refused: true}: 1},
		},
		"a read is not counted":              {method: "GET", path: "/api/v1/namespaces/a", code: 200},
		"what is no resource is not counted": {method: "POST", path: "/metrics", code: 405},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			own := &Own{}
			transport := own.Wrap(roundTripper(func(*http.Request) (*http.Response, error) {
				if tc.err != nil {
					return nil, tc.err
				}
				return &http.Response{StatusCode: tc.code, Body: http.NoBody}, nil
			}))
			req, err := http.NewRequestWithContext(t.Context(), tc.method, "https://127.0.0.1"+tc.path, http.NoBody)
			require.NoError(t, err)
			response, err := transport.RoundTrip(req)
			require.ErrorIs(t, err, tc.err)
			if err == nil {
				require.NoError(t, response.Body.Close())
			}
			require.Empty(t, cmp.Diff(tc.want, own.Counts()))
		})
	}
}
