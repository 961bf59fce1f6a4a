package normal

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/hansa-fl/hansa/plugins/symbols"
)

func (e *emitter) builtinName(x *ast.CallExpr) string {
	if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// builtin calls a function that is part of the language.
func (e *emitter) builtin(x *ast.CallExpr) string {
	name := e.builtinName(x)
	if len(x.Args) == 0 {
		return e.recovers(x)
	}
	if results, ok := e.typeOf(x.Args[0]).(*types.Tuple); ok {
		return e.builtinSpread(x, name, results)
	}
	switch name {
	case "len", "cap":
		return e.length(name, x.Args[0])
	case "append":
		return e.appends(x)
	case "copy":
		to := e.expr(x.Args[0])
		return "copy(" + to + ", " + e.bytes(x.Args[1]) + ")"
	case "delete":
		of := e.expr(x.Args[0])
		return "delete(" + of + ", " + e.expr(x.Args[1]) + ")"
	case "make":
		return e.makes(x)
	case "new":
		return e.news(x)
	case "panic":
		if id, ok := ast.Unparen(x.Args[0]).(*ast.Ident); ok && e.recovered[e.object(id)] {
			return e.expr(id) + ".Again()"
		}
		return "panic(" + e.expr(x.Args[0]) + ")"
	case "min", "max":
		return e.extreme(x, name)
	case "clear":
		return e.lowered("Clear", "") + "(" + e.expr(x.Args[0]) + ")"
	}
	return e.unknown(x) // close, complex, imag, print, println, real
}

// builtinSpread calls a builtin with the results of one call.
func (e *emitter) builtinSpread(x *ast.CallExpr, name string, results *types.Tuple) string {
	names := e.spread(x.Args[0], results.Len())
	switch name {
	case "append", "delete":
	case "copy":
		if basic, ok := results.At(1).Type().Underlying().(*types.Basic); ok &&
			basic.Info()&types.IsString != 0 {
			names[1] = "[]byte(" + names[1] + ")"
		}
	default:
		return e.unknown(x)
	}
	return name + "(" + strings.Join(names, ", ") + ")"
}

// length returns len and cap; of what a pointer points to it is a constant.
func (e *emitter) length(name string, x ast.Expr) string {
	of := e.typeOf(x)
	if p := pointsTo(of); p != nil {
		of = p
	}
	if a, ok := of.Underlying().(*types.Array); ok {
		e.temp(e.value(x))
		return itoa(a.Len())
	}
	return name + "(" + e.expr(x) + ")"
}

// appends appends values. Those that may lie in the slice itself are copied first: the
// interpreter would write over what it still reads.
func (e *emitter) appends(x *ast.CallExpr) string {
	base := e.expr(x.Args[0])
	if e.isNil(x.Args[0]) {
		zero := e.new("t")
		e.line("var %s %s", zero, e.typ(e.typeOf(x)))
		base = zero
	}
	args := x.Args[1:]
	switch {
	case len(args) == 0:
		return base
	case x.Ellipsis.IsValid():
		return "append(" + base + ", " + e.bytes(args[0]) + "...)"
	}
	values := []string{base}
	for _, arg := range args {
		text := e.expr(arg)
		if len(args) > 1 && e.Info.Types[arg].Value == nil && !e.isNil(arg) {
			if _, id := ast.Unparen(arg).(*ast.Ident); !id {
				text = e.temp(text)
			}
		}
		values = append(values, text)
	}
	return "append(" + strings.Join(values, ", ") + ")"
}

// bytes returns a slice; a string as its bytes.
func (e *emitter) bytes(x ast.Expr) string {
	text := e.expr(x)
	if basic, ok := e.typeOf(x).Underlying().(*types.Basic); ok &&
		basic.Info()&types.IsString != 0 {
		return "[]byte(" + text + ")"
	}
	return text
}

// makes makes a slice or a map. Sizes that are not known to be small go through a function that
// panics where there is no memory for them: the runtime would end the process.
func (e *emitter) makes(x *ast.CallExpr) string {
	of := e.typeOf(x)
	args := []string{e.typ(of)}
	for i, arg := range x.Args[1:] {
		text := e.expr(arg)
		if !types.Identical(types.Default(e.typeOf(arg)), types.Typ[types.Int]) {
			text = "int(" + text + ")"
		}
		bytes := elementBytes(of)
		if n, known := e.constantInt(arg); !known || n > few/bytes {
			text = e.lowered([]string{"Length", "Capacity"}[i], "") + "(" + text + ", " +
				itoa(bytes) + ")"
		}
		args = append(args, text)
	}
	return "make(" + strings.Join(args, ", ") + ")"
}

// constantInt returns the value of an expression that is a constant.
func (e *emitter) constantInt(x ast.Expr) (n int64, known bool) {
	value := e.Info.Types[x].Value
	if value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(value))
}

// few is how many bytes there is always memory for.
const few = 1 << 20

// elementBytes returns how many bytes an element of a slice takes, or an entry of a map at least; 1
// for less than that.
func elementBytes(of types.Type) int64 {
	sizes := types.SizesFor("gc", "amd64")
	switch of := of.Underlying().(type) {
	case *types.Slice:
		return max(1, sizes.Sizeof(of.Elem()))
	case *types.Map:
		return sizes.Sizeof(of.Key()) + max(1, sizes.Sizeof(of.Elem()))
	}
	return 1
}

// news returns a new variable; of a value, one that holds it.
func (e *emitter) news(x *ast.CallExpr) string {
	if e.Info.Types[x.Args[0]].IsType() {
		return e.box(e.typeOf(x.Args[0]))
	}
	value := e.temp(e.expr(x.Args[0]))
	name := e.temp(e.box(pointsTo(e.typeOf(x))))
	e.line("*%s = %s", name, value)
	return name
}

// box returns a new variable of a type. The interpreter fails on new(*T), and takes the methods
// from what new(T) returns of a struct T.
func (e *emitter) box(of types.Type) string {
	if _, structure := of.Underlying().(*types.Struct); structure {
		return "&" + e.typ(of) + "{}"
	}
	if pointsTo(of) == nil {
		return "new(" + e.typ(of) + ")"
	}
	return "&" + e.temp("make([]"+e.typ(of)+", 1)") + "[0]"
}

// extreme returns min and max by functions for the widest type of their kind.
func (e *emitter) extreme(x *ast.CallExpr, name string) string {
	of := e.typeOf(x)
	basic, ok := of.Underlying().(*types.Basic)
	if !ok {
		return e.unknown(x)
	}
	wide := widest(basic)
	function := e.alias(symbols.Lowered) + "." + symbols.LoweredName(name, wide.Name())
	text := e.cast(wide, of, e.expr(x.Args[0]))
	for _, arg := range x.Args[1:] {
		text = function + "(" + text + ", " + e.cast(wide, of, e.expr(arg)) + ")"
	}
	return e.cast(of, wide, text)
}

// widest returns the type whose order is that of a type.
func widest(basic *types.Basic) *types.Basic {
	switch info := basic.Info(); {
	case info&types.IsString != 0:
		return types.Typ[types.String]
	case info&types.IsFloat != 0:
		return types.Typ[types.Float64]
	case info&types.IsUnsigned != 0:
		return types.Typ[types.Uint64]
	}
	if basic.Kind() == types.Int64 {
		return types.Typ[types.Int64]
	}
	return types.Typ[types.Int]
}
