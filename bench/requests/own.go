// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package requests

import (
	"maps"
	"net/http"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// Own counts the writes of one client. It may be used by several goroutines.
type Own struct {
	mu     sync.Mutex
	counts Counts
}

// Wrap a transport, so that what passes it is counted. It is made for the
// WrapTransport of a rest.Config.
func (o *Own) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(req)
		o.count(req, err != nil || response.StatusCode < 200 || response.StatusCode > 299)
		return response, err
	})
}

// Counts until now.
func (o *Own) Counts() Counts {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.counts)
}

func (o *Own) count(req *http.Request, refused bool) {
	if !slices.Contains(Verbs, req.Method) {
		return
	}
	info, err := paths.NewRequestInfo(req)
	if err != nil || !info.IsResourceRequest {
		return // to be found nowhere in the metrics either
	}
	resource := info.Resource
	if info.Subresource != "" {
		resource += "/" + info.Subresource
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counts == nil {
		o.counts = Counts{}
	}
	o.counts[Kind{Verb: req.Method, Resource: resource, Refused: refused}]++
}

// paths reads them as the API server does.
var paths = request.RequestInfoFactory{
	APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api"),
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
