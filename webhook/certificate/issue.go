// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package certificate

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Issuer keeps the Secret, and what the API server trusts, up to date.
type Issuer struct {
	// Client writes.
	Client client.Client
	// Reader reads past the cache.
	Reader client.Reader
	// Namespace of the Secret.
	Namespace string
	// Hosts are the names and addresses at which the API server reaches the webhooks.
	Hosts []string
	// Lives of what is issued.
	Lives Lives
	// Validating and Mutating name the configurations that must trust the authorities. Of Validating, those in Elsewhere get
	// their bundle from somebody else, and are only looked at.
	Validating, Mutating, Elsewhere []string
	// Wrap puts the policy of writing around the reconciler.
	Wrap func(reconcile.TypedReconciler[struct{}]) reconcile.TypedReconciler[struct{}]
	// Every is how often all is looked at.
	Every time.Duration

	looked  time.Time            // when this replica last did
	last    Content              // that was stored, in case somebody deletes it
	trusted map[string]time.Time // since when an authority is known to be trusted by all, by its fingerprint
}

// Start looks at everything from time to time until the context ends. Nothing is watched for it: a replica that is no longer
// asked does nothing, and whoever empties a bundle gets it back at the next look.
func (i *Issuer) Start(ctx context.Context) error {
	i.trusted = map[string]time.Time{}
	reconciler := i.Wrap(i)
	logger := log.FromContext(ctx).WithName("certificates")
	for {
		if _, err := reconciler.Reconcile(ctx, struct{}{}); err != nil && ctx.Err() == nil {
			logger.Error(err, "cannot keep the certificates up to date; tries again", "after", i.Every.String())
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(i.Every):
		}
	}
}

// NeedLeaderElection: the gate says who writes.
func (i *Issuer) NeedLeaderElection() bool { return false }

// Reconcile observes, decides, applies.
func (i *Issuer) Reconcile(ctx context.Context, _ struct{}) (reconcile.Result, error) {
	if now := time.Now(); now.Sub(i.looked) > 3*i.Every {
		clear(i.trusted)
	}
	i.looked = time.Now()
	secret, configurations, err := i.observe(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	if secret.ResourceVersion == "" {
		secret.Data = i.last // it is still served, and trusted; something new would not be, for a moment
	}
	now := time.Now()
	want, err := Plan(Observed{
		Now: now, Content: secret.Data, Hosts: i.Hosts,
		TrustedFor: func(a *x509.Certificate) time.Duration { return i.trustedFor(a, configurations, now) },
	}, i.Lives)
	if err != nil {
		return reconcile.Result{}, err
	}
	// What is to be served next must be stored before anybody trusts it: it has the key.
	if err := i.store(ctx, secret, want); err != nil {
		return reconcile.Result{}, err
	}
	for _, c := range configurations {
		if err := i.publish(ctx, c, want[KeyAuthorities]); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{}, nil
}

// configuration of webhooks. It is kept as it came, since a newer API server may know fields that we do not.
type configuration struct {
	*unstructured.Unstructured
	elsewhere bool
}

// clients of the webhooks, each with the bundle by which it is trusted. What is changed there, is changed in the configuration.
func (c configuration) clients() []map[string]any {
	var clients []map[string]any
	hooks, _ := c.Object["webhooks"].([]any)
	for _, hook := range hooks {
		fields, _ := hook.(map[string]any)
		if client, ok := fields["clientConfig"].(map[string]any); ok {
			clients = append(clients, client)
		}
	}
	return clients
}

func (i *Issuer) observe(ctx context.Context) (*corev1.Secret, []configuration, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: i.Namespace, Name: Secret}}
	if err := i.Reader.Get(ctx, client.ObjectKeyFromObject(secret), secret); client.IgnoreNotFound(err) != nil {
		return nil, nil, fmt.Errorf("reading the Secret of the certificate: %w", err)
	}
	var all []configuration
	for kind, names := range map[string][]string{"ValidatingWebhookConfiguration": i.Validating, "MutatingWebhookConfiguration": i.Mutating} {
		for _, name := range names {
			c := configuration{&unstructured.Unstructured{}, slices.Contains(i.Elsewhere, name)}
			c.SetGroupVersionKind(admissionregistrationv1.SchemeGroupVersion.WithKind(kind))
			c.SetName(name)
			all = append(all, c)
		}
	}
	var found []configuration
	for _, c := range all {
		err := i.Reader.Get(ctx, client.ObjectKeyFromObject(c), c.Unstructured)
		if apierrors.IsNotFound(err) {
			continue // it asks nobody
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading the webhook configuration %s: %w", c.GetName(), err)
		}
		found = append(found, c)
	}
	return secret, found, nil
}

// trustedFor counts by this replica's own observation. Who takes over begins anew, also after an interruption.
func (i *Issuer) trustedFor(authority *x509.Certificate, configurations []configuration, now time.Time) time.Duration {
	print := string(authority.Raw)
	for _, c := range configurations {
		for _, way := range c.clients() {
			text, _ := way["caBundle"].(string)
			bundle, _ := base64.StdEncoding.DecodeString(text) // what is none, trusts nobody
			all, err := cert.ParseCertsPEM(bundle)
			if err != nil || !slices.ContainsFunc(all, authority.Equal) {
				delete(i.trusted, print)
				return 0
			}
		}
	}
	since, known := i.trusted[print]
	if !known {
		since = now
		i.trusted[print] = now
	}
	return now.Sub(since)
}

func (i *Issuer) store(ctx context.Context, is *corev1.Secret, want Content) error {
	if is.ResourceVersion != "" && Content(is.Data).Equal(want) {
		i.last = want
		return nil
	}
	should := is.DeepCopy()
	should.Data, should.Type = want, is.Type
	if is.ResourceVersion == "" {
		should.Type = corev1.SecretTypeTLS
		if err := i.Client.Create(ctx, should); err != nil {
			return fmt.Errorf("creating the Secret of the certificate: %w", err)
		}
		i.last = want
		return nil
	}
	if err := i.Client.Update(ctx, should); err != nil {
		return fmt.Errorf("updating the Secret of the certificate: %w", err)
	}
	i.last = want
	return nil
}

func (i *Issuer) publish(ctx context.Context, c configuration, bundle []byte) error {
	if c.elsewhere {
		return nil
	}
	should := configuration{Unstructured: c.DeepCopy()}
	text, changed := base64.StdEncoding.EncodeToString(bundle), false
	for _, way := range should.clients() {
		if way["caBundle"] != text {
			way["caBundle"], changed = text, true
		}
	}
	if !changed {
		return nil
	}
	if err := i.Client.Patch(ctx, should.Unstructured, client.MergeFromWithOptions(c.Unstructured, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("publishing the authorities in %s: %w", c.GetName(), err)
	}
	return nil
}
