package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/plugins/symbols"
)

// The sources of the table of helpers: their package, and their measured costs.
const (
	tensorPath = "github.com/hansa-fl/hansa/framework/tensor"
	costsFile  = "framework/tensor/testdata/costs.txt"
	rulesDir   = "plugins/testdata/fast"
)

// helpers lists all that strategies may call and that was measured, with its cost.
func helpers(top string) (string, error) {
	costs, err := readCosts(filepath.Join(top, filepath.FromSlash(costsFile)))
	if err != nil {
		return "", err
	}
	pkg, fset, err := declaredTensor()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| helper | what it does | ms |\n|---|---|---:|\n")
	row := func(f *doc.Func, call string) {
		cost, measured := costs[strings.TrimPrefix(f.Recv+"."+f.Name, ".")]
		if measured {
			fmt.Fprintf(&b, "| `%s%s` | %s | %s |\n", call, arguments(fset, f.Decl),
				escape(pkg.Synopsis(f.Doc)), strconv.FormatFloat(cost, 'f', -1, 64))
		}
		delete(costs, strings.TrimPrefix(f.Recv+"."+f.Name, "."))
	}
	for _, t := range pkg.Types {
		for _, f := range t.Methods {
			row(f, "v."+f.Name)
		}
	}
	for _, f := range pkg.Funcs {
		row(f, f.Name)
	}
	if len(costs) > 0 {
		return "", fmt.Errorf("%s: strategies may not use %v", costsFile,
			slices.Sorted(maps.Keys(costs)))
	}
	return b.String(), nil
}

// readCosts reads milliseconds by name.
func readCosts(path string) (map[string]float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	costs := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if costs[name], err = strconv.ParseFloat(number, 64); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return costs, nil
}

// declaredTensor returns the documentation of tensor as strategies may use it.
func declaredTensor() (*doc.Package, *token.FileSet, error) {
	text, _ := symbols.Declaration(tensorPath)
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "tensor.go", text, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	pkg, err := doc.NewFromFiles(fset, []*ast.File{tree}, tensorPath)
	return pkg, fset, err
}

// arguments returns the parameters of a function by name, and the names or types of its results.
func arguments(fset *token.FileSet, f *ast.FuncDecl) string {
	var names []string
	for _, p := range f.Type.Params.List {
		for _, id := range p.Names {
			names = append(names, id.Name)
		}
	}
	list := "(" + strings.Join(names, ", ") + ")"
	if f.Type.Results == nil {
		return list
	}
	for _, r := range f.Type.Results.List {
		var b bytes.Buffer
		_ = printer.Fprint(&b, fset, r.Type) // to memory
		list += " " + b.String()
	}
	return list
}

// withoutLoops lists the rules that are tested to need no loop over coordinates, and what they call
// instead.
func withoutLoops(top string) (string, error) {
	own, err := registered(filepath.Join(top, filepath.FromSlash(rulesDir)))
	if err != nil {
		return "", err
	}
	pkg, _, err := declaredTensor()
	if err != nil {
		return "", err
	}
	uses, err := usedBy(filepath.Join(top, filepath.FromSlash(rulesDir)), pkg)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| rule | after | helpers |\n|---|---|---|\n")
	for _, k := range own.Kinds() {
		for _, e := range k.Entries {
			in := uses[e.Name]
			if in.file == "" {
				return "", fmt.Errorf("%s: no file of %s names it", e.Name, rulesDir)
			}
			fmt.Fprintf(&b, "| [`%s`](testdata/fast/%s) | %s | %s |\n", e.Name, in.file,
				escape(e.Paper), named(in.helpers))
		}
	}
	return b.String(), nil
}

// A use is the file of a rule, and the helpers that are called there.
type use struct {
	file    string
	helpers []string
}

// called returns the name of a method that is called, or of a function of tensor, or "".
func called(n *ast.CallExpr) string {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	switch of, _ := s.X.(*ast.Ident); {
	case of == nil:
		return s.Sel.Name
	case of.Name == "fl", of.Name == "math", of.Name == "stats", of.Name == "slices":
		return ""
	}
	return s.Sel.Name
}

// usedBy returns the uses of rules in a folder, by the names of the rules, which stand in strings.
func usedBy(dir string, pkg *doc.Package) (map[string]use, error) {
	known := map[string]bool{}
	for _, f := range pkg.Funcs {
		known[f.Name] = true
	}
	for _, t := range pkg.Types {
		for _, f := range t.Methods {
			known[f.Name] = true
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	uses := map[string]use{}
	for _, path := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil, err
		}
		names, texts := map[string]bool{}, []string{}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name := called(n); known[name] {
					names[name] = true
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil {
					texts = append(texts, text)
				}
			}
			return true
		})
		for _, text := range texts {
			if _, taken := uses[text]; !taken {
				uses[text] = use{filepath.Base(path), slices.Sorted(maps.Keys(names))}
			}
		}
	}
	return uses, nil
}
