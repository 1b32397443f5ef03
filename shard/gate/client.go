// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/shard"
)

// KeyFunc returns the key that a namespace belongs to, and whether it is frozen:
// then nothing may be written into it but the acknowledgement of its move.
type KeyFunc func(namespace string) (key string, frozen bool)

// Always is a KeyFunc for what has the same key, whatever happens.
func Always(key string) KeyFunc { return func(string) (string, bool) { return key, false } }

// Client wraps a client, so that its writes ask the gate first. What a write
// cannot prove to be conditional, it does not do: a patch carries a
// resourceVersion, an update and a delete a UID too. (Some kinds, Roles among
// them, are created by an update that finds nothing, whatever version it names.)
func (g *Gate) Client(next client.Client, key KeyFunc) client.Client {
	return &gated{Client: next, gate: g, key: key}
}

// gated passes reads on by embedding; each verb that writes is defined below.
type gated struct {
	client.Client
	gate *Gate
	key  KeyFunc
}

// write runs one write between Begin and end.
//
// Invariant: the key is asked again after the write was counted. Reason: whoever
// freezes a namespace, or learns that it has another key, does so first and waits
// for the writes under the old key afterwards; so it either waits for this write,
// or this write sees what it did.
func (c *gated) write(ctx context.Context, obj client.Object, do func(context.Context) error) error {
	key, _ := c.keyOf(obj)
	ctx, end, err := c.gate.Begin(ctx, shard.Of(key, c.gate.Shards()))
	if err != nil {
		return err
	}
	defer end()
	if now, frozen := c.keyOf(obj); now != key || frozen && !acknowledges(ctx) {
		c.gate.counts.Moving.Add(1)
		return fmt.Errorf("writing %T %s: %w", obj, client.ObjectKeyFromObject(obj), ErrMoving)
	}
	return do(ctx)
}

// keyOf the namespace that is written to: the object's, or the object itself if
// it is one. What belongs to no namespace belongs to the cluster.
func (c *gated) keyOf(obj client.Object) (key string, frozen bool) {
	if namespace := obj.GetNamespace(); namespace != "" {
		return c.key(namespace)
	}
	if c.isNamespace(obj) {
		return c.key(obj.GetName())
	}
	return shard.ClusterKey, false
}

// Acknowledge waits until the writes under a key that have begun have ended, and
// returns the context in which a frozen namespace may be written. It is for the one
// write that gives the namespace to the holder of its next key.
func (g *Gate) Acknowledge(ctx context.Context, key string) (context.Context, error) {
	if err := g.Drain(ctx, shard.Of(key, g.Shards())); err != nil {
		return nil, fmt.Errorf("acknowledging a move out of %q: %w", key, err)
	}
	return context.WithValue(ctx, acknowledgeKey{}, true), nil
}

func acknowledges(ctx context.Context) bool { return ctx.Value(acknowledgeKey{}) != nil }

func (c *gated) isNamespace(obj runtime.Object) bool {
	gvk, err := c.GroupVersionKindFor(obj)
	return err == nil && gvk.GroupKind() == corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind()
}

func (c *gated) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	return c.write(ctx, obj, func(ctx context.Context) error { return c.Client.Create(ctx, obj, opts...) })
}

func (c *gated) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	if obj.GetResourceVersion() == "" || obj.GetUID() == "" {
		return c.unconditional("updating", obj)
	}
	return c.write(ctx, obj, func(ctx context.Context) error { return c.Client.Update(ctx, obj, opts...) })
}

func (c *gated) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if !carriesVersion(patch, obj) {
		return c.unconditional("patching", obj)
	}
	return c.write(ctx, obj, func(ctx context.Context) error { return c.Client.Patch(ctx, obj, patch, opts...) })
}

func (c *gated) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	var options client.DeleteOptions
	options.ApplyOptions(opts)
	if p := options.Preconditions; p == nil || p.UID == nil || p.ResourceVersion == nil {
		return c.unconditional("deleting", obj)
	}
	return c.write(ctx, obj, func(ctx context.Context) error { return c.Client.Delete(ctx, obj, opts...) })
}

// DeleteAllOf is never conditional.
func (c *gated) DeleteAllOf(_ context.Context, obj client.Object, _ ...client.DeleteAllOfOption) error {
	return c.unconditional("deleting all of", obj)
}

// Apply is refused: a takeover would repeat it over what others wrote since.
func (c *gated) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	c.gate.counts.Unconditional.Add(1)
	return fmt.Errorf("applying: %w", ErrUnconditional)
}

// Status and SubResource would be ways around the gate. Nothing uses them, since
// no kind of ours has a subresource.
func (c *gated) Status() client.SubResourceWriter { return c.SubResource("status") }

// SubResource returns a client that refuses every write.
func (c *gated) SubResource(string) client.SubResourceClient { return refusing{c} }

func (c *gated) unconditional(verb string, obj client.Object) error {
	c.gate.counts.Unconditional.Add(1)
	return fmt.Errorf("%s %T %s: %w", verb, obj, client.ObjectKeyFromObject(obj), ErrUnconditional)
}

// carriesVersion reports whether the patch, as it will be sent, is a merge patch
// that names the version which it was made for.
func carriesVersion(patch client.Patch, obj client.Object) bool {
	data, err := patch.Data(obj)
	if err != nil {
		return false
	}
	var body struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	return json.Unmarshal(data, &body) == nil && body.Metadata.ResourceVersion != ""
}

type refusing struct{ c *gated }

func (r refusing) Get(context.Context, client.Object, client.Object, ...client.SubResourceGetOption) error {
	return fmt.Errorf("reading a subresource: %w", ErrUngated)
}

func (r refusing) Create(_ context.Context, obj client.Object, _ client.Object, _ ...client.SubResourceCreateOption) error {
	return r.c.unconditional("creating a subresource of", obj)
}

func (r refusing) Update(_ context.Context, obj client.Object, _ ...client.SubResourceUpdateOption) error {
	return r.c.unconditional("updating a subresource of", obj)
}

func (r refusing) Patch(_ context.Context, obj client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	return r.c.unconditional("patching a subresource of", obj)
}

func (r refusing) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return fmt.Errorf("applying a subresource: %w", ErrUnconditional)
}
