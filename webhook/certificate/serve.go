// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Served is what this replica serves, from wherever it comes.
//
// Invariant: what worked once is served until something else works. Reason: a Secret that was emptied, or half written, must
// not end a connection that a certificate of yesterday could carry.
type Served struct {
	// Changed is called after a change; it may be nil.
	Changed func()
	Log     logr.Logger

	mu      sync.RWMutex
	content Content
	pair    *tls.Certificate
	faulty  error // why the newest content cannot be served
}

// errNothing: nothing has been found yet.
var errNothing = errors.New("there is no certificate yet")

// GetCertificate is what a tls.Config asks.
func (s *Served) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.pair == nil {
		return nil, errNothing
	}
	return s.pair, nil
}

// Bundle has the authorities that are to be trusted, PEM-encoded; nil if they are not known.
func (s *Served) Bundle() []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.content[KeyAuthorities]
}

// Check fails if nothing is served, or what has expired, or what is trusted by nobody who trusts the bundle. That something
// newer cannot be served is no reason to stop: it would be one on all replicas at once.
func (s *Served) Check(now time.Time) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case s.pair == nil && s.faulty != nil:
		return s.faulty
	case s.pair == nil:
		return errNothing
	case now.After(s.pair.Leaf.NotAfter):
		return fmt.Errorf("the certificate has expired at %s", s.pair.Leaf.NotAfter.Format(time.RFC3339))
	case len(s.content[KeyAuthorities]) > 0 && !chains(s.content, now):
		return errors.New("the certificate is signed by none of the authorities in " + KeyAuthorities)
	}
	return nil
}

// Set serves a content from now on, if it can be. The key of an authority is of no use here, and is not kept.
func (s *Served) Set(content Content) {
	content = maps.Clone(content)
	delete(content, KeyAuthority)
	pair, err := tls.X509KeyPair(content[KeyCertificate], content[KeyPrivate])
	if err == nil && time.Now().After(pair.Leaf.NotAfter) {
		err = fmt.Errorf("it has expired at %s", pair.Leaf.NotAfter.Format(time.RFC3339))
	}
	s.mu.Lock()
	same := s.content.Equal(content)
	if err != nil {
		// The error of the library never quotes what it reads.
		s.faulty = fmt.Errorf("reading %s and %s: %w; what was served before still is", KeyCertificate, KeyPrivate, err)
	} else {
		s.content, s.pair, s.faulty = content, &pair, nil
	}
	faulty := s.faulty
	s.mu.Unlock()
	switch {
	case faulty != nil:
		s.Log.Error(faulty, "cannot serve this certificate")
	case !same:
		s.Log.Info("serves a certificate", "serial", pair.Leaf.SerialNumber.Text(16), "until", pair.Leaf.NotAfter.Format(time.RFC3339))
		if s.Changed != nil {
			s.Changed()
		}
	}
}

// Watch serves what is in the Secret until the context ends.
func (s *Served) Watch(ctx context.Context, client kubernetes.Interface, namespace string) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, Secret).String()
		}))
	informer := factory.Core().V1().Secrets().Informer()
	take := func(o any) {
		if secret, ok := o.(*corev1.Secret); ok {
			s.Set(secret.Data)
		}
	}
	// That it is deleted says nothing about what is served.
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: take, UpdateFunc: func(_, o any) { take(o) }}); err != nil {
		return fmt.Errorf("watching Secret %s/%s: %w", namespace, Secret, err)
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

// look is how often files are looked at.
const look = time.Second

// Follow serves what is in the files of a directory until the context ends.
func (s *Served) Follow(ctx context.Context, dir string) error {
	var last Content
	for {
		content, err := readDir(dir)
		switch {
		case err != nil && last == nil:
			return fmt.Errorf("reading the certificate: %w; put %s and %s there, or leave out --webhook-cert-dir", err, KeyCertificate, KeyPrivate)
		case err == nil && !last.Equal(content):
			s.Set(content)
			last = content
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(look):
		}
	}
}

func readDir(dir string) (Content, error) {
	content := Content{}
	for _, key := range []string{KeyCertificate, KeyPrivate, KeyAuthorities} {
		data, err := os.ReadFile(filepath.Join(dir, key))
		if key == KeyAuthorities && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		content[key] = bytes.Clone(data)
	}
	return content, nil
}
