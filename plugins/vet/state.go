package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// lasting refuses changes of package-level variables: what lasts from one round to the next
// belongs into the State, or a run could not be stopped and taken up again.
func (c *checker) lasting(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			if n.Tok != token.DEFINE {
				c.changed(l)
			}
		}
	case *ast.IncDecStmt:
		c.changed(n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			c.changed(n.Key)
			c.changed(n.Value)
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.changed(n.X)
		}
	case *ast.CallExpr:
		if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && c.takesAddress(sel) {
			c.changed(sel.X)
		}
	}
}

// changed refuses an expression that is written to and belongs to a package.
func (c *checker) changed(e ast.Expr) {
	if v := c.packageVar(e); v != nil && !c.plain {
		c.refuse(e, "what lasts from round to round belongs into State, and the rest into New",
			"%s belongs to the package, which does not change", v.Name())
	}
}

// packageVar returns the package-level variable that an expression begins with, or nil.
func (c *checker) packageVar(e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			v, ok := c.info.Uses[x].(*types.Var)
			if ok && v.Parent() != nil && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				return v
			}
			return nil
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			if _, field := c.info.Selections[x]; field {
				e = x.X
			} else {
				e = x.Sel
			}
		default:
			return nil
		}
	}
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
