package dispatch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// converts reports whether a value of one type is another one where it has another type: it
// becomes a box, or is taken out of one.
func (l *lowerer) converts(from, to types.Type) bool {
	if from == nil || to == nil || !types.IsInterface(to) {
		return false
	}
	return l.own(from) != l.own(to)
}

// converter returns the function that makes a value of another type of one.
func (l *lowerer) converter(from, to types.Type) string {
	switch {
	case !l.own(to):
		return l.hosting(to)
	case types.IsInterface(from):
		return l.boxingError(from)
	}
	return l.boxing(from)
}

// boxingError returns the function that puts what is an interface of another package into a box.
func (l *lowerer) boxingError(from types.Type) string {
	k := l.kindOf(from)
	k.boxed = true
	return l.helper("boxed", fmt.Sprint(k.number), func() string {
		l.hidesNothing(k)
		return fmt.Sprintf("(x %s) %s {\nif x == nil {\nreturn nil\n}\n"+
			"return %s.NewBox(%d, \"\", &x)\n}", l.written(from), l.box, l.lib, k.number)
	})
}

// hidesNothing refuses programs that ask for a type which an interface of another package hides: a
// box of that interface does not say what is in it.
func (l *lowerer) hidesNothing(hides *kind) {
	for _, k := range l.kinds {
		if k != hides && !types.IsInterface(k.of) && l.missing(k.of, hides.of) == "" {
			l.Refuse(hides.at, "keep it in a variable of its own type",
				"what may be a %s becomes another interface", l.spoken(k.of))
		}
	}
	for _, to := range l.asks {
		missing := l.missing(hides.of, to)
		if missing != "" && !private(to) {
			l.Refuse(hides.at, "keep it in a variable of its own type",
				"what may have a method %s becomes another interface", missing)
		}
	}
}

// private reports whether an interface has a method that no other package can have.
func private(of types.Type) bool {
	for m := range of.Underlying().(*types.Interface).Methods() {
		if !m.Exported() {
			return true
		}
	}
	return false
}

// hosting returns the function that makes an interface of another package of what is in a box.
func (l *lowerer) hosting(to types.Type) string {
	return l.helper("host", fmt.Sprint(l.key(to)), func() string {
		var b strings.Builder
		fmt.Fprintf(&b, "(b %s) %s {\nswitch %s.Kind(b) {\n", l.box, l.written(to), l.lib)
		for _, k := range l.kinds {
			if k.boxed && l.missing(k.of, to) == "" {
				fmt.Fprintf(&b, "case %d:\nreturn %s(b)\n", k.number, l.opening(k))
			}
		}
		return b.String() + "}\nreturn nil\n}"
	})
}

// call returns a call of a function that is added.
func call(by string, at token.Pos, args ...ast.Expr) *ast.CallExpr {
	return &ast.CallExpr{Fun: &ast.Ident{NamePos: at, Name: by}, Lparen: at, Args: args,
		Rparen: at}
}

// as returns an expression as a value of a type that it goes to.
func (l *lowerer) as(e ast.Expr, to types.Type) ast.Expr {
	tv := l.Info.Types[e]
	if tv.IsNil() || l.isRaw(e) || !l.converts(tv.Type, to) || !tv.IsValue() {
		return l.expr(e)
	}
	l.crosses(e, tv.Type, to)
	return call(l.converter(tv.Type, to), e.Pos(), l.expr(e))
}

// crosses refuses values that cannot go from an interface of the program to one of another
// package, or back.
func (l *lowerer) crosses(e ast.Node, from, to types.Type) {
	switch {
	case l.own(to) && types.IsInterface(from):
		if own := l.implementing(from, true); own != nil {
			l.Refuse(e, "keep it in a variable of its own type",
				"what may be a %s becomes another interface", l.spoken(own))
		}
		l.kindOf(from).at = e
	case !l.own(to):
		if own := l.implementing(to, false); own != nil {
			l.Refuse(e, "give the method a pointer: func (x *T)",
				"a %s becomes an interface of another package", l.spoken(own))
		}
	}
}

