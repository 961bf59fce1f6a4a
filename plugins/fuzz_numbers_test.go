package plugins

import (
	"strconv"
	"strings"
)

// numbers returns a program that computes: arithmetic of floats and integers, slices, maps,
// fields, methods, loops and branches.
func (g *generator) numbers() string {
	g.out = nil
	for _, f := range []string{"A", "B", "C"} {
		g.line("func f@§(a, b float64, n int) (float64, int) {", f)
		g.line("fs := []float64{1, 2, 3, 4}; is := []int{1, 2, 3, 4}; st := S§{A: a}; p := &S§{A: b}")
		g.line(`m := map[string]float64{"a": 1}; ss := make([]S§, 4); z := 0.0`)
		g.computeAll(scope{floats: []string{"a", "b"}, targets: []string{"a", "b"},
			ints: []string{"n"}, counts: []string{"n"}}, 2, 8)
		g.line(`r := 0.0; for _, v := range fs { r += v }; for _, v := range ss { r += v.A + v.In.B }`)
		g.line(`r += st.A + st.In.B + p.A + p.In.B + m["a"] + m["b"] + m["c"] + z`)
		g.line("q := n; for _, v := range is { q += v }")
		g.line("return r + a + b, q")
		g.line("}")
	}
	return numbersHead + strings.Join(g.out, "\n") + numbersTail
}

// computeAll writes n statements; d is how deep blocks may still be nested.
func (g *generator) computeAll(outer scope, d, n int) {
	s := outer.inner()
	for range n {
		g.compute(&s, d)
	}
}

// tuple assigns several values at once. Calls among them are refused where nothing is declared;
// sums with a call are not.
func (g *generator) tuple(s *scope) {
	if g.rng.IntN(2) == 0 {
		g.line("@, fs[@], p.A = 1+@, st.A, 2*@", g.one(s.targets...), g.index(*s),
			g.float(*s, 2), g.float(*s, 2))
		return
	}
	v, i, w := g.name("f"), g.name("i"), g.name("f")
	g.line("@, @, @ := float64(@), @, math.Abs(@); _, _, _ = @, @, @", v, i, w, g.float(*s, 2),
		g.int(*s, 2), g.float(*s, 2), v, i, w)
	s.floats, s.targets = append(s.floats, v, w), append(s.targets, v, w)
	s.ints, s.counts = append(s.ints, i), append(s.counts, i)
}

// compute writes one statement.
func (g *generator) compute(s *scope, d int) {
	assign := func() string { return g.one("=", "+=", "-=", "*=") }
	switch k := g.rng.IntN(100); {
	case k < 15:
		v := g.name("f")
		g.line("@ := float64(@); _ = @", v, g.float(*s, 2), v)
		s.floats, s.targets = append(s.floats, v), append(s.targets, v)
	case k < 25:
		v := g.name("i")
		g.line("@ := @; _ = @", v, g.int(*s, 2), v)
		s.ints, s.counts = append(s.ints, v), append(s.counts, v)
	case k < 40:
		g.line("@ @ @", g.one(s.targets...), assign(), g.float(*s, 2))
	case k < 48:
		g.line("@ @ @", g.one(s.counts...), g.one("=", "+=", "-=", "^=", "|="), g.int(*s, 2))
	case k < 56:
		g.line("fs[@] @ @", g.index(*s), assign(), g.float(*s, 2))
	case k < 60:
		g.line("is[@] @ @", g.index(*s), g.one("=", "+="), g.int(*s, 2))
	case k < 64:
		g.line("@ @ @", g.one("st.A", "st.In.B", "p.A", "p.In.B"), assign(), g.float(*s, 2))
	case k < 66:
		g.line(`m["@"] @ @`, g.one("a", "b", "c"), g.one("=", "+="), g.float(*s, 2))
	case k < 69:
		g.tuple(s)
	case k < 72:
		g.line("fs[@], fs[@] = fs[@], fs[@]", g.index(*s), g.index(*s), g.index(*s), g.index(*s))
	case k < 75:
		g.line("ss[@].A += @", g.index(*s), g.float(*s, 1))
	case k < 77:
		g.line("st = ss[@]", g.index(*s))
	case k < 78:
		g.line("p.Mut(@)", g.float(*s, 1))
	case k < 80:
		g.line("ss[@] = st", g.index(*s))
	case k < 82:
		g.line("fs = append(fs, @)", g.float(*s, 1))
	case k < 84:
		x, y := g.name("x"), g.name("y")
		g.line("@, @ := two§(@); fs[0] += @; is[1] += @", x, y, g.float(*s, 1), x, y)
	case d > 0 && k < 91:
		g.branch(*s, d)
	case d > 0:
		g.loop(*s, d)
	default:
		g.line("fs[2]++")
	}
}

