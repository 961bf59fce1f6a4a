package dispatch

import (
	"fmt"
	"go/types"
	"strings"
)

// A method is one of interfaces, of a name and a type.
type method struct {
	name string
	sig  *types.Signature
	by   string // the function that calls it
}

// keep returns a variable of a kind and what it is in: a function lies in a struct, for there the
// interpreter keeps it as the compiler does.
func (l *lowerer) keep(k *kind) (declared, variable, pointer string) {
	text := l.written(k.of)
	if _, function := k.of.Underlying().(*types.Signature); !function {
		return "var x " + text, "x", "&x"
	}
	cell, ok := l.helpers["cell "+text]
	if !ok {
		cell = l.fresh("cell")
		l.helpers["cell "+text] = cell
		fmt.Fprintf(&l.text, "\ntype %s struct{ v %s }\n", cell, text)
	}
	return "var c " + cell, "c.v", "&c"
}

// boxing returns the function that puts a value into a box.
func (l *lowerer) boxing(t types.Type) string {
	k := l.kindOf(t)
	k.boxed = true
	return l.helper("boxed", fmt.Sprint(k.number), func() string {
		declared, variable, pointer := l.keep(k)
		return fmt.Sprintf("(y %s) %s {\n%s\n%s = y\nreturn %s.NewBox(%d, %q, %s)\n}",
			l.written(k.of), l.box, declared, variable, l.lib, k.number, l.spoken(k.of), pointer)
	})
}

// opening returns the function that takes a value of a kind out of a box that has one.
func (l *lowerer) opening(k *kind) string {
	return l.helper("open", fmt.Sprint(k.number), func() string {
		declared, variable, pointer := l.keep(k)
		return fmt.Sprintf("(b %s) %s {\n%s\n%s.Open(b, %s)\nreturn %s\n}", l.box,
			l.written(k.of), declared, l.lib, pointer, variable)
	})
}

// asserting returns the function for x.(T), from an interface that panics name. With ok it has
// two results.
func (l *lowerer) asserting(from, to types.Type, ok bool) string {
	if types.IsInterface(to) {
		return l.assertingInterface(from, to, ok)
	}
	k := l.kindOf(to)
	if ok {
		return l.helper("is", fmt.Sprint(k.number), func() string {
			declared, variable, pointer := l.keep(k)
			return fmt.Sprintf("(b %s) (%s, bool) {\n%s\nok := %s.Kind(b) == %d\nif ok {\n"+
				"%s.Open(b, %s)\n}\nreturn %s, ok\n}", l.box, l.written(k.of), declared, l.lib,
				k.number, l.lib, pointer, variable)
		})
	}
	name := l.spoken(from)
	return l.helper("as", fmt.Sprint(k.number, name), func() string {
		return fmt.Sprintf("(b %s) %s {\nif %s.Kind(b) != %d {\n%s.Unlike(b, %q, %q, \"\")\n}\n"+
			"return %s(b)\n}", l.box, l.written(k.of), l.lib, k.number, l.lib, name,
			l.spoken(k.of), l.opening(k))
	})
}

// assertingInterface is asserting for another interface.
func (l *lowerer) assertingInterface(from, to types.Type, ok bool) string {
	what := l.spoken(to)
	stem, results, cannot := "asserted", l.written(to), "return nil"
	if ok {
		stem, results, cannot = "implements", "("+results+", bool)", "return nil, false"
	}
	return l.helper(stem, what+fmt.Sprint(l.key(to)), func() string {
		var b strings.Builder
		fmt.Fprintf(&b, "(b %s) %s {\nswitch %s.Kind(b) {\n", l.box, results, l.lib)
		for _, k := range l.kinds {
			if !k.boxed {
				continue
			}
			missing := l.missing(k.of, to)
			value := "b"
			if missing == "" && !l.own(to) {
				value = l.opening(k) + "(b)"
			}
			switch {
			case missing == "" && ok:
				fmt.Fprintf(&b, "case %d:\nreturn %s, true\n", k.number, value)
			case missing == "":
				fmt.Fprintf(&b, "case %d:\nreturn %s\n", k.number, value)
			case !ok:
				fmt.Fprintf(&b, "case %d:\n%s.Unlike(b, \"interface\", %q, %q)\n", k.number,
					l.lib, what, missing)
			}
		}
		b.WriteString("}\n")
		if !ok {
			fmt.Fprintf(&b, "%s.Unlike(b, \"interface\", %q, \"\")\n", l.lib, what)
		}
		return b.String() + cannot + "\n}"
	})
}

// key returns a number for a type that identical ones have, too.
func (l *lowerer) key(t types.Type) int { return l.kindOf(t).number }

