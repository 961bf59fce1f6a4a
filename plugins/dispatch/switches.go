package dispatch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// labelled puts a label before a switch, where it has one, and a block around both, where a
// statement comes before them.
func (l *lowerer) labelled(s ast.Stmt, label *ast.LabeledStmt, first []ast.Stmt) ast.Stmt {
	if label != nil {
		s = &ast.LabeledStmt{Label: label.Label, Colon: label.Colon, Stmt: s}
	}
	if len(first) == 0 {
		return s
	}
	return &ast.BlockStmt{Lbrace: s.Pos(), List: append(first, s), Rbrace: s.End()}
}

// switches copies a switch. Where interfaces are compared, each case becomes a condition.
func (l *lowerer) switches(s *ast.SwitchStmt, label *ast.LabeledStmt) ast.Stmt {
	if s.Tag == nil || !l.switchHolds(s) {
		return l.labelled(l.statement(s), label, nil)
	}
	var first []ast.Stmt
	if s.Init != nil {
		first = append(first, l.stmt(s.Init))
	}
	tag := &ast.Ident{NamePos: s.Tag.Pos(), Name: l.fresh("tag")}
	of := l.Info.TypeOf(s.Tag)
	to := &ast.SwitchStmt{Switch: s.Switch, Init: define(tag, l.expr(s.Tag))}
	body := *s.Body
	body.List = nil
	for _, c := range s.Body.List {
		clause := *c.(*ast.CaseClause)
		clause.List = nil
		for _, e := range c.(*ast.CaseClause).List {
			clause.List = append(clause.List, l.matches(tag, of, e))
		}
		clause.Body = l.stmts(clause.Body)
		body.List = append(body.List, &clause)
	}
	to.Body = &body
	if !slices.ContainsFunc(body.List, func(c ast.Stmt) bool {
		return c.(*ast.CaseClause).List != nil
	}) {
		first = append(first, &ast.AssignStmt{Lhs: []ast.Expr{&ast.Ident{NamePos: tag.Pos(),
			Name: "_"}}, TokPos: tag.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{l.expr(s.Tag)}})
		to.Init = nil
	}
	return l.labelled(to, label, first)
}

func (l *lowerer) switchHolds(s *ast.SwitchStmt) bool {
	found := l.holds(l.Info.TypeOf(s.Tag))
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			found = found || l.own(l.Info.TypeOf(e)) && !l.Info.Types[e].IsNil()
		}
	}
	return found
}

// matches returns the condition of a case.
func (l *lowerer) matches(tag *ast.Ident, of types.Type, e ast.Expr) ast.Expr {
	to := l.Info.TypeOf(e)
	name := func() ast.Expr { return &ast.Ident{NamePos: e.Pos(), Name: tag.Name} }
	switch {
	case l.Info.Types[e].IsNil():
		return &ast.BinaryExpr{X: name(), OpPos: e.Pos(), Op: token.EQL, Y: l.expr(e)}
	case !l.own(of) && !l.own(to):
		return call(l.equality(of), e.Pos(), name(), l.expr(e))
	}
	l.compares(e)
	left, right := name(), l.as(e, of)
	if !l.own(of) {
		left, right = call(l.boxing(of), e.Pos(), left), l.expr(e)
	}
	return call(l.sameness(), e.Pos(), left, right)
}

func define(id *ast.Ident, e ast.Expr) ast.Stmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{id}, TokPos: id.Pos(), Tok: token.DEFINE,
		Rhs: []ast.Expr{e}}
}

func (l *lowerer) stmts(list []ast.Stmt) []ast.Stmt {
	out := make([]ast.Stmt, len(list))
	for i, s := range list {
		out[i] = l.stmt(s)
	}
	return out
}

