package dispatch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// expr copies an expression.
func (l *lowerer) expr(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *ast.Ident:
		return l.ident(e)
	case *ast.InterfaceType:
		return &ast.Ident{NamePos: e.Pos(), Name: l.box}
	case *ast.ArrayType:
		return l.array(e)
	case *ast.SelectorExpr:
		return l.selector(e)
	case *ast.CallExpr:
		return l.call(e)
	case *ast.CompositeLit:
		return l.literal(e)
	case *ast.TypeAssertExpr:
		return l.assertion(e, false)
	case *ast.BinaryExpr:
		if e.Op == token.EQL || e.Op == token.NEQ {
			return l.comparison(e)
		}
	}
	return l.copied(e)
}

// array copies a type; where it stands at the top now, no constant of a function gives its length.
func (l *lowerer) array(e *ast.ArrayType) ast.Expr {
	to := &ast.ArrayType{Lbrack: e.Lbrack, Elt: l.expr(e.Elt)}
	a, ok := types.Unalias(l.Info.TypeOf(e)).(*types.Array)
	switch _, dots := e.Len.(*ast.Ellipsis); {
	case dots:
		to.Len = e.Len
	case ok:
		to.Len = &ast.BasicLit{ValuePos: e.Len.Pos(), Kind: token.INT,
			Value: strconv.FormatInt(a.Len(), 10)}
	}
	return to
}

// selector copies a field or a method. A method of an interface becomes a function.
func (l *lowerer) selector(e *ast.SelectorExpr) ast.Expr {
	s := l.Info.Selections[e]
	if s == nil {
		return &ast.SelectorExpr{X: l.expr(e.X), Sel: l.ident(e.Sel)}
	}
	f, ok := s.Obj().(*types.Func)
	if !ok {
		return &ast.SelectorExpr{X: l.expr(e.X), Sel: l.ident(e.Sel)}
	}
	switch holder, of := l.holder(e, s); {
	case s.Kind() == types.MethodExpr && l.own(s.Recv()):
		return &ast.Ident{NamePos: e.Pos(), Name: l.dispatching(f.Name(), f.Signature())}
	case s.Kind() == types.MethodExpr && l.own(of):
		return &ast.Ident{NamePos: e.Pos(), Name: l.expression(s, f)}
	case s.Kind() == types.MethodVal && l.own(of):
		return call(l.binding(f.Name(), f.Signature()), e.Sel.Pos(), holder)
	}
	return &ast.SelectorExpr{X: l.expr(e.X), Sel: l.ident(e.Sel)}
}

// holder returns what a method is called on, with the fields by which it is reached, and its
// type.
func (l *lowerer) holder(e *ast.SelectorExpr, s *types.Selection) (ast.Expr, types.Type) {
	names, of := l.way(s.Recv(), s.Index())
	x := l.expr(e.X)
	for _, name := range names {
		x = &ast.SelectorExpr{X: x, Sel: &ast.Ident{NamePos: e.Sel.Pos(), Name: name}}
	}
	return x, of
}

// call copies a call or a conversion.
func (l *lowerer) call(e *ast.CallExpr) ast.Expr {
	fun := l.Info.Types[e.Fun]
	switch {
	case fun.IsType():
		return l.conversion(e, fun.Type)
	case fun.IsBuiltin():
		return l.builtin(e)
	}
	sig, ok := fun.Type.Underlying().(*types.Signature)
	if !ok {
		return l.copied(e)
	}
	if l.foreign(e.Fun) {
		return &ast.CallExpr{Fun: l.expr(e.Fun), Lparen: e.Lparen, Args: l.others(e, sig),
			Ellipsis: e.Ellipsis, Rparen: e.Rparen}
	}
	to := &ast.CallExpr{Lparen: e.Lparen, Args: l.arguments(e, sig), Ellipsis: e.Ellipsis,
		Rparen: e.Rparen}
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
		if s := l.Info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			if holder, of := l.holder(sel, s); l.own(of) {
				return l.calling(e, to, holder, s.Obj().(*types.Func))
			}
		}
	}
	to.Fun = l.expr(e.Fun)
	return to
}

// calling completes a call of a method of an interface. Results of another call are handed on
// after what the method is called on by a function of their own.
func (l *lowerer) calling(
	e *ast.CallExpr, to *ast.CallExpr, holder ast.Expr, f *types.Func,
) ast.Expr {
	if len(e.Args) == 1 {
		if _, several := l.Info.TypeOf(e.Args[0]).(*types.Tuple); several {
			to.Fun = call(l.binding(f.Name(), f.Signature()), e.Pos(), holder)
			return to
		}
	}
	to.Fun = &ast.Ident{NamePos: e.Pos(), Name: l.dispatching(f.Name(), f.Signature())}
	to.Args = append([]ast.Expr{holder}, to.Args...)
	return to
}

// foreign reports whether a function is one of another package, or kept there.
func (l *lowerer) foreign(fun ast.Expr) bool {
	var o types.Object
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		o = l.Info.Uses[fun]
	case *ast.SelectorExpr:
		o = l.Info.Uses[fun.Sel]
		if s := l.Info.Selections[fun]; s != nil && l.own(s.Recv()) {
			return false
		}
	case *ast.IndexExpr:
		return l.foreign(fun.X)
	case *ast.IndexListExpr:
		return l.foreign(fun.X)
	}
	return o != nil && o.Pkg() != l.Pkg
}

