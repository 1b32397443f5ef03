// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

var secrets = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

func secretsIn(mode api.SynchronizationMode) propagate.Active {
	return propagate.Active{Type: propagate.Type{GVK: secrets, Mode: mode}, Resource: "secrets", Plural: "secrets"}
}

// TestNothingIsDecidedWhileAsleep: a source that was not read yet looks like one
// that is gone, so nothing is done about any object of its kind.
func TestNothingIsDecidedWhileAsleep(t *testing.T) {
	live := NewLive(hierarchy.Scope{}, propagate.Options{}, Home{})
	awake(live, "-a")
	begun, ended := live.adopt(propagate.Resolution{Active: append(enforcedKinds[:2:2], secretsIn(api.Propagate))})
	require.Empty(t, ended)
	require.Len(t, begun, 1)

	orphan := role("b", "a")
	orphan.SetGroupVersionKind(secrets)
	live.SetObject(orphan)
	key := ObjectKey{secrets, "b", "reader"}
	require.Empty(t, live.decideObject(key).Verb, "its source may be the next that is read")

	live.awaken(begun[0])
	require.Equal(t, propagate.Delete, live.decideObject(key).Verb, "everything was read, and there was no source")
}

// TestKindThatIsLeftOutIsForgotten: a type that is named again knows nothing of
// what was there before, and sleeps until everything was read anew.
func TestKindThatIsLeftOutIsForgotten(t *testing.T) {
	for name, without := range map[string][]propagate.Active{
		"left out": enforcedKinds,
		"ignored":  append(enforcedKinds[:2:2], secretsIn(api.Ignore)),
	} {
		t.Run(name, func(t *testing.T) {
			live := awake(NewLive(hierarchy.Scope{}, propagate.Options{}, Home{}), "-a")
			with := propagate.Resolution{Active: append(enforcedKinds[:2:2], secretsIn(api.Propagate))}
			begun, _ := live.adopt(with)
			live.awaken(begun[0])
			source := role("a", "")
			source.SetGroupVersionKind(secrets)
			live.SetObject(source)
			key := ObjectKey{secrets, "b", "reader"}
			require.Equal(t, propagate.Create, live.decideObject(key).Verb)

			_, ended := live.adopt(propagate.Resolution{Active: without})
			require.Equal(t, begun, ended)
			require.Empty(t, live.decideObject(key).Verb)
			late := propagate.Observe(source)
			live.setObject(ended[0], late) // an event that was under way

			again, _ := live.adopt(with)
			require.Len(t, again, 1)
			live.awaken(again[0])
			require.Empty(t, live.decideObject(key).Verb, "the source of before is no source")
		})
	}
}

// TestUserTypesDoNotHoldUpForEver: readiness waits for the enforced types always,
// and for others only so long.
func TestUserTypesDoNotHoldUpForEver(t *testing.T) {
	live := NewLive(hierarchy.Scope{}, propagate.Options{}, Home{})
	begun, _ := live.adopt(propagate.Resolution{Active: append(enforcedKinds[:2:2], secretsIn(api.Propagate))})
	require.False(t, live.allAwake(true), "Roles have not been read")
	live.awaken(begun[0])
	live.awaken(begun[1])
	require.True(t, live.allAwake(true))
	require.False(t, live.allAwake(false), "Secrets have not been read")
	live.awaken(begun[2])
	require.True(t, live.allAwake(false))
}
