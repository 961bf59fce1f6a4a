package dispatch

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hansa-fl/hansa/plugins/rewrite"
)

// stmt copies a statement.
func (l *lowerer) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return l.assign(s)
	case *ast.ReturnStmt:
		return &ast.ReturnStmt{Return: s.Return, Results: l.list(s.Results,
			typesOf(l.results[len(l.results)-1]))}
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && l.hoist(d) {
			return &ast.EmptyStmt{Semicolon: s.Pos(), Implicit: true}
		}
	case *ast.RangeStmt:
		l.ranges(s)
	case *ast.DeferStmt:
		return l.deferred(s)
	case *ast.SwitchStmt:
		return l.switches(s, nil)
	case *ast.TypeSwitchStmt:
		return l.typeSwitch(s, nil)
	case *ast.LabeledStmt:
		switch inner := s.Stmt.(type) {
		case *ast.SwitchStmt:
			return l.switches(inner, s)
		case *ast.TypeSwitchStmt:
			return l.typeSwitch(inner, s)
		}
	}
	return l.statement(s)
}

// statement copies a statement by its parts.
func (l *lowerer) statement(s ast.Stmt) ast.Stmt {
	return rewrite.Parts(l.copier(), s)
}

// assign copies an assignment.
func (l *lowerer) assign(s *ast.AssignStmt) ast.Stmt {
	to := &ast.AssignStmt{TokPos: s.TokPos, Tok: s.Tok}
	places := make([]types.Type, len(s.Lhs))
	for i, e := range s.Lhs {
		to.Lhs = append(to.Lhs, l.expr(e))
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			places[i] = l.Info.TypeOf(e)
		}
	}
	to.Rhs = l.values(s.Rhs, places)
	return to
}

// valueSpec copies a declaration of variables or constants.
func (l *lowerer) valueSpec(s *ast.ValueSpec) ast.Spec {
	to := *s
	to.Names = make([]*ast.Ident, len(s.Names))
	places := make([]types.Type, len(s.Names))
	for i, id := range s.Names {
		to.Names[i] = l.ident(id)
		if s.Type != nil {
			places[i] = l.Info.TypeOf(s.Type)
		} else if o := l.Info.Defs[id]; o != nil {
			places[i] = o.Type()
		}
	}
	if s.Type != nil {
		to.Type = l.expr(s.Type)
	}
	to.Values = l.values(s.Values, places)
	return &to
}

// values copies what is assigned to places of types, of which nil is one that takes all.
func (l *lowerer) values(list []ast.Expr, places []types.Type) []ast.Expr {
	if len(list) == 0 {
		return nil
	}
	if len(list) == len(places) {
		return l.list(list, places)
	}
	switch e := ast.Unparen(list[0]).(type) {
	case *ast.CallExpr:
		return l.list(list, places)
	case *ast.TypeAssertExpr:
		two := l.assertion(e, true)
		from := []types.Type{l.Info.TypeOf(e.Type), types.Typ[types.Bool]}
		return []ast.Expr{l.spreadOf(two, e, from, places)}
	default:
		if t, ok := l.Info.TypeOf(e).(*types.Tuple); ok && l.convertsAny(typesOf(t), places) {
			l.Refuse(e, "give the values names first",
				"an element of a map becomes an interface on its way")
		}
	}
	return []ast.Expr{l.expr(list[0])}
}

func (l *lowerer) convertsAny(from, to []types.Type) bool {
	for i := range from {
		if l.converts(from[i], to[i]) {
			return true
		}
	}
	return false
}

// ranges refuses variables that are interfaces already where elements are not.
func (l *lowerer) ranges(s *ast.RangeStmt) {
	if s.Tok != token.ASSIGN {
		return
	}
	var from [2]types.Type
	switch u := l.Info.TypeOf(s.X).Underlying().(type) {
	case *types.Map:
		from = [2]types.Type{u.Key(), u.Elem()}
	case interface{ Elem() types.Type }:
		from = [2]types.Type{types.Typ[types.Int], u.Elem()}
	default:
		from = [2]types.Type{types.Typ[types.Int], types.Typ[types.Rune]}
	}
	for i, e := range []ast.Expr{s.Key, s.Value} {
		if e != nil && l.converts(from[i], l.Info.TypeOf(e)) {
			l.Refuse(e, "range with new variables: for i, x := range",
				"what is ranged over becomes an interface")
		}
	}
}

// deferred copies a deferred call. What a method is called on is looked at at once.
func (l *lowerer) deferred(s *ast.DeferStmt) ast.Stmt {
	to := *s
	if sel, ok := ast.Unparen(s.Call.Fun).(*ast.SelectorExpr); ok {
		selected := l.Info.Selections[sel]
		if selected != nil && selected.Kind() == types.MethodVal {
			if _, of := l.holder(sel, selected); l.own(of) {
				sig := l.Info.TypeOf(s.Call.Fun).(*types.Signature)
				to.Call = &ast.CallExpr{Fun: l.selector(sel), Lparen: s.Call.Lparen,
					Args: l.arguments(s.Call, sig), Ellipsis: s.Call.Ellipsis,
					Rparen: s.Call.Rparen}
				return &to
			}
		}
	}
	to.Call = l.call(s.Call).(*ast.CallExpr)
	return &to
}
