package corpora

import (
	"fmt"
	"go/ast"
	"go/types"
	"iter"
	"slices"
	"strings"
)

// Values of types that a program declares print differently when they are interpreted: their
// types have other names, and no methods that say what they are. So functions are added to the
// program that make text of the parts, as fmt does; but of an address they say that it is one.

// showArguments has what a call prints made text.
func (a *adapter) showArguments(call *ast.CallExpr) {
	if !prints(a.object(call.Fun)) || call.Ellipsis.IsValid() {
		return
	}
	from := 0
	if sig, ok := a.info.TypeOf(call.Fun).(*types.Signature); ok && sig.Variadic() {
		from = sig.Params().Len() - 1
	}
	for _, e := range call.Args[min(from, len(call.Args)):] {
		t := a.info.TypeOf(e)
		if a.info.Types[e].IsNil() || !a.printsOtherwise(t) {
			continue
		}
		if by := a.shower(t, true); by != "" {
			a.edit(e.Pos(), e.Pos(), by+"(")
			a.edit(e.End(), e.End(), ")")
		}
	}
}

// prints reports whether something is a function that makes text of its last arguments.
func prints(o types.Object) bool {
	if b, ok := o.(*types.Builtin); ok {
		return b.Name() == "print" || b.Name() == "println"
	}
	f, ok := o.(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == "fmt" && strings.Contains(f.Name(), "rint")
}

// printsOtherwise reports whether values of a type print differently when they are interpreted.
func (a *adapter) printsOtherwise(t types.Type) bool {
	if a.declares(t) {
		return !types.IsInterface(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return a.printsOtherwise(u.Elem())
	case *types.Array:
		return a.printsOtherwise(u.Elem())
	case *types.Map:
		return a.printsOtherwise(u.Key()) || a.printsOtherwise(u.Elem())
	case *types.Pointer, *types.Struct, *types.Signature:
		return true
	}
	return false
}

// declares reports whether the program declares a type.
func (a *adapter) declares(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() == a.pkg
}

// shower returns what makes text of values of a type, or, for those that say themselves what
// they are, something that does: a function that it adds to the program, or a basic type. It
// returns "" for types that have no name outside of a function. An address that is not what is
// printed, but part of it, is not followed.
func (a *adapter) shower(t types.Type, whole bool) string {
	method := ""
	if a.declares(t) {
		method = a.saysItself(t)
	}
	basic, ok := t.Underlying().(*types.Basic)
	switch {
	case ok && method == "" && a.declares(t):
		return basic.Name()
	case ok && method == "", types.IsInterface(t):
		return a.recorder + ".Text"
	case !a.nameable(t):
		return ""
	}
	name := types.TypeString(t, types.RelativeTo(a.pkg))
	_, pointer := t.Underlying().(*types.Pointer)
	whole = whole && pointer
	key := fmt.Sprint(name, whole)
	if by, ok := a.showers[key]; ok {
		return by
	}
	by := freshName(a.tree, fmt.Sprintf("show%d", len(a.showers)))
	a.showers[key] = by
	body := "\treturn v." + method + "()\n"
	if method == "" {
		body = a.showBody(t.Underlying(), whole)
	}
	fmt.Fprintf(&a.shown, "\nfunc %s(v %s) string {\n%s}\n", by, name, body)
	return by
}

// saysItself returns the method by which values of a type say what they are, or "".
func (a *adapter) saysItself(t types.Type) string {
	for _, name := range []string{"Error", "String"} {
		o, _, _ := types.LookupFieldOrMethod(t, false, a.pkg, name)
		f, ok := o.(*types.Func)
		if ok && types.TypeString(f.Signature(), nil) == "func() string" {
			return name
		}
	}
	return ""
}

// nameable reports whether a type can be named outside of functions.
func (a *adapter) nameable(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if t.Obj().Pkg() != nil && t.Obj().Parent() != t.Obj().Pkg().Scope() {
			return false
		}
		return a.allNameable(slices.Collect(t.TypeArgs().Types()))
	case *types.Basic:
		return true
	case interface{ Elem() types.Type }: // of pointers, slices, arrays and maps
		m, ok := t.(*types.Map)
		return a.nameable(t.Elem()) && (!ok || a.nameable(m.Key()))
	case *types.Struct:
		return a.allNameable(typesOf(t.Fields()))
	case *types.Signature:
		return a.allNameable(typesOf(t.Params().Variables())) &&
			a.allNameable(typesOf(t.Results().Variables()))
	case *types.Interface:
		return t.Empty()
	}
	return false
}

func (a *adapter) allNameable(list []types.Type) bool {
	return !slices.ContainsFunc(list, func(t types.Type) bool { return !a.nameable(t) })
}

func typesOf(variables iter.Seq[*types.Var]) (list []types.Type) {
	for v := range variables {
		list = append(list, v.Type())
	}
	return list
}

// showBody returns the body of a function that makes text of v, whose underlying type it is.
func (a *adapter) showBody(t types.Type, whole bool) string {
	switch t := t.(type) {
	case *types.Struct:
		return a.showFields(t)
	case *types.Slice:
		return a.showList(t.Elem())
	case *types.Array:
		return a.showList(t.Elem())
	case *types.Map:
		return fmt.Sprintf("\tlist := []string{}\n\tfor k, e := range v {\n"+
			"\t\tlist = append(list, %s+\":\"+%s)\n\t}\n\treturn \"map\" + %s.Sorted(list)\n",
			a.part("k", t.Key()), a.part("e", t.Elem()), a.recorder)
	case *types.Pointer:
		switch t.Elem().Underlying().(type) {
		case *types.Struct, *types.Slice, *types.Array, *types.Map:
			if whole {
				return "\tif v == nil {\n\t\treturn \"<nil>\"\n\t}\n\treturn \"&\" + " +
					a.part("(*v)", t.Elem()) + "\n"
			}
		}
	}
	return "\tif v == nil {\n\t\treturn \"<nil>\"\n\t}\n\treturn \"address\"\n"
}

// showFields returns the body for a struct.
func (a *adapter) showFields(t *types.Struct) string {
	parts := []string{}
	for f := range t.Fields() {
		if f.Name() != "_" {
			parts = append(parts, a.part("v."+f.Name(), f.Type()))
		}
	}
	return "\treturn \"{\" + " + strings.Join(append(parts, "\"}\""), " + ") + "\n"
}

// showList returns the body for a slice or an array.
func (a *adapter) showList(of types.Type) string {
	return "\ts := \"[\"\n\tfor i := 0; i < len(v); i++ {\n\t\ts += " + a.part("v[i]", of) +
		"\n\t}\n\treturn s + \"]\"\n"
}

// part returns an expression that makes text of a part of what is printed.
func (a *adapter) part(e string, t types.Type) string {
	by := a.shower(t, false)
	if _, basic := t.Underlying().(*types.Basic); basic && by == t.Underlying().String() {
		return fmt.Sprintf("%s.Text(%s(%s))", a.recorder, by, e)
	}
	if by == "" {
		return `"?"`
	}
	return by + "(" + e + ")"
}