func (g *generator) branch(s scope, d int) {
	g.line("if @ {", g.bool(s, 1))
	g.computeAll(s, d-1, 1+g.rng.IntN(3))
	if g.rng.IntN(2) == 0 {
		g.line("} else {")
		g.computeAll(s, d-1, 1+g.rng.IntN(2))
	}
	g.line("}")
}

func (g *generator) loop(s scope, d int) {
	v, w := g.name("l"), g.name("v")
	s = s.inner()
	s.loops, s.ints = append(s.loops, v), append(s.ints, v)
	switch g.rng.IntN(4) {
	case 0:
		g.line("for @ := 0; @ < @; @++ {", v, v, strconv.Itoa(1+g.rng.IntN(4)), v)
	case 1:
		g.line("for @ := range is { _ = @", v, v)
	case 2:
		g.line("for @ := range @ { _ = @", v, g.one("3", "len(is)", "min(4, len(fs))", "kn§"), v)
	case 3:
		g.line("for @, @ := range fs[:4] { _, _ = @, @", v, w, v, w)
		s.floats = append(s.floats, w)
	}
	if g.rng.IntN(3) == 0 {
		g.line("if @ { @ }", g.bool(s, 0), g.one("continue", "break"))
	}
	g.computeAll(s, d-1, 1+g.rng.IntN(3))
	g.line("}")
}

// index returns an index below 4.
func (g *generator) index(s scope) string {
	if len(s.loops) > 0 && g.rng.IntN(5) < 3 {
		return g.one(s.loops...) + "%4"
	}
	return strconv.Itoa(g.rng.IntN(4))
}

// float returns an expression; d is how deep it may be.
func (g *generator) float(s scope, d int) string {
	sub := func() string { return g.float(s, d-1) }
	if d <= 0 || g.rng.IntN(7) == 0 {
		return g.pick(
			weighted{some(s.floats, 50), func() string { return g.one(s.floats...) }},
			weighted{some(s.ints, 10), func() string { return "float64(" + g.one(s.ints...) + ")" }},
			weighted{15, func() string { return "fs[" + g.index(s) + "]" }},
			weighted{15, func() string { return g.one("st.A", "st.In.B", "p.A") }},
			weighted{10, func() string {
				return g.one("0.5", "1.5", "2", "3", "0.1", "-1.25", "1e3", "7.0", "kf§", "7/2",
					"kf§*3/2", "math.Pi", "-kf§")
			}},
		)
	}
	call := func(f string) func() string {
		return func() string { return g.say(f, sub(), sub()) }
	}
	return g.pick(
		weighted{42, func() string {
			return g.say("(@ @ @)", sub(), g.one("+", "-", "*"), sub())
		}},
		weighted{8, func() string { return g.say("(@ / (@ + z))", sub(), sub()) }},
		weighted{7, func() string { return "-(" + sub() + ")" }},
		weighted{9, func() string {
			return g.say("math.@(@)", g.one("Abs", "Sqrt", "Exp", "Tanh", "Floor"), sub())
		}},
		weighted{5, func() string {
			return g.say("math.@(@, @)", g.one("Max", "Min", "Hypot"), sub(), sub())
		}},
		weighted{4, func() string { return g.say("@(@, @, @)", g.one("min", "max"), sub(), sub(), sub()) }},
		weighted{6, func() string { return g.say("hf§(@, @)", sub(), g.int(s, d-1)) }},
		weighted{4, call("st.Meth(@)")},
		weighted{4, call("p.PMeth(@)")},
		weighted{4, func() string { return "1 / neg§(" + sub() + ")" }},
		weighted{6, func() string { // a zero, perhaps with a sign, on its way through a function
			return g.say("math.Copysign(@, same§(z * float64(@)))", sub(), g.int(s, d-1))
		}},
		weighted{3, call("float64(float32(@))")},
		weighted{3, func() string { return `m["` + g.one("a", "b", "c") + `"]` }},
	)
}