// implementing returns a type of the program that is there for an interface of another package,
// or nil: with pointers any, else one that is no pointer.
func (l *lowerer) implementing(of types.Type, pointers bool) types.Type {
	for _, name := range l.typeNames() {
		if types.IsInterface(name.Type()) {
			continue
		}
		if l.missing(name.Type(), of) == "" {
			return name.Type()
		}
		if p := types.NewPointer(name.Type()); pointers && l.missing(p, of) == "" {
			return p
		}
	}
	return nil
}

// list returns expressions as values of types.
func (l *lowerer) list(list []ast.Expr, to []types.Type) []ast.Expr {
	if len(list) == 1 && len(to) != 1 {
		if results, ok := l.Info.TypeOf(list[0]).(*types.Tuple); ok {
			return []ast.Expr{l.spread(list[0], typesOf(results), to)}
		}
	}
	out := make([]ast.Expr, len(list))
	for i, e := range list {
		if i < len(to) {
			out[i] = l.as(e, to[i])
		} else {
			out[i] = l.expr(e)
		}
	}
	return out
}

// spread returns an expression of several values, as values of types.
func (l *lowerer) spread(e ast.Expr, from, to []types.Type) ast.Expr {
	return l.spreadOf(l.expr(e), e, from, to)
}

// spreadOf does so for an expression that was copied.
func (l *lowerer) spreadOf(x, e ast.Expr, from, to []types.Type) ast.Expr {
	to = slices.Clone(to)
	for i := range from {
		if to[i] == nil {
			to[i] = from[i]
		}
	}
	for i := range from {
		if l.converts(from[i], to[i]) {
			l.crosses(e, from[i], to[i])
			return call(l.spreading(from, to), e.Pos(), x)
		}
	}
	return x
}

func typesOf(t *types.Tuple) (list []types.Type) {
	for v := range t.Variables() {
		list = append(list, v.Type())
	}
	return list
}

// arguments returns the arguments of a function of the program.
func (l *lowerer) arguments(n *ast.CallExpr, sig *types.Signature) []ast.Expr {
	params := typesOf(sig.Params())
	count := len(n.Args)
	if count == 1 {
		if results, ok := l.Info.TypeOf(n.Args[0]).(*types.Tuple); ok {
			count = results.Len()
		}
	}
	if sig.Variadic() && !n.Ellipsis.IsValid() {
		last := len(params) - 1
		rest := params[last].(*types.Slice).Elem()
		params = params[:last:last]
		for len(params) < count {
			params = append(params, rest)
		}
	}
	return l.list(n.Args, params)
}

// others returns the arguments of a function of another package: what is in a box is taken out.
func (l *lowerer) others(n *ast.CallExpr, sig *types.Signature) []ast.Expr {
	out := make([]ast.Expr, len(n.Args))
	for i, e := range n.Args {
		to := sig.Params().At(min(i, sig.Params().Len()-1)).Type()
		s, ok := to.(*types.Slice)
		variadic := ok && sig.Variadic() && i >= sig.Params().Len()-1
		if variadic && !n.Ellipsis.IsValid() {
			to = s.Elem()
		}
		from := l.Info.TypeOf(e)
		switch {
		case l.Info.Types[e].IsNil() || l.isRaw(e):
			out[i] = l.expr(e)
		case l.own(to) && l.own(from):
			if !variadic {
				l.Refuse(e, "hand it the value itself", "another package gets an interface")
			}
			l.prints(n, i, from)
			out[i] = call(l.plain(from), e.Pos(), l.expr(e))
		case l.own(to):
			out[i] = l.expr(e)
		case variadic && n.Ellipsis.IsValid() && l.own(s.Elem()):
			l.prints(n, i, s.Elem())
			out[i] = call(l.plains(s.Elem()), e.Pos(), l.expr(e))
		default:
			out[i] = l.as(e, to)
		}
	}
	return out
}
