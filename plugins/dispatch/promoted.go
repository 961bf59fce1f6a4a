package dispatch

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// promoted writes the methods that structs have by embedding an interface: what was embedded is a
// plain field now.
func (l *lowerer) promoted() {
	for _, name := range l.typeNames() {
		if _, ok := name.Type().Underlying().(*types.Struct); !ok || name.IsAlias() {
			continue
		}
		methods := types.NewMethodSet(types.NewPointer(name.Type()))
		for m := range methods.Methods() {
			path, holder := l.embeddedPath(name.Type(), m.Index())
			if l.own(holder) {
				f := m.Obj().(*types.Func)
				l.promote(name, f.Name(), f.Signature(), path)
			}
		}
	}
}

// expression returns the function for the method T.M that a struct T has by embedding an interface.
func (l *lowerer) expression(s *types.Selection, f *types.Func) string {
	by, of := l.dispatching(f.Name(), f.Signature()), l.written(s.Recv())
	return l.helper("method", by+" "+of, func() string {
		params, args := l.params(f.Signature())
		path, _ := l.embeddedPath(s.Recv(), s.Index())
		back := "return "
		if f.Signature().Results().Len() == 0 {
			back = ""
		}
		return fmt.Sprintf("(r %s%s)%s {\n%s%s(r%s, %s)\n}", of, params,
			l.resultsOf(f.Signature()), back, by, path, args)
	})
}

// typeNames returns the types that the program declares, as they stand in the files.
func (l *lowerer) typeNames() (list []*types.TypeName) {
	for id, o := range l.Info.Defs {
		if name, ok := o.(*types.TypeName); ok && id.Name != "_" {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, func(a, b *types.TypeName) int { return int(a.Pos() - b.Pos()) })
	return list
}

// way returns the names of the fields by which a method is reached, and the type of the last.
func (l *lowerer) way(of types.Type, index []int) (names []string, holder types.Type) {
	for _, i := range index[:len(index)-1] {
		if p, ok := of.Underlying().(*types.Pointer); ok {
			of = p.Elem()
		}
		f := of.Underlying().(*types.Struct).Field(i)
		name := f.Name()
		if to, ok := l.local[embedded(f.Type())]; ok {
			name = to
		}
		names = append(names, name)
		of = f.Type()
	}
	return names, of
}

// embeddedPath is way as text that follows a value.
func (l *lowerer) embeddedPath(of types.Type, index []int) (path string, holder types.Type) {
	names, holder := l.way(of, index)
	for _, name := range names {
		path += "." + name
	}
	return path, holder
}

func (l *lowerer) promote(of *types.TypeName, name string, sig *types.Signature, path string) {
	by := l.dispatching(name, sig)
	params, args := l.params(sig)
	back := "return "
	if sig.Results().Len() == 0 {
		back = ""
	}
	fmt.Fprintf(&l.text, "\nfunc (r %s) %s(%s)%s {\n%s%s(r%s, %s)\n}\n", l.written(of.Type()), name,
		strings.TrimPrefix(params, ", "), l.resultsOf(sig), back, by, path, args)
}
