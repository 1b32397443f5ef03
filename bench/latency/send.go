// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/banyan-hns/banyan/bench/rig"
)

// answerBound is what the API server gives a webhook, by the shipped manifests.
const answerBound = 2 * time.Second

// sender sends requests to one address, as many a second as it is told, however long
// the answers take: who waited for them would not see what users see.
type sender struct {
	url    string
	client *http.Client
	rate   int

	mu     sync.Mutex
	times  map[string][]time.Duration // by path, from the moment when it was due
	denied map[string]int
	wrong  []error
}

func newSender(url string, authorities []byte, rate int) (*sender, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authorities) {
		return nil, errors.New("preparing to send: there is no certificate to trust")
	}
	return &sender{
		url: url, rate: rate, times: map[string][]time.Duration{}, denied: map[string]int{},
		client: &http.Client{Timeout: answerBound, Transport: &http.Transport{
			TLSClientConfig:     &tls.Config{RootCAs: pool},
			ForceAttemptHTTP2:   true, // as the API server does
			MaxIdleConnsPerHost: 100,
		}},
	}, nil
}

// run sends all, and returns when the last answer is there.
func (s *sender) run(ctx context.Context, all []sendable) error {
	defer s.client.CloseIdleConnections()
	return rig.Paced(ctx, s.rate, len(all), func(i int, due time.Time) {
		denied, err := s.send(ctx, all[i])
		took := time.Since(due)
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil {
			s.wrong = append(s.wrong, fmt.Errorf("%q to %s: %w", all[i].what, all[i].path, err))
			return
		}
		s.times[all[i].path] = append(s.times[all[i].path], took)
		if denied {
			s.denied[all[i].path]++
		}
	})
}

// send one request. Another answer than the one that it must get is an error.
func (s *sender) send(ctx context.Context, r sendable) (denied bool, err error) {
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+r.path+"?timeout="+answerBound.String(), bytes.NewReader(r.body))
	if err != nil {
		return false, err
	}
	post.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(post)
	if err != nil {
		return false, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return false, err
	}
	return judgeAnswer(response.StatusCode, body, r.code)
}

// judgeAnswer objects to another one than that with the code, 0 if it is to allow.
func judgeAnswer(status int, body []byte, want int32) (denied bool, err error) {
	answer := admissionv1.AdmissionReview{}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Response == nil {
		return false, fmt.Errorf("the answer is none: status %d, %.200s", status, body)
	}
	var code int32
	message := ""
	if !answer.Response.Allowed {
		code, message = answer.Response.Result.Code, answer.Response.Result.Message
	}
	if code != want {
		return false, fmt.Errorf("answered %d (0: allowed) instead of %d: %s", code, want, message)
	}
	return !answer.Response.Allowed, nil
}
