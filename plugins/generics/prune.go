package generics

import (
	"go/ast"
	"go/token"
	"slices"
)

// dropConstraints removes interfaces that nothing names any more: they were constraints.
func dropConstraints(files []*ast.File) {
	for dropped := true; dropped; {
		dropped = false
		used := map[string]int{}
		for _, f := range files {
			for _, d := range f.Decls {
				ast.Inspect(d, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						used[id.Name]++
					}
					return true
				})
			}
		}
		for _, f := range files {
			for _, d := range f.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.TYPE {
					continue
				}
				g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool {
					t := s.(*ast.TypeSpec)
					_, ok := t.Type.(*ast.InterfaceType)
					unused := ok && used[t.Name.Name] == 1
					dropped = dropped || unused
					return unused
				})
			}
		}
	}
	for _, f := range files {
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return ok && g.Tok == token.TYPE && len(g.Specs) == 0
		})
	}
}
