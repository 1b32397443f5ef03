// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// registration has one line of content; without it, it leaves all as it is.
type registration struct{ content string }

func (r registration) New() client.Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "registration"}}
}

func (r registration) Owner() *metav1.PartialObjectMetadata { return nil } // observed already

func (r registration) Shape(o client.Object, _ []propagate.Active) bool {
	if r.content != "" {
		o.(*corev1.ConfigMap).Data = map[string]string{"content": r.content}
	}
	return r.content != ""
}

func TestDecideRegistered(t *testing.T) {
	owner := func(uid types.UID) []metav1.OwnerReference { return []metav1.OwnerReference{{Name: "owner", UID: uid}} }
	object := func(content string, owners []metav1.OwnerReference) client.Object {
		o := registration{}.New()
		registration{content}.Shape(o, nil)
		o.SetOwnerReferences(owners)
		return o
	}
	for name, tc := range map[string]struct {
		content   string
		is        observedRegistered
		wantVerb  hierarchy.Verb
		wantAfter client.Object
	}{
		"what is not there is made, with its owner": {
			content: "new", is: observedRegistered{owners: owner("1")},
			wantVerb: hierarchy.Create, wantAfter: object("new", owner("1")),
		},
		"what nobody owns is made": {
			content: "new", wantVerb: hierarchy.Create, wantAfter: object("new", nil),
		},
		"what lacks something is not made": {is: observedRegistered{owners: owner("1")}},
		"without its owner it is not made": {content: "new", is: observedRegistered{owners: owner(""), orphan: true}},
		"without its owner it must go": {
			content: "new", is: observedRegistered{object: object("new", owner("1")), owners: owner(""), orphan: true},
			wantVerb: hierarchy.Delete,
		},
		"without its owner it must go, whatever it lacks": {
			is:       observedRegistered{object: object("old", nil), owners: owner(""), orphan: true},
			wantVerb: hierarchy.Delete,
		},
		"what is right is left alone": {
			content: "new", is: observedRegistered{object: object("new", owner("1")), owners: owner("1")},
		},
		"other content is corrected": {
			content: "new", is: observedRegistered{object: object("old", owner("1")), owners: owner("1")},
			wantVerb: hierarchy.Patch, wantAfter: object("new", owner("1")),
		},
		"what was made before there were owners gets one": {
			content: "new", is: observedRegistered{object: object("new", nil), owners: owner("1")},
			wantVerb: hierarchy.Patch, wantAfter: object("new", owner("1")),
		},
		"an owner that was made anew is another": {
			content: "new", is: observedRegistered{object: object("new", owner("1")), owners: owner("2")},
			wantVerb: hierarchy.Patch, wantAfter: object("new", owner("2")),
		},
		"the owner is corrected although the content must stay": {
			is:       observedRegistered{object: object("old", owner("1")), owners: owner("2")},
			wantVerb: hierarchy.Patch, wantAfter: object("old", owner("2")),
		},
		"other owners would keep it": {
			content: "new", is: observedRegistered{object: object("new", append(owner("1"), owner("3")...)), owners: owner("1")},
			wantVerb: hierarchy.Patch, wantAfter: object("new", owner("1")),
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := tc.is.object
			got := decideRegistered(registration{tc.content}, tc.is, nil)
			require.Equal(t, tc.wantVerb, got.Verb)
			if tc.wantVerb == "" {
				return
			}
			if before != nil {
				require.Equal(t, before, got.Before)
			}
			if tc.wantAfter == nil {
				require.Nil(t, got.After)
				return
			}
			require.Equal(t, tc.wantAfter, got.After)
		})
	}
}
