package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// onlyCompared reports whether nothing becomes of what recover returns but a comparison with nil
// and a panic with the same.
func (c *checker) onlyCompared(call *ast.CallExpr) bool {
	switch up := c.parent[call].(type) {
	case *ast.ExprStmt, *ast.DeferStmt:
		return true
	case *ast.BinaryExpr:
		return c.comparesWithNil(up)
	case *ast.AssignStmt:
		if len(up.Lhs) != 1 {
			return false
		}
		id, ok := up.Lhs[0].(*ast.Ident)
		if !ok || up.Tok != token.DEFINE {
			return ok && id.Name == "_"
		}
		return !c.inLoop(call) && c.onlyComparedUses(c.info.Defs[id])
	}
	return false
}

func (c *checker) onlyComparedUses(v types.Object) bool {
	for id, o := range c.info.Uses {
		if o != v {
			continue
		}
		switch up := c.parent[id].(type) {
		case *ast.BinaryExpr:
			if !c.comparesWithNil(up) {
				return false
			}
		case *ast.CallExpr:
			if !c.isBuiltin(up.Fun, "panic") {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (c *checker) comparesWithNil(n *ast.BinaryExpr) bool {
	return (n.Op == token.EQL || n.Op == token.NEQ) &&
		(c.info.Types[n.X].IsNil() || c.info.Types[n.Y].IsNil())
}

// inLoop reports whether a loop of the same function is around a node.
func (c *checker) inLoop(n ast.Node) bool {
	for p := range c.holders(n) {
		switch p.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		}
	}
	return false
}
