package normal

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/hansa-fl/hansa/plugins/symbols"
)

// call returns a call or a conversion.
func (e *emitter) call(x *ast.CallExpr) string {
	tv := e.Info.Types[x.Fun]
	switch {
	case tv.IsType():
		return e.conversion(x, tv.Type)
	case tv.IsBuiltin():
		return e.builtin(x)
	}
	sig, ok := tv.Type.Underlying().(*types.Signature)
	if !ok {
		return e.unknown(x)
	}
	f := e.callee(x)
	if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && f != nil {
		if s := e.Info.Selections[sel]; s != nil {
			return e.selectedCall(x, sel, s, f)
		}
	}
	switch {
	case f == nil:
		fun := e.primary(x.Fun)
		if e.others(x.Fun) {
			return fun + "(" + strings.Join(e.plainArgs(x), ", ") + ")"
		}
		return fun + "(" + strings.Join(e.args(x, sig), ", ") + ")"
	case !e.own(f):
		return e.other(x, f) + "(" + strings.Join(e.plainArgs(x), ", ") + ")"
	}
	return e.name(f) + "(" + strings.Join(e.args(x, sig), ", ") + ")"
}

// others reports whether a function is one that another package keeps in a field.
func (e *emitter) others(fun ast.Expr) bool {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	v, ok := e.object(sel.Sel).(*types.Var)
	return ok && !e.own(v)
}

// selectedCall calls a method of the strategy as a function, and one of another package as it is.
func (e *emitter) selectedCall(
	x *ast.CallExpr, sel *ast.SelectorExpr, s *types.Selection, f *types.Func,
) string {
	if s.Kind() != types.MethodVal { // T.method(x, …)
		sig, _ := e.typeOf(sel).Underlying().(*types.Signature)
		return e.methodExpression(s) + "(" + strings.Join(e.args(x, sig), ", ") + ")"
	}
	recv, of := e.receiver(sel.X, s)
	if !e.own(f) {
		return e.methodCall(f, recv, of, e.plainArgs(x))
	}
	return e.methodCall(f, recv, of, e.args(x, f.Signature()))
}

// receiver returns what a method is selected from, and its type: fields that are embedded on the
// way are named. A variable that the method takes the address of stays a place.
func (e *emitter) receiver(x ast.Expr, s *types.Selection) (string, types.Type) {
	of, path, recv := e.typeOf(x), s.Index(), ""
	if takesPointer(s.Obj().(*types.Func)) && pointsTo(of) == nil && !types.IsInterface(of) &&
		!s.Indirect() {
		recv = e.placeOf(x, false)
	} else {
		recv = e.primary(x)
	}
	return e.path(recv, of, path[:len(path)-1])
}

// takesPointer reports whether the receiver of a method is a pointer.
func takesPointer(f *types.Func) bool { return pointsTo(f.Signature().Recv().Type()) != nil }

// fitted returns the address of a receiver, or what it points to, as a method takes it.
func fitted(recv string, of types.Type, byPointer bool) (string, types.Type) {
	switch to := pointsTo(of); {
	case byPointer && to == nil:
		if rest, boxed := strings.CutPrefix(recv, "*"); boxed {
			return rest, types.NewPointer(of)
		}
		return "&" + recv, types.NewPointer(of)
	case !byPointer && to != nil:
		return "*" + recv, to
	}
	return recv, of
}

// methodCall calls a method on a receiver that the method's own type has, or points to.
func (e *emitter) methodCall(f *types.Func, recv string, of types.Type, args []string) string {
	if !e.own(f) || types.IsInterface(of) {
		return grouped(recv) + "." + f.Name() + "(" + strings.Join(args, ", ") + ")"
	}
	recv, _ = fitted(recv, of, takesPointer(f))
	if !takesPointer(f) {
		recv = e.sent(recv, f.Signature().Recv().Type(), false)
	}
	return e.method(f) + "(" + strings.Join(append([]string{recv}, args...), ", ") + ")"
}

// args returns the arguments of a function of the strategy.
func (e *emitter) args(x *ast.CallExpr, sig *types.Signature) []string {
	if len(x.Args) == 1 {
		if results, ok := e.typeOf(x.Args[0]).(*types.Tuple); ok {
			return e.spreadArgs(x.Args[0], results, sig)
		}
	}
	fixed := sig.Params().Len()
	if sig.Variadic() && !x.Ellipsis.IsValid() {
		fixed--
	}
	var list []string
	for i, arg := range x.Args[:fixed] {
		list = append(list, e.arg(arg, sig.Params().At(i).Type()))
	}
	if len(x.Args) > fixed {
		last := sig.Params().At(fixed).Type()
		var rest []string
		for _, arg := range x.Args[fixed:] {
			rest = append(rest, e.expr(arg))
		}
		list = append(list, e.typ(last)+"{"+strings.Join(rest, ", ")+"}...")
	} else if sig.Variadic() && x.Ellipsis.IsValid() {
		list[fixed-1] += "..."
	}
	return list
}

