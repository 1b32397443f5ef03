// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package certificate let the API server trust the webhooks from the first day on, and nobody noticed when the certificates
// changed.
//
// Everything is in one Secret, which each replica watches and serves from: no file, and no restart. Who issues, changes it in
// steps, so that at each moment whatever is served is trusted:
//
//  1. A new authority is added to those that are trusted.
//  2. When every webhook configuration has had it for a while, the certificate is signed by it.
//  3. When every replica has had that for a while, the old authority is dropped.
//
// The libraries that do this for webhooks know no step but one: they put a new authority in the place of the old.
package certificate

import "time"

// Keys of the Secret. They are those of cert-manager, so that either can issue.
const (
	KeyCertificate = "tls.crt"
	KeyPrivate     = "tls.key"
	KeyAuthorities = "ca.crt"
	KeyAuthority   = "ca.key" // private, of the newest authority; only if Banyan issues
)

// Secret is the name of the Secret, as in HNC.
const Secret = "hnc-webhook-server-cert"

// Lives say how long things last. Of an authority or a certificate, the last third is for its successor.
type Lives struct {
	Authority, Certificate time.Duration
	// Settle is how long all configurations must have trusted an authority before it signs. API servers learn of it by their
	// watches.
	Settle time.Duration
	// Overlap is how long an old authority is trusted after the new one has signed.
	Overlap time.Duration
}

// DefaultLives of an installation.
var DefaultLives = LivesOf(3*365*24*time.Hour, 90*24*time.Hour)

// LivesOf authorities and certificates. If these are very short, so is what lies in between.
func LivesOf(authority, certificate time.Duration) Lives {
	return Lives{
		Authority: authority, Certificate: certificate,
		Settle: min(10*time.Second, certificate/20), Overlap: min(10*time.Minute, certificate/10),
	}
}

// skew is how far the clock of an API server may be behind.
const skew = time.Minute
