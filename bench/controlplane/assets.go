// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// modulePath is how the root of this module is recognised; the folders of bench/kube are modules of their own.
const modulePath = "github.com/banyan-hns/banyan"

// assets are the paths of the three binaries. All come from one directory, since a controller manager that is newer than
// its API server is a pair that Kubernetes does not support.
type assets struct {
	etcd, apiServer, manager string
}

// findAssets takes the first directory that is named, and does not look further when that one is incomplete.
func findAssets(dir string) (assets, error) {
	if dir == "" {
		dir = os.Getenv("KUBEBUILDER_ASSETS")
	}
	if dir == "" {
		root, err := moduleRoot()
		if err != nil {
			return assets{}, fmt.Errorf("looking for the binaries: %w", err)
		}
		dir = filepath.Join(root, "bin", "kube", "current")
	}

	found := assets{
		etcd:      filepath.Join(dir, "etcd"),
		apiServer: filepath.Join(dir, "kube-apiserver"),
		manager:   filepath.Join(dir, "kube-controller-manager"),
	}
	for _, path := range []string{found.etcd, found.apiServer, found.manager} {
		if _, err := os.Stat(path); err != nil {
			return assets{}, fmt.Errorf("looking for the binaries (make kube builds all of them; "+
				"what setup-envtest downloads has no kube-controller-manager): %w", err)
		}
	}
	return found, nil
}

// moduleRoot walks up from the working directory, which for a test is its package's.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("asking for the working directory: %w", err)
	}
	for {
		if declares(filepath.Join(dir, "go.mod"), modulePath) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not inside module " + modulePath + "; set KUBEBUILDER_ASSETS")
		}
		dir = parent
	}
}

// declares says whether the go.mod file at path is that of the module. A file that cannot be read is not.
func declares(path, module string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()

	for scan := bufio.NewScanner(file); scan.Scan(); {
		if name, ok := strings.CutPrefix(scan.Text(), "module "); ok {
			return strings.TrimSpace(name) == module
		}
	}
	return false
}
