package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/plugins/symbols"
)

// What is committed is what the generator writes, and the same twice.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	stale, err := run("../..", true)
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("not current: %v; go run ./tools/symbols rewrites them", stale)
	}
	a, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	b, err := generate("../..")
	if err != nil || !slices.Equal(a, b) {
		t.Errorf("generating twice gives two things: %v", err)
	}
	kept := map[string]bool{"declared": true, "symbols.go": true, "lowered.go": true,
		"boxes.go": true, "module.go": true, "moved.go": true, "panics.go": true,
		"room.go": true}
	for _, f := range a {
		kept[f.name] = true
	}
	err = fs.WalkDir(os.DirFS("../../"+folder), ".", func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() && !kept[path] && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s/%s is not generated any more", folder, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// The type checker and the interpreter know the same names, but for constants and generic
// functions, which the lowering replaces.
func TestBothHalvesAgree(t *testing.T) {
	m, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	table := symbols.Table()
	for _, path := range m.paths {
		pkg := declared(t, path)
		values := table[path+"//"+pkg.Name()]
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			_, constant := o.(*types.Const)
			f, function := o.(*types.Func)
			instead := constant || function && f.Signature().TypeParams().Len() > 0
			if typ, ok := o.(*types.TypeName); ok {
				instead = generic(typ)
			}
			if _, ok := values[name]; ok == instead {
				t.Errorf("%s.%s: in the table %t, replaced %t", path, name, ok, instead)
			}
		}
		for name := range values {
			if pkg.Scope().Lookup(strings.TrimPrefix(name, "_")) == nil {
				t.Errorf("%s.%s is not declared", path, name)
			}
		}
	}
}

// declared type-checks the declarations of a package, and of those that it needs.
func declared(t *testing.T, path string) *types.Package {
	t.Helper()
	text, ok := symbols.Declaration(path)
	if !ok {
		t.Fatalf("%s is not declared", path)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{IgnoreFuncBodies: true, Importer: importing{t}}
	pkg, err := conf.Check(path, fset, []*ast.File{tree}, nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return pkg
}

type importing struct{ t *testing.T }

// Import implements types.Importer.
func (i importing) Import(path string) (*types.Package, error) { return declared(i.t, path), nil }
