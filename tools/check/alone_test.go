package main

import (
	"go/ast"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// starters are methods and functions that start goroutines, by whatever they are called on.
var starters = []string{"Go", "AfterFunc", "AddCleanup", "Parallel", "RunParallel", "Pull", "Pull2",
	"NewServer", "NewTLSServer", "NewUnstartedServer", "Serve", "ListenAndServe"}

// harmless are functions of packages that start goroutines which start none, by who calls them.
var harmless = map[string]string{
	"framework/store": "framework/engine.DecodeCheckpoint",
	"builtin/dataset": "registry/contract.Examine", // it examines sources, one by one
}

// A home is a package of ours.
type home struct {
	files     []*source
	functions []string // that it exports
	starts    string   // what starts goroutines in it; empty: nothing does
}

// Where the race detector does not watch nothing starts a goroutine: neither what is alone and its
// tests, nor a package of which they mention a function.
func TestAloneIsAlone(t *testing.T) {
	homes := map[string]*home{}
	for _, p := range append([]string{"framework/audit"}, alone...) {
		if p != "tools/bench" { // which is about how fast one worker is
			addHomes(t, homes, p)
		}
	}
	for grown := true; grown; {
		grown = false
		for name, h := range homes {
			if h.starts == "" {
				h.starts = startedBy(name, homes)
				grown = grown || h.starts != ""
			}
		}
	}
	if homes["framework/engine"].starts == "" || homes["framework/audit"].starts == "" {
		t.Error("the engine starts no goroutines: is this test looking in the right place?")
	}
	for _, p := range alone {
		if h := homes[p]; h != nil && h.starts != "" {
			t.Errorf("%s is tested without the race detector; goroutines are started by %s", p, h.starts)
		}
	}
}

// addHomes adds a package and what it and its tests depend on.
func addHomes(t *testing.T, homes map[string]*home, name string) {
	t.Helper()
	list := exec.Command("go", "list", "-test", "-deps", "-f", "{{.ImportPath}} {{.Dir}}", module+name)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		dep, ours := strings.CutPrefix(fields[0], module)
		if !ours || len(fields) != 2 || homes[dep] != nil {
			continue
		}
		h := new(home)
		homes[dep] = h
		files, err := filepath.Glob(filepath.Join(fields[1], "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") || slices.Contains(alone, dep) {
				h.add(t, file)
			}
		}
	}
}

func (h *home) add(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(file, string(text))
	if err != nil {
		t.Fatal(err)
	}
	h.files = append(h.files, s)
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
			h.functions = append(h.functions, f.Name.Name)
		}
	}
}

// startedBy says what starts goroutines in a package, as far as that is known of others.
func startedBy(name string, homes map[string]*home) (by string) {
	for _, s := range homes[name].files {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				by = s.path
			case *ast.SelectorExpr:
				if said := mentioned(s, n, homes); slices.Contains(starters, n.Sel.Name) ||
					said != "" && said != harmless[name] {
					by = s.path + ": " + n.Sel.Name
				}
			}
			return by == ""
		})
	}
	return by
}

// mentioned returns the function that a file names if it is one of a package that starts goroutines.
func mentioned(s *source, n *ast.SelectorExpr, homes map[string]*home) string {
	x, ok := n.X.(*ast.Ident)
	if !ok {
		return ""
	}
	for _, spec := range s.file.Imports {
		full, _ := strconv.Unquote(spec.Path.Value)
		of := strings.TrimPrefix(full, module)
		named := spec.Name == nil && path.Base(full) == x.Name || spec.Name != nil && spec.Name.Name == x.Name
		if h := homes[of]; named && h != nil && h.starts != "" && slices.Contains(h.functions, n.Sel.Name) {
			return of + "." + n.Sel.Name
		}
	}
	return ""
}
