package normal

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// pure are packages whose functions depend on their arguments and change nothing.
var pure = map[string]bool{"math": true, "math/bits": true, "strconv": true, "strings": true,
	"cmp": true, "errors": true}

// callHasEffect reports whether a call may change what stands beside it.
func (e *emitter) callHasEffect(x *ast.CallExpr) bool {
	tv := e.Info.Types[x.Fun]
	switch {
	case tv.IsType():
		return false
	case tv.IsBuiltin():
		switch e.builtinName(x) {
		case "append", "copy", "delete", "clear", "panic", "recover":
			return true
		}
		return false
	}
	f := e.callee(x)
	return f == nil || f.Pkg() == nil || f.Signature().Recv() != nil || !pure[f.Pkg().Path()]
}

// callee returns the function that is declared and called, or nil.
func (e *emitter) callee(x *ast.CallExpr) *types.Func {
	fun := ast.Unparen(x.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok && e.isInstance(index) {
		fun = index.X
	}
	if index, ok := fun.(*ast.IndexListExpr); ok {
		fun = index.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		f, _ := e.object(fun).(*types.Func)
		return f
	case *ast.SelectorExpr:
		f, _ := e.object(fun.Sel).(*types.Func)
		return f
	}
	return nil
}

// hasEffect reports whether an expression calls what may change something.
func (e *emitter) hasEffect(n ast.Node) (has bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			has = has || e.Info.Types[n].Value == nil && e.callHasEffect(n)
		}
		return !has
	})
	return has
}

// stable reports whether an expression is what it is whatever comes between.
func (e *emitter) stable(x ast.Expr) bool {
	return e.Info.Types[x].Value != nil || e.isNil(x) || e.constantVariable(x)
}

// hazard reports whether calls of a statement are to be made before all else: one may change, or
// come before a panic of, what stands before it, and the compiler lets calls go first; or
// something may fail after a call, and its line is to be told again.
func (e *emitter) hazard(n ast.Node) bool {
	h := &hazards{e: e}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			h.operands(l)
		}
		h.list(n.Rhs)
	case *ast.IncDecStmt:
		h.operands(n.X)
	case *ast.ReturnStmt:
		h.list(n.Results)
	case *ast.ExprStmt:
		h.walk(n.X)
	case *ast.DeclStmt:
		ast.Inspect(n, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				h.list(spec.Values)
			}
			return true
		})
	case ast.Expr:
		h.walk(n)
	}
	return h.found || h.runs && h.fails
}

// runsOwn reports whether a call may run statements of the strategy.
func (e *emitter) runsOwn(x *ast.CallExpr) bool {
	tv := e.Info.Types[x.Fun]
	if tv.IsType() || tv.IsBuiltin() {
		return false
	}
	f := e.callee(x)
	return f == nil || e.own(f) || slices.ContainsFunc(x.Args, func(arg ast.Expr) bool {
		_, function := e.typeOf(arg).Underlying().(*types.Signature)
		return function
	})
}

// failsAround reports whether a call of what the strategy has may fail in the statement around.
func (e *emitter) failsAround(x *ast.CallExpr) bool {
	f := e.callee(x)
	return f == nil || e.own(f) && f.Pos().IsValid() && e.Position(f.Pos()) == Nowhere
}

// again tells where the statement stands that goes on after a call.
func (e *emitter) again() {
	if e.fn.stands.IsValid() {
		e.line("%s = %d", Line, e.Position(e.fn.stands))
	}
}

// hazards looks for them in the order in which the interpreter computes.
type hazards struct {
	e     *emitter
	early bool // something was computed that could panic or change
	found bool
	runs  bool // a call runs statements of the strategy
	fails bool // something else may panic
}

func (h *hazards) list(xs []ast.Expr) {
	for _, x := range xs {
		h.walk(x)
	}
}

// operands looks at those of a place.
func (h *hazards) operands(x ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
	case *ast.IndexExpr:
		h.operands(x.X)
		h.walk(x.Index)
	case *ast.SelectorExpr:
		h.operands(x.X)
	default:
		h.walk(x)
	}
	if _, ok := ast.Unparen(x).(*ast.Ident); !ok {
		h.fails = true
	}
}

func (h *hazards) walk(x ast.Expr) {
	if x == nil || h.e.Info.Types[x].Value != nil || h.e.Info.Types[x].IsType() {
		return
	}
	before := h.early
	switch x := x.(type) {
	case *ast.ParenExpr:
		h.walk(x.X)
	case *ast.SelectorExpr:
		h.walk(x.X)
		h.early = h.early || h.e.Info.Selections[x] != nil && h.e.Info.Selections[x].Indirect()
	case *ast.CallExpr:
		h.walk(x.Fun)
		h.list(x.Args)
		h.early = before
		h.found = h.found || before && h.e.callHasEffect(x)
		own := h.e.runsOwn(x)
		h.runs = h.runs || own
		h.fails = h.fails || h.e.callHasEffect(x) && (!own || h.e.failsAround(x))
	case *ast.BinaryExpr:
		h.walk(x.X)
		if x.Op == token.LAND || x.Op == token.LOR {
			h.early = before
		}
		h.walk(x.Y)
		h.early = h.early || x.Op == token.QUO || x.Op == token.REM || x.Op == token.SHL ||
			x.Op == token.SHR
		if x.Op == token.LAND || x.Op == token.LOR {
			h.early = before
		}
	case *ast.UnaryExpr:
		h.walk(x.X)
	case *ast.StarExpr:
		h.walk(x.X)
		h.early = true
	case *ast.IndexExpr:
		h.walk(x.X)
		h.walk(x.Index)
		h.early = true
	case *ast.SliceExpr:
		h.list([]ast.Expr{x.X, x.Low, x.High, x.Max})
		h.early = true
	case *ast.CompositeLit:
		for _, element := range x.Elts {
			if kv, ok := element.(*ast.KeyValueExpr); ok {
				if _, field := kv.Key.(*ast.Ident); !field {
					h.walk(kv.Key)
				}
				element = kv.Value
			}
			h.walk(element)
		}
	}
	h.fails = h.fails || h.early && !before
}
