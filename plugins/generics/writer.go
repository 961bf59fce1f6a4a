package generics

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// A writer writes a type by names that stand at the top of the package. Types are the same when
// and only when what is written is.
type writer struct {
	strings.Builder
	*expander
	env    environment
	at     place
	failed bool // the type has no name there
}

// typ writes a type.
func (w *writer) typ(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		w.WriteString(w.env[t])
	case *types.Basic:
		w.WriteString(t.Name())
	case *types.Named:
		w.named(t)
	case *types.Pointer:
		w.WriteByte('*')
		w.typ(t.Elem())
	case *types.Slice:
		w.WriteString("[]")
		w.typ(t.Elem())
	case *types.Array:
		fmt.Fprintf(w, "[%d]", t.Len())
		w.typ(t.Elem())
	case *types.Map:
		w.WriteString("map[")
		w.typ(t.Key())
		w.WriteByte(']')
		w.typ(t.Elem())
	case *types.Signature:
		w.WriteString("func")
		w.signature(t)
	case *types.Struct:
		w.structure(t)
	case *types.Interface:
		w.methods(t)
	default:
		w.fail()
	}
}

// fail refuses a type that cannot be written.
func (w *writer) fail() {
	if !w.failed {
		w.Refuse(w.at.node, "declare the type outside of functions",
			"a type of a function is a type argument")
	}
	w.failed = true
}

func (w *writer) named(t *types.Named) {
	o := t.Obj()
	switch {
	case o.Pkg() == nil:
		w.WriteString(o.Name())
	case o.Parent() != o.Pkg().Scope():
		w.fail()
	case o.Pkg() != w.Pkg:
		w.WriteString(w.packageName(o.Pkg(), w.at) + "." + o.Name())
		w.list(t.TypeArgs())
	case t.TypeArgs().Len() > 0:
		args, ok := w.arguments(t.TypeArgs(), w.env, w.at)
		if !ok {
			w.failed = true
			return
		}
		w.WriteString(w.instanceOf(t.Origin().Obj(), args, w.at))
	default:
		w.WriteString(o.Name())
	}
}

// list writes type arguments.
func (w *writer) list(args *types.TypeList) {
	before := "["
	for t := range args.Types() {
		w.WriteString(before)
		w.typ(t)
		before = ", "
	}
	if args.Len() > 0 {
		w.WriteByte(']')
	}
}

func (w *writer) signature(t *types.Signature) {
	w.tuple(t.Params(), t.Variadic())
	if t.Results().Len() > 0 {
		w.tuple(t.Results(), false)
	}
}

func (w *writer) tuple(t *types.Tuple, variadic bool) {
	w.WriteByte('(')
	for i := range t.Len() {
		if i > 0 {
			w.WriteString(", ")
		}
		of := t.At(i).Type()
		if s, ok := of.(*types.Slice); ok && variadic && i == t.Len()-1 {
			w.WriteString("...")
			of = s.Elem()
		}
		w.typ(of)
	}
	w.WriteByte(')')
}

func (w *writer) structure(t *types.Struct) {
	w.WriteString("struct{")
	for i := range t.NumFields() {
		if f := t.Field(i); !f.Embedded() {
			w.WriteString(f.Name() + " ")
		}
		w.typ(t.Field(i).Type())
		if tag := t.Tag(i); tag != "" {
			w.WriteString(" " + strconv.Quote(tag))
		}
		w.WriteString("; ")
	}
	w.WriteByte('}')
}

// methods writes an interface.
func (w *writer) methods(t *types.Interface) {
	if !t.IsMethodSet() {
		w.fail()
		return
	}
	w.WriteString("interface{")
	for m := range t.Methods() {
		w.WriteString(m.Name())
		w.signature(m.Signature())
		w.WriteString("; ")
	}
	w.WriteByte('}')
}