// typeSwitch becomes a switch on the number of the case that a function chooses.
func (l *lowerer) typeSwitch(s *ast.TypeSwitchStmt, label *ast.LabeledStmt) ast.Stmt {
	var first []ast.Stmt
	if s.Init != nil {
		first = append(first, l.stmt(s.Init))
	}
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		x = a.Rhs[0].(*ast.TypeAssertExpr).X
	case *ast.ExprStmt:
		x = a.X.(*ast.TypeAssertExpr).X
	}
	value := &ast.Ident{NamePos: x.Pos(), Name: l.fresh("value")}
	to := &ast.SwitchStmt{Switch: s.Switch, Init: define(value, l.expr(x))}
	body := *s.Body
	body.List = nil
	var cases [][]types.Type
	for i, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		clause := &ast.CaseClause{Case: c.Case, Colon: c.Colon}
		if c.List != nil {
			clause.List = []ast.Expr{&ast.BasicLit{ValuePos: c.Case, Kind: token.INT,
				Value: strconv.Itoa(i)}}
		}
		cases = append(cases, l.caseTypes(c))
		clause.Body = append(l.bound(s, c, value.Name), l.stmts(c.Body)...)
		body.List = append(body.List, clause)
	}
	to.Tag = call(l.choosing(cases), x.Pos(), &ast.Ident{NamePos: x.Pos(), Name: value.Name})
	to.Body = &body
	return l.labelled(to, label, first)
}

// caseTypes returns the types of a case; of nil, nil.
func (l *lowerer) caseTypes(c *ast.CaseClause) (list []types.Type) {
	for _, e := range c.List {
		if l.Info.Types[e].IsNil() {
			list = append(list, nil)
			continue
		}
		t := l.Info.TypeOf(e)
		l.asked(e, t)
		list = append(list, t)
	}
	return list
}

// bound declares the variable of a type switch in a case that uses it.
func (l *lowerer) bound(s *ast.TypeSwitchStmt, c *ast.CaseClause, value string) []ast.Stmt {
	a, ok := s.Assign.(*ast.AssignStmt)
	v := l.Info.Implicits[c]
	if !ok || v == nil || !l.usedIn(c, v) {
		return nil
	}
	at := c.Body[0].Pos()
	id := &ast.Ident{NamePos: at, Name: a.Lhs[0].(*ast.Ident).Name}
	x := ast.Expr(&ast.Ident{NamePos: at, Name: value})
	if list := l.caseTypes(c); len(list) == 1 && list[0] != nil && !l.own(list[0]) {
		by := l.opener(list[0])
		x = call(by, at, x)
	}
	return []ast.Stmt{define(id, x)}
}

// opener returns the function that takes a value of a type out of a box that has one.
func (l *lowerer) opener(t types.Type) string {
	if types.IsInterface(t) {
		return l.hosting(t)
	}
	return l.opening(l.kindOf(t))
}

func (l *lowerer) usedIn(c *ast.CaseClause, v types.Object) (used bool) {
	for _, s := range c.Body {
		ast.Inspect(s, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			used = used || ok && l.Info.Uses[id] == v
			return !used
		})
	}
	return used
}

// choosing returns the function that says which case of a type switch the value in a box is for:
// the first that its type is of.
func (l *lowerer) choosing(cases [][]types.Type) string {
	for _, list := range cases {
		for _, t := range list {
			if t != nil {
				l.kindOf(t)
			}
		}
	}
	return l.helper("choose", fmt.Sprint(len(l.helpers)), func() string {
		var b strings.Builder
		fmt.Fprintf(&b, "(b %s) int {\nswitch %s.Kind(b) {\n", l.box, l.lib)
		done := map[int]bool{}
		for i, list := range cases {
			var numbers []string
			for _, t := range list {
				for _, n := range l.numbers(t) {
					if !done[n] {
						done[n] = true
						numbers = append(numbers, strconv.Itoa(n))
					}
				}
			}
			if numbers != nil {
				fmt.Fprintf(&b, "case %s:\nreturn %d\n", strings.Join(numbers, ", "), i)
			}
		}
		return b.String() + "}\nreturn -1\n}"
	})
}

// numbers returns those of the kinds that a case takes.
func (l *lowerer) numbers(t types.Type) (list []int) {
	switch {
	case t == nil:
		return []int{0}
	case !types.IsInterface(t):
		return []int{l.kindOf(t).number}
	}
	for _, k := range l.kinds {
		if k.boxed && l.missing(k.of, t) == "" {
			list = append(list, k.number)
		}
	}
	return list
}
