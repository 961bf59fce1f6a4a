package builtin

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every exported entry in builtin/ is on the menu in builtin.go or a file beside it.
func TestMenuIsComplete(t *testing.T) {
	var menu strings.Builder
	menus, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range menus {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		menu.Write(text)
	}
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range entries(f) {
			found++
			if dish := f.Name.Name + "." + name; !strings.Contains(menu.String(), dish+",") {
				t.Errorf("%s: %s is not on the menu", file, dish)
			}
		}
	}
	if found < 30 {
		t.Errorf("found %d entries only: is this test looking in the right place?", found)
	}
}

// entries returns the names of the exported entries that a file declares.
func entries(f *ast.File) (names []string) {
	for _, decl := range f.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if len(v.Values) != 1 || !v.Names[0].IsExported() {
				continue
			}
			if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
				if sel, ok := lit.Type.(*ast.SelectorExpr); ok && strings.HasSuffix(sel.Sel.Name, "Entry") {
					names = append(names, v.Names[0].Name)
				}
			}
		}
	}
	return names
}
