package claim

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// arguments are what stands between the parentheses of a predicate.
type arguments struct {
	*parser
	form
	start int    // of the predicate
	given Places // arguments that were read
	of    Predicate
}

// options are the keys of predicates.
var options = []string{"by", "within", "over", "of"}

// read reads the arguments up to the parenthesis that closes them.
func (a *arguments) read() {
	if !a.positional() {
		a.skip(")")
		a.closed()
		return
	}
	for a.take(",") {
		a.argument()
		if a.space(); a.i < len(a.text) && a.text[a.i] != ',' && a.text[a.i] != ')' {
			at := a.i
			a.skip(",)")
			a.fail(at, len(strings.TrimSpace(a.text[at:a.i])), "usage: "+a.usage,
				"%s: %q is not understood", a.kind, strings.TrimSpace(a.text[at:a.i]))
		}
	}
	if !a.closed() {
		return
	}
	for _, key := range a.required {
		if !a.has(key) {
			a.missing(key + " = …")
		}
	}
	if len(a.relations) > 0 && !a.has("bound") {
		a.missing("a number it is held to")
	}
}

// has reports whether an argument was read.
func (a *arguments) has(key string) bool {
	_, read := a.given[key]
	return read
}

// closed reports whether the parenthesis that closes the arguments comes next.
func (a *arguments) closed() bool {
	if a.space(); a.i == len(a.text) {
		a.fail(a.start, len(a.kind), "usage: "+a.usage, "%s: ) is missing", a.kind)
		return false
	}
	return true
}

// missing reports what a predicate lacks.
func (a *arguments) missing(what string) {
	a.fail(a.start, a.i-a.start+1, "usage: "+a.usage, "%s: %s is missing", a.kind, what)
}

// positional reads the methods and the metric.
func (a *arguments) positional() bool {
	wanted, signs := a.methods, ",)"
	if wanted == chain {
		wanted, signs = 1, ">,)"
	}
	for k := range wanted {
		if !a.term(signs) || !a.comma(k, a.methods == chain) {
			return false
		}
	}
	at := a.i
	a.of.Metric = a.name("metric", a.v.Metrics, ",)")
	a.given["metric"] = a.from(at)
	return a.of.Metric != ""
}

// from returns what stands from a byte to here, without the spaces before it.
func (a *arguments) from(at int) Range {
	text := a.text[at:a.i]
	rest := strings.TrimSpace(text)
	return Range{at + strings.Index(text, rest), len(rest)}
}

// term reads a method, or the gain of one over another where a predicate may be about gains.
func (a *arguments) term(signs string) bool {
	ends := signs
	if a.minus {
		ends += "-"
	}
	a.space()
	at := a.i
	t := Term{Method: a.name("method", a.v.Methods, ends)}
	last := at // where the name begins that is read last
	if t.Method != "" && a.minus && (a.take("-") || a.take("−")) {
		a.space()
		last = a.i
		if t.Minus = a.name("method", a.v.Methods, signs); t.Minus == "" {
			return false
		}
	}
	before := a.of.Terms()
	switch {
	case t.Method == "":
		return false
	case t.Method == t.Minus:
		a.fail(last, a.i-last, "", "%s: %q is compared with itself", a.kind, t.Minus)
	case slices.Contains(before, t):
		a.fail(at, a.i-at, "", "%s: %s is compared with itself", a.kind, t.named())
	case len(before) > 0 && (before[0].Minus == "") != (t.Minus == ""):
		a.fail(at, a.i-at, "write methods only, or gains only: usage: "+a.usage,
			"%s: %s is compared with %s", a.kind, before[0].kind(), t.kind())
	}
	a.of.Methods = append(a.of.Methods, t.Method)
	if t.Minus != "" {
		a.of.Minus = append(a.of.Minus, make([]string, len(before)-len(a.of.Minus))...)
		a.of.Minus = append(a.of.Minus, t.Minus)
	}
	return true
}

// named returns the term in quotes, as messages have it.
func (t Term) named() string {
	if t.Minus == "" {
		return strconv.Quote(t.Method)
	}
	return t.String()
}

// kind says whether the term is a gain.
func (t Term) kind() string {
	if t.Minus == "" {
		return "the value of " + t.named()
	}
	return "the gain " + t.named()
}

// comma reads what stands behind the k-th method: a comma, or in a chain further methods, too.
func (a *arguments) comma(k int, chained bool) bool {
	for chained && a.take(">") {
		if !a.term(">,)") {
			return false
		}
		k++
	}
	if chained && k == 0 {
		a.missing("a second method behind >")
		return false
	}
	if a.take(",") {
		return true
	}
	a.missing("the metric")
	return false
}

// argument reads one argument behind the metric: a key with its value, or a bound.
func (a *arguments) argument() {
	a.space()
	at := a.i
	if relation := a.relation(); relation != "" {
		a.bound(at, relation)
		return
	}
	key := a.word()
	allowed := slices.Concat(a.required, a.optional)
	switch {
	case !slices.Contains(allowed, key):
		a.skip(",)")
		text := strings.TrimSpace(a.text[at:a.i])
		hint := "usage: " + a.usage
		if !slices.Contains(options, key) && key != "" {
			hint = a.suggest(key, allowed)
		}
		a.fail(at, len(text), hint, "%s: %q is not one of its arguments", a.kind, text)
		return
	case a.has(key):
		a.fail(at, a.i-at, "", "%s: %s is given twice", a.kind, key)
	}
	defer func() { a.given[key] = a.from(at) }()
	a.given[key] = Range{}
	if !a.take("=") {
		a.fail(at, len(key), "usage: "+a.usage, "%s: want %s = …", a.kind, key)
		a.skip(",)")
		return
	}
	switch {
	case key == "over":
		a.over()
	case key == "of":
		a.of.Methods, a.of.Minus = nil, nil
		a.term(",)")
	case a.kind == Reaches:
		a.round()
	default:
		a.margin(key)
	}
}

