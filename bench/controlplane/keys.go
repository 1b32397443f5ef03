// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// pair is a certificate and its private key, both in PEM.
type pair struct {
	certificate, key []byte
}

// keys are the secrets of one control plane. One authority signs the API server's certificate and those of its clients; the
// ServiceAccount key is apart, as it signs tokens.
type keys struct {
	dir            string
	authority      *authority
	ca             []byte
	admin, manager pair
}

func (k *keys) caFile() string             { return filepath.Join(k.dir, "ca.crt") }
func (k *keys) servingCertFile() string    { return filepath.Join(k.dir, "apiserver.crt") }
func (k *keys) servingKeyFile() string     { return filepath.Join(k.dir, "apiserver.key") }
func (k *keys) serviceAccountFile() string { return filepath.Join(k.dir, "sa.key") }

// newKeys makes them and writes those that the servers read from files.
func newKeys(dir string) (*keys, error) {
	ca, err := newAuthority()
	if err != nil {
		return nil, err
	}
	serving, err := ca.issue(server("kube-apiserver", "kubernetes.default.svc"))
	if err != nil {
		return nil, err
	}
	admin, err := ca.issue(client("admin", "system:masters"))
	if err != nil {
		return nil, err
	}
	manager, err := ca.issue(client("system:kube-controller-manager"))
	if err != nil {
		return nil, err
	}
	_, serviceAccount, err := newKey()
	if err != nil {
		return nil, err
	}

	k := &keys{dir: dir, authority: ca, ca: ca.pem, admin: admin, manager: manager}
	for path, content := range map[string][]byte{
		k.caFile():             ca.pem,
		k.servingCertFile():    serving.certificate,
		k.servingKeyFile():     serving.key,
		k.serviceAccountFile(): serviceAccount,
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, fmt.Errorf("writing a key: %w", err)
		}
	}
	return k, nil
}

// ServingCertificate returns a new certificate for a server on this machine, with its key, both in PEM. Who trusts the
// CAData of Config, trusts it.
func (c *ControlPlane) ServingCertificate(name string) (certificate, key []byte, err error) {
	p, err := c.keys.authority.issue(server(name))
	return p.certificate, p.key, err
}

// server is the template for one on this machine.
func server(name string, hosts ...string) x509.Certificate {
	return x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		DNSNames:    append([]string{"localhost"}, hosts...),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}

// client is the template for a user: Kubernetes reads the name from CN and the groups from O.
func client(user string, groups ...string) x509.Certificate {
	return x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
}

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

func newAuthority() (*authority, error) {
	key, _, err := newKey()
	if err != nil {
		return nil, err
	}
	template := x509.Certificate{
		Subject:               pkix.Name{CommonName: "banyan-bench"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := sign(template, &template, key, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("reading back the authority: %w", err)
	}
	return &authority{certificate: certificate, key: key, pem: encode("CERTIFICATE", der)}, nil
}

func (a *authority) issue(template x509.Certificate) (pair, error) {
	key, keyPEM, err := newKey()
	if err != nil {
		return pair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := sign(template, a.certificate, key, a.key)
	if err != nil {
		return pair{}, err
	}
	return pair{certificate: encode("CERTIFICATE", der), key: keyPEM}, nil
}

// sign makes the certificate valid from an hour ago, for clocks that differ, to a year ahead.
func sign(template x509.Certificate, parent *x509.Certificate, subject, issuer *ecdsa.PrivateKey) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("choosing a serial number: %w", err)
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().AddDate(1, 0, 0)

	der, err := x509.CreateCertificate(rand.Reader, &template, parent, subject.Public(), issuer)
	if err != nil {
		return nil, fmt.Errorf("signing the certificate of %s: %w", template.Subject.CommonName, err)
	}
	return der, nil
}

func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("generating a key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding a key: %w", err)
	}
	return key, encode("EC PRIVATE KEY", der), nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
