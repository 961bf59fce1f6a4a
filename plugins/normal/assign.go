package normal

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// operators are those of assignments.
var operators = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL,
	token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND,
	token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR, token.SHL_ASSIGN: token.SHL,
	token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT,
}

func (e *emitter) assign(s *ast.AssignStmt) {
	define := s.Tok == token.DEFINE
	op, operates := operators[s.Tok]
	switch {
	case operates:
		e.opAssign(s.Lhs[0], op, s.Rhs[0])
	case !define && s.Tok != token.ASSIGN:
		e.unknown(s)
	case len(s.Lhs) > len(s.Rhs):
		e.assignSpread(s.Lhs, s.Rhs[0], define)
	case len(s.Lhs) > 1:
		e.parallel(s.Lhs, s.Rhs, define)
	case define:
		e.define(s.Lhs[0].(*ast.Ident), s.Rhs[0])
	default:
		e.assignOne(s.Lhs[0], s.Rhs[0])
	}
}

// define declares one variable with a value.
func (e *emitter) define(id *ast.Ident, x ast.Expr) {
	v, ok := e.Info.Defs[id].(*types.Var)
	if call, isCall := ast.Unparen(x).(*ast.CallExpr); isCall && ok && e.isRecover(call) {
		e.recovered[v] = true
	}
	switch {
	case !ok || id.Name == "_":
		e.discard(x)
	case e.boxed[v]:
		text := e.value(x)
		e.line("%s := %s", e.name(v), e.box(v.Type()))
		e.line("*%s = %s", e.name(v), text)
	case e.isNil(x) || !e.sameType(x, v.Type()):
		text := e.value(x)
		e.line("var %s %s", e.name(v), e.typ(v.Type()))
		e.line("%s = %s", e.name(v), text)
	default:
		e.line("%s := %s", e.name(v), e.value(x))
	}
}

// sameType reports whether a value needs no conversion to be one of a type.
func (e *emitter) sameType(x ast.Expr, to types.Type) bool {
	return types.Identical(types.Default(e.typeOf(x)), to)
}

// discard computes a value that nothing takes.
func (e *emitter) discard(x ast.Expr) {
	if !e.isNil(x) && e.Info.Types[x].Value == nil {
		e.temp(e.expr(x))
	}
}

// isNil reports whether an expression is nil.
func (e *emitter) isNil(x ast.Expr) bool { return e.Info.Types[x].IsNil() }

// isBlank reports whether an expression is the variable that keeps nothing.
func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// assignOne assigns one value. Calls come first, in the order in which they stand; then the
// place is found.
func (e *emitter) assignOne(l, x ast.Expr) {
	l = ast.Unparen(l)
	switch id, isID := l.(*ast.Ident); {
	case isBlank(l):
		e.discard(x)
	case isID:
		e.store(e.place0(id), x, e.typeOf(l))
	case e.hasEffect(x) || e.hasEffect(l):
		e.fn.ordered = true
		place := e.placeOf(l, false)
		text := e.value(x)
		if !e.stable(x) && e.sameType(x, e.typeOf(l)) {
			text = e.temp(text)
			e.again()
		}
		e.line("%s = %s", place, text)
	default:
		e.store(e.placeOf(l, false), x, e.typeOf(l))
	}
}

// place0 returns the place of a variable.
func (e *emitter) place0(id *ast.Ident) string {
	v, ok := e.object(id).(*types.Var)
	if !ok {
		return e.unknown(id)
	}
	return e.variable(v)
}

// store assigns a value to a place. A literal is a value of its own first: the interpreter
// would put another variable in the place of the one that others see.
func (e *emitter) store(place string, x ast.Expr, to types.Type) {
	text := e.value(x)
	if _, literal := ast.Unparen(x).(*ast.CompositeLit); literal && e.sameType(x, to) {
		text = e.temp(text)
	}
	e.line("%s = %s", place, text)
}

// placeOf returns the text of what is assigned to. Where it is to stay what it is, its operands
// get names.
func (e *emitter) placeOf(l ast.Expr, keep bool) string {
	switch l := ast.Unparen(l).(type) {
	case *ast.Ident:
		return e.place0(l)
	case *ast.IndexExpr:
		base := ""
		if isArray(e.typeOf(l.X)) {
			base = grouped(e.placeOf(l.X, keep))
		} else {
			base = e.operand(l.X, keep)
		}
		return base + "[" + e.operand(l.Index, keep) + "]"
	case *ast.StarExpr:
		return "*" + e.operand(l.X, keep)
	case *ast.SelectorExpr:
		return e.fieldPlace(l, keep)
	}
	return e.unknown(l)
}

// fieldPlace returns the place of a field.
func (e *emitter) fieldPlace(l *ast.SelectorExpr, keep bool) string {
	s := e.Info.Selections[l]
	if s == nil {
		return e.expr(l)
	}
	base := ""
	if pointsTo(e.typeOf(l.X)) == nil {
		base = e.placeOf(l.X, keep)
	} else {
		base = e.operand(l.X, keep)
	}
	text, _ := e.path(base, e.typeOf(l.X), s.Index())
	return text
}

// operand returns an operand of a place, with a name of its own where it is to keep its value.
func (e *emitter) operand(x ast.Expr, keep bool) string {
	text := e.expr(x)
	if keep && e.Info.Types[x].Value == nil && !e.constantVariable(x) {
		return e.temp(text)
	}
	return e.wrapped(x, text)
}

