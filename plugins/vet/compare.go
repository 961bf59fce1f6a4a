package vet

import (
	"go/ast"
	"go/types"
)

// compared refuses a comparison of interfaces that may hold a type of the strategy: what the
// interpreter makes of it cannot be compared, not even with itself. One side that is nil, or an
// error that another package made once for all, decides it without looking at the other.
func (c *checker) compared(n *ast.BinaryExpr) {
	x, y := c.info.Types[n.X], c.info.Types[n.Y]
	if x.IsNil() || y.IsNil() {
		return
	}
	if c.own(x.Type) || c.own(y.Type) {
		return // boxes are compared
	}
	if types.IsInterface(x.Type) != types.IsInterface(y.Type) {
		c.refuse(n, "compare values of one type", "a value is compared with an interface")
		return
	}
	if t := c.holdsOwn(x.Type); t != nil && !c.madeElsewhere(n.X) && !c.madeElsewhere(n.Y) {
		c.refuseComparison(n, t)
	}
}

// comparedByIs does the same for errors.Is.
func (c *checker) comparedByIs(n *ast.CallExpr) {
	sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	if !ok || len(n.Args) == 0 {
		return
	}
	f, ok := c.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.FullName() != "errors.Is" {
		return
	}
	t := c.holdsOwn(f.Signature().Params().At(0).Type())
	if t != nil && (len(n.Args) != 2 || !c.madeElsewhere(n.Args[1])) {
		c.refuseComparison(n, t)
	}
}

func (c *checker) refuseComparison(n ast.Node, own types.Type) {
	c.refuse(n, "compare with nil, or with a variable of the package that errors.New made",
		"what may be a %s is compared", types.TypeString(own, types.RelativeTo(c.pkg)))
}

// holdsOwn returns a type of the strategy that an interface may hold which a type is, or has in a
// field or an element; else nil.
func (c *checker) holdsOwn(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if c.own(t) {
			return nil // boxes are compared
		}
		var first types.Object // as it stands in the files: messages name the same one each time
		for _, o := range c.info.Defs {
			name, ok := o.(*types.TypeName)
			if ok && !types.IsInterface(name.Type()) && (first == nil || o.Pos() < first.Pos()) &&
				types.Implements(types.NewPointer(name.Type()), u) {
				first = o
			}
		}
		if first != nil {
			return first.Type()
		}
	case *types.Struct:
		for f := range u.Fields() {
			if own := c.holdsOwn(f.Type()); own != nil {
				return own
			}
		}
	case *types.Array:
		return c.holdsOwn(u.Elem())
	}
	return nil
}

// madeElsewhere reports whether an expression is nil, or a variable of a package whose value is a
// result of another package, once and for all.
func (c *checker) madeElsewhere(e ast.Expr) bool {
	if c.info.Types[e].IsNil() {
		return true
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if sel, qualified := ast.Unparen(e).(*ast.SelectorExpr); qualified {
		id, ok = sel.Sel, true
	}
	if !ok {
		return false
	}
	v, ok := c.info.Uses[id].(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil {
		return false
	}
	if v.Pkg() != c.pkg {
		return v.Parent() == v.Pkg().Scope()
	}
	return v.Parent() == c.pkg.Scope() && c.begunElsewhere(v) && !c.assigned(v)
}

// begunElsewhere reports whether a variable begins as the result of a function of another package.
func (c *checker) begunElsewhere(v *types.Var) bool {
	for _, in := range c.info.InitOrder {
		if len(in.Lhs) == 1 && in.Lhs[0] == v {
			call, ok := ast.Unparen(in.Rhs).(*ast.CallExpr)
			return ok && c.otherPackage(call.Fun) != nil
		}
	}
	return false
}

// assigned reports whether anything is done to a variable but read it.
func (c *checker) assigned(v *types.Var) bool {
	for id, o := range c.info.Uses {
		if o != v {
			continue
		}
		switch up := c.parent[id].(type) {
		case *ast.AssignStmt:
			for _, l := range up.Lhs {
				if ast.Unparen(l) == ast.Expr(id) {
					return true
				}
			}
		case *ast.UnaryExpr, *ast.RangeStmt:
			return true
		}
	}
	return false
}
