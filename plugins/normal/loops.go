package normal

import (
	"go/ast"
	"go/token"
	"go/types"
)

// leaveable writes a statement that break or continue may leave, with a label once one does.
func (e *emitter) leaveable(s ast.Stmt, label string) {
	_, isSwitch := s.(*ast.SwitchStmt)
	t := target{of: s, label: label, loop: !isSwitch}
	e.fn.targets = append(e.fn.targets, t)
	depth := len(e.fn.targets) - 1
	before := ""
	head := func() { before = e.out.String(); e.out.Reset() }
	text := e.captured(func() {
		switch s := s.(type) {
		case *ast.ForStmt:
			e.forStmt(s, head)
		case *ast.RangeStmt:
			e.rangeStmt(s, head)
		case *ast.SwitchStmt:
			e.switchStmt(s, head)
		default:
			e.unknown(s)
		}
	})
	name := e.fn.targets[depth].name
	e.fn.targets = e.fn.targets[:depth]
	e.line("{")
	e.out.WriteString(before)
	if name != "" {
		e.line("%s:", name)
	}
	e.out.WriteString(text)
	e.line("}")
}

// labelled writes a statement with a label.
func (e *emitter) labelled(s *ast.LabeledStmt) {
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
		e.place(inner.Pos())
		e.leaveable(inner, s.Label.Name)
	case *ast.BlockStmt, *ast.IfStmt:
		e.labelledBlock(s)
	default:
		e.statement(s.Stmt) // nothing can leave it: its label is one of goto, which is refused
	}
}

// labelledBlock writes a block that break may leave as a loop of one turn.
func (e *emitter) labelledBlock(s *ast.LabeledStmt) {
	e.fn.targets = append(e.fn.targets, target{of: s, label: s.Label.Name})
	depth := len(e.fn.targets) - 1
	text := e.captured(func() { e.statement(s.Stmt) })
	name := e.fn.targets[depth].name
	e.fn.targets = e.fn.targets[:depth]
	if name == "" {
		e.out.WriteString(text)
		return
	}
	e.line("%s:\nfor {\n%sbreak\n}", name, text)
}

// branch writes break and continue with the label of what they leave, where that is not the
// innermost statement of the core.
func (e *emitter) branch(s *ast.BranchStmt) {
	switch s.Tok {
	case token.BREAK, token.CONTINUE:
	case token.FALLTHROUGH:
		return // the switch has seen it
	default:
		e.unknown(s) // goto: the rules have said why
		return
	}
	e.at(s.Pos())
	for i := len(e.fn.targets) - 1; i >= 0; i-- {
		t := &e.fn.targets[i]
		switch {
		case s.Label != nil && t.label != s.Label.Name, s.Label == nil && t.isBlock(),
			s.Tok == token.CONTINUE && !t.loop:
			continue
		}
		if s.Tok == token.CONTINUE && t.cond.IsValid() {
			e.line("%s = %d", Line, e.Position(t.cond))
		}
		if s.Label == nil && i == len(e.fn.targets)-1 {
			e.line("%s", s.Tok)
			return
		}
		if t.name == "" {
			t.name = e.new("L")
		}
		e.line("%s %s", s.Tok, t.name)
		return
	}
	e.unknown(s)
}

func (t *target) isBlock() bool {
	_, ok := t.of.(*ast.LabeledStmt)
	return ok
}

// forStmt writes a loop. In the plain form its condition and what follows a turn need no
// statements, and no turn keeps the loop's variables.
func (e *emitter) forStmt(s *ast.ForStmt, head func()) {
	if s.Init != nil {
		e.inOrder(s.Init, func() { e.simple(s.Init) })
	}
	kept := e.keptVariables(s)
	cond, post := "", ""
	plain := e.captured(func() {
		if s.Cond != nil {
			cond = e.condition(s.Cond)
		}
	}) == "" && len(kept) == 0
	if s.Post != nil {
		post = e.captured(func() { e.inOrder(s.Post, func() { e.simple(s.Post) }) })
	}
	if !plain || !oneLine(post) {
		e.longFor(s, kept, head)
		return
	}
	head()
	if may := e.mayFail(s.Cond) || e.mayFail(s.Post); may {
		e.fn.targets[len(e.fn.targets)-1].cond = s.For
	}
	if s.Post == nil && s.Cond == nil {
		e.line("for {")
	} else if s.Post == nil {
		e.line("for %s {", cond)
	} else {
		e.line("for ; %s; %s {", cond, post[:len(post)-1])
	}
	e.statements(s.Body.List)
	if t := e.fn.targets[len(e.fn.targets)-1]; t.cond.IsValid() {
		e.line("%s = %d", Line, e.Position(s.For))
	}
	e.line("}")
}

// oneLine reports whether a text is at most one line.
func oneLine(text string) bool {
	for i, c := range text {
		if c == '\n' && i < len(text)-1 {
			return false
		}
	}
	return true
}

// mayFail reports whether a node does more than compare and count.
func (e *emitter) mayFail(n ast.Node) (may bool) {
	if n == nil || n == ast.Expr(nil) || n == ast.Stmt(nil) {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr:
			may = true
		case *ast.CallExpr:
			tv := e.Info.Types[n.Fun]
			may = may || !tv.IsType() && !tv.IsBuiltin()
		case *ast.SelectorExpr:
			s := e.Info.Selections[n]
			may = may || s != nil && s.Indirect()
		case *ast.BinaryExpr:
			may = may || n.Op == token.QUO || n.Op == token.REM
		}
		return !may
	})
	return may
}

// keptVariables returns the variables of a loop that its turns may keep.
func (e *emitter) keptVariables(s *ast.ForStmt) (list []*types.Var) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return nil
	}
	for _, l := range init.Lhs {
		if v, ok := e.Info.Defs[l.(*ast.Ident)].(*types.Var); ok && e.boxed[v] {
			list = append(list, v)
		}
	}
	return list
}

// longFor writes a loop whose condition and whose step are statements of its body; the step
// comes first but in the first turn, so that continue leads to it. Each turn has variables of
// its own, which begin with the values that those of the last one ended with.
func (e *emitter) longFor(s *ast.ForStmt, kept []*types.Var, head func()) {
	var last []string
	for _, v := range kept {
		last = append(last, e.temp(e.name(v)))
	}
	first := ""
	if s.Post != nil || len(kept) > 0 {
		first = e.temp("true")
	}
	head()
	e.line("for {")
	for i, v := range kept {
		e.names[v] = e.temp(last[i])
	}
	if first != "" {
		e.line("if %s {\n%s = false\n} else {", first, first)
		for i, v := range kept {
			e.line("%s = %s", e.name(v), e.box(v.Type()))
			e.line("*%s = *%s", e.name(v), last[i])
			e.line("%s = %s", last[i], e.name(v))
		}
		if s.Post != nil {
			e.place(s.Post.Pos())
			e.inOrder(s.Post, func() { e.simple(s.Post) })
		}
		e.line("}")
	}
	if s.Cond != nil {
		e.place(s.For)
		cond := e.condition(s.Cond)
		e.line("if !%s {\nbreak\n}", e.wrapped(s.Cond, cond))
	}
	e.statements(s.Body.List)
	e.line("}")
}