// constantVariable reports whether an expression is a variable that never changes.
func (e *emitter) constantVariable(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := e.object(id).(*types.Var)
	return ok && !e.assigned[v] && !e.shared[v] && v.Parent() != e.Pkg.Scope()
}

// opAssign writes x op= y: the place is computed once, and first.
func (e *emitter) opAssign(l ast.Expr, op token.Token, x ast.Expr) {
	effect := e.hasEffect(x) || e.hasEffect(l)
	e.operate(l, op, effect, func() string {
		switch {
		case op == token.SHL || op == token.SHR:
			return e.shiftCount(x)
		case e.hasEffect(x):
			name := e.temp(e.value(x))
			e.again()
			return name
		}
		return e.wrapped(x, e.expr(x))
	})
}

// increment writes x++ and x--.
func (e *emitter) increment(s *ast.IncDecStmt) {
	l, op := ast.Unparen(s.X), token.ADD
	if s.Tok == token.DEC {
		op = token.SUB
	}
	if id, ok := l.(*ast.Ident); ok {
		if v, ok := e.object(id).(*types.Var); ok && !e.boxed[v] {
			e.line("%s%s", e.variable(v), s.Tok)
			return
		}
	}
	one := "1"
	if floatType(e.typeOf(l)) != nil {
		one = "1.0"
	}
	e.operate(l, op, e.hasEffect(l), func() string { return one })
}

// operate writes place = place op value, in short where the place is no element of a map.
func (e *emitter) operate(l ast.Expr, op token.Token, keep bool, value func() string) {
	index, ok := ast.Unparen(l).(*ast.IndexExpr)
	isMap := false
	if ok {
		_, isMap = e.typeOf(index.X).Underlying().(*types.Map)
	}
	place := e.placeOf(l, keep || isMap)
	text := value()
	if isMap {
		e.line("%s = %s %s %s", place, e.temp(place), op, text)
		return
	}
	e.line("%s %s= %s", place, op, text)
}

// parallel assigns several values: operands of places first, then the values, then each.
func (e *emitter) parallel(lhs, rhs []ast.Expr, define bool) {
	places := make([]string, len(lhs))
	for i, l := range lhs {
		if !isBlank(l) && !(define && e.isNew(l)) {
			places[i] = e.placeOf(l, true)
		}
	}
	values := make([]string, len(rhs))
	for i, x := range rhs {
		switch {
		case isBlank(lhs[i]):
			e.discard(x)
		case e.isNil(x) || e.Info.Types[x].Value != nil:
			values[i] = e.expr(x)
		default:
			values[i] = e.temp(e.expr(x))
		}
	}
	if slices.ContainsFunc(rhs, func(x ast.Expr) bool { return e.hasEffect(x) }) {
		e.again()
	}
	for i, l := range lhs {
		if !isBlank(l) {
			e.put(l, places[i], values[i], e.typeOf(rhs[i]), define)
		}
	}
}

// isNew reports whether an identifier is declared where it stands.
func (e *emitter) isNew(l ast.Expr) bool {
	id, ok := l.(*ast.Ident)
	return ok && e.Info.Defs[id] != nil
}

// put assigns a value that was computed to a place, or declares it.
func (e *emitter) put(l ast.Expr, place, value string, from types.Type, define bool) {
	if !define || !e.isNew(l) {
		e.line("%s = %s", place, value)
		return
	}
	v := e.Info.Defs[l.(*ast.Ident)].(*types.Var)
	same := types.Identical(types.Default(from), v.Type())
	switch {
	case e.boxed[v]:
		e.line("%s := %s", e.name(v), e.box(v.Type()))
		e.line("*%s = %s", e.name(v), value)
	case !same || value == "nil":
		e.line("var %s %s", e.name(v), e.typ(v.Type()))
		e.line("%s = %s", e.name(v), value)
	default:
		e.line("%s := %s", e.name(v), value)
	}
}

// assignSpread assigns the results of one expression to several places.
func (e *emitter) assignSpread(lhs []ast.Expr, x ast.Expr, define bool) {
	places := make([]string, len(lhs))
	for i, l := range lhs {
		if !isBlank(l) && !(define && e.isNew(l)) {
			places[i] = e.placeOf(l, true)
		}
	}
	values := e.spread(x, len(lhs))
	results, ok := e.typeOf(x).(*types.Tuple)
	for i, l := range lhs {
		if isBlank(l) {
			continue
		}
		from := e.typeOf(l)
		if ok && i < results.Len() {
			from = results.At(i).Type()
		}
		e.put(l, places[i], values[i], from, define)
	}
}

// spread gives the results of one expression names.
func (e *emitter) spread(x ast.Expr, n int) []string {
	names := make([]string, n)
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		call := e.call(x)
		for i := range names {
			names[i] = e.new("t")
		}
		e.line("%s := %s", strings.Join(names, ", "), call)
		e.again()
	case *ast.IndexExpr:
		of, key := e.temp(e.expr(x.X)), e.mapKey(x)
		names[0] = e.temp(of + "[" + key + "]")
		ok := e.new("t")
		e.line("_, %s := %s[%s]", ok, of, key)
		names[1] = e.temp(ok)
	default:
		for i := range names {
			names[i] = e.unknown(x)
		}
	}
	return names
}

// mapKey returns the key of an element of a map, with a name of its own.
func (e *emitter) mapKey(x *ast.IndexExpr) string {
	return e.temp(e.expr(x.Index))
}
