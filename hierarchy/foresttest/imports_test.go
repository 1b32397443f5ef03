// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package foresttest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadings: a clock is found under whatever name it is imported, and the
// mere types of its package are no clock.
func TestReadings(t *testing.T) {
	for name, tc := range map[string]struct {
		source string
		want   []string
	}{
		"a duration is data": {source: `import "time"; const second = time.Second; var unix = time.Unix`},
		"the time of day":    {source: `import "time"; var now = time.Now()`, want: []string{"time.Now"}},
		"a function value":   {source: `import "time"; var since = time.Since`, want: []string{"time.Since"}},
		"another name":       {source: `import clock "time"; var now = clock.Now()`, want: []string{"clock.Now"}},
		"that of Kubernetes": {source: `import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"; var now = metav1.Now()`, want: []string{"metav1.Now"}},
		"somebody else's":    {source: `import time "example.com/time"; var now = time.Now()`},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "source.go")
			require.NoError(t, os.WriteFile(file, []byte("package p; "+tc.source), 0o600))
			require.Equal(t, tc.want, readings(t, file))
		})
	}
}