// int returns an expression.
func (g *generator) int(s scope, d int) string {
	sub := func() string { return g.int(s, d-1) }
	if d <= 0 || g.rng.IntN(5) == 0 {
		return g.pick(
			weighted{some(s.ints, 60), func() string { return g.one(s.ints...) }},
			weighted{10, func() string { return "len(fs)" }},
			weighted{10, func() string { return "is[" + g.index(s) + "]" }},
			weighted{20, func() string {
				return g.one(strconv.Itoa(1+g.rng.IntN(19)), "kn§", "7/2", "(kn§<<2 | 1)", "17%5")
			}},
		)
	}
	return g.pick(
		weighted{60, func() string {
			return g.say("(@ @ @)", sub(), g.one("+", "-", "*", "&", "|", "^", "&^"), sub())
		}},
		weighted{10, func() string { return g.say("((@+n) / @)", sub(), strconv.Itoa(1+g.rng.IntN(6))) }},
		weighted{10, func() string { return g.say("((@+n) % @)", sub(), strconv.Itoa(1+g.rng.IntN(8))) }},
		weighted{6, func() string { return g.say("(@ << @)", sub(), g.one("0", "1", "3", "7/2")) }},
		weighted{6, func() string { return g.say("(@ >> @)", sub(), g.one("0", "1", "2")) }},
		weighted{4, func() string { return "hi§(" + sub() + ")" }},
		weighted{4, func() string {
			return g.say("int(@(@ + n))", g.one("uint8", "int8", "int32", "uint16", "int64"), sub())
		}},
	)
}

// bool returns a condition.
func (g *generator) bool(s scope, d int) string {
	if d <= 0 || g.rng.IntN(2) == 0 {
		compare := g.one("<", ">", "<=", ">=", "==", "!=")
		if g.rng.IntN(2) == 0 {
			return g.say("@ @ @", g.float(s, 1), compare, g.float(s, 1))
		}
		return g.say("@ @ @", g.int(s, 1), compare, g.int(s, 1))
	}
	return g.say(g.one("(@ && @)", "(@ || @)", "!(@)"), g.bool(s, d-1), g.bool(s, d-1))
}

const numbersHead = `package feature

import (
	"math"
	"say"
)

const kf§ = 0.25
const kn§ = 3

type In§ struct{ B float64 }
type S§ struct {
	A  float64
	In In§
}

func (s S§) Meth(x float64) float64   { s.A += x; return s.A*0.5 + s.In.B }
func (s *S§) PMeth(x float64) float64 { return s.A*0.125 + x - s.In.B }
func (s *S§) Mut(x float64) float64   { s.A += x * 0.125; return s.A - s.In.B }
func neg§(x float64) float64          { return -x }
func same§(x float64) float64         { return x }
func hf§(x float64, n int) float64    { if n%2 == 0 { return x * 0.5 }; return x + float64(n%5) }
func hi§(n int) int                   { n %= 100; return n*n + 1 }
func two§(x float64) (float64, int)   { return x * 2, int(min(max(x, -1e3), 1e3))*0 + 3 }
func show§(x float64, y int) {
	if math.IsNaN(x) {
		say.Line("nan", y)
		return
	}
	say.Line(math.Float64bits(x), x, y)
}

`

const numbersTail = `
func Run§() {
	for k := 0; k < 6; k++ {
		x, y := fA§(float64(k)*0.3, 1.7, k)
		show§(x, y)
		x, y = fB§(-1.1, float64(k), 3-k)
		show§(x, y)
		x, y = fC§(0.7, float64(-k), k*k)
		show§(x, y)
	}
}
`
