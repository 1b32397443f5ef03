// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package certificate

import (
	"context"
	"crypto/x509"
	"fmt"
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	secret, configurations, err := i.observe(ctx)
	if err != nil {
		return reconcile.Result{}, err
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

// configuration of webhooks, and where in it the bundles are.
type configuration struct {
	object    client.Object
	bundles   func(client.Object) []*[]byte
	elsewhere bool
}

func (i *Issuer) observe(ctx context.Context) (*corev1.Secret, []configuration, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: i.Namespace, Name: Secret}}
	if err := i.Reader.Get(ctx, client.ObjectKeyFromObject(secret), secret); client.IgnoreNotFound(err) != nil {
		return nil, nil, fmt.Errorf("reading the Secret of the certificate: %w", err)
	}
	var all []configuration
	for _, name := range i.Validating {
		all = append(all, configuration{
			object:    &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}},
			bundles:   validatingBundles,
			elsewhere: slices.Contains(i.Elsewhere, name),
		})
	}
	for _, name := range i.Mutating {
		all = append(all, configuration{
			object:  &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}},
			bundles: mutatingBundles,
		})
	}
	var found []configuration
	for _, c := range all {
		err := i.Reader.Get(ctx, client.ObjectKeyFromObject(c.object), c.object)
		if apierrors.IsNotFound(err) {
			continue // it asks nobody
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading the webhook configuration %s: %w", c.object.GetName(), err)
		}
		found = append(found, c)
	}
	return secret, found, nil
}

func validatingBundles(o client.Object) []*[]byte {
	hooks := o.(*admissionregistrationv1.ValidatingWebhookConfiguration).Webhooks
	bundles := make([]*[]byte, len(hooks))
	for i := range hooks {
		bundles[i] = &hooks[i].ClientConfig.CABundle
	}
	return bundles
}

func mutatingBundles(o client.Object) []*[]byte {
	hooks := o.(*admissionregistrationv1.MutatingWebhookConfiguration).Webhooks
	bundles := make([]*[]byte, len(hooks))
	for i := range hooks {
		bundles[i] = &hooks[i].ClientConfig.CABundle
	}
	return bundles
}

// trustedFor counts by this replica's own observation; who takes over begins anew.
func (i *Issuer) trustedFor(authority *x509.Certificate, configurations []configuration, now time.Time) time.Duration {
	print := string(authority.Raw)
	for _, c := range configurations {
		for _, bundle := range c.bundles(c.object) {
			all, err := cert.ParseCertsPEM(*bundle)
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
	if Content(is.Data).Equal(want) {
		return nil
	}
	should := is.DeepCopy()
	should.Data, should.Type = want, is.Type
	if is.ResourceVersion == "" {
		should.Type = corev1.SecretTypeTLS
		if err := i.Client.Create(ctx, should); err != nil {
			return fmt.Errorf("creating the Secret of the certificate: %w", err)
		}
		return nil
	}
	if err := i.Client.Update(ctx, should); err != nil {
		return fmt.Errorf("updating the Secret of the certificate: %w", err)
	}
	return nil
}

func (i *Issuer) publish(ctx context.Context, c configuration, bundle []byte) error {
	if c.elsewhere {
		return nil
	}
	should := c.object.DeepCopyObject().(client.Object)
	changed := false
	for _, is := range c.bundles(should) {
		if string(*is) != string(bundle) {
			*is, changed = bundle, true
		}
	}
	if !changed {
		return nil
	}
	if err := i.Client.Patch(ctx, should, client.MergeFromWithOptions(c.object, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("publishing the authorities in %s: %w", c.object.GetName(), err)
	}
	return nil
}
