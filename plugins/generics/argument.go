package generics

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
)

// concrete is what to do where something generic cannot be written out.
const concrete = "write it for the concrete type"

// arguments returns the names of type arguments, or false when one has none.
func (x *expander) arguments(list *types.TypeList, env environment, at place) ([]string, bool) {
	var names []string
	for t := range list.Types() {
		name := x.argument(t, env, at)
		if name == "" {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// argument returns the name of a type argument: that of an alias that is declared for it, which
// nothing within a function hides. It returns "" for types that have no name outside of one.
func (x *expander) argument(t types.Type, env environment, at place) string {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return env[p]
	}
	text, ok := x.text(t, env, at)
	if !ok {
		return ""
	}
	if name, ok := x.aliases[text]; ok {
		return name
	}
	expr, err := parser.ParseExpr(text)
	if err != nil {
		x.Refuse(at.node, concrete, "the type argument %s is not interpreted", text)
		return ""
	}
	name := x.fresh("type")
	x.aliases[text] = name
	moved(expr, at.node.Pos())
	x.declared = append(x.declared, added{at.index, &ast.GenDecl{Tok: token.TYPE,
		TokPos: at.node.Pos(), Specs: []ast.Spec{&ast.TypeSpec{Assign: at.node.Pos(), Type: expr,
			Name: &ast.Ident{NamePos: at.node.Pos(), Name: name}}}}})
	return name
}

// packageName returns the name by which a file knows a package, which it comes to import if it
// does not.
func (x *expander) packageName(p *types.Package, at place) string {
	key := strconv.Itoa(at.index) + " " + p.Path()
	if name, ok := x.imports[key]; ok {
		return name
	}
	name := x.fresh(p.Name())
	x.imports[key] = name
	pos := at.node.Pos()
	x.declared = append(x.declared, added{at.index, &ast.GenDecl{Tok: token.IMPORT, TokPos: pos,
		Specs: []ast.Spec{&ast.ImportSpec{Name: &ast.Ident{NamePos: pos, Name: name},
			Path: &ast.BasicLit{ValuePos: pos, Kind: token.STRING,
				Value: strconv.Quote(p.Path())}}}}})
	return name
}
