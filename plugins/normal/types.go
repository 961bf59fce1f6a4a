package normal

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// typeOf returns the type of an expression.
func (e *emitter) typeOf(x ast.Expr) types.Type { return e.Info.TypeOf(x) }

// typ writes a type.
func (e *emitter) typ(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		return types.Default(t).String()
	case *types.Alias:
		if o := t.Obj(); o.Pkg() != nil && !e.own(o) {
			return e.alias(o.Pkg().Path()) + "." + o.Name()
		}
		return e.typ(types.Unalias(t))
	case *types.Named:
		return e.named(t)
	case *types.Pointer:
		return "*" + e.typ(t.Elem())
	case *types.Slice:
		return "[]" + e.typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), e.typ(t.Elem()))
	case *types.Map:
		return "map[" + e.typ(t.Key()) + "]" + e.typ(t.Elem())
	case *types.Signature:
		return "func" + e.signature(t)
	case *types.Struct:
		return e.structure(t)
	case *types.Interface:
		if t.Empty() {
			return "interface{}"
		}
	}
	e.Refuse(e.Files[0].Name, "use another type", "the type %v is not interpreted", t)
	return "int"
}

func (e *emitter) named(t *types.Named) string {
	o := t.Obj()
	switch {
	case o.Pkg() == nil:
		return o.Name() // error
	case !e.own(o):
		if t.TypeArgs().Len() > 0 {
			return e.instanceOf(t)
		}
		return e.alias(o.Pkg().Path()) + "." + o.Name()
	}
	return e.name(o)
}

// instanceOf writes an instance of a generic type of another package by the name that it has
// there: fl.AggregatorEntry.
func (e *emitter) instanceOf(t *types.Named) string {
	scope := t.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		alias, ok := scope.Lookup(name).(*types.TypeName)
		if ok && alias.IsAlias() && types.Identical(types.Unalias(alias.Type()), t) {
			return e.alias(t.Obj().Pkg().Path()) + "." + name
		}
	}
	return e.alias(t.Obj().Pkg().Path()) + "." + t.Obj().Name()
}

func (e *emitter) structure(t *types.Struct) string {
	var b strings.Builder
	b.WriteString("struct{")
	for i := range t.NumFields() {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %s", fieldName(t.Field(i), i), e.typ(t.Field(i).Type()))
	}
	return b.String() + "}"
}

// fieldName returns how the core calls a field. Blank ones have names there.
func fieldName(f *types.Var, i int) string {
	if f.Name() == "_" {
		return fmt.Sprintf("blank%d_", i)
	}
	return f.Name()
}

// signature writes parameters and results without names.
func (e *emitter) signature(t *types.Signature) string {
	var params []string
	for i := range t.Params().Len() {
		params = append(params, e.param(t, i))
	}
	return "(" + strings.Join(params, ", ") + ")" + e.resultTypes(t)
}

// param writes the type of a parameter.
func (e *emitter) param(t *types.Signature, i int) string {
	of := t.Params().At(i).Type()
	if s, ok := of.(*types.Slice); ok && t.Variadic() && i == t.Params().Len()-1 {
		return "..." + e.typ(s.Elem())
	}
	return e.typ(of)
}

func (e *emitter) resultTypes(t *types.Signature) string {
	var results []string
	for r := range t.Results().Variables() {
		results = append(results, e.typ(r.Type()))
	}
	switch len(results) {
	case 0:
		return ""
	case 1:
		return " " + results[0]
	}
	return " (" + strings.Join(results, ", ") + ")"
}

// floatType returns the type of floats that a type is one of, or nil.
func floatType(t types.Type) *types.Basic {
	basic, ok := t.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsFloat == 0 {
		return nil
	}
	return basic
}

// holdsFloats reports whether a value of a struct or array type has floats within.
func holdsFloats(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsFloat != 0
	case *types.Array:
		return holdsFloats(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if holdsFloats(f.Type()) {
				return true
			}
		}
	}
	return false
}

// isArray reports whether a type is one of arrays.
func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// pointsTo returns what a type of pointers points to, or nil.
func pointsTo(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
