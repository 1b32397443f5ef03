// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Users do operations, and keep the ledger. Those who work in one namespace take
// turns, so that the last word is known; Banyan takes none.
type Users struct {
	client.Client
	Ledger *Ledger

	turns sync.Map // of *sync.Mutex, by namespace
	mu    sync.Mutex
	told  []report
}

// outcome of an operation, for people.
type outcome string

const (
	done    outcome = "done"
	absent  outcome = "not there"
	ousted  outcome = "a copy stands there"
	refused outcome = "refused"
	dying   outcome = "it is being deleted"
	nothing outcome = "nothing to do"
)

// Do an operation. What cannot be done, because of what others did, is no error.
func (u *Users) Do(ctx context.Context, o Operation) error {
	turn, _ := u.turns.LoadOrStore(o.Namespace, &sync.Mutex{})
	turn.(*sync.Mutex).Lock()
	defer turn.(*sync.Mutex).Unlock()
	result, err := u.try(ctx, o)
	u.tell(report{o, fmt.Sprintf("%s %s: %s", time.Now().Format("15:04:05.000"), o, result)})
	if err != nil {
		return fmt.Errorf("doing %s: %w", o, err)
	}
	return nil
}

// try again as long as Banyan comes in between.
func (u *Users) try(ctx context.Context, o Operation) (outcome, error) {
	for range 50 {
		uid, err := u.life(ctx, o.Namespace)
		if err != nil {
			return "", err
		}
		result, err := verbs[o.Verb].do(turn{ctx, u, o, uid})
		switch {
		case apierrors.IsConflict(err) && result != dying, apierrors.IsAlreadyExists(err):
			continue
		case apierrors.IsNotFound(err):
			return absent, nil
		case apierrors.IsForbidden(err), apierrors.IsInvalid(err), apierrors.IsConflict(err):
			return refused, nil
		}
		return result, err
	}
	return "it never fits", nil
}

// life returns the UID of a namespace, empty if there is none.
func (u *Users) life(ctx context.Context, namespace string) (types.UID, error) {
	var n corev1.Namespace
	if namespace == "" {
		return "", nil
	}
	err := u.Get(ctx, client.ObjectKey{Name: namespace}, &n)
	return n.UID, client.IgnoreNotFound(err)
}

// report of one operation.
type report struct {
	Operation
	text string
}

func (u *Users) tell(r report) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.told = append(u.told, r)
}

// Told is what was done, in order, about any of these namespaces; about all if
// none is named.
func (u *Users) Told(about ...string) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var lines []string
	for _, r := range u.told {
		if len(about) == 0 || slices.ContainsFunc(about, r.concerns) {
			lines = append(lines, r.text)
		}
	}
	return lines
}

// turn is one try of an operation in one life of its namespace.
type turn struct {
	ctx context.Context
	*Users
	Operation
	in types.UID
}

func (t turn) wrote(what, text string) {
	t.Ledger.write(t.in, Subject{t.Namespace, what}, text)
}
