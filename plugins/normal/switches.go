package normal

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// switchStmt writes a switch whose cases are conditions, one each, the default last. Where a case
// goes on into the next one, or needs statements before it, the case is chosen first.
func (e *emitter) switchStmt(s *ast.SwitchStmt, head func()) {
	if s.Init != nil {
		e.inOrder(s.Init, func() { e.simple(s.Init) })
	}
	tag := ""
	if s.Tag != nil {
		e.inOrder(s.Tag, func() { tag = e.tag(s.Tag) })
	}
	var clauses []*ast.CaseClause
	var conditions []string
	plain := true
	for _, clause := range s.Body.List {
		clause, ok := clause.(*ast.CaseClause)
		if !ok {
			e.unknown(clause)
			return
		}
		condition := ""
		needs := e.captured(func() { condition = e.caseCondition(s, clause, tag) })
		plain = plain && needs == "" && !fallsThrough(clause) && !e.failsElsewhere(s, clause)
		clauses, conditions = append(clauses, clause), append(conditions, condition)
	}
	if !plain {
		e.chosen(s, clauses, tag, head)
		return
	}
	head()
	e.line("switch {")
	var last *ast.CaseClause
	for i, clause := range clauses {
		if clause.List == nil {
			last = clause
			continue
		}
		e.at(clause.Pos())
		e.line("case %s:", conditions[i])
		e.caseBody(clause)
	}
	if last != nil {
		e.at(last.Pos())
		e.line("default:")
		e.caseBody(last)
	}
	e.line("}")
}

// failsElsewhere reports whether the condition of a case may fail in another line than that of
// the switch.
func (e *emitter) failsElsewhere(s *ast.SwitchStmt, clause *ast.CaseClause) bool {
	return slices.ContainsFunc(clause.List, func(x ast.Expr) bool {
		return e.mayFail(x) && e.Position(x.Pos()) != e.Position(s.Pos())
	})
}

// tag computes what the cases are compared with, once.
func (e *emitter) tag(x ast.Expr) string {
	text := e.value(x)
	if e.stable(x) && e.Info.Types[x].Value == nil {
		return text
	}
	name := e.new("t")
	e.line("var %s %s", name, e.typ(e.typeOf(x)))
	e.line("%s = %s", name, text)
	return name
}

// caseCondition returns the condition of one case.
func (e *emitter) caseCondition(s *ast.SwitchStmt, clause *ast.CaseClause, tag string) string {
	var parts []string
	for _, x := range clause.List {
		text := ""
		e.inOrder(x, func() { text = e.wrapped(x, e.expr(x)) })
		if s.Tag != nil {
			text = tag + " == " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " || ")
}

// caseBody writes the body of a case as a block.
func (e *emitter) caseBody(clause *ast.CaseClause) {
	e.line("{")
	e.statements(clause.Body)
	e.line("}")
}

// fallsThrough reports whether a case goes on into the next one.
func fallsThrough(clause *ast.CaseClause) bool {
	if len(clause.Body) == 0 {
		return false
	}
	s, ok := clause.Body[len(clause.Body)-1].(*ast.BranchStmt)
	return ok && s.Tok == token.FALLTHROUGH
}

// chosen chooses a case by its number, and runs the bodies in the order in which they stand.
func (e *emitter) chosen(s *ast.SwitchStmt, clauses []*ast.CaseClause, tag string, head func()) {
	choice := e.temp("-1")
	for i, clause := range clauses {
		for _, x := range clause.List {
			e.line("if %s < 0 {", choice)
			e.place(clause.Pos())
			one := &ast.CaseClause{Case: clause.Case, List: []ast.Expr{x}}
			e.line("if %s {\n%s = %d\n}\n}", e.caseCondition(s, one, tag), choice, i)
		}
	}
	for i, clause := range clauses {
		if clause.List == nil {
			e.line("if %s < 0 {\n%s = %d\n}", choice, choice, i)
		}
	}
	head()
	e.line("switch {\ncase true:\n{")
	for i, clause := range clauses {
		e.line("if %s == %d {", choice, i)
		e.statements(clause.Body)
		if fallsThrough(clause) {
			e.line("%s = %d", choice, i+1)
		}
		e.line("}")
	}
	e.line("}\n}")
}
