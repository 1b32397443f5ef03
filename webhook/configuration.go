// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

type configurations struct {
	decoder admission.Decoder
	forest  Forest
	rights  rights
	moves   *Moves
}

// judge asks the forest first, and the API server about rights only if the forest
// has no objection. No lock is held meanwhile. What is in other namespaces is told
// to nobody but those with rights there.
//
// A move is granted last, since others must wait for what became of it.
func (h configurations) judge(ctx context.Context, request admission.Request) (verdict validate.Verdict, err error) {
	if request.Operation == opDelete {
		return validate.Allow(), nil
	}
	old, configuration := &api.HierarchyConfiguration{}, &api.HierarchyConfiguration{}
	if err := decode(h.decoder, request, configuration, old); err != nil {
		return verdict, err
	}
	if !validate.IsMove(old, configuration) || configuration.Name != api.HierarchyConfigurationName {
		return h.allows(ctx, request, configuration), nil
	}
	ctx, cancel := context.WithTimeout(ctx, grantWithin)
	defer cancel()
	if !h.hasSeen(ctx, old) {
		return validate.NotSynced(old.Namespace), nil
	}
	verdict = h.allows(ctx, request, configuration)
	if !verdict.Allowed {
		return verdict, nil
	}
	granted := h.moves.grant(ctx, moveOf(request, old, configuration), ptr.Deref(request.DryRun, false))
	granted.Warnings = verdict.Warnings
	return granted, nil
}

func moveOf(request admission.Request, old, configuration *api.HierarchyConfiguration) validate.Move {
	move := validate.MoveTo(configuration)
	move.ID, move.Over = request.UID, old.ResourceVersion
	move.Stamp = configuration.Annotations[api.AnnotationPreviousKey]
	if request.Operation == opCreate {
		move.Creates = configuration.UID
	}
	return move
}

// hasSeen waits until the forest is no older than the object that is to be changed,
// if there is one.
//
// Invariant: what the forest takes for no change is none. Reason: a parent that was
// taken away a moment ago could be given back without its rights.
func (h configurations) hasSeen(ctx context.Context, old *api.HierarchyConfiguration) (seen bool) {
	err := wait.PollUntilContextCancel(ctx, seenEvery, true, func(context.Context) (done bool, _ error) {
		h.forest.Read(func(f *hierarchy.Forest) {
			known := f.Observe(old.Namespace).Configuration
			done = old.ResourceVersion == "" || known != nil && !hierarchy.Newer(old.ResourceVersion, known.ResourceVersion)
		})
		return done, nil
	})
	return err == nil
}

// seenEvery is how often the forest is asked whether it has seen something.
const seenEvery = 5 * time.Millisecond

// allows asks everything but whether other moves are under way.
func (h configurations) allows(ctx context.Context, request admission.Request, configuration *api.HierarchyConfiguration) (verdict validate.Verdict) {
	var needed validate.Rights
	h.forest.Read(func(f *hierarchy.Forest) {
		if verdict = validate.Configuration(f, configuration); !verdict.Allowed {
			return
		}
		warnings := verdict.Warnings
		needed, verdict = validate.RightsNeeded(f, configuration.Namespace, configuration.Spec.Parent)
		verdict.Warnings = append(verdict.Warnings, warnings...)
	})
	if !verdict.Allowed {
		return verdict
	}
	if denial := h.rights.check(ctx, request.UserInfo, needed); !denial.Allowed {
		return denial
	}
	warnings := verdict.Warnings
	h.forest.Look(func(f *hierarchy.Forest, tracked []propagate.Tracked) {
		verdict = validate.Conflicts(f, tracked, configuration)
	})
	verdict.Warnings = append(verdict.Warnings, warnings...)
	return verdict
}

// rights asks the API server what a user may do.
type rights struct {
	reviews client.Client
	reader  client.Reader
}

func (r rights) check(ctx context.Context, user authenticationv1.UserInfo, needed validate.Rights) validate.Verdict {
	if needed.Absent != "" {
		err := r.reader.Get(ctx, types.NamespacedName{Name: needed.Absent}, &corev1.Namespace{})
		if err == nil {
			return validate.NotSynced(needed.Absent)
		}
		if !apierrors.IsNotFound(err) {
			return failed(fmt.Errorf("looking for namespace %q: %w", needed.Absent, err))
		}
	}
	for _, namespace := range needed.Update {
		review := reviewOf(user, namespace)
		if err := r.reviews.Create(ctx, review); err != nil {
			return failed(fmt.Errorf("reviewing the rights in namespace %q: %w", namespace, err))
		}
		if !review.Status.Allowed {
			return validate.NoRights(user.Username, namespace)
		}
	}
	return validate.Allow()
}

func failed(err error) validate.Verdict {
	return validate.Verdict{Reason: metav1.StatusReasonInternalError, Message: err.Error() + "; try again"}
}

func reviewOf(user authenticationv1.UserInfo, namespace string) *authorizationv1.SubjectAccessReview {
	extra := make(map[string]authorizationv1.ExtraValue, len(user.Extra))
	for key, value := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(value)
	}
	return &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user.Username, Groups: user.Groups, UID: user.UID, Extra: extra,
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace, Verb: "update", Group: api.Group, Version: "*", Resource: "hierarchyconfigurations",
			},
		},
	}
}
