// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// Transport wraps the transport of the connection that gated writes use. Reads
// pass; everything else needs a permit that is still good.
func (g *Gate) Transport(next http.RoundTripper) http.RoundTripper {
	return transport{gate: g, next: next}
}

type transport struct {
	gate *Gate
	next http.RoundTripper
}

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	p, permitted := request.Context().Value(permitKey{}).(*permit)
	writes := permitted && !reads(request)
	if permitted {
		pass(afterBegin)
	}
	if err := t.gate.check(request, p); err != nil {
		if request.Body != nil {
			_ = request.Body.Close() // a RoundTripper closes it also on errors
		}
		return nil, fmt.Errorf("sending %s %s: %w", request.Method, request.URL.Path, err)
	}
	if permitted {
		pass(afterCheck)
		defer pass(afterWrite)
	}
	if !writes {
		return t.next.RoundTrip(request)
	}
	p.sent()
	response, err := t.next.RoundTrip(request)
	if decides(response, err) {
		p.answered()
	}
	return response, err
}

func reads(request *http.Request) bool {
	switch request.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	}
	return false
}

func (g *Gate) check(request *http.Request, p *permit) error {
	if reads(request) {
		return nil
	}
	if p == nil {
		g.counts.Ungated.Add(1)
		return ErrUngated
	}
	holding, err := g.admit(p.id, g.clock())
	if err == nil && holding.Epoch(p.id) != p.epoch {
		return ErrNotOwner // it was given away and came back in between
	}
	return err
}

// Reviews wraps the transport of the connection that admission asks questions
// on. A review or a dry run is a POST, but it stores nothing; nothing else but
// reads passes.
func Reviews(next http.RoundTripper) http.RoundTripper { return reviews{next} }

type reviews struct{ next http.RoundTripper }

func (t reviews) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet && !storesNothing(request) {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, fmt.Errorf("sending %s %s: %w", request.Method, request.URL.Path, ErrUngated)
	}
	return t.next.RoundTrip(request)
}

// storesNothing: of a deletion, the body may say otherwise than the address.
func storesNothing(request *http.Request) bool {
	dryRun := request.Method == http.MethodPost && slices.Equal(request.URL.Query()["dryRun"], []string{"All"})
	return dryRun || reviewPath.MatchString(request.URL.Path)
}

var reviewPath = regexp.MustCompile(`^/apis/(authorization|authentication)\.k8s\.io/v1/(subjectaccessreviews|tokenreviews)$`)
