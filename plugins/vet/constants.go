package vet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// fold writes the value of a constant expression, as the type checker knows it, where it
// stands: the interpreter computes 7/2 in floats, and more such. It reports whether it did.
func (s *source) fold(c *checker, e ast.Expr) bool {
	tv, ok := c.info.Types[e]
	if !ok || tv.Value == nil || plain(c, e) {
		return false
	}
	text, ok := literal(tv)
	if !ok {
		return false
	}
	switch name := s.typeName(types.Default(tv.Type)); name {
	case "int", "float64", "string", "bool":
		text = " " + text
	default:
		text = name + "(" + text + ")"
	}
	s.edit(c, e.Pos(), e.End(), text)
	return true
}

// plain reports whether an expression is a literal already.
func plain(c *checker, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return plain(c, e.X)
	case *ast.UnaryExpr:
		_, lit := e.X.(*ast.BasicLit)
		return lit && e.Op == token.SUB
	case *ast.Ident:
		o := c.info.Uses[e]
		return o != nil && o.Parent() == types.Universe // true and false
	}
	return false
}

// literal writes a value of a type.
func literal(tv types.TypeAndValue) (string, bool) {
	basic, ok := types.Default(tv.Type).Underlying().(*types.Basic)
	if !ok {
		return "", false
	}
	switch info := basic.Info(); {
	case info&types.IsBoolean != 0:
		return strconv.FormatBool(constant.BoolVal(tv.Value)), true
	case info&types.IsString != 0:
		return strconv.Quote(constant.StringVal(tv.Value)), true
	case info&types.IsInteger != 0:
		return constant.ToInt(tv.Value).ExactString(), true
	case info&types.IsFloat != 0:
		x, _ := constant.Float64Val(tv.Value)
		if basic.Kind() == types.Float32 {
			narrow, _ := constant.Float32Val(tv.Value)
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

// dropConstants removes declarations of constants, of which the lowered text has the values.
func (s *source) dropConstants(c *checker, n *ast.GenDecl) {
	lines := c.fset.Position(n.End()).Line - c.fset.Position(n.Pos()).Line
	s.edit(c, n.Pos(), n.End(), strings.Repeat("\n", lines))
	ast.Inspect(n, func(m ast.Node) bool {
		if id, ok := m.(*ast.Ident); ok {
			c.declaresName(id)
		}
		return true
	})
}