// relation reads the relation of a bound; "" for none.
func (a *arguments) relation() string {
	for _, r := range []struct{ sign, is string }{
		{"<=", AtMost}, {"≤", AtMost}, {">=", AtLeast}, {"≥", AtLeast}, {"=", Equal},
		{"<", AtMost}, {">", AtLeast},
	} {
		if a.take(r.sign) {
			return r.is
		}
	}
	return ""
}

// over reads the name of an axis, which may be its last part.
func (a *arguments) over() {
	last := map[string][]string{}
	names := slices.Clone(a.v.Axes)
	for _, axis := range a.v.Axes {
		part := axis[strings.LastIndexByte(axis, '.')+1:]
		last[part] = append(last[part], axis)
	}
	for part, axes := range last {
		if len(axes) == 1 && !slices.Contains(names, part) {
			names = append(names, part)
		}
	}
	slices.Sort(names[len(a.v.Axes):])
	name := a.name("axis", names, ",)")
	if !slices.Contains(a.v.Axes, name) && len(last[name]) == 1 {
		name = last[name][0]
	}
	a.of.Over = name
}

// round reads "round N".
func (a *arguments) round() {
	a.space()
	at := a.i
	if a.word() != "round" {
		a.i = at
	}
	a.space()
	text := a.digits()
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		a.skip(",)")
		a.fail(at, a.i-at, "by = round 100", "reaches: want the number of a round, at least 1")
		return
	}
	a.of.Round = n
}

// digits reads what may be a number, without its sign.
func (a *arguments) digits() string {
	from := a.i
	for a.i < len(a.text) {
		c := a.text[a.i]
		exponent := a.i > from && (c == '-' || c == '+') && (a.text[a.i-1]|0x20) == 'e'
		if !exponent && c != '.' && c != '_' && c|0x20 != 'e' && (c < '0' || c > '9') {
			break
		}
		a.i++
	}
	return a.text[from:a.i]
}

// number reads a number, and whether it is a percentage. What is wrong is reported.
func (a *arguments) number(what string) (x float64, percent, ok bool) {
	a.space()
	at, sign := a.i, ""
	switch {
	case a.take("-"), a.take("−"):
		sign = "-"
	case a.take("+"):
	}
	x, err := strconv.ParseFloat(sign+strings.ReplaceAll(a.digits(), "_", ""), 64)
	if err != nil || math.IsInf(x, 0) {
		a.skip(",)")
		text := strings.TrimSpace(a.text[at:a.i])
		a.fail(at, len(text), "usage: "+a.usage, "%s: want a number as %s, have %q", a.kind, what,
			text)
		return 0, false, false
	}
	return x, a.take("%"), true
}

// margin reads a margin.
func (a *arguments) margin(key string) {
	a.space()
	at := a.i
	x, percent, ok := a.number(key)
	if ok && x <= 0 {
		a.fail(at, a.i-at, "", "%s: %s = %s is not above 0", a.kind, key, numeral(x))
	}
	a.of.Margin = &Margin{Size: x, Percent: percent}
}

// bound reads the numbers of a bound.
func (a *arguments) bound(at int, relation string) {
	switch {
	case len(a.relations) == 0:
		a.skip(",)")
		a.fail(at, a.i-at, "usage: "+a.usage, "%s is not held to a number", a.kind)
		return
	case a.has("bound"):
		a.fail(at, a.i-at, "join two predicates by and", "%s: two numbers are given", a.kind)
	case !slices.Contains(a.relations, relation):
		a.fail(at, a.i-at, "known: "+strings.Join(a.relations, ", "),
			"%s: %q is not one of its relations", a.kind, relation)
	}
	defer func() { a.given["bound"] = a.from(at) }()
	a.space()
	from := a.i
	x, percent, ok := a.number("what it is held to")
	if percent {
		a.fail(from, a.i-from, "write the number in the unit of the metric: 90 where that is %",
			"%s: a percentage of what is not known", a.kind)
	}
	b := &Bound{Relation: relation, Value: x}
	a.of.Bound = b
	a.space()
	from = a.i
	if !a.take("±") && !a.take("+-") && !a.take("+/-") {
		if relation == Equal && ok {
			a.fail(at, a.i-at, "= 0.32 ± 0.02", "%s: = needs a tolerance behind ±", a.kind)
		}
		return
	}
	size, percent, ok := a.number("tolerance")
	if percent {
		size *= math.Abs(x) / 100
	}
	b.Tolerance = size
	switch {
	case !ok:
	case relation != Equal:
		a.fail(from, a.i-from, "write = instead", "%s: %s has no tolerance", a.kind, relation)
	case !(size > 0) || math.IsInf(size, 0):
		a.fail(from, a.i-from, "", "%s: the tolerance is not above 0", a.kind)
	}
}
