package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"
)

// printed checks the i-th argument of a call, which is to become text: types of the strategy have
// other names when they are interpreted, and no String methods.
func (c *checker) printed(call *ast.CallExpr, i int) {
	e := call.Args[i]
	t := c.info.TypeOf(e)
	if !c.printsSame(call, i, t) {
		c.refuse(e, "print its parts, as numbers and strings",
			"a %s prints differently when it is interpreted",
			types.TypeString(t, types.RelativeTo(c.pkg)))
	}
}

// printsSame reports whether a value of a type, as the i-th argument of a call, prints as it does
// where it is compiled.
func (c *checker) printsSame(call *ast.CallExpr, i int, t types.Type) bool {
	pointed, isPointer := t.Underlying().(*types.Pointer)
	plain := c.prints(t, map[types.Type]bool{})
	if isPointer && c.isOwn(t) && !c.speaks(t) {
		_, isStruct := pointed.Elem().Underlying().(*types.Struct)
		plain = isStruct && c.prints(pointed.Elem(), map[types.Type]bool{})
	}
	return plain && (!c.hasOwn(t, map[types.Type]bool{}) || c.asValue(call, i, t))
}

// printsHeld does the same for a type that the argument may hold, which is an interface; says
// says that such a value is the text that a method of it returns.
func (c *checker) printsHeld(call *ast.CallExpr, i int, t types.Type, says bool) bool {
	if says {
		letter := c.verb(call, i)
		return letter == "v" || letter == "s"
	}
	return types.IsInterface(t) || c.printsSame(call, i, t)
}

// prints reports whether a value of a type is nothing but numbers and text: no part of it is a
// pointer, a function or an interface, and none says by a method how it prints.
func (c *checker) prints(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	named, ok := types.Unalias(t).(*types.Named)
	if ok && named.Obj().Pkg() == c.pkg && c.speaks(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Slice:
		return c.prints(u.Elem(), seen)
	case *types.Array:
		return c.prints(u.Elem(), seen)
	case *types.Map:
		return c.prints(u.Key(), seen) && c.prints(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if !c.prints(f.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}

// speaks reports whether package fmt would ask a value how it prints.
func (c *checker) speaks(t types.Type) bool {
	if _, pointer := t.Underlying().(*types.Pointer); !pointer {
		t = types.NewPointer(t)
	}
	methods := types.NewMethodSet(t)
	for _, name := range []string{"Error", "String", "Format", "GoString"} {
		if methods.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

// hasOwn reports whether a type, or a part of it, is a struct or has a name of the strategy.
func (c *checker) hasOwn(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() == c.pkg {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return c.hasOwn(u.Elem(), seen)
	case *types.Slice:
		return c.hasOwn(u.Elem(), seen)
	case *types.Array:
		return c.hasOwn(u.Elem(), seen)
	case *types.Map:
		return c.hasOwn(u.Key(), seen) || c.hasOwn(u.Elem(), seen)
	case *types.Struct:
		return true
	}
	return false
}

// verb finds what a layout says of one argument.
var verb = regexp.MustCompile(`%([-0 +#]*)(?:\d*)(?:\.\d*)?(.)`)

// asValue reports whether the i-th argument of a call is printed as its value alone, without
// names of types and fields.
func (c *checker) asValue(call *ast.CallExpr, i int, t types.Type) bool {
	letter := c.verb(call, i)
	if basic, ok := t.Underlying().(*types.Basic); ok && letter != "v" && letter != "" {
		return fits(basic, letter)
	}
	return letter == "v"
}

// verb returns the verb that prints the i-th argument of a call, and those that follow where it is
// a slice of them; "" where it is not known, or has flags that ask for names.
func (c *checker) verb(call *ast.CallExpr, i int) string {
	sig, ok := c.info.TypeOf(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return ""
	}
	first := sig.Params().Len() - 1
	if first == 0 {
		return "v" // no layout
	}
	layout := c.info.Types[call.Args[first-1]].Value
	if layout == nil || layout.Kind() != constant.String || call.Ellipsis.IsValid() {
		return ""
	}
	text := strings.ReplaceAll(constant.StringVal(layout), "%%", "")
	verbs := verb.FindAllStringSubmatch(text, -1)
	if strings.ContainsAny(text, "*[") || i-first >= len(verbs) ||
		strings.ContainsAny(verbs[i-first][1], "#+") {
		return ""
	}
	return verbs[i-first][2]
}

// fits reports whether a verb is one for values of a basic type.
func fits(basic *types.Basic, letter string) bool {
	switch info := basic.Info(); {
	case info&types.IsInteger != 0:
		return strings.Contains("bcdoxX", letter)
	case info&types.IsFloat != 0:
		return strings.Contains("eEfFgG", letter)
	case info&types.IsString != 0:
		return strings.Contains("sqxX", letter)
	}
	return letter == "t"
}
