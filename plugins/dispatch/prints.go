package dispatch

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// plain returns the function that makes of a box what another package is to print, or what a panic
// says.
func (l *lowerer) plain(of types.Type) string {
	return l.helper("plain", fmt.Sprint(l.key(of)), func() string {
		var b strings.Builder
		fmt.Fprintf(&b, "(b %s) interface{} {\nswitch %s.Kind(b) {\n", l.box, l.lib)
		for _, k := range l.held(of) {
			if m := l.speaks(k.of); m != "" {
				fmt.Fprintf(&b, "case %d:\nreturn %s.Spoken(%s(b).%s())\n", k.number, l.lib,
					l.opening(k), m)
			}
		}
		return b.String() + "}\nreturn " + l.lib + ".Plain(b)\n}"
	})
}

// held returns the kinds of values that an interface may hold.
func (l *lowerer) held(of types.Type) (list []*kind) {
	for _, k := range l.kinds {
		if k.boxed && l.missing(k.of, of) == "" {
			list = append(list, k)
		}
	}
	return list
}

// prints refuses to print what prints differently, once all types of values are known.
func (l *lowerer) prints(call *ast.CallExpr, i int, of types.Type) {
	l.waiting = append(l.waiting, func() {
		for _, k := range l.held(of) {
			if !l.Prints(call, i, k.of, l.speaks(k.of) != "") {
				l.Refuse(call.Args[i], "print its parts, as numbers and strings",
					"what may be a %s prints differently when it is interpreted",
					l.spoken(k.of))
			}
		}
	})
}

// speaks returns the method by which a value says how it prints, or "".
func (l *lowerer) speaks(t types.Type) string {
	if types.IsInterface(t) {
		return ""
	}
	for _, name := range []string{"Error", "String"} {
		m := types.NewMethodSet(t).Lookup(l.Pkg, name)
		if m != nil && types.TypeString(m.Obj().Type(), nil) == "func() string" {
			return name
		}
	}
	return ""
}

// plains does the same for slices.
func (l *lowerer) plains(of types.Type) string {
	by := l.plain(of)
	return l.helper("plains", by, func() string {
		return fmt.Sprintf("(list []%s) []interface{} {\nout := %s.Anything(len(list))\n"+
			"for i, b := range list {\nout[i] = %s(b)\n}\nreturn out\n}", l.box, l.lib, by)
	})
}