// missing returns the first method of an interface that a type does not have, or "".
func (l *lowerer) missing(t, of types.Type) string {
	m, _ := types.MissingMethod(t, of.Underlying().(*types.Interface), true)
	if m == nil {
		return ""
	}
	return m.Name()
}

// dispatching returns the function that calls a method of what is in a box.
func (l *lowerer) dispatching(name string, sig *types.Signature) string {
	for _, m := range l.methods {
		if m.name == name && types.Identical(m.sig, sig) {
			return m.by
		}
	}
	m := &method{name: name, sig: sig}
	m.by = l.helper("call", fmt.Sprint(name, len(l.methods)), func() string {
		params, args := l.params(sig)
		var b strings.Builder
		fmt.Fprintf(&b, "(b %s%s)%s {\nswitch %s.Kind(b) {\n", l.box, params, l.resultsOf(sig),
			l.lib)
		for _, k := range l.kinds {
			f, index, _ := types.LookupFieldOrMethod(k.of, false, l.Pkg, name)
			if f, ok := f.(*types.Func); !ok || !k.boxed || l.missingOne(k.of, f) ||
				!types.Identical(f.Signature(), sig) {
				continue
			}
			fmt.Fprintf(&b, "case %d:\n", k.number)
			call := fmt.Sprintf("%s(b).%s(%s)", l.opening(k), name, args)
			if path, holder := l.embeddedPath(k.of, index); l.own(holder) {
				call = fmt.Sprintf("%s(%s(b)%s, %s)", l.dispatching(name, sig), l.opening(k), path,
					args)
			}
			if sig.Results().Len() == 0 {
				fmt.Fprintf(&b, "%s\nreturn\n", call)
			} else {
				fmt.Fprintf(&b, "return %s\n", call)
			}
		}
		return b.String() + "}\npanic(" + nilPointer + ")\n}"
	})
	l.methods = append(l.methods, m)
	return m.by
}

// nilPointer is what Go panics with where a method of nil is called.
const nilPointer = `"invalid memory address or nil pointer dereference"`

// missingOne reports whether a method needs the address of what it is called on, which a value in
// an interface has not.
func (l *lowerer) missingOne(t types.Type, f *types.Func) bool {
	return types.NewMethodSet(t).Lookup(f.Pkg(), f.Name()) == nil
}

// binding returns the function that makes a value of a method of what is in a box.
func (l *lowerer) binding(name string, sig *types.Signature) string {
	by := l.dispatching(name, sig)
	return l.helper("bind", by, func() string {
		params, args := l.params(sig)
		back := "return "
		if sig.Results().Len() == 0 {
			back = ""
		}
		return fmt.Sprintf("(b %s) %s {\nif b == nil {\npanic(%s)\n}\nreturn func(%s)%s {\n"+
			"%s%s(b%s)\n}\n}", l.box, l.written(sig), nilPointer, strings.TrimPrefix(params, ", "),
			l.resultsOf(sig), back, by, ", "+args)
	})
}

// params returns the parameters of a method after another, and them as arguments.
func (l *lowerer) params(sig *types.Signature) (params, args string) {
	var list []string
	for i := range sig.Params().Len() {
		of := sig.Params().At(i).Type()
		text := l.written(of)
		arg := fmt.Sprintf("a%d", i)
		if s, ok := of.(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			text = "..." + l.written(s.Elem())
			list = append(list, arg+"...")
		} else {
			list = append(list, arg)
		}
		params += ", " + arg + " " + text
	}
	return params, strings.Join(list, ", ")
}

func (l *lowerer) resultsOf(sig *types.Signature) string {
	sig = types.NewSignatureType(nil, nil, nil, nil, sig.Results(), false)
	return strings.TrimPrefix(l.written(sig), "func()")
}

// spreading returns the function that hands the results of a call on, those that become
// interfaces as such.
func (l *lowerer) spreading(from []types.Type, to []types.Type) string {
	var params, args, results []string
	what := ""
	for i := range from {
		arg := fmt.Sprintf("a%d", i)
		value := arg
		if l.converts(from[i], to[i]) {
			value = l.converter(from[i], to[i]) + "(" + arg + ")"
		}
		params = append(params, arg+" "+l.written(from[i]))
		args = append(args, value)
		results = append(results, l.written(to[i]))
		what += value + params[i] + results[i] + ";"
	}
	return l.helper("spread", what, func() string {
		return fmt.Sprintf("(%s) (%s) {\nreturn %s\n}", strings.Join(params, ", "),
			strings.Join(results, ", "), strings.Join(args, ", "))
	})
}
