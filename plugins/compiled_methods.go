package plugins

import (
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/hansa-fl/hansa/plugins/vet"
)

// methodsOf returns where the methods of a strategy begin, and the functions that its entries hold:
// those of whose name there is only one.
func methodsOf(files []vet.File) map[string]int {
	at, times := map[string]int{}, map[string]int{}
	fset := token.NewFileSet()
	for i, f := range files {
		tree, err := parser.ParseFile(fset, "", f.Text, parser.SkipObjectResolution)
		if err != nil {
			continue // it was not vetted: then nothing is known of it
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			name := functionNamed(n)
			if name == "" {
				return true
			}
			times[name]++
			at[name] = vet.Position(i, fset.Position(n.Pos()).Line)
			return true
		})
	}
	for name, n := range times {
		if n > 1 {
			delete(at, name)
		}
	}
	return at
}

// functionNamed returns the name of a method, or of a field that is given a function; else "".
func functionNamed(n ast.Node) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv != nil {
			return n.Name.Name
		}
	case *ast.KeyValueExpr:
		key, named := n.Key.(*ast.Ident)
		if _, function := n.Value.(*ast.FuncLit); named && function {
			return key.Name
		}
	}
	return ""
}
