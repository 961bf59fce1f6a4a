package normal

import (
	"go/ast"
	"go/types"
	"strings"
)

// functionValue makes a function literal of a declared function that is used as a value.
func (e *emitter) functionValue(n ast.Node, f *types.Func) string {
	sig := f.Signature()
	if sig.TypeParams() != nil || sig.Recv() != nil {
		e.Refuse(n, "call it", "%s.%s as a value is not interpreted", f.Pkg().Name(), f.Name())
		return "nil"
	}
	fun := ""
	if e.own(f) {
		fun = e.name(f)
	} else {
		fun = e.alias(f.Pkg().Path()) + "." + f.Name()
	}
	return e.wrapper(sig, nil, e.own(f), func(args []string) string {
		return fun + "(" + strings.Join(args, ", ") + ")"
	})
}

// methodValue makes a function literal of a method: what it is called on is computed, and copied,
// at once.
func (e *emitter) methodValue(x *ast.SelectorExpr, s *types.Selection) string {
	f := s.Obj().(*types.Func)
	if types.IsInterface(e.typeOf(x.X)) {
		e.Refuse(x, "write a function literal that calls it",
			"a method of an interface as a value is not interpreted")
		return "nil"
	}
	recv, of := e.receiver(x.X, s)
	recv, of = fitted(recv, of, takesPointer(f))
	recv = e.temp(recv)
	return e.wrapper(f.Signature(), nil, e.own(f), func(args []string) string {
		return e.methodCall(f, recv, of, args)
	})
}

// methodExpression makes a function literal of a method that takes the receiver first.
func (e *emitter) methodExpression(s *types.Selection) string {
	f, of, path := s.Obj().(*types.Func), s.Recv(), s.Index()
	return e.wrapper(f.Signature(), of, e.own(f), func(args []string) string {
		recv, of := e.path(args[0], of, path[:len(path)-1])
		return e.methodCall(f, recv, of, args[1:])
	})
}

// wrapper writes a function literal that hands its arguments on, the first of type first where
// that is not nil.
func (e *emitter) wrapper(
	sig *types.Signature, first types.Type, own bool, call func([]string) string,
) string {
	var params, args []string
	var of []types.Type
	if first != nil {
		params, of = append(params, e.typ(first)), append(of, first)
	}
	for i := range sig.Params().Len() {
		params, of = append(params, e.param(sig, i)), append(of, sig.Params().At(i).Type())
	}
	for i := range params {
		arg := e.new("a")
		params[i] = arg + " " + params[i]
		args = append(args, arg)
	}
	name := e.new("f")
	e.line("%s := func(%s)%s {", name, strings.Join(params, ", "), e.resultTypes(sig))
	for i, arg := range args {
		e.received(arg, of[i])
		if own && (first == nil || i > 0) {
			args[i] = e.sent(arg, of[i], false)
		}
	}
	if sig.Variadic() {
		args[len(args)-1] += "..."
	}
	e.result(sig, call(args))
	e.line("}")
	return name
}
