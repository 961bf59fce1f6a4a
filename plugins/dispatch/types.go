package dispatch

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// A writer writes types: as the program has them when it is lowered, or as Go calls them in
// panics.
type writer struct {
	*lowerer
	strings.Builder
	spoken bool
}

// written returns a type as the program has it when it is lowered.
func (l *lowerer) written(t types.Type) string {
	w := writer{lowerer: l}
	w.typ(t)
	return w.String()
}

// spoken returns a type as Go calls it in panics.
func (l *lowerer) spoken(t types.Type) string {
	w := writer{lowerer: l, spoken: true}
	w.typ(t)
	return w.String()
}

func (w *writer) typ(t types.Type) {
	if !w.spoken && w.own(t) {
		w.WriteString(w.box)
		return
	}
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		w.WriteString(types.Typ[t.Kind()].Name()) // no byte and no rune
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
		w.Refuse(w.Files[0].Name, "use another type", "the type %v is not interpreted", t)
	}
}

func (w *writer) named(t *types.Named) {
	o := t.Obj()
	switch {
	case o.Pkg() == nil:
		w.WriteString(o.Name())
	case w.spoken:
		w.WriteString(o.Pkg().Name() + "." + o.Name())
	case o.Pkg() != w.Pkg:
		w.WriteString(w.packageName(o.Pkg()) + "." + o.Name())
		w.list(t.TypeArgs())
	case w.local[o] != "":
		w.WriteString(w.local[o])
	default:
		w.WriteString(o.Name())
	}
}

// packageName returns the name by which the added file knows a package.
func (l *lowerer) packageName(p *types.Package) string {
	name, ok := l.imports[p.Path()]
	if !ok {
		name = l.fresh(p.Name())
		l.imports[p.Path()] = name
		l.paths = append(l.paths, p.Path())
	}
	return name
}

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
	switch t.Results().Len() {
	case 0:
	case 1:
		w.WriteByte(' ')
		w.typ(t.Results().At(0).Type())
	default:
		w.WriteByte(' ')
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

// structure writes a struct. An embedded interface is a field of that name when it is lowered.
func (w *writer) structure(t *types.Struct) {
	w.WriteString("struct {")
	for i := range t.NumFields() {
		if i > 0 {
			w.WriteByte(';')
		}
		w.WriteByte(' ')
		f := t.Field(i)
		if !f.Embedded() || !w.spoken && w.own(f.Type()) {
			w.WriteString(f.Name() + " ")
		}
		if f.Embedded() && embedded(f.Type()) == nil && !w.spoken && !types.IsInterface(f.Type()) {
			w.WriteString(f.Name()) // another name for a type, as the field is called
		} else {
			w.typ(f.Type())
		}
		if tag := t.Tag(i); tag != "" {
			w.WriteString(" " + strconv.Quote(tag))
		}
	}
	if t.NumFields() > 0 {
		w.WriteByte(' ')
	}
	w.WriteByte('}')
}

// methods writes an interface.
func (w *writer) methods(t *types.Interface) {
	w.WriteString("interface {")
	for i := range t.NumMethods() {
		if i > 0 {
			w.WriteByte(';')
		}
		m := t.Method(i)
		w.WriteByte(' ')
		if !m.Exported() && w.spoken {
			w.WriteString(m.Pkg().Name() + ".")
		}
		w.WriteString(m.Name())
		w.signature(m.Signature())
	}
	if t.NumMethods() > 0 {
		w.WriteByte(' ')
	}
	w.WriteByte('}')
}

// Holds reports whether values of a type have an interface of a package within that is not behind
// a pointer, in a slice or in a map: comparing them compares what it holds.
func Holds(t types.Type, pkg *types.Package) bool {
	if Own(t, pkg) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return Holds(u.Elem(), pkg)
	case *types.Struct:
		for f := range u.Fields() {
			if Holds(f.Type(), pkg) {
				return true
			}
		}
	}
	return false
}

func (l *lowerer) holds(t types.Type) bool { return Holds(t, l.Pkg) }