func (l *lowerer) conversion(e *ast.CallExpr, to types.Type) ast.Expr {
	arg := e.Args[0]
	from := l.Info.TypeOf(arg)
	if !l.Info.Types[arg].IsNil() && !l.isRaw(arg) && l.converts(from, to) {
		return l.as(arg, to)
	}
	return &ast.CallExpr{Fun: l.expr(e.Fun), Lparen: e.Lparen, Args: []ast.Expr{l.expr(arg)},
		Rparen: e.Rparen}
}

// builtin copies a call of a function of the language.
func (l *lowerer) builtin(e *ast.CallExpr) ast.Expr {
	to := &ast.CallExpr{Fun: l.expr(e.Fun), Lparen: e.Lparen, Ellipsis: e.Ellipsis,
		Rparen: e.Rparen}
	for i, arg := range e.Args {
		of := l.Info.TypeOf(arg)
		x := l.expr(arg)
		switch {
		case l.isBuiltin(e.Fun, "append") && i > 0 && !e.Ellipsis.IsValid():
			if s, ok := l.Info.TypeOf(e).Underlying().(*types.Slice); ok {
				x = l.as(arg, s.Elem())
			}
		case l.isBuiltin(e.Fun, "panic") && l.own(of) && !l.isRaw(arg) &&
			!l.Info.Types[arg].IsNil():
			x = call(l.plain(of), arg.Pos(), x)
		}
		to.Args = append(to.Args, x)
	}
	return to
}

// assertion becomes a call; with ok it has two results.
func (l *lowerer) assertion(e *ast.TypeAssertExpr, ok bool) ast.Expr {
	from := l.Info.TypeOf(e.X)
	to := l.Info.TypeOf(e.Type)
	l.asked(e, to)
	return call(l.asserting(from, to, ok), e.Pos(), l.expr(e.X))
}

// asked refuses to ask whether a value is of a type that may hide within another interface.
func (l *lowerer) asked(n ast.Node, to types.Type) {
	if types.IsInterface(to) {
		l.asks = append(l.asks, to)
	}
	if types.IsInterface(to) && !l.own(to) {
		l.crosses(n, types.Universe.Lookup("any").Type(), to)
	}
}

// comparison becomes a call where interfaces are compared.
func (l *lowerer) comparison(e *ast.BinaryExpr) ast.Expr {
	x, y := l.Info.Types[e.X], l.Info.Types[e.Y]
	if x.IsNil() || y.IsNil() || !l.holds(x.Type) && !l.holds(y.Type) {
		return l.copied(e)
	}
	same := l.equal(e.X, e.Y)
	if e.Op == token.NEQ {
		return &ast.UnaryExpr{OpPos: e.Pos(), Op: token.NOT, X: same}
	}
	return same
}

// equal returns the comparison of two expressions, one of which holds an interface.
func (l *lowerer) equal(x, y ast.Expr) ast.Expr {
	a, b := l.Info.TypeOf(x), l.Info.TypeOf(y)
	iface := a
	if !l.own(a) {
		iface = b
	}
	if !l.own(iface) {
		return call(l.equality(a), x.Pos(), l.expr(x), l.expr(y))
	}
	for _, e := range []ast.Expr{x, y} {
		if t := l.Info.TypeOf(e); types.IsInterface(t) && !l.own(t) {
			l.Refuse(e, "compare values of one type", "a value is compared with an interface")
		}
	}
	l.compares(x)
	return call(l.sameness(), x.Pos(), l.as(x, iface), l.as(y, iface))
}

// sameness returns the function that compares boxes.
func (l *lowerer) sameness() string {
	return l.helper("same", "", func() string {
		return fmt.Sprintf("(a, b %s) bool {\nreturn %s.Same(a, b)\n}", l.box, l.lib)
	})
}

// equality returns the function that compares structs or arrays with boxes within.
func (l *lowerer) equality(t types.Type) string {
	text := l.written(t)
	return l.helper("equal", text, func() string {
		return fmt.Sprintf("(a, b %s) bool {\nreturn %s.Equal(&a, &b)\n}", text, l.lib)
	})
}

// compares refuses comparisons of interfaces that may hold an interface of another package, which
// may hold a type of the program: what the interpreter makes of that cannot be compared.
func (l *lowerer) compares(at ast.Node) {
	l.waiting = append(l.waiting, func() {
		for _, k := range l.kinds {
			if !k.boxed {
				continue
			}
			if inner := l.otherWithin(k.of); inner != nil && l.implementing(inner, true) != nil {
				l.Refuse(at, "compare with nil, or values of one type",
					"what may be a %s is compared", l.spoken(l.implementing(inner, true)))
			}
		}
	})
}

// otherWithin returns an interface of another package that values of a type hold, or nil.
func (l *lowerer) otherWithin(t types.Type) types.Type {
	if types.IsInterface(t) && !l.own(t) {
		return t
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return l.otherWithin(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if in := l.otherWithin(f.Type()); in != nil {
				return in
			}
		}
	}
	return nil
}
