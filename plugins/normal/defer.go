package normal

import (
	"go/ast"
	"go/types"
	"strings"
)

// Panics is the variable of the core that runs deferred functions.
const Panics = "Panics_"

// usesRecover reports whether a node calls recover, and usesDefer whether a body defers a call
// of its own.
func (e *emitter) usesRecover(n ast.Node, within bool) (uses bool) {
	return e.finds(n, within, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && e.isRecover(call)
	})
}

func (e *emitter) usesDefer(n ast.Node) bool {
	return e.finds(n, false, func(n ast.Node) bool {
		_, ok := n.(*ast.DeferStmt)
		return ok
	})
}

// finds looks for a node; within says whether function literals are looked at, too.
func (e *emitter) finds(n ast.Node, within bool, is func(ast.Node) bool) (found bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		if _, lit := m.(*ast.FuncLit); lit && !within && m != n {
			return false
		}
		found = found || m != nil && is(m)
		return !found
	})
	return found
}

func (e *emitter) isRecover(x *ast.CallExpr) bool {
	id, ok := ast.Unparen(x.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := e.object(id).(*types.Builtin)
	return ok && b.Name() == "recover"
}

// deferring writes the body of a function that defers calls: a function literal, which a compiled
// function runs, and after it what was deferred.
func (e *emitter) deferring(body *ast.BlockStmt) {
	for len(e.fn.results) < e.fn.of.Results().Len() {
		name := e.new("r")
		r := e.fn.of.Results().At(len(e.fn.results))
		e.fn.results = append(e.fn.results, name)
		e.line("var %s %s", name, e.typ(r.Type()))
	}
	e.fn.defers = e.temp(Panics + ".Begin()")
	inner := e.new("f")
	e.line("%s := func() {", inner)
	e.statements(body.List)
	e.line("}")
	e.line("%s.Run(%s)", e.fn.defers, inner)
	if len(e.fn.results) > 0 {
		e.line("return %s", strings.Join(e.fn.results, ", "))
	}
}

// deferStmt has a call made when the function returns; its function and arguments are computed
// now.
func (e *emitter) deferStmt(s *ast.DeferStmt) {
	call := ""
	tv := e.Info.Types[s.Call.Fun]
	sig, _ := tv.Type.Underlying().(*types.Signature)
	switch {
	case e.isRecover(s.Call):
		return // it would have to be called by a deferred function
	case tv.IsBuiltin():
		call = e.deferredBuiltin(s.Call)
	case tv.IsType() || sig == nil:
		e.unknown(s)
		return
	default:
		fun := e.temp(e.expr(s.Call.Fun))
		var args []string
		for _, arg := range e.args(s.Call, sig) {
			args = append(args, e.keptArg(arg))
		}
		call = fun + "(" + strings.Join(args, ", ") + ")"
	}
	thunk := e.new("f")
	e.line("%s := func() {", thunk)
	e.again()
	e.line("%s\n}", call)
	e.line("%s.Push(%s)", e.fn.defers, thunk)
}

// keptArg gives an argument a name.
func (e *emitter) keptArg(text string) string {
	if text == "nil" {
		return text
	}
	text, dots := strings.CutSuffix(text, "...")
	if strings.HasSuffix(text, "}") {
		text = e.temp(text) // a literal would write over what the last turn of a loop keeps
	}
	text = e.temp(text)
	if dots {
		return text + "..."
	}
	return text
}

// deferredBuiltin returns the call of a builtin whose arguments have names.
func (e *emitter) deferredBuiltin(x *ast.CallExpr) string {
	name := e.builtinName(x)
	switch name {
	case "panic", "delete", "copy":
	default:
		return e.unknown(x)
	}
	var args []string
	for _, arg := range x.Args {
		text := e.expr(arg)
		if name == "copy" {
			text = e.bytes(arg)
		}
		args = append(args, e.keptArg(text))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// recovers ends a panic, in a function that was deferred.
func (e *emitter) recovers(x *ast.CallExpr) string {
	if !e.isRecover(x) || e.fn.recovers == "" {
		return e.unknown(x)
	}
	return e.fn.recovers + ".Recover()"
}
