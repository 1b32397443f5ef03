// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Loopback asks the webhooks of this replica what the API server could: over TLS, at their port. A process whose probes answer
// while its webhooks do not would hold up a cluster and be called healthy.
type Loopback struct {
	// Addr is the host and port of the webhooks.
	Addr string
	// Roots returns PEM-encoded authorities, of which one must have signed what is served; without any, whatever is served is
	// taken.
	Roots func() []byte
	// Name that the certificate must be good for; empty: any.
	Name string

	mu      sync.Mutex
	worked  bool
	failing time.Time // since when it does not work any more
}

const (
	loopbackLimit = time.Second
	// stuckAfter is how long the port may not answer before only a restart can help.
	stuckAfter = 30 * time.Second
)

// Ready fails if a request would.
func (l *Loopback) Ready(ctx context.Context) error {
	trust := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: l.Name}
	if pem := l.Roots(); len(pem) > 0 {
		trust.RootCAs = x509.NewCertPool()
		trust.RootCAs.AppendCertsFromPEM(pem)
		if l.Name == "" {
			trust.InsecureSkipVerify = true
			trust.VerifyConnection = func(s tls.ConnectionState) error { return signed(s, trust.RootCAs) }
		}
	} else {
		trust.InsecureSkipVerify = true // nobody said whom to trust
	}
	return l.ask(ctx, trust)
}

// signed is the check of a certificate without that of its name.
func signed(s tls.ConnectionState, roots *x509.CertPool) error {
	intermediates := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		intermediates.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates})
	return err
}

// Alive fails if the port once answered, and has not for a while. What is wrong with certificates is no reason: a restart
// would not mend it.
func (l *Loopback) Alive(ctx context.Context, now time.Time) error {
	err := l.ask(ctx, &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}) // only the port is asked about
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.worked, l.failing = true, time.Time{}
	case l.failing.IsZero():
		l.failing = now
	}
	if err != nil && l.worked && now.Sub(l.failing) >= stuckAfter {
		return fmt.Errorf("the webhooks have not answered for %s: %w", now.Sub(l.failing).Round(time.Second), err)
	}
	return nil
}

func (l *Loopback) ask(ctx context.Context, trust *tls.Config) error {
	ctx, cancel := context.WithTimeout(ctx, loopbackLimit)
	defer cancel()
	// A connection that was kept would hide that the port takes no more.
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: trust, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+l.Addr+PathObject, bytes.NewReader(harmless))
	if err != nil {
		return fmt.Errorf("asking the webhooks: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("asking the webhooks: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(answer.Body).Decode(&review); err != nil {
		return fmt.Errorf("reading the answer of the webhooks (status %d): %w", answer.StatusCode, err)
	}
	if review.Response == nil || !review.Response.Allowed {
		return errors.New("asking the webhooks: what should be allowed is not")
	}
	return nil
}

// harmless is a request that nobody judges, and that names no user.
var harmless = func() []byte {
	data, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "AdmissionReview"},
		Request:  &admissionv1.AdmissionRequest{UID: "loopback", Operation: admissionv1.Connect},
	})
	if err != nil {
		panic(err) // a constant
	}
	return data
}()
