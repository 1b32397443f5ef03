// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package replicas

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"

	"k8s.io/client-go/util/cert"
)

// CABundle is what clients of the webhooks are to trust, as PEM.
func (s *Set) CABundle() []byte { return s.plane.Config().CAData }

// Rotate gives all replicas another certificate of the same authority, as a kubelet
// does when the Secret behind it changes. It returns the certificate's serial number;
// replicas serve it when they notice.
func (s *Set) Rotate() (*big.Int, error) {
	certificate, key, err := s.plane.ServingCertificate("banyan-webhooks")
	if err != nil {
		return nil, fmt.Errorf("issuing a certificate: %w", err)
	}
	parsed, err := cert.ParseCertsPEM(certificate)
	if err != nil {
		return nil, fmt.Errorf("reading back a certificate: %w", err)
	}
	return parsed[0].SerialNumber, errors.Join(s.writeCert("tls.key", key), s.writeCert("tls.crt", certificate))
}

// writeCert replaces a file at once: nobody reads half of it.
func (s *Set) writeCert(name string, content []byte) error {
	path := filepath.Join(s.certDir(), name)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return fmt.Errorf("writing a certificate: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("writing a certificate: %w", err)
	}
	return nil
}

func (s *Set) certDir() string { return filepath.Join(s.options.Dir, "certs") }