// arg returns an argument as it can be sent.
func (e *emitter) arg(x ast.Expr, to types.Type) string {
	if e.isNil(x) || e.Info.Types[x].Value != nil {
		return e.expr(x)
	}
	return e.sent(e.expr(x), to, e.neverMinusZero(x))
}

// sent sees to the sign of zeros in an argument: the interpreter leaves arguments out that equal
// zero, and −0 does. It travels as a number that is none.
func (e *emitter) sent(text string, to types.Type, plain bool) string {
	if basic := floatType(to); basic != nil && !plain {
		return e.cast(to, basic, e.lowered("SendZero", basic.Name())+"("+
			e.cast(basic, to, text)+")")
	}
	if holdsFloats(to) && floatType(to) == nil {
		name := e.temp(text)
		e.line("%s(&%s)", e.lowered("SendZeros", ""), name)
		return name
	}
	return text
}

// neverMinusZero reports whether that is plain to see of an expression.
func (e *emitter) neverMinusZero(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !e.Info.Types[call.Fun].IsType() {
		return false
	}
	basic, ok := e.typeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0 // float64(n)
}

// spreadArgs hands the results of one call to another.
func (e *emitter) spreadArgs(x ast.Expr, results *types.Tuple, sig *types.Signature) []string {
	names := e.spread(x, results.Len())
	fixed := sig.Params().Len()
	if sig.Variadic() {
		fixed--
	}
	var list []string
	for i, name := range names[:fixed] {
		list = append(list, e.sent(name, sig.Params().At(i).Type(), false))
	}
	if len(names) > fixed {
		last := sig.Params().At(fixed).Type()
		list = append(list, e.typ(last)+"{"+strings.Join(names[fixed:], ", ")+"}...")
	}
	return list
}

// plainArgs returns the arguments of a function of another package.
func (e *emitter) plainArgs(x *ast.CallExpr) []string {
	if len(x.Args) == 1 {
		if results, ok := e.typeOf(x.Args[0]).(*types.Tuple); ok {
			return e.spread(x.Args[0], results.Len())
		}
	}
	var list []string
	for _, arg := range x.Args {
		list = append(list, e.expr(arg))
	}
	if x.Ellipsis.IsValid() {
		list[len(list)-1] += "..."
	}
	return list
}

// conversion converts a value to a type.
func (e *emitter) conversion(x *ast.CallExpr, to types.Type) string {
	arg, name := x.Args[0], e.typ(to)
	if strings.HasPrefix(name, "*") || strings.HasPrefix(name, "func") {
		name = "(" + name + ")"
	}
	if e.isNil(arg) {
		zero := e.new("t")
		e.line("var %s %s", zero, e.typ(to))
		return zero
	}
	text := e.expr(arg)
	from, ok := e.typeOf(arg).Underlying().(*types.Basic)
	if basic := floatType(to); ok && basic != nil && basic.Kind() == types.Float32 &&
		from.Info()&types.IsInteger != 0 {
		if from.Info()&types.IsUnsigned != 0 {
			return e.cast(to, basic, e.lowered("NarrowUint64", "")+"(uint64("+text+"))")
		}
		return e.cast(to, basic, e.lowered("NarrowInt64", "")+"(int64("+text+"))")
	}
	if basic, ok := to.Underlying().(*types.Basic); ok && basic.Info()&types.IsBoolean != 0 {
		return e.temp(name + "(" + text + ")") // as a condition it would be true
	}
	return name + "(" + text + ")"
}

// other returns a function of another package; a generic one as that for its elements.
func (e *emitter) other(x *ast.CallExpr, f *types.Func) string {
	id := calledName(x.Fun)
	inst, ok := e.Info.Instances[id]
	if !ok {
		return e.alias(f.Pkg().Path()) + "." + f.Name()
	}
	last := inst.TypeArgs.At(inst.TypeArgs.Len() - 1)
	_, unnamed := inst.TypeArgs.At(0).(*types.Slice)
	basic, isBasic := last.(*types.Basic)
	function := f.Pkg().Name() + strings.ToUpper(f.Name()[:1]) + f.Name()[1:]
	switch {
	case !isBasic || !symbols.HasLowered(symbols.LoweredName(function, basic.Name())):
		e.Refuse(id, "it is there for float64, int and string; else use sort.Slice, or a loop",
			"%s.%s of elements of %s is not interpreted", f.Pkg().Name(), f.Name(),
			types.TypeString(last, types.RelativeTo(e.Pkg)))
	case f.Name() == "Clone" && !unnamed:
		e.Refuse(id, "a Vector has a method Clone",
			"slices.Clone of a named type is not interpreted")
	default:
		return e.lowered(function, basic.Name())
	}
	return "nil"
}

// calledName returns the identifier of a function that is called by its name.
func calledName(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr:
		return calledName(fun.X)
	case *ast.IndexListExpr:
		return calledName(fun.X)
	}
	return nil
}
