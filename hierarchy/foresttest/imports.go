// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package foresttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// data are the packages outside the standard library that count as data, not
// as machinery. Nothing else may be imported by a pure package.
var data = []string{
	"k8s.io/apimachinery/pkg/api/equality",
	"k8s.io/apimachinery/pkg/api/resource",
	"k8s.io/apimachinery/pkg/apis/meta/v1",
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured",
	"k8s.io/apimachinery/pkg/labels",
	"k8s.io/apimachinery/pkg/runtime",
	"k8s.io/apimachinery/pkg/runtime/schema",
	"k8s.io/apimachinery/pkg/selection",
	"k8s.io/apimachinery/pkg/types",
	"k8s.io/apimachinery/pkg/util/resourceversion",
	"k8s.io/apimachinery/pkg/util/sets",
	"k8s.io/apimachinery/pkg/util/validation",
	"github.com/cespare/xxhash/v2",
}

// machinery is what a pure package must not import from the standard library.
var machinery = []string{"context", "log", "log/slog", "net", "net/http", "os", "sync", "sync/atomic"}

// clocks are the functions that read or start one. The types of package time
// are data: a pure package may be told the time, but not ask for it.
var clocks = map[string][]string{
	"time":                                 {"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"},
	"k8s.io/apimachinery/pkg/apis/meta/v1": {"Now", "NowMicro"},
}

// module is ours.
const module = "github.com/banyan-hns/banyan/"

// CheckImports fails the test unless the package in the current folder is pure.
func CheckImports(t *testing.T) {
	t.Helper()
	imports := list(t, "-f", `{{join .Imports "\n"}}`, ".")
	if len(imports) == 0 {
		t.Error("the package imports nothing; was it listed at all?")
	}
	for _, path := range imports {
		if !isPure(path) {
			t.Errorf("a pure package imports %s", path)
		}
	}
	for _, file := range list(t, "-f", `{{join .GoFiles "\n"}}`, ".") {
		for _, call := range readings(t, file) {
			t.Errorf("a pure package reads a clock: %s has %s", file, call)
		}
	}
	for _, path := range list(t, "-deps", ".") {
		for _, banned := range []string{module + "shard", module + "webhook", module + "bench", module + "hierarchy/controller", "k8s.io/client-go", "sigs.k8s.io/controller-runtime"} {
			if path == banned || strings.HasPrefix(path, banned+"/") {
				t.Errorf("a pure package depends on %s", path)
			}
		}
	}
}

// readings finds uses of clocks in a file, by the name under which it imports
// their package.
func readings(t *testing.T, file string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatalf("parsing %s: %v", file, err)
	}
	banned := map[string]bool{}
	for _, spec := range tree.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		for _, function := range clocks[path] {
			banned[name+"."+function] = true
		}
	}
	var found []string
	ast.Inspect(tree, func(n ast.Node) bool {
		if use, ok := n.(*ast.SelectorExpr); ok {
			if from, ok := use.X.(*ast.Ident); ok && banned[from.Name+"."+use.Sel.Name] {
				found = append(found, from.Name+"."+use.Sel.Name)
			}
		}
		return true
	})
	return found
}

func isPure(path string) bool {
	domain, _, _ := strings.Cut(path, "/")
	switch {
	case !strings.Contains(domain, "."):
		return !slices.Contains(machinery, path)
	case strings.HasPrefix(path, "k8s.io/api/"):
		return true
	case path == module+"hierarchy", strings.HasPrefix(path, module+"hierarchy/"):
		return true
	}
	return slices.Contains(data, path)
}

func list(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("listing packages: %v", err)
	}
	return strings.Fields(string(out))
}
