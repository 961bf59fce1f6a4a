package rewrite

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// A Types writes types as Go has them in panics. Types are the same when and only when what is
// written is, as far as Special keeps to that.
type Types struct {
	strings.Builder
	// Special writes a type in another way and returns true. All types that have names are for it,
	// those of a universe aside, and what is no type of values.
	Special func(t types.Type) bool
	// Field writes an embedded field in another way and returns true. It may be nil.
	Field func(f *types.Var) bool
	// Qualified has the package stand before methods that are not exported.
	Qualified bool
}

// Type writes a type.
func (w *Types) Type(t types.Type) {
	t = types.Unalias(t)
	if w.Special(t) {
		return
	}
	switch t := t.(type) {
	case *types.Basic:
		w.WriteString(types.Typ[t.Kind()].Name()) // no byte and no rune
	case *types.Pointer:
		w.WriteByte('*')
		w.Type(t.Elem())
	case *types.Slice:
		w.WriteString("[]")
		w.Type(t.Elem())
	case *types.Array:
		fmt.Fprintf(w, "[%d]", t.Len())
		w.Type(t.Elem())
	case *types.Map:
		w.WriteString("map[")
		w.Type(t.Key())
		w.WriteByte(']')
		w.Type(t.Elem())
	case *types.Signature:
		w.WriteString("func")
		w.signature(t)
	case *types.Struct:
		w.structure(t)
	case *types.Interface:
		w.methods(t)
	}
}

// List writes type arguments.
func (w *Types) List(args *types.TypeList) {
	before := "["
	for t := range args.Types() {
		w.WriteString(before)
		w.Type(t)
		before = ", "
	}
	if args.Len() > 0 {
		w.WriteByte(']')
	}
}

func (w *Types) signature(t *types.Signature) {
	w.tuple(t.Params(), t.Variadic())
	switch t.Results().Len() {
	case 0:
	case 1:
		w.WriteByte(' ')
		w.Type(t.Results().At(0).Type())
	default:
		w.WriteByte(' ')
		w.tuple(t.Results(), false)
	}
}

func (w *Types) tuple(t *types.Tuple, variadic bool) {
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
		w.Type(of)
	}
	w.WriteByte(')')
}

// between writes the braces around n members.
func (w *Types) between(word string, n int, member func(i int)) {
	w.WriteString(word + " {")
	for i := range n {
		if i > 0 {
			w.WriteByte(';')
		}
		w.WriteByte(' ')
		member(i)
	}
	if n > 0 {
		w.WriteByte(' ')
	}
	w.WriteByte('}')
}

func (w *Types) structure(t *types.Struct) {
	w.between("struct", t.NumFields(), func(i int) {
		f := t.Field(i)
		if !f.Embedded() {
			w.WriteString(f.Name() + " ")
		}
		if !f.Embedded() || w.Field == nil || !w.Field(f) {
			w.Type(f.Type())
		}
		if tag := t.Tag(i); tag != "" {
			w.WriteString(" " + strconv.Quote(tag))
		}
	})
}

func (w *Types) methods(t *types.Interface) {
	w.between("interface", t.NumMethods(), func(i int) {
		m := t.Method(i)
		if !m.Exported() && w.Qualified {
			w.WriteString(m.Pkg().Name() + ".")
		}
		w.WriteString(m.Name())
		w.signature(m.Signature())
	})
}
