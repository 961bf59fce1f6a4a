package normal

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// value returns an expression that is a statement's only one: a call or a literal needs no name.
func (e *emitter) value(x ast.Expr) string {
	if e.Info.Types[x].Value != nil {
		return e.expr(x)
	}
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		return e.call(call)
	}
	return e.whole(x)
}

// whole returns an expression that no operator and no call stands around: a literal needs no
// name.
func (e *emitter) whole(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return e.literal(x)
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && x.Op == token.AND {
			return e.address(lit)
		}
	}
	return e.expr(x)
}

// expr returns the text of an expression, after the statements that it needs.
func (e *emitter) expr(x ast.Expr) string {
	tv := e.Info.Types[x]
	if tv.Value != nil {
		return e.constant(x, tv)
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.expr(x.X)
	case *ast.Ident:
		return e.ident(x)
	case *ast.SelectorExpr:
		return e.selector(x)
	case *ast.CallExpr:
		text := e.call(x)
		if e.fn.ordered && e.callHasEffect(x) && !e.isVoid(x) {
			return e.tempCall(x, text)
		}
		return text
	case *ast.BinaryExpr:
		return e.binary(x)
	case *ast.UnaryExpr:
		return e.unary(x)
	case *ast.StarExpr:
		return "*" + e.primary(x.X)
	case *ast.IndexExpr:
		return e.index(x)
	case *ast.SliceExpr:
		return e.slice(x)
	case *ast.CompositeLit:
		return e.temp(e.literal(x)) // within && the interpreter would lose its way at one
	case *ast.FuncLit:
		return e.funcLit(x)
	}
	return e.unknown(x) // TypeAssertExpr, KeyValueExpr, Ellipsis, types
}

// tempCall gives the result of a call a name.
func (e *emitter) tempCall(x *ast.CallExpr, text string) string {
	name := e.temp(text)
	if e.runsOwn(x) {
		e.again()
	}
	return name
}

// isVoid reports whether a call has no result.
func (e *emitter) isVoid(x *ast.CallExpr) bool { return e.Info.Types[x].IsVoid() }

// primary returns an expression that an index, a selector or a call can follow.
func (e *emitter) primary(x ast.Expr) string {
	text := e.expr(x)
	if text != "" && strings.ContainsRune("*&-+!^<", rune(text[0])) || e.spaced(x, text) {
		return "(" + text + ")"
	}
	return text
}

// wrapped returns an operand as it can stand beside an operator.
func (e *emitter) wrapped(x ast.Expr, text string) string {
	if e.spaced(x, text) {
		return "(" + text + ")"
	}
	return text
}

// spaced reports whether a text is that of an operation.
func (e *emitter) spaced(x ast.Expr, text string) bool {
	_, binary := ast.Unparen(x).(*ast.BinaryExpr)
	return binary && e.Info.Types[x].Value == nil && strings.Contains(text, " ")
}

func (e *emitter) ident(id *ast.Ident) string {
	switch o := e.object(id).(type) {
	case *types.Var:
		if !e.own(o) {
			return e.unknown(id)
		}
		return e.variable(o)
	case *types.Nil:
		return "nil"
	case *types.Func:
		return e.functionValue(id, o)
	}
	return e.unknown(id)
}

// selector returns a field, or a name of another package.
func (e *emitter) selector(x *ast.SelectorExpr) string {
	s := e.Info.Selections[x]
	if s == nil {
		o := e.object(x.Sel)
		if f, ok := o.(*types.Func); ok {
			return e.functionValue(x, f)
		}
		return e.alias(o.Pkg().Path()) + "." + o.Name()
	}
	switch s.Kind() {
	case types.MethodVal:
		return e.methodValue(x, s)
	case types.MethodExpr:
		return e.methodExpression(s)
	}
	text, _ := e.path(e.primary(x.X), e.typeOf(x.X), s.Index())
	return text
}

