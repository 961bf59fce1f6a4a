package dispatch

import (
	"go/ast"
	"go/types"
)

// literal copies a literal. What another package is to have, as a table, stays what it is.
func (l *lowerer) literal(e *ast.CompositeLit) ast.Expr {
	of := l.Info.TypeOf(e)
	if p, ok := of.Underlying().(*types.Pointer); ok { // &T left out of an element
		of = p.Elem()
	}
	to := *e
	if e.Type != nil {
		to.Type = l.expr(e.Type)
	}
	to.Elts = make([]ast.Expr, len(e.Elts))
	for i, element := range e.Elts {
		kv, ok := element.(*ast.KeyValueExpr)
		if !ok {
			to.Elts[i] = l.element(element, of, i, nil)
			continue
		}
		pair := *kv
		pair.Value = l.element(kv.Value, of, i, kv.Key)
		switch u := of.Underlying().(type) {
		case *types.Map:
			pair.Key = l.as(kv.Key, u.Key())
		default:
			pair.Key = l.expr(kv.Key)
		}
		to.Elts[i] = &pair
	}
	return &to
}

// element copies an element of a literal.
func (l *lowerer) element(e ast.Expr, of types.Type, i int, key ast.Expr) ast.Expr {
	switch u := of.Underlying().(type) {
	case *types.Struct:
		f := u.Field(min(i, u.NumFields()-1))
		if id, ok := key.(*ast.Ident); ok {
			f = l.Info.Uses[id].(*types.Var)
		}
		if f.Pkg() != l.Pkg && Within(f.Type(), l.Pkg) {
			return e
		}
		return l.as(e, f.Type())
	case interface{ Elem() types.Type }: // slices, arrays, maps
		return l.as(e, u.Elem())
	}
	return l.expr(e)
}

// Within reports whether a type has an interface of a package, or one without a name, anywhere in
// what it is written of.
func Within(t types.Type, pkg *types.Package) bool {
	if Own(t, pkg) {
		return true
	}
	switch t := types.Unalias(t).(type) {
	case *types.Map:
		return Within(t.Key(), pkg) || Within(t.Elem(), pkg)
	case interface{ Elem() types.Type }:
		return Within(t.Elem(), pkg)
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				if Within(v.Type(), pkg) {
					return true
				}
			}
		}
	}
	return false
}
