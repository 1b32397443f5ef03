// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package certificate

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"slices"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// Content of the Secret, by its keys.
type Content map[string][]byte

// Observed is what a plan depends on.
type Observed struct {
	// Now by the wall clock, which is what certificates are about.
	Now time.Time
	// Content of the Secret; empty if there is none.
	Content Content
	// TrustedFor says how long every webhook configuration is known to have trusted an authority; it is 0 for one that some
	// do not.
	TrustedFor func(*x509.Certificate) time.Duration
	// Hosts are the names and addresses that the certificate must be good for. By the first one, the API server calls.
	Hosts []string
}

// Plan returns what the Secret should contain, which may be what it does.
//
// Invariant: what is signed, is signed by an authority that everybody trusts already, unless nothing that is trusted is served
// anyway. Reason: a request that meets a certificate nobody trusts yet, fails.
func Plan(o Observed, lives Lives) (Content, error) {
	trusted := trustedAuthorities(o.Content[KeyAuthorities], o.Now)
	newest, err := signer(trusted, o.Content[KeyAuthority])
	keyPEM := o.Content[KeyAuthority]
	if err != nil || ending(newest.certificate, o.Now, lives.Authority) {
		if newest, err = newAuthority(o.Now, lives.Authority); err != nil {
			return nil, err
		}
		if keyPEM, err = keyutil.MarshalPrivateKeyToPEM(newest.key); err != nil {
			return nil, err
		}
		trusted = append(trusted, newest.certificate)
	}

	certPEM, servedKey := o.Content[KeyCertificate], o.Content[KeyPrivate]
	leaf := servedLeaf(o.Content)
	works := leaf != nil && chains(o.Content, o.Now) && goodFor(leaf, o.Hosts[:1])
	fresh := works && goodFor(leaf, o.Hosts) && leaf.CheckSignatureFrom(newest.certificate) == nil && !ending(leaf, o.Now, lives.Certificate)
	if !works || !fresh && o.TrustedFor(newest.certificate) >= lives.Settle {
		if certPEM, servedKey, err = newest.sign(o.Hosts, o.Now, lives.Certificate); err != nil {
			return nil, err
		}
	} else if fresh && o.Now.Sub(leaf.NotBefore.Add(skew)) >= lives.Overlap {
		trusted = []*x509.Certificate{newest.certificate}
	}

	bundle, err := cert.EncodeCertificates(trusted...)
	if err != nil {
		return nil, err
	}
	return Content{KeyAuthorities: bundle, KeyAuthority: keyPEM, KeyCertificate: certPEM, KeyPrivate: servedKey}, nil
}

// Equal reports whether two contents are the same.
func (c Content) Equal(other Content) bool {
	return slices.EqualFunc(
		[]string{KeyAuthorities, KeyAuthority, KeyCertificate, KeyPrivate},
		[]string{KeyAuthorities, KeyAuthority, KeyCertificate, KeyPrivate},
		func(k, _ string) bool { return bytes.Equal(c[k], other[k]) },
	)
}

// ending: the last third of its life has begun. Lives may have been made longer or shorter since it was signed.
func ending(c *x509.Certificate, now time.Time, life time.Duration) bool {
	life = min(life, c.NotAfter.Sub(c.NotBefore.Add(skew)))
	return c.NotAfter.Sub(now) < life/3
}

// trustedAuthorities are what is in a bundle and has not expired. What cannot be read is nothing.
func trustedAuthorities(bundle []byte, now time.Time) []*x509.Certificate {
	all, err := cert.ParseCertsPEM(bundle)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(c *x509.Certificate) bool { return now.After(c.NotAfter) })
}

// servedLeaf is nil if nothing could be served.
func servedLeaf(c Content) *x509.Certificate {
	pair, err := tls.X509KeyPair(c[KeyCertificate], c[KeyPrivate])
	if err != nil {
		return nil
	}
	return pair.Leaf
}

// chains reports whether an API server that trusts the bundle would trust what is served. It takes whatever certificate is in
// the bundle for a root, be it an authority or not, and so must we.
func chains(c Content, now time.Time) bool {
	pair, err := tls.X509KeyPair(c[KeyCertificate], c[KeyPrivate])
	if err != nil {
		return false
	}
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	roots.AppendCertsFromPEM(c[KeyAuthorities])
	for _, der := range pair.Certificate[1:] {
		if intermediate, err := x509.ParseCertificate(der); err == nil {
			intermediates.AddCert(intermediate)
		}
	}
	_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates, CurrentTime: now})
	return err == nil
}

func goodFor(leaf *x509.Certificate, hosts []string) bool {
	return !slices.ContainsFunc(hosts, func(host string) bool {
		if net.ParseIP(host) != nil {
			host = "[" + host + "]" // how VerifyHostname wants an address
		}
		return leaf.VerifyHostname(host) != nil
	})
}
