package normal

import (
	"go/ast"
	"go/token"
	"go/types"
)

// facts are what is known of the variables of a strategy before it is written.
type facts struct {
	boxed    map[*types.Var]bool // declared in a loop, and kept by a function or a pointer
	shared   map[*types.Var]bool // kept by a function or a pointer
	assigned map[*types.Var]bool // changed after their declaration
}

// factsOf looks at all that a strategy does with its variables.
func factsOf(s Strategy) *facts {
	f := &facts{map[*types.Var]bool{}, map[*types.Var]bool{}, map[*types.Var]bool{}}
	for _, file := range s.Files {
		v := &factFinder{s: s, facts: f, homes: map[*types.Var]home{}}
		ast.Inspect(file, v.visit)
	}
	return f
}

// A home is where a variable is declared.
type home struct {
	function ast.Node
	looped   bool
}

type factFinder struct {
	*facts
	s     Strategy
	stack []ast.Node
	homes map[*types.Var]home
}

func (v *factFinder) visit(n ast.Node) bool {
	if n == nil {
		v.stack = v.stack[:len(v.stack)-1]
		return true
	}
	v.stack = append(v.stack, n)
	switch n := n.(type) {
	case *ast.Ident:
		v.ident(n)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			v.share(n.X)
		}
	case *ast.SliceExpr:
		if isArray(v.s.Info.TypeOf(n.X)) {
			v.share(n.X)
		}
	case *ast.SelectorExpr:
		v.receiver(n)
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			v.assign(l, n.Tok == token.DEFINE)
		}
	case *ast.IncDecStmt:
		v.assign(n.X, false)
	case *ast.RangeStmt:
		v.assign(n.Key, n.Tok == token.DEFINE)
		v.assign(n.Value, n.Tok == token.DEFINE)
	}
	return true
}

// around returns the function around the node that is visited, and whether a loop of that
// function is, too.
func (v *factFinder) around() home {
	looped := false
	for i := len(v.stack) - 2; i >= 0; i-- {
		switch v.stack[i].(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			looped = true
		case *ast.FuncLit, *ast.FuncDecl:
			return home{v.stack[i], looped}
		}
	}
	return home{nil, looped}
}

func (v *factFinder) ident(id *ast.Ident) {
	if o, ok := v.s.Info.Defs[id].(*types.Var); ok {
		v.homes[o] = v.around()
		return
	}
	o, ok := v.s.Info.Uses[id].(*types.Var)
	if at, local := v.homes[o]; ok && local && v.around().function != at.function {
		v.kept(o)
	}
}

func (v *factFinder) kept(o *types.Var) {
	v.shared[o] = true
	if v.homes[o].looped {
		v.boxed[o] = true
	}
}

// share notes that the address of what an expression names is taken.
func (v *factFinder) share(x ast.Expr) {
	if o := v.root(x); o != nil {
		v.kept(o)
	}
}

// receiver notes that a method takes the address of what it is called on.
func (v *factFinder) receiver(sel *ast.SelectorExpr) {
	s := v.s.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	_, byPointer := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
	if byPointer && pointsTo(v.s.Info.TypeOf(sel.X)) == nil {
		v.share(sel.X)
	}
}

// root returns the local variable whose memory an expression names, or nil.
func (v *factFinder) root(x ast.Expr) *types.Var {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		o, _ := v.s.Info.ObjectOf(x).(*types.Var)
		if _, local := v.homes[o]; local {
			return o
		}
	case *ast.SelectorExpr:
		if s := v.s.Info.Selections[x]; s != nil && pointsTo(v.s.Info.TypeOf(x.X)) == nil {
			return v.root(x.X)
		}
	case *ast.IndexExpr:
		if isArray(v.s.Info.TypeOf(x.X)) {
			return v.root(x.X)
		}
	}
	return nil
}

func (v *factFinder) assign(x ast.Expr, define bool) {
	id, ok := x.(*ast.Ident)
	if x == nil || ok && define && v.s.Info.Defs[id] != nil {
		return
	}
	if !ok {
		if p, paren := x.(*ast.ParenExpr); paren {
			v.assign(p.X, define)
		} else if o := v.root(x); o != nil {
			v.assigned[o] = true
		}
		return
	}
	if o, ok := v.s.Info.Uses[id].(*types.Var); ok {
		v.assigned[o] = true
	}
}
