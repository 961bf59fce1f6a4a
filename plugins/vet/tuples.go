package vet

import (
	"go/ast"
	"go/token"
	"slices"
)

// tuples refuses assignments of several values of which one is a call or a literal: the
// interpreter has those write to where they go by themselves, and then forgets the assignment
// and the other values with it.
func (c *checker) tuples(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		c.beside(n.Rhs, n.Tok == token.ASSIGN)
	case *ast.ValueSpec:
		c.beside(n.Values, false)
	}
}

// beside checks values that are assigned together, by = or to new variables. Nothing gets lost
// where all are literals of new variables.
func (c *checker) beside(values []ast.Expr, assigned bool) {
	if len(values) < 2 || !assigned && !slices.ContainsFunc(values, isNoLiteral) {
		return
	}
	for _, e := range values {
		what := ""
		switch x := ast.Unparen(e).(type) {
		case *ast.CompositeLit:
			what = "a literal"
		case *ast.CallExpr:
			if tv := c.info.Types[x]; assigned && tv.Value == nil && !c.info.Types[x.Fun].IsType() {
				what = "a call"
			}
		}
		if what != "" {
			c.refuse(e, "assign one after the other",
				"what is assigned together with %s gets lost", what)
		}
	}
}

func isNoLiteral(e ast.Expr) bool {
	_, literal := ast.Unparen(e).(*ast.CompositeLit)
	return !literal
}
