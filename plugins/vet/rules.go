package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// file applies the rules to every node of a file, from the outside in.
func (c *checker) file(s *source) {
	c.comments(s)
	if s.tree.Name.Name == "main" {
		c.refuse(s.tree.Name, "name it after what it does", "a strategy is no program")
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		c.rule(n)
		return true
	})
}

// rule applies the rules that concern a node.
func (c *checker) rule(n ast.Node) {
	c.flow(n)
	c.declares(n)
	c.interfaces(n)
	c.lasting(n)
}

// flow refuses ways through a program that the interpreter does not know, or takes wrongly.
func (c *checker) flow(n ast.Node) {
	const parallel = "the framework runs clients in parallel"
	switch n := n.(type) {
	case *ast.GoStmt:
		c.refuse(keyword(n, 2), parallel, "strategies start no goroutines")
	case *ast.SendStmt, *ast.SelectStmt, *ast.ChanType:
		c.refuse(n, parallel, "strategies use no channels")
	case *ast.BranchStmt:
		if n.Tok == token.GOTO {
			c.refuse(n, "use a loop, or a function that returns", "goto is not interpreted")
		}
	case *ast.RangeStmt:
		c.rangesOver(n)
	case *ast.CallExpr:
		if c.isBuiltin(n.Fun, "recover") && !c.onlyCompared(n) {
			c.refuse(n, "compare it with nil; keep what went wrong in a variable of its own",
				"what recover returns says something else when it is interpreted")
		}
		if c.isBuiltin(n.Fun, "print") || c.isBuiltin(n.Fun, "println") {
			c.refuse(n, "what is worth saying is a note: Notes.Add", "strategies print nothing")
		}
	case *ast.TypeAssertExpr:
		if of := c.info.TypeOf(n.X); !c.own(of) {
			c.refuse(n, "keep what it is in a variable of its own type",
				"what type a value of type %s is of is asked",
				types.TypeString(of, types.RelativeTo(c.pkg)))
		}
	}
}

func (c *checker) rangesOver(n *ast.RangeStmt) {
	if _, function := c.info.TypeOf(n.X).Underlying().(*types.Signature); function {
		c.refuse(n.X, "call it with a function", "ranging over a function is not interpreted")
	}
}

// declares refuses declarations that the interpreter does not know.
func (c *checker) declares(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		c.declaresFunc(n)
	case *ast.TypeSpec:
		if n.TypeParams != nil {
			c.refuse(n.Name, "declare it outside of functions",
				"a generic type of a function is not interpreted")
		}
	case *ast.Ident:
		c.declaresName(n)
	}
	if e, ok := n.(ast.Expr); ok && c.isComplex(e) {
		c.refuse(n, "use two floats", "complex numbers are not interpreted rightly")
	}
}

func (c *checker) declaresFunc(n *ast.FuncDecl) {
	switch {
	case n.Name.Name == "init" && n.Recv == nil:
		c.refuse(n.Name, "declare a variable: var Entry = fl.AggregatorEntry{…}",
			"strategies have no init functions")
	case n.Body == nil:
		c.refuse(n.Name, "write it in Go", "a function without a body")
	}
}

// declaresName refuses names that the core has for itself, and types that only the compiler
// knows.
func (c *checker) declaresName(id *ast.Ident) {
	if o := c.info.Defs[id]; o != nil && c.isNew(o) && id.Name != "_" &&
		strings.HasSuffix(id.Name, "_") {
		c.refuse(id, "choose another name", "names that end with _ belong to the interpreter")
	}
	o := c.info.Uses[id]
	if _, instance := c.info.Instances[id]; instance {
		if _, ok := o.(*types.TypeName); ok && o.Pkg() != c.pkg {
			c.refuse(id, "use its name without brackets: fl.AggregatorEntry",
				"generic types are not interpreted")
		}
	}
}

// isNew reports whether an object is a name of its own, not a field or a method.
func (c *checker) isNew(o types.Object) bool {
	switch o := o.(type) {
	case *types.Var:
		return !o.IsField()
	case *types.Func:
		return o.Signature().Recv() == nil
	}
	return true
}

func (c *checker) isComplex(e ast.Expr) bool {
	tv, ok := c.info.Types[e]
	if !ok || tv.Type == nil {
		return false
	}
	b, ok := tv.Type.(*types.Basic)
	_, id := e.(*ast.Ident)
	_, lit := e.(*ast.BasicLit)
	return ok && b.Info()&types.IsComplex != 0 && (id || lit)
}

func (c *checker) isBuiltin(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := c.info.Uses[id].(*types.Builtin)
	return ok && b.Name() == name
}

// functionOf returns the function around a node, or nil.
func (c *checker) functionOf(n ast.Node) ast.Node {
	for p := range c.holders(n) {
		switch p.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return p
		}
	}
	return nil
}

// directives are comments that the compiler obeys and the interpreter does not see.
var directives = regexp.MustCompile(`^//(go:(build|embed|linkname)| \+build)\b`)

func (c *checker) comments(s *source) {
	for _, group := range s.tree.Comments {
		for _, comment := range group.List {
			if directives.MatchString(comment.Text) {
				c.refuse(comment, "remove it", "strategies have no such directives")
			}
		}
	}
}

// A word is the beginning of a node, for a reader to look at.
type word struct{ from, to token.Pos }

func (w word) Pos() token.Pos { return w.from }
func (w word) End() token.Pos { return w.to }

// keyword returns the keyword that a statement begins with.
func keyword(n ast.Node, length int) ast.Node { return word{n.Pos(), n.Pos() + token.Pos(length)} }
