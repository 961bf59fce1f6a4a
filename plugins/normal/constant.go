package normal

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strconv"
	"strings"
)

// constant returns the value of a constant expression, as the type checker knows it: the
// interpreter computes 7/2 in floats, and more such.
func (e *emitter) constant(x ast.Expr, tv types.TypeAndValue) string {
	of := types.Default(tv.Type)
	if types.IsInterface(of) {
		of = types.Default(e.constantType(tv.Value))
	}
	text, ok := literal(of, tv.Value)
	if !ok {
		return e.unknown(x)
	}
	switch name := e.typ(of); name {
	case "int", "float64", "string", "bool":
		return text
	default:
		return name + "(" + text + ")"
	}
}

// constantType returns the type of a value that stands for itself.
func (e *emitter) constantType(v constant.Value) types.Type {
	switch v.Kind() {
	case constant.Bool:
		return types.Typ[types.Bool]
	case constant.String:
		return types.Typ[types.String]
	case constant.Int:
		return types.Typ[types.Int]
	}
	return types.Typ[types.Float64]
}

// literal writes a value of a type.
func literal(of types.Type, v constant.Value) (string, bool) {
	basic, ok := of.Underlying().(*types.Basic)
	if !ok {
		return "", false
	}
	switch info := basic.Info(); {
	case info&types.IsBoolean != 0:
		return strconv.FormatBool(constant.BoolVal(v)), true
	case info&types.IsString != 0:
		return strconv.Quote(constant.StringVal(v)), true
	case info&types.IsInteger != 0:
		return constant.ToInt(v).ExactString(), true
	case info&types.IsFloat != 0:
		x, _ := constant.Float64Val(v)
		if basic.Kind() == types.Float32 {
			narrow, _ := constant.Float32Val(v)
			x = float64(narrow)
		}
		text := strconv.FormatFloat(x, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text, true
	}
	return "", false
}
