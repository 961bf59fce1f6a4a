package normal

import (
	"go/ast"
	"go/token"
	"go/types"
)

// rangeStmt writes a range: over variables of its own, from which the author's get their values
// at the beginning of a turn.
func (e *emitter) rangeStmt(s *ast.RangeStmt, head func()) {
	of := e.typeOf(s.X)
	if p := pointsTo(of); p != nil && isArray(p) {
		e.rangePointer(s, p.Underlying().(*types.Array), head)
		return
	}
	switch u := of.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			e.rangeString(s, head)
		} else {
			e.rangeInteger(s, head)
		}
	case *types.Slice, *types.Map:
		e.rangeElements(s, e.rangedOver(s.X), head)
	case *types.Array:
		if isMissing(s.Value) {
			e.counting(s, e.arrayLength(s, u), types.Typ[types.Int], head)
			return
		}
		e.rangeElements(s, e.temp(e.expr(s.X)), head)
	default:
		e.unknown(s.X) // functions and channels
	}
}

// arrayLength returns the length of an array that is not looked at; calls in it run.
func (e *emitter) arrayLength(s *ast.RangeStmt, of *types.Array) string {
	if e.hasEffect(s.X) {
		e.temp(e.value(s.X))
	}
	return itoa(of.Len())
}

// rangedOver returns what is ranged over: what a variable holds now, if that may change.
func (e *emitter) rangedOver(x ast.Expr) string {
	text := e.value(x)
	if e.constantVariable(x) {
		return text
	}
	return e.temp(text)
}

// isMissing reports whether a range does not ask for a variable.
func isMissing(x ast.Expr) bool { return x == nil || isBlank(x) }

// direct returns the name of a variable that the range of the core can set by itself: nothing
// else changes it, and nothing keeps it.
func (e *emitter) direct(s *ast.RangeStmt, x ast.Expr) (string, bool) {
	if s.Tok != token.DEFINE || isMissing(x) {
		return "", false
	}
	v, ok := e.Info.Defs[x.(*ast.Ident)].(*types.Var)
	if !ok || e.boxed[v] || e.assigned[v] {
		return "", false
	}
	return e.name(v), true
}

// bind returns the name of a variable for the range of the core, and how the author's gets its
// value from that.
func (e *emitter) bind(s *ast.RangeStmt, x ast.Expr, from types.Type) (string, func()) {
	if name, ok := e.direct(s, x); ok {
		return name, func() {}
	}
	name := e.new("k")
	if isMissing(x) {
		return name, func() {}
	}
	return name, func() {
		place := ""
		if s.Tok != token.DEFINE {
			place = e.placeOf(x, false)
		}
		e.put(x, place, name, from, s.Tok == token.DEFINE)
	}
}

// rangeElements writes a range over a slice, a map or a copy of an array.
func (e *emitter) rangeElements(s *ast.RangeStmt, over string, head func()) {
	head()
	key, setKey := e.bind(s, s.Key, e.keyType(s.X))
	names, setValue := key, func() {}
	if !isMissing(s.Value) {
		value := ""
		value, setValue = e.bind(s, s.Value, e.valueType(s.X))
		names += ", " + value
	}
	e.line("for %s := range %s {", names, over)
	setKey()
	setValue()
	e.statements(s.Body.List)
	e.line("}")
}

func (e *emitter) keyType(x ast.Expr) types.Type {
	if m, ok := e.typeOf(x).Underlying().(*types.Map); ok {
		return m.Key()
	}
	return types.Typ[types.Int]
}

func (e *emitter) valueType(x ast.Expr) types.Type {
	switch u := e.typeOf(x).Underlying().(type) {
	case *types.Map:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	}
	return types.Typ[types.Rune]
}

// rangeInteger counts to a number that is computed once.
func (e *emitter) rangeInteger(s *ast.RangeStmt, head func()) {
	of := types.Default(e.typeOf(s.X))
	if !isMissing(s.Key) {
		of = e.typeOf(s.Key)
	}
	e.counting(s, e.typ(of)+"("+e.value(s.X)+")", of, head)
}

// counting writes a range over an integer or over the indices of an array.
func (e *emitter) counting(s *ast.RangeStmt, end string, of types.Type, head func()) {
	end = e.temp(end)
	head()
	key, set := e.bind(s, s.Key, of)
	e.line("for %s := %s(0); %s < %s; %s++ {", key, e.typ(of), key, end, key)
	set()
	e.statements(s.Body.List)
	e.line("}")
}

// rangePointer counts through what a pointer to an array points to.
func (e *emitter) rangePointer(s *ast.RangeStmt, of *types.Array, head func()) {
	over := e.temp(e.value(s.X))
	end := e.temp(itoa(of.Len()))
	head()
	key, set := e.bind(s, s.Key, types.Typ[types.Int])
	e.line("for %s := 0; %s < %s; %s++ {", key, key, end, key)
	set()
	e.element(s, over+"["+key+"]", of.Elem())
	e.statements(s.Body.List)
	e.line("}")
}

// element gives the second variable of a range its value.
func (e *emitter) element(s *ast.RangeStmt, value string, of types.Type) {
	if isMissing(s.Value) {
		return
	}
	place := ""
	if s.Tok != token.DEFINE {
		place = e.placeOf(s.Value, false)
	}
	e.put(s.Value, place, value, of, s.Tok == token.DEFINE)
}

// rangeString goes through the places where characters begin.
func (e *emitter) rangeString(s *ast.RangeStmt, head func()) {
	over := e.temp("string(" + e.value(s.X) + ")")
	starts := e.temp(e.lowered("Starts", "") + "(" + over + ")")
	runes := e.temp(e.lowered("Runes", "") + "(" + over + ")")
	head()
	at := e.new("k")
	key, set := e.bind(s, s.Key, types.Typ[types.Int])
	e.line("for %s, %s := range %s {", at, key, starts)
	set()
	e.element(s, runes+"["+at+"]", types.Typ[types.Rune])
	e.statements(s.Body.List)
	e.line("}")
}
