package grammar

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A writer writes one production with random operands.
type writer struct {
	rng     *rand.Rand
	kinds   []*kind
	tops    []string        // declarations of the package, each once
	vars    []string        // declarations of operands, each once
	closed  bool            // it writes what stands outside of functions: there are no operands
	without map[string]bool // forms of operands that are left out
}

// one returns one of the words.
func (w *writer) one(words ...string) string { return words[w.rng.IntN(len(words))] }

// add adds a declaration to a list that does not hold it.
func add(list *[]string, text string) {
	if !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

// typeOf returns how a kind is written, and declares it.
func (w *writer) typeOf(k *kind) string {
	if k.decl != "" {
		add(&w.tops, k.decl)
	}
	return k.text
}

// kind returns the kind of a name.
func (w *writer) kind(name string) *kind {
	i := slices.IndexFunc(w.kinds, func(k *kind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return w.kinds[i]
}

// literal returns a typed value without operands.
func (w *writer) literal(k *kind) string {
	t := w.typeOf(k)
	var list []string
	for _, c := range k.constant {
		list = append(list, t+"("+c+")")
	}
	for _, s := range k.special {
		switch {
		case w.closed && strings.Contains(s, "k}"), w.closed && strings.Contains(s, "(k)"):
		case k.in("basic"):
			list = append(list, t+"("+s+")")
		default:
			list = append(list, s)
		}
	}
	return w.one(list...)
}

// constant returns an untyped constant.
func (w *writer) constant(k *kind) string {
	c := w.one(k.constant...)
	if strings.Contains(c, " ") {
		return "(" + c + ")"
	}
	return c
}

// value returns an expression; deep is how deep it may be.
func (w *writer) value(k *kind, deep int) string {
	if w.closed {
		return w.literal(k)
	}
	if w.rng.IntN(5) == 0 {
		return w.literal(k)
	}
	return w.operand(k, deep)
}

// operand returns an expression that is no constant.
func (w *writer) operand(k *kind, deep int) string {
	if deep <= 0 || w.rng.IntN(3) == 0 {
		return w.stored(k)
	}
	makers := []func(*kind, int) string{w.passed, w.passed}
	if k.in("basic") {
		makers = append(makers, w.computed, w.computed, w.computed)
		if k.name != "bool" || !w.without[formBool] {
			makers = append(makers, w.converted)
		}
	}
	return makers[w.rng.IntN(len(makers))](k, deep-1)
}

// stored returns a variable, or a part of one.
func (w *writer) stored(k *kind) string {
	t := w.typeOf(k)
	name := k.name + "§"
	declare := func(form string) { add(&w.vars, form) }
	switch w.rng.IntN(7) {
	case 0:
		three := w.first(k) + ", " + w.first(k) + ", " + w.first(k)
		declare("els" + name + " := []" + t + "{" + three + "}")
		return "els" + name + "[" + w.index(3) + "]"
	case 1:
		declare("keys" + name + " := map[string]" + t + "{\"a\": " + w.first(k) + ", \"b\": " +
			w.first(k) + "}")
		if k.name == "pointer" { // a missing one is nil
			return "keys" + name + `["b"]`
		}
		return "keys" + name + w.one(`["a"]`, `["b"]`, `["c"]`)
	case 2, 3:
		add(&w.tops, "type box"+name+" struct {\n\tone "+t+"\n\ttwo [2]"+t+"\n}")
		declare("box" + name + " := box" + name + "{one: " + w.first(k) + ", two: [2]" + t + "{" +
			w.first(k) + ", " + w.first(k) + "}}")
		return "box" + name + w.one(".one", ".one", ".two["+w.index(2)+"]")
	case 4:
		declare("ptr" + name + " := new(" + t + "); *ptr" + name + " = " + w.first(k))
		return "*ptr" + name
	}
	return w.variable(k)
}

// variable returns a variable of the kind.
func (w *writer) variable(k *kind) string {
	name := "var" + k.name + "§"
	add(&w.vars, name+" := "+w.first(k))
	return name
}

// first returns what a variable begins with. It is the same for each variable of one
// production, as declarations of the same variable must be the same.
func (w *writer) first(k *kind) string {
	t := w.typeOf(k)
	switch {
	case k.in("numbers"):
		return t + "(k + 2)"
	case k.in("string"), k.name == "Word":
		return t + `("o"[:k%2] + "pq")`
	case k.name == "bool":
		return "k%2 == 1"
	}
	return k.special[min(1, len(k.special)-1)]
}

// index returns an index below n.
func (w *writer) index(n int) string {
	if w.rng.IntN(2) == 0 {
		return "k % " + strconv.Itoa(n)
	}
	return strconv.Itoa(w.rng.IntN(n))
}

// passed returns a value on its way through a function, a method or a closure.
func (w *writer) passed(k *kind, deep int) string {
	t, name := w.typeOf(k), k.name+"§"
	logic := k.name == "bool" && w.without[formMethodLogic]
	switch n := w.rng.IntN(4); {
	case n == 0 && !w.without[formLiteralCall]:
		return "func() " + t + " { return " + w.value(k, deep) + " }()"
	case n == 1 && !logic:
		add(&w.tops, "type has"+name+" struct{ it "+t+" }\n\nfunc (h has"+name+") get() "+t+
			" { return h.it }")
		return "(has" + name + "{" + w.value(k, deep) + "}).get()"
	}
	add(&w.tops, "func same"+name+"(x "+t+") "+t+" { return x }")
	return "same" + name + "(" + w.value(k, deep) + ")"
}

// computed returns the result of an operator.
func (w *writer) computed(k *kind, deep int) string {
	t := w.typeOf(k)
	x := w.operand(k, deep)
	y := w.value(k, deep)
	if w.rng.IntN(3) == 0 {
		y = w.constant(k)
	}
	switch {
	case k.name == "bool":
		forms := []string{"(" + x + " && " + y + ")", "(" + x + " || " + y + ")", "!(" + x + ")"}
		if !w.without[formCompare] {
			forms = append(forms, "("+x+" != "+y+")")
		}
		return w.one(forms...)
	case k.in("integers") && w.rng.IntN(3) == 0:
		return w.one("("+x+" / ("+y+" | 1))", "("+x+" % ("+y+" | 1))", "("+x+" << (k + 1))",
			"("+x+" >> 2)", "-("+x+")", "^("+x+")")
	case k.in("integers"):
		return "(" + x + " " + w.one("+", "-", "*", "&", "|", "^", "&^") + " " + y + ")"
	case k.in("floats"):
		return w.one("("+x+" + "+y+")", "("+x+" - "+y+")", t+"("+x+" * "+y+")",
			"("+x+" / "+w.operand(k, deep)+")", "-("+x+")")
	}
	return "(" + x + " + " + y + ")"
}

// converted returns a conversion that Go defines: none of floats to integers, which may be out
// of range.
func (w *writer) converted(k *kind, deep int) string {
	t := w.typeOf(k)
	var from []*kind
	for _, f := range w.kinds {
		switch {
		case k.in("integers") && f.in("integers"), k.in("floats") && f.in("numbers"),
			!k.in("numbers") && f.in("basic") && f.show == k.show:
			from = append(from, f)
		}
	}
	return t + "(" + w.operand(from[w.rng.IntN(len(from))], deep) + ")"
}
