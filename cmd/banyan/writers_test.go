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
	"k8s.io/client-go/kubernetes/typed/":                   regexp.MustCompile(`^New`),
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
		parsed, imports, err := parseFile(file, nil)
		require.NoError(t, err)
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

// TestMakersAreFound is the negative control: each line is one way to a client.
func TestMakersAreFound(t *testing.T) {
	for line, want := range map[string]string{
		`import "k8s.io/client-go/kubernetes"; var c, _ = kubernetes.NewForConfig(nil)`:                        "kubernetes.NewForConfig",
		`import k "k8s.io/client-go/kubernetes"; var c, _ = k.NewForConfig(nil)`:                               "k.NewForConfig",
		`import . "k8s.io/client-go/kubernetes"; var c, _ = NewForConfig(nil)`:                                 `import . "k8s.io/client-go/kubernetes"`,
		`import "k8s.io/client-go/kubernetes"; var make = kubernetes.NewForConfig`:                             "kubernetes.NewForConfig",
		`import "sigs.k8s.io/controller-runtime/pkg/client"; var c, _ = client.New(nil, client.Options{})`:     "client.New",
		`import c "k8s.io/client-go/kubernetes/typed/core/v1"; var v, _ = c.NewForConfig(nil)`:                 "c.NewForConfig",
		`import "net/http"; var c = &http.Client{}`:                                                            "http.Client",
		`import "sigs.k8s.io/controller-runtime/pkg/manager"; func f(m manager.Manager) { m.GetConfig() }`:     ".GetConfig",
		`import "k8s.io/client-go/kubernetes"; func f(c kubernetes.Interface) { c.CoreV1().RESTClient() }`:     ".RESTClient",
		`import "sigs.k8s.io/controller-runtime/pkg/client"; func f(c client.Client, o client.ListOptions) {}`: "",
		`import "net/http"; func f(w http.ResponseWriter, r *http.Request) {}`:                                 "",
	} {
		made, err := makersIn("line.go", []byte("package p; "+line))
		require.NoError(t, err, line)
		require.Equal(t, want, strings.Join(made, ", "), line)
	}
}

// makersIn lists what makes clients in a file, or in a source that is given.
func makersIn(file string, source []byte) ([]string, error) {
	parsed, imports, err := parseFile(file, source)
	if err != nil {
		return nil, err
	}
	var made []string
	if path, dotted := imports["."]; dotted {
		made = append(made, fmt.Sprintf("import . %q", path))
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		selector, isSelector := node.(*ast.SelectorExpr)
		switch {
		case !isSelector:
		case makes(selector, imports):
			made = append(made, expression(selector))
		case reaches.MatchString(selector.Sel.Name):
			made = append(made, "."+selector.Sel.Name)
		}
		return true
	})
	return made, nil
}

// parseFile returns the file, and the paths of those of its imports that have makers,
// by the name that they have in it.
func parseFile(file string, source []byte) (*ast.File, map[string]string, error) {
	var from any
	if source != nil {
		from = source
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, from, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, fmt.Errorf("parsing %s: %w", file, err)
	}
	imports := map[string]string{}
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, nil, fmt.Errorf("parsing %s: %w", file, err)
		}
		name := strings.ReplaceAll(path[strings.LastIndex(path, "/")+1:], "-", "")
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if makersOf(path) != nil {
			imports[name] = path
		}
	}
	return parsed, imports, nil
}

// makersOf a package, nil if it has none.
func makersOf(path string) *regexp.Regexp {
	for from, names := range makers {
		if path == from || strings.HasSuffix(from, "/") && strings.HasPrefix(path, from) {
			return names
		}
	}
	return nil
}

func makes(selector *ast.SelectorExpr, imports map[string]string) bool {
	from, isName := selector.X.(*ast.Ident)
	if !isName {
		return false
	}
	path, imported := imports[from.Name]
	return imported && makersOf(path).MatchString(selector.Sel.Name)
}

// expression is a name or a path of names as it stands in the source.
func expression(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return expression(e.X) + "." + e.Sel.Name
	}
	return fmt.Sprintf("%T", e)
}
