// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/cert"
)

var (
	hosts = []string{"hnc-webhook-service.tenancy.svc", "127.0.0.1"}
	start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

func trustedByAll(*x509.Certificate) time.Duration  { return time.Hour }
func trustedByNone(*x509.Certificate) time.Duration { return 0 }

func plan(t *testing.T, c Content, now time.Time, trust func(*x509.Certificate) time.Duration) Content {
	t.Helper()
	next, err := Plan(Observed{Now: now, Content: c, TrustedFor: trust, Hosts: hosts}, DefaultLives)
	require.NoError(t, err)
	return next
}

func requireServable(t *testing.T, c Content, now time.Time) *x509.Certificate {
	t.Helper()
	leaf := servedLeaf(c)
	require.NotNil(t, leaf)
	require.True(t, chains(c, now))
	require.True(t, goodFor(leaf, hosts))
	return leaf
}

// TestPlanMends: from whatever is in the Secret, the next content can be served, and then nothing changes any more.
func TestPlanMends(t *testing.T) {
	good := plan(t, nil, start, trustedByNone)
	other := plan(t, nil, start, trustedByNone)
	with := func(key string, value []byte) Content {
		c := maps.Clone(good)
		c[key] = value
		return c
	}
	for name, c := range map[string]Content{
		"nothing":                     nil,
		"empty keys":                  {KeyAuthorities: nil, KeyAuthority: nil, KeyCertificate: nil, KeyPrivate: nil},
		"no authorities":              with(KeyAuthorities, nil),
		"unreadable authorities":      with(KeyAuthorities, []byte("nonsense")),
		"the authorities of others":   with(KeyAuthorities, other[KeyAuthorities]),
		"no key of the authority":     with(KeyAuthority, nil),
		"another key of an authority": with(KeyAuthority, other[KeyAuthority]),
		"no certificate":              with(KeyCertificate, nil),
		"the certificate of others":   with(KeyCertificate, other[KeyCertificate]),
		"no key":                      with(KeyPrivate, nil),
		"another key":                 with(KeyPrivate, other[KeyPrivate]),
		"what HNC left":               {KeyAuthorities: other[KeyAuthorities], KeyAuthority: []byte("an RSA key"), KeyCertificate: other[KeyCertificate], KeyPrivate: other[KeyPrivate]},
	} {
		t.Run(name, func(t *testing.T) {
			next := plan(t, c, start, trustedByNone)
			requireServable(t, next, start)
			require.True(t, next.Equal(plan(t, next, start, trustedByNone)), "it changes once more")
		})
	}
}

// TestPlanIsStill: until the last third of a life, nothing changes.
func TestPlanIsStill(t *testing.T) {
	c := plan(t, nil, start, trustedByNone)
	for _, later := range []time.Duration{time.Second, time.Hour, 24 * time.Hour, 59 * 24 * time.Hour} {
		require.True(t, c.Equal(plan(t, c, start.Add(later), trustedByAll)), "after %s", later)
	}
	require.False(t, c.Equal(plan(t, c, start.Add(61*24*time.Hour), trustedByAll)))
}

// TestPlanForNewNames: a certificate for other names is signed anew, by the same authority.
func TestPlanForNewNames(t *testing.T) {
	c := plan(t, nil, start, trustedByNone)
	for name, tc := range map[string]struct {
		hosts []string
		trust func(*x509.Certificate) time.Duration
		want  bool
	}{
		"by which the API server calls: at once":            {hosts: []string{"elsewhere.svc"}, trust: trustedByNone, want: true},
		"by which others might: when the signer is trusted": {hosts: []string{hosts[0], "elsewhere.svc"}, trust: trustedByAll, want: true},
		"and not before": {hosts: []string{hosts[0], "elsewhere.svc"}, trust: trustedByNone},
	} {
		t.Run(name, func(t *testing.T) {
			next, err := Plan(Observed{Now: start, Content: c, TrustedFor: tc.trust, Hosts: tc.hosts}, DefaultLives)
			require.NoError(t, err)
			require.Equal(t, c[KeyAuthorities], next[KeyAuthorities])
			require.Equal(t, tc.want, servedLeaf(next).VerifyHostname("elsewhere.svc") == nil)
		})
	}
}

// TestPlanTakesOver: what another issuer left is served until the new authority is trusted, with a name too few or not.
func TestPlanTakesOver(t *testing.T) {
	theirs, err := newAuthority(start, DefaultLives.Authority)
	require.NoError(t, err)
	certPEM, keyPEM, err := theirs.sign(hosts[:1], start, DefaultLives.Certificate)
	require.NoError(t, err)
	bundle, err := cert.EncodeCertificates(theirs.certificate)
	require.NoError(t, err)
	c := Content{KeyAuthorities: bundle, KeyCertificate: certPEM, KeyPrivate: keyPEM}

	next := plan(t, c, start, trustedByNone)
	require.Equal(t, certPEM, next[KeyCertificate])
	require.Len(t, trustedAuthorities(next[KeyAuthorities], start), 2)
	next = plan(t, next, start, trustedByAll)
	require.NoError(t, servedLeaf(next).VerifyHostname("127.0.0.1"))
	require.True(t, chains(next, start))
}

// TestPlanReplacesTheAuthorityInSteps follows one exchange.
func TestPlanReplacesTheAuthorityInSteps(t *testing.T) {
	c := plan(t, nil, start, trustedByNone)
	old := trustedAuthorities(c[KeyAuthorities], start)[0]
	now := start
	for ; !ending(old, now, DefaultLives.Authority); now = now.Add(30 * 24 * time.Hour) {
		c = plan(t, c, now, trustedByAll)
	}
	c = plan(t, c, now, trustedByNone)
	require.Len(t, trustedAuthorities(c[KeyAuthorities], now), 2, "both are trusted")
	leaf := requireServable(t, c, now)
	require.NoError(t, leaf.CheckSignatureFrom(old), "and the old one has signed")

	c = plan(t, c, now, trustedByAll)
	leaf = requireServable(t, c, now)
	require.Error(t, leaf.CheckSignatureFrom(old), "the new one signs")
	require.Len(t, trustedAuthorities(c[KeyAuthorities], now), 2, "while both are trusted")

	now = now.Add(DefaultLives.Overlap)
	c = plan(t, c, now, trustedByAll)
	require.Len(t, trustedAuthorities(c[KeyAuthorities], now), 1, "the old one is dropped")
	requireServable(t, c, now)
}

// history of a thing that others see late.
type history []Content

func (h history) ago(steps int) Content { return h[max(0, len(h)-1-steps)] }

// failures plays years of steps, in which API servers see the bundle, and replicas the Secret, up to some steps late, and
// counts the requests that would have failed.
func failures(t *testing.T, lives Lives, late int) (failed, exchanges int) {
	const step = time.Hour
	var stored, published history
	since := map[string]time.Time{}
	for now := start; now.Before(start.Add(6 * lives.Authority)); now = now.Add(step) {
		var content, bundle Content
		if len(stored) > 0 {
			content, bundle = stored.ago(0), published.ago(0)
		}
		next, err := Plan(Observed{Now: now, Content: content, Hosts: hosts, TrustedFor: func(a *x509.Certificate) time.Duration {
			trusted := slices.ContainsFunc(trustedAuthorities(bundle[KeyAuthorities], now), a.Equal)
			if !trusted {
				delete(since, string(a.Raw))
				return 0
			}
			if _, known := since[string(a.Raw)]; !known {
				since[string(a.Raw)] = now
			}
			return now.Sub(since[string(a.Raw)])
		}}, lives)
		require.NoError(t, err)
		if len(stored) > 0 && string(next[KeyAuthority]) != string(content[KeyAuthority]) {
			exchanges++
		}
		stored, published = append(stored, next), append(published, next)
		for _, server := range []int{0, late} {
			for _, replica := range []int{0, late} {
				met := maps.Clone(stored.ago(replica))
				met[KeyAuthorities] = published.ago(server)[KeyAuthorities]
				if !chains(met, now) {
					failed++
				}
			}
		}
	}
	return failed, exchanges
}

// TestNoRequestFails: with the steps in between, none does; the control shows that without them some would.
func TestNoRequestFails(t *testing.T) {
	const late = 3 // steps
	lives := Lives{Authority: 200 * time.Hour, Certificate: 60 * time.Hour, Settle: 4 * time.Hour, Overlap: 4 * time.Hour}
	failed, exchanges := failures(t, lives, late)
	require.Zero(t, failed)
	require.Greater(t, exchanges, 5)

	for name, hasty := range map[string]Lives{
		"signed before all trust it":  {Authority: lives.Authority, Certificate: lives.Certificate, Overlap: lives.Overlap},
		"dropped before all serve it": {Authority: lives.Authority, Certificate: lives.Certificate, Settle: lives.Settle},
	} {
		failed, _ := failures(t, hasty, late)
		require.Positive(t, failed, name)
	}
}

// TestServed: what works goes on, whatever comes.
func TestServed(t *testing.T) {
	good := plan(t, nil, time.Now(), trustedByNone)
	other := plan(t, nil, time.Now(), trustedByNone)
	changes := 0
	s := &Served{Changed: func() { changes++ }}
	_, err := s.GetCertificate(nil)
	require.ErrorIs(t, err, errNothing)
	require.ErrorIs(t, s.Check(time.Now()), errNothing)
	s.Set(Content{})
	require.ErrorContains(t, s.Check(time.Now()), KeyPrivate)

	s.Set(good)
	s.Set(good)
	require.Equal(t, 1, changes)
	require.NoError(t, s.Check(time.Now()))
	first, err := s.GetCertificate(&tls.ClientHelloInfo{})
	require.NoError(t, err)

	s.Set(Content{KeyCertificate: good[KeyCertificate], KeyPrivate: other[KeyPrivate]})
	require.NoError(t, s.Check(time.Now()), "what was served before still is")
	still, err := s.GetCertificate(&tls.ClientHelloInfo{})
	require.NoError(t, err)
	require.Same(t, first, still)
	require.Equal(t, good[KeyAuthorities], s.Bundle())

	s.Set(Content{KeyCertificate: good[KeyCertificate], KeyPrivate: good[KeyPrivate], KeyAuthorities: other[KeyAuthorities]})
	require.ErrorContains(t, s.Check(time.Now()), KeyAuthorities, "nobody would trust it")

	s.Set(other)
	require.NoError(t, s.Check(time.Now()))
	old, err := Plan(Observed{Now: time.Now().Add(-2 * DefaultLives.Certificate), TrustedFor: trustedByNone, Hosts: hosts}, DefaultLives)
	require.NoError(t, err)
	s.Set(old)
	require.NoError(t, s.Check(time.Now()), "what has expired replaces nothing")
	require.Empty(t, s.content[KeyAuthority])
	require.ErrorContains(t, s.Check(time.Now().Add(DefaultLives.Certificate+time.Hour)), "expired")
	_, err = cert.ParseCertsPEM(s.Bundle())
	require.NoError(t, err)
}
