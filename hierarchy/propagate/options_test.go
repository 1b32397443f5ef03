// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

func patterns(t testing.TB, texts ...string) []propagate.NamePattern {
	t.Helper()
	var all []propagate.NamePattern
	for _, text := range texts {
		p, err := propagate.ParseNamePattern(text)
		require.NoError(t, err)
		all = append(all, p)
	}
	return all
}

func selectors(t testing.TB, texts ...string) []labels.Selector {
	t.Helper()
	var all []labels.Selector
	for _, text := range texts {
		s, err := propagate.ParseSelector(text)
		require.NoError(t, err)
		all = append(all, s)
	}
	return all
}

func TestParseLabel(t *testing.T) {
	got, err := propagate.ParseLabel("key=")
	require.NoError(t, err)
	require.Equal(t, propagate.Label{Key: "key"}, got)
	got, err = propagate.ParseLabel("cattle.io/creator=norman")
	require.NoError(t, err)
	require.Equal(t, propagate.Label{Key: "cattle.io/creator", Value: "norman"}, got)
	for _, bad := range []string{"", "key", "=value", "key=a=b"} {
		_, err := propagate.ParseLabel(bad)
		require.Error(t, err, bad)
	}
}

func TestParseNamePattern(t *testing.T) {
	tests := map[string]struct {
		want    propagate.NamePattern
		wantErr string
	}{
		"default":              {want: propagate.NamePattern{Glob: "default"}},
		"system:*":             {want: propagate.NamePattern{Glob: "system:*"}},
		"RoleBinding/system:*": {want: propagate.NamePattern{Kind: "RoleBinding", Glob: "system:*"}},
		"Secret/[a-c]?":        {want: propagate.NamePattern{Kind: "Secret", Glob: "[a-c]?"}},
		"":                     {wantErr: "the name is missing"},
		"Secret/":              {wantErr: "the name is missing"},
		"/name":                {wantErr: "the kind before the slash is missing"},
		"a/b/c":                {wantErr: "without its group"},
		"Secret/a[":            {wantErr: `reading "a[": syntax error in pattern`},
		"[]":                   {wantErr: "syntax error in pattern"},
		"abc\\":                {wantErr: "syntax error in pattern"},
	}
	for text, tc := range tests {
		t.Run(text, func(t *testing.T) {
			got, err := propagate.ParseNamePattern(text)
			require.Equal(t, tc.want, got)
			if tc.wantErr == "" {
				require.NoError(t, err)
				require.Equal(t, text, got.String())
				return
			}
			require.ErrorContains(t, err, tc.wantErr)
			require.ErrorContains(t, err, "parsing name pattern")
		})
	}
}

func TestParseSelector(t *testing.T) {
	got, err := propagate.ParseSelector("a in (b),!c")
	require.NoError(t, err)
	require.True(t, got.Matches(labels.Set{"a": "b"}))
	require.False(t, got.Matches(labels.Set{"a": "b", "c": ""}))
	for text, want := range map[string]string{"": "it is empty", " ": "it is empty", "a in (": "parsing label selector", "$": "parsing label selector"} {
		got, err := propagate.ParseSelector(text)
		require.ErrorContains(t, err, want, text)
		require.Nil(t, got, text)
	}
}
