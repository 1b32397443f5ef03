// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// makers are what can open a way to the API server, by the package that it comes from.
var makers = map[string]*regexp.Regexp{
	"sigs.k8s.io/controller-runtime":                       regexp.MustCompile(`^(NewManager|GetConfig|GetConfigOrDie)$`),
	"sigs.k8s.io/controller-runtime/pkg/manager":           regexp.MustCompile(`^New$`),
	"sigs.k8s.io/controller-runtime/pkg/cluster":           regexp.MustCompile(`.`),
	"sigs.k8s.io/controller-runtime/pkg/client":            regexp.MustCompile(`^New(WithWatch)?$`),
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil":    regexp.MustCompile(`^(RESTClient|New)`),
	"sigs.k8s.io/controller-runtime/pkg/client/config":     regexp.MustCompile(`.`),
	"k8s.io/client-go/rest":                                regexp.MustCompile(`^(InCluster|HTTP|Transport|TLS|REST|Unversioned|NewRequest|NewREST)`),
	"k8s.io/client-go/kubernetes":                          regexp.MustCompile(`^New`),
	"k8s.io/client-go/discovery":                           regexp.MustCompile(`^New`),
	"k8s.io/client-go/transport":                           regexp.MustCompile(`.`),
	"k8s.io/client-go/tools/clientcmd":                     regexp.MustCompile(`.`),
	"k8s.io/client-go/dynamic":                             regexp.MustCompile(`^New`),
	"k8s.io/client-go/metadata":                            regexp.MustCompile(`^New`),
	"k8s.io/client-go/scale":                               regexp.MustCompile(`^New`),
	"net/http":                                             regexp.MustCompile(`^(Client|DefaultClient|DefaultTransport|Transport|Get|Head|Post|PostForm)$`),
	"net":                                                  regexp.MustCompile(`^Dial`),
	"crypto/tls":                                           regexp.MustCompile(`^(Dial|Client$)`),
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/": regexp.MustCompile(`.`),
}

// reaches are methods that hand out what a maker needs, whatever they are called on.
var reaches = regexp.MustCompile(`^(GetConfig|GetHTTPClient|RESTClient)$`)

// TestNoOtherWriter: but for cmd and the rigs, nothing can make a client, so that
// everything which writes was given the gated one. The way of each that cmd/banyan
// makes is in connect.go.
func TestNoOtherWriter(t *testing.T) {
	exceptions := map[string]string{
		"webhook/loopback.go: http.Client":    "asks this replica's own webhook port, whose address it is given",
		"webhook/loopback.go: http.Transport": "the same",
	}
	var found []string
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() && (name == "cmd" || name == "bench" || name == "bin" || strings.HasPrefix(entry.Name(), ".") && name != ".") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		made, err := makersIn(path, nil)
		for _, maker := range made {
			found = append(found, filepath.ToSlash(name)+": "+maker)
		}
		return err
	}))
	for _, maker := range found {
		require.Containsf(t, exceptions, maker, "only cmd may open a way to the API server; take the gated client as a parameter")
		delete(exceptions, maker)
	}
	require.Empty(t, exceptions, "these are no exceptions any more")
}

// TestWaysAreThoseOfConnect: in cmd/banyan, a client is made only of a way that
// connect made.
func TestWaysAreThoseOfConnect(t *testing.T) {
	of := regexp.MustCompile(`^(r\.conns|bootstrap)\.(reads|writes|leases|reviews)$`)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	made := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "connect.go" {
			continue
		}
		parsed, imports := parse2(t, file, nil)
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, isCall := node.(*ast.CallExpr)
			if !isCall || len(call.Args) == 0 {
				return true
			}
			selector, isSelector := call.Fun.(*ast.SelectorExpr)
			if isSelector && makes(selector, imports) {
				made++
				require.Regexpf(t, of, expression(call.Args[0]), "%s: %s", file, expression(selector))
			}
			return true
		})
	}
	require.Greater(t, made, 5, "clients that were looked at")
}
