package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// loops refuses what would outlive one turn of a loop: in the interpreter the next turn
// writes over the variables of the last.
func (c *checker) loops(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncLit:
		c.closure(n)
	case *ast.UnaryExpr:
		if v := c.looped(n.X, n); n.Op == token.AND && v != nil {
			c.refuse(n, "use new(T) or &T{…}, or call a function that does",
				"the address of %s, which is declared in a loop", v.Name())
		}
	case *ast.SliceExpr:
		if _, array := c.info.TypeOf(n.X).Underlying().(*types.Array); !array {
			return
		}
		if v := c.looped(n.X, n); v != nil {
			c.refuse(n, "use make([]T, n)",
				"a slice of the array %s, which is declared in a loop", v.Name())
		}
	case *ast.CallExpr:
		sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		if !ok {
			return
		}
		v := c.looped(sel.X, n)
		if v != nil && c.takesAddress(sel) && c.keepsReceiver(sel) {
			c.refuse(sel, "declare it as a pointer: &T{…}",
				"%s keeps the address of %s, which is declared in a loop", sel.Sel.Name, v.Name())
		}
	}
}

// looped returns the variable that an expression is a part of, where it is declared in a loop
// around a node; else nil.
func (c *checker) looped(e ast.Expr, within ast.Node) *types.Var {
	v := c.variable(e)
	if v == nil || !c.declaredInLoop(v, within) {
		return nil
	}
	return v
}

// variable returns the variable whose memory an expression names, or nil.
func (c *checker) variable(e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := c.info.ObjectOf(e).(*types.Var)
		return v
	case *ast.SelectorExpr:
		s := c.info.Selections[e]
		if s == nil || s.Indirect() {
			return nil
		}
		if _, pointer := c.info.TypeOf(e.X).Underlying().(*types.Pointer); !pointer {
			return c.variable(e.X)
		}
	case *ast.IndexExpr:
		if _, array := c.info.TypeOf(e.X).Underlying().(*types.Array); array {
			return c.variable(e.X)
		}
	}
	return nil
}

// declaredInLoop reports whether a variable is declared in a loop around a node.
func (c *checker) declaredInLoop(v *types.Var, n ast.Node) bool {
	for p := range c.holders(n) {
		switch p.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if p.Pos() <= v.Pos() && v.Pos() < p.End() {
				return true
			}
		}
	}
	return false
}

// takesAddress reports whether a call of a method takes the address of what it is called on.
func (c *checker) takesAddress(sel *ast.SelectorExpr) bool {
	s := c.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	_, byPointer := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
	_, isPointer := c.info.TypeOf(sel.X).Underlying().(*types.Pointer)
	return byPointer && !isPointer
}

// keepsReceiver reports whether a method of the strategy does more with its receiver than
// look at its fields and call its methods.
func (c *checker) keepsReceiver(sel *ast.SelectorExpr) bool {
	f := c.info.Selections[sel].Obj().(*types.Func)
	if f.Pkg() != c.pkg || c.asked[f] {
		return false // methods that call each other keep it if one of them does
	}
	c.asked[f] = true
	defer delete(c.asked, f)
	for _, id := range c.sortedUses(f.Signature().Recv()) {
		part := c.wholePart(id)
		if _, copied := c.parent[part].(*ast.StarExpr); part == ast.Expr(id) && !copied {
			return true
		}
		switch up := c.parent[part].(type) {
		case *ast.UnaryExpr:
			if up.Op == token.AND {
				return true
			}
		case *ast.SliceExpr:
			if _, array := c.info.TypeOf(part).Underlying().(*types.Array); array {
				return true
			}
		case *ast.CallExpr:
			if method, ok := part.(*ast.SelectorExpr); ok && c.called(method) {
				s := c.info.Selections[method]
				if s.Kind() == types.MethodVal && c.keepsReceiver(method) {
					return true
				}
			}
		}
	}
	return false
}

// wholePart returns the longest expression that begins with an identifier and names a field,
// an element of an array or a method of what it stands for.
func (c *checker) wholePart(id *ast.Ident) ast.Expr {
	var e ast.Expr = id
	for {
		switch up := c.parent[e].(type) {
		case *ast.SelectorExpr:
			e = up
		case *ast.IndexExpr:
			if _, array := c.info.TypeOf(e).Underlying().(*types.Array); !array || up.X != e {
				return e
			}
			e = up
		default:
			return e
		}
	}
}

// closure refuses function literals that may be called after a turn of a loop is over and use
// variables of that turn.
func (c *checker) closure(lit *ast.FuncLit) {
	if c.staysHere(lit) {
		return
	}
	seen := map[*types.Var]bool{}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := c.info.Uses[id].(*types.Var)
		if !ok || v.IsField() || seen[v] || lit.Pos() <= v.Pos() && v.Pos() < lit.End() {
			return true
		}
		if c.declaredInLoop(v, lit) {
			seen[v] = true
			c.refuse(id, "make the function in another one that takes "+id.Name+" as a parameter",
				"a function keeps %s, which is declared in a loop", id.Name)
		}
		return true
	})
}

// staysHere reports whether a function literal is called on the spot, handed to a function
// that does not keep it, or the value of a variable that is called and nothing else.
func (c *checker) staysHere(lit *ast.FuncLit) bool {
	if c.called(lit) {
		return true
	}
	switch up := c.parent[lit].(type) {
	case *ast.CallExpr:
		for i, arg := range up.Args {
			if arg == ast.Expr(lit) {
				return c.onlyCalls(up, i)
			}
		}
	case *ast.AssignStmt:
		if up.Tok == token.DEFINE && len(up.Lhs) == 1 {
			id, ok := up.Lhs[0].(*ast.Ident)
			return ok && c.info.Defs[id] != nil && c.onlyCalled(c.info.Defs[id])
		}
	}
	return false
}

// onlyCalls reports whether a function does nothing with an argument but call it. Those of
// other packages never keep one.
func (c *checker) onlyCalls(call *ast.CallExpr, i int) bool {
	var callee types.Object
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		callee = c.info.Uses[f]
	case *ast.SelectorExpr:
		callee = c.info.Uses[f.Sel]
	}
	f, ok := callee.(*types.Func)
	if !ok {
		return false // append, a variable, a conversion
	}
	if f.Pkg() != c.pkg {
		return true
	}
	params := f.Signature().Params()
	return i < params.Len() && !(f.Signature().Variadic() && i == params.Len()-1) &&
		c.onlyCalled(params.At(i))
}

// onlyCalled reports whether a variable that holds a function is called and nothing else,
// by no function that could outlive the one that has the variable.
func (c *checker) onlyCalled(v types.Object) bool {
	if c.asked[v] {
		return true // functions that hand it to each other keep it if one of them does
	}
	c.asked[v] = true
	defer delete(c.asked, v)
	var home ast.Node
	for id, o := range c.info.Defs {
		if o == v {
			home = c.functionOf(id)
		}
	}
	for _, id := range c.sortedUses(v) {
		if !c.called(id) || !c.staysWithin(c.functionOf(id), home) {
			return false
		}
	}
	return true
}

// staysWithin reports whether a function is another one, or a literal in it that stays there.
func (c *checker) staysWithin(inner, outer ast.Node) bool {
	for inner != outer {
		lit, ok := inner.(*ast.FuncLit)
		if !ok || !c.staysHere(lit) {
			return false
		}
		inner = c.functionOf(lit)
	}
	return true
}