// path follows fields, those that are embedded by their names.
func (e *emitter) path(text string, of types.Type, index []int) (string, types.Type) {
	switch {
	case len(index) == 0:
	case pointsTo(of) == nil:
		text = direct(text)
	case strings.HasPrefix(text, "*") || strings.HasPrefix(text, "("):
		text = e.temp(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"))
	}
	for _, i := range index {
		if p := pointsTo(of); p != nil {
			of = p
		}
		s, ok := of.Underlying().(*types.Struct)
		if !ok {
			return text, of
		}
		text += "." + fieldName(s.Field(i), i)
		of = s.Field(i).Type()
	}
	return text, of
}

// direct returns what a field is selected of: the interpreter follows a pointer by itself, and
// fails on (*p).x within a literal.
func direct(text string) string {
	if inner, ok := strings.CutPrefix(text, "(*"); ok && strings.HasSuffix(inner, ")") &&
		!strings.ContainsAny(inner[:len(inner)-1], "*()") {
		return inner[:len(inner)-1]
	}
	inner, ok := strings.CutPrefix(text, "*")
	switch {
	case !ok:
		return text
	case strings.HasPrefix(inner, "*"):
		return "(" + inner + ")"
	}
	return inner
}

// grouped returns what a selector, an index or a slice can follow.
func grouped(text string) string {
	if strings.HasPrefix(text, "*") {
		return "(" + text + ")"
	}
	return text
}

func (e *emitter) binary(x *ast.BinaryExpr) string {
	switch x.Op {
	case token.LAND, token.LOR:
		return e.logical(x)
	case token.SHL, token.SHR:
		left := e.wrapped(x.X, e.expr(x.X))
		return left + " " + x.Op.String() + " " + e.shiftCount(x.Y)
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.ADD, token.SUB,
		token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT:
		left := e.wrapped(x.X, e.expr(x.X))
		right := e.wrapped(x.Y, e.expr(x.Y))
		if left == "nil" {
			left, right = right, left
		}
		return left + " " + x.Op.String() + " " + right
	}
	return e.unknown(x)
}

// logical writes && and ||. The second operand gets a statement of its own where it needs
// statements before it.
func (e *emitter) logical(x *ast.BinaryExpr) string {
	left, right := e.truth(x.X), ""
	needs := e.captured(func() { right = e.truth(x.Y) })
	if needs == "" {
		return left + " " + x.Op.String() + " " + right
	}
	name := e.temp(left)
	if x.Op == token.LOR {
		e.line("if !%s {", name)
	} else {
		e.line("if %s {", name)
	}
	e.line("%s%s = %s\n}", needs, name, right)
	return name
}

// truth returns an operand of && or ||. What a pointer points to is copied: the interpreter
// would look at what it was when the last turn of a loop looked.
func (e *emitter) truth(x ast.Expr) string {
	text := e.expr(x)
	if strings.HasPrefix(strings.TrimLeft(text, "!("), "*") {
		return e.temp(text)
	}
	return e.wrapped(x, text)
}

// shiftCount returns by how much is shifted: the interpreter takes what is negative for large.
func (e *emitter) shiftCount(x ast.Expr) string {
	tv := e.Info.Types[x]
	if tv.Value != nil {
		return "uint(" + tv.Value.ExactString() + ")"
	}
	text := e.wrapped(x, e.expr(x))
	basic, ok := tv.Type.Underlying().(*types.Basic)
	if ok && basic.Info()&types.IsUnsigned == 0 {
		return e.lowered("ShiftCount", "") + "(int64(" + text + "))"
	}
	return text
}

func (e *emitter) unary(x *ast.UnaryExpr) string {
	switch x.Op {
	case token.AND:
		text := e.address(ast.Unparen(x.X))
		if strings.HasSuffix(text, "}") {
			return e.temp(text)
		}
		return text
	case token.SUB, token.XOR, token.NOT, token.ADD:
		text := e.expr(x.X)
		if e.spaced(x.X, text) || strings.HasPrefix(text, x.Op.String()) {
			text = "(" + text + ")"
		}
		return x.Op.String() + text
	}
	return e.unknown(x)
}

// address returns the address of a literal or of a place.
func (e *emitter) address(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.CompositeLit:
		of := e.typeOf(x)
		if _, ok := of.Underlying().(*types.Struct); ok {
			return "&" + e.literal(x)
		}
		text := e.literal(x)
		name := e.temp(e.box(of))
		e.line("*%s = %s", name, text)
		return name
	case *ast.StarExpr:
		return e.expr(x.X)
	}
	place := e.placeOf(x, false)
	if rest, ok := strings.CutPrefix(place, "*"); ok {
		return rest
	}
	return "&" + place
}

// index returns an element. That of a map is read once, with a key of the map's type.
func (e *emitter) index(x *ast.IndexExpr) string {
	if e.isInstance(x) {
		return e.expr(x.X) // which refuses it
	}
	base := e.primary(x.X)
	return base + "[" + e.expr(x.Index) + "]"
}

// isInstance reports whether an index gives the types of a generic function.
func (e *emitter) isInstance(x *ast.IndexExpr) bool { return e.Info.Types[x.Index].IsType() }

func (e *emitter) slice(x *ast.SliceExpr) string {
	base := ""
	if isArray(e.typeOf(x.X)) {
		base = grouped(e.placeOf(x.X, false))
	} else {
		base = e.primary(x.X)
	}
	bound := func(x ast.Expr) string {
		if x == nil {
			return ""
		}
		text := e.expr(x)
		if basic, ok := e.typeOf(x).Underlying().(*types.Basic); ok && basic.Kind() != types.Int &&
			e.Info.Types[x].Value == nil {
			text = "int(" + text + ")"
		}
		return text
	}
	text := base + "[" + bound(x.Low) + ":" + bound(x.High)
	if x.Slice3 {
		text += ":" + bound(x.Max)
	}
	return text + "]"
}

// funcLit names a function where it is made.
func (e *emitter) funcLit(x *ast.FuncLit) string {
	name := e.new("f")
	sig := e.typeOf(x).(*types.Signature)
	e.body(name+" := func", nil, sig, x.Body)
	e.line("")
	return name
}
