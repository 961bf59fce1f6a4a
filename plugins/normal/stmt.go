package normal

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// statements writes a list of statements.
func (e *emitter) statements(list []ast.Stmt) {
	for _, s := range list {
		e.statement(s)
	}
}

// statement writes one statement, and before it where it stands.
func (e *emitter) statement(s ast.Stmt) {
	before := e.fn.ordered
	e.fn.ordered = e.hazard(s)
	defer func() { e.fn.ordered = before }()
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		e.line("{")
		e.statements(s.List)
		e.line("}")
	case *ast.LabeledStmt:
		e.labelled(s)
	case *ast.BranchStmt:
		e.branch(s)
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
		e.place(s.Pos())
		e.leaveable(s, "")
	default:
		e.place(s.Pos())
		e.simple(s)
	}
}

// simple writes a statement that nothing can leave.
func (e *emitter) simple(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.AssignStmt:
		e.assign(s)
	case *ast.IncDecStmt:
		e.increment(s)
	case *ast.ExprStmt:
		e.effect(s.X)
	case *ast.DeclStmt:
		e.declare(s)
	case *ast.IfStmt:
		e.ifStmt(s)
	case *ast.ReturnStmt:
		e.returns(s)
	case *ast.DeferStmt:
		e.deferStmt(s)
	case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		e.unknown(s) // the rules have said why
	default:
		e.unknown(s)
	}
}

// effect writes an expression for what it does.
func (e *emitter) effect(x ast.Expr) {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		e.unknown(x)
		return
	}
	e.line("%s", e.call(call))
}

// ifStmt writes the condition's statements before it, and an else as a block of its own where
// its condition needs some.
func (e *emitter) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		e.line("{")
		defer e.line("}")
		e.inOrder(s.Init, func() { e.simple(s.Init) })
	}
	e.line("if %s {", e.condition(s.Cond))
	e.statements(s.Body.List)
	switch s.Else.(type) {
	case nil:
		e.line("}")
	case *ast.BlockStmt:
		e.line("} else {")
		e.statements(s.Else.(*ast.BlockStmt).List)
		e.line("}")
	default:
		e.line("} else {")
		e.statement(s.Else)
		e.line("}")
	}
}

// inOrder writes part of a statement with the order of calls that this part needs.
func (e *emitter) inOrder(part ast.Node, write func()) {
	before := e.fn.ordered
	e.fn.ordered = e.hazard(part)
	write()
	e.fn.ordered = before
}

// condition returns a condition: a call or a comparison, nothing in redundant parentheses.
func (e *emitter) condition(x ast.Expr) (text string) {
	e.inOrder(x, func() { text = e.expr(ast.Unparen(x)) })
	return text
}

// returns writes a return: its values are computed before the first is stored.
func (e *emitter) returns(s *ast.ReturnStmt) {
	results := e.fn.of.Results()
	switch {
	case len(s.Results) == 0:
		e.bareReturn()
		return
	case len(s.Results) < results.Len():
		e.finish(e.spread(s.Results[0], results.Len()))
		return
	}
	values := make([]string, len(s.Results))
	for i, x := range s.Results {
		values[i] = e.whole(x)
		to := results.At(i).Type()
		if len(s.Results) > 1 && !e.stable(x) && types.Identical(to, e.typeOf(x)) {
			values[i] = e.temp(values[i])
		}
	}
	e.finish(values)
}

// finish returns values. Where calls are deferred, these may look at them first.
func (e *emitter) finish(values []string) {
	if e.fn.defers == "" {
		e.line("return %s", strings.Join(values, ", "))
		return
	}
	for i, value := range values {
		e.line("%s = %s", e.fn.results[i], value)
	}
	e.line("return")
}

// bareReturn returns copies of the named results.
func (e *emitter) bareReturn() {
	if len(e.fn.results) == 0 || e.fn.defers != "" {
		e.line("return")
		return
	}
	e.line("return %s", strings.Join(e.fn.results, ", "))
}

// declare writes declarations within a function. Constants have their values where they are
// used, and types stand at the top.
func (e *emitter) declare(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok {
		e.unknown(s)
		return
	}
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			e.local = append(e.local, spec)
		case *ast.ValueSpec:
			if d.Tok == token.VAR {
				e.variables(spec)
			}
		default:
			e.unknown(spec)
		}
	}
}

// variables writes the variables of a declaration.
func (e *emitter) variables(spec *ast.ValueSpec) {
	lhs := make([]ast.Expr, len(spec.Names))
	for i, id := range spec.Names {
		lhs[i] = id
	}
	switch {
	case len(spec.Values) == 0:
		for _, id := range spec.Names {
			e.zero(id)
		}
	case len(spec.Values) < len(spec.Names):
		e.assignSpread(lhs, spec.Values[0], true)
	case len(spec.Values) == 1:
		e.define(spec.Names[0], spec.Values[0])
	default:
		e.parallel(lhs, spec.Values, true)
	}
}

// zero declares a variable without a value.
func (e *emitter) zero(id *ast.Ident) {
	v, ok := e.Info.Defs[id].(*types.Var)
	switch {
	case !ok || id.Name == "_":
	case e.boxed[v]:
		e.line("%s := %s", e.name(v), e.box(v.Type()))
	default:
		e.line("var %s %s", e.name(v), e.typ(v.Type()))
	}
}
