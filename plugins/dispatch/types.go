package dispatch

import (
	"go/types"

	"github.com/hansa-fl/hansa/plugins/rewrite"
)

// written returns a type as the program has it when it is lowered.
func (l *lowerer) written(t types.Type) string {
	w := new(rewrite.Types)
	w.Special = func(t types.Type) bool {
		if named, ok := t.(*types.Named); ok && !l.own(t) {
			l.named(w, named)
			return true
		}
		if l.own(t) {
			w.WriteString(l.box)
			return true
		}
		return l.unknown(t)
	}
	w.Field = func(f *types.Var) bool { return l.field(w, f) }
	w.Type(t)
	return w.String()
}

// spoken returns a type as Go calls it in panics.
func (l *lowerer) spoken(t types.Type) string {
	w := &rewrite.Types{Qualified: true}
	w.Special = func(t types.Type) bool {
		named, ok := t.(*types.Named)
		if !ok {
			return l.unknown(t)
		}
		if p := named.Obj().Pkg(); p != nil {
			w.WriteString(p.Name() + ".")
		}
		w.WriteString(named.Obj().Name())
		return true
	}
	w.Type(t)
	return w.String()
}

// unknown refuses types that no value of a strategy has.
func (l *lowerer) unknown(t types.Type) bool {
	switch t.(type) {
	case *types.Chan, *types.Tuple, *types.TypeParam, *types.Union:
		l.Refuse(l.Files[0].Name, "use another type", "the type %v is not interpreted", t)
		return true
	}
	return false
}

func (l *lowerer) named(w *rewrite.Types, t *types.Named) {
	o := t.Obj()
	switch {
	case o.Pkg() == nil:
		w.WriteString(o.Name())
	case o.Pkg() != l.Pkg:
		w.WriteString(l.packageName(o.Pkg()) + "." + o.Name())
		w.List(t.TypeArgs())
	case l.local[o] != "":
		w.WriteString(l.local[o])
	default:
		w.WriteString(o.Name())
	}
}

// field writes an embedded field. An interface is a field of that name; another name for a type
// stands as the field is called.
func (l *lowerer) field(w *rewrite.Types, f *types.Var) bool {
	switch {
	case l.own(f.Type()):
		w.WriteString(f.Name() + " ")
		return false
	case embedded(f.Type()) == nil && !types.IsInterface(f.Type()):
		w.WriteString(f.Name())
		return true
	}
	return false
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
