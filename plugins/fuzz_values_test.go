package plugins

import "strings"

// values returns a program that moves values about: structs with arrays, slices and maps in
// them, pointers to them, in slices, maps and arrays; closures, several results, errors,
// sorting, switches. What aliases what is where the interpreter errs most.
func (g *generator) values() string {
	g.out = nil
	g.line("func run§(seed int) {")
	g.line(`ps := []P§{mk§(seed), mk§(1), mk§(2), mk§(5)}; mp := map[string]P§{"k0": mk§(3)}`)
	g.line("pp := []*P§{{X: 1}, {X: 2, N: 4}, {Y: 3}}; arr := [3]P§{mk§(1), mk§(4), {X: 9}}")
	g.line(`q := Q§{P§: mk§(8), Tag: "t", Ptr: &P§{X: 4}}; fs := []float64{1, 2, 3, float64(seed)}`)
	g.line("mf := map[string]float64{}; mi := map[string]int{}; ms := map[string][]float64{}")
	g.line("var sqs []*Sq§; var cis []*Ci§; var log []string; var grid [][]float64")
	g.line("p0 := mk§(seed + 1)")
	g.moveAll(scope{structs: []string{"p0"}}, 2, 16)
	g.line("for _, p := range ps { say.Line(show§(p)) }")
	g.line(`for _, k := range []string{"k0", "k1", "k2"} {`)
	g.line("say.Line(show§(mp[k]), mf[k], mi[k], ms[k])")
	g.line("}")
	g.line("for _, p := range pp { say.Line(show§(*p)) }")
	g.line("for _, p := range arr { say.Line(show§(p)) }")
	g.line("say.Line(show§(q.P§), q.In.K, show§(*q.Ptr), fs, len(sqs), len(cis), log, grid, show§(p0))")
	g.line("}")
	return valuesHead + strings.Join(g.out, "\n") + valuesTail
}

func (g *generator) moveAll(outer scope, d, n int) {
	s := outer.inner()
	for range n {
		if k := g.rng.IntN(8); k < 5 || d == 0 {
			g.move(&s)
		} else {
			g.block(s, d)
		}
	}
}

// move writes one statement.
func (g *generator) move(s *scope) {
	moves := []func(*scope){g.moveStructs, g.movePointers, g.moveFloats, g.moveOthers}
	moves[g.rng.IntN(len(moves))](s)
}

func (g *generator) moveStructs(s *scope) {
	switch g.rng.IntN(10) {
	case 0:
		v := g.name("p")
		g.line("@ := @; _ = @", v, g.aStruct(*s), v)
		s.structs = append(s.structs, v)
	case 1:
		if len(s.structs) > 1 {
			g.line("@ = @", g.one(s.structs[1:]...), g.aStruct(*s))
		}
	case 2:
		g.line("@.@ @ @", g.place(*s), g.one("X", "Y", "A[0]", "A[2]"), g.one("=", "+=", "-="),
			g.number(*s, 1))
	case 3:
		g.line("ps[@] = @", g.third(*s), g.aStruct(*s))
	case 4:
		g.line("ps = append(ps, @)", g.aStruct(*s))
	case 5:
		g.line("mp[@] = @", g.key(), g.aStruct(*s))
	case 6:
		v := g.name("c")
		g.line("@ := mp[@]; @.X += @; mp[@] = @", v, g.key(), v, g.number(*s, 1), g.key(), v)
	case 7:
		g.line("arr[@] = @", g.third(*s), g.aStruct(*s))
	case 8:
		v := g.name("a")
		g.line("@ := arr; @[@].X = @; arr[@].Y += @[0].X", v, v, g.third(*s), g.number(*s, 1),
			g.third(*s), v)
	case 9:
		g.line("ps[@], ps[@] = ps[@], ps[@]", g.third(*s), g.third(*s), g.third(*s), g.third(*s))
	}
}

func (g *generator) movePointers(s *scope) {
	switch g.rng.IntN(8) {
	case 0:
		g.line("@.ptr(@)", g.one("ps["+g.third(*s)+"]", "pp["+g.third(*s)+"]", "q", "q.P§"),
			g.number(*s, 1))
	case 1:
		g.line("q.both(@)", g.number(*s, 1))
	case 2:
		g.line("pp[@] = pp[@]", g.third(*s), g.third(*s))
	case 3:
		g.line("pp[@] = &P§{X: @, N: @, M: map[string]int{}}", g.third(*s), g.number(*s, 1),
			g.count(*s))
	case 4:
		g.line("*pp[@] = @", g.third(*s), g.aStruct(*s))
	case 5:
		g.line("q.Ptr = pp[@]; q.Ptr.Y += @", g.third(*s), g.number(*s, 1))
	case 6:
		g.line("sqs = append(sqs, &Sq§{@}); cis = append(cis, &Ci§{r: @})", g.number(*s, 1),
			g.number(*s, 1))
	case 7:
		g.line("for _, sh := range sqs { fs[0] += math.Mod(sh.Area(), 13) }")
		g.line("for _, sh := range cis { fs[1] += math.Mod(sh.Area(), 13) }")
	}
}

func (g *generator) moveFloats(s *scope) {
	switch g.rng.IntN(11) {
	case 0:
		g.line("apply§(fs, func(i int, x float64) float64 { return x*0.5 + float64(i) + @*0.01 })",
			g.number(*s, 0))
	case 1:
		g.line("fs = append(fs[:2], @); fs = append(fs, @)", g.number(*s, 1), g.number(*s, 1))
	case 2:
		g.line("mf[@] @ @", g.key(), g.one("=", "+="), g.number(*s, 1))
	case 3:
		g.line("mi[@]++", g.key())
	case 4:
		v, w := g.name("g"), g.name("h")
		g.line("@, @ := named§(@, @); fs[@] = @ - @", v, w, g.number(*s, 1), g.number(*s, 1),
			g.third(*s), v, w)
		s.floats = append(s.floats, v, w)
	case 5:
		g.line("grid = append(grid, append([]float64(nil), fs...)); grid[len(grid)-1][0] = @",
			g.number(*s, 1))
	case 6:
		g.line("slices.Sort(fs); fs[@] = slices.Max(fs) - @", g.third(*s), g.number(*s, 1))
	case 7:
		g.line("ms[@] = append(ms[@], @); ms[@] = fs[1:3]", g.key(), g.key(), g.number(*s, 1), g.key())
	case 8:
		f := g.name("f")
		g.line("@ := func(x float64) float64 { fs[0] += x; return x*0.5 - @ }; fs[1] = @(@)", f,
			g.number(*s, 0), f, g.number(*s, 1))
	case 9:
		g.line("grid = append(grid, slices.Clone(fs)); clear(grid[0]); copy(fs, grid[len(grid)-1][1:])")
	case 10:
		g.line("for _, f := range make§(@, fs) { fs[@] += f(@) }", g.number(*s, 0), g.third(*s),
			g.number(*s, 0))
	}
}

func (g *generator) moveOthers(s *scope) {
	switch g.rng.IntN(5) {
	case 0:
		g.line("sort.Slice(ps, func(i, j int) bool { if ps[i].X != ps[j].X { return ps[i].X < ps[j].X }; " +
			"return ps[i].N < ps[j].N })")
	case 1:
		v, err := g.name("p"), g.name("err")
		g.line("@, @ := pair§(@); if @ != nil { log = append(log, @.Error()) } else { ps[@] = @ }",
			v, err, g.count(*s), err, err, g.third(*s), v)
	case 2:
		g.line(`log = append(log, strings.Repeat("x", int(math.Abs(math.Mod(float64(@), 4)))), `+
			`fmt.Sprintf("%.3g", @))`, g.count(*s), g.number(*s, 1))
	case 3:
		g.line("switch @%4 { case 0, 2: fs[0] += @; case 1: fs[1] -= @; fallthrough; default: fs[2] = @ }",
			g.count(*s), g.number(*s, 0), g.number(*s, 0), g.number(*s, 0))
	case 4:
		g.line("if v, ok := mp[@]; ok { v.A[1] += @; ps = append(ps, v) }", g.key(), g.number(*s, 1))
	}
}

// block writes a statement that holds others.
func (g *generator) block(s scope, d int) {
	switch g.rng.IntN(4) {
	case 0:
		g.line("switch {")
		for range 2 {
			g.line("case @:", g.condition(s))
			g.moveAll(s, d-1, 2)
		}
		g.line("default:")
		g.moveAll(s, d-1, 1)
	case 1:
		g.line("if @ {", g.condition(s))
		g.moveAll(s, d-1, 2)
		g.line("} else {")
		g.moveAll(s, d-1, 2)
	default:
		l, e := g.name("i"), g.name("e")
		s = s.inner()
		s.loops = append(s.loops, l)
		switch g.rng.IntN(4) {
		case 0:
			g.line("for @ := range @ { _ = @", l, g.one("3", "len(fs[:3])", "min(4, len(ps))"), l)
		case 1:
			g.line("for @ := 0; @ < 3; @++ {", l, l, l)
		case 2:
			g.line("for @, @ := range ps[:3] { @.X += 1; _ = @", l, e, e, l)
			s.structs = append(s.structs, e)
		case 3:
			g.line("for @, @ := range arr { @.Y *= 2; _ = @", l, e, e, l)
			s.structs = append(s.structs, e)
		}
		if g.rng.IntN(3) == 0 {
			g.line("if @ { @ }", g.condition(s), g.one("break", "continue"))
		}
		g.moveAll(s, d-1, 2+g.rng.IntN(3))
	}
	g.line("}")
}

// aStruct returns an expression of type P.
func (g *generator) aStruct(s scope) string {
	return g.one(g.one(s.structs...), "ps["+g.third(s)+"]", "mp["+g.key()+"]", "*pp["+g.third(s)+"]",
		"q.P§", "mk§("+g.count(s)+")", g.one(s.structs...)+".val("+g.number(s, 1)+")",
		"arr["+g.third(s)+"]", "*q.Ptr")
}

// place returns a struct with fields that can be assigned to.
func (g *generator) place(s scope) string {
	return g.one(g.one(s.structs...), "ps["+g.third(s)+"]", "pp["+g.third(s)+"]", "q", "q.P§",
		"arr["+g.third(s)+"]", "q.Ptr")
}

// third returns an index below 3.
func (g *generator) third(s scope) string {
	if len(s.loops) > 0 && g.rng.IntN(5) < 3 {
		return g.one(s.loops...) + "%3"
	}
	return g.one("0", "1", "2")
}

func (g *generator) key() string { return g.one(`"k0"`, `"k1"`, `"k2"`) }

// number returns an expression of type float64.
func (g *generator) number(s scope, d int) string {
	sub := func() string { return g.number(s, 0) }
	deep := d * 4
	return g.pick(
		weighted{25, func() string {
			return g.place(s) + "." + g.one("X", "Y", "A[0]", "A[1]", "A[2]")
		}},
		weighted{8, func() string { return "fs[" + g.third(s) + "]" }},
		weighted{7, func() string { return "float64(" + g.count(s) + ")" }},
		weighted{3 * deep, func() string { return g.say("(@ @ @)", sub(), g.one("+", "-", "*"), sub()) }},
		weighted{2 * deep, func() string { return g.say("@(@, @)", g.one("min", "max"), sub(), sub()) }},
		weighted{2 * deep, func() string {
			return "fold§(fs, " + sub() + ", func(a, b float64) float64 { return a*0.5 + b })"
		}},
		weighted{deep, func() string { return g.say("vari§(@, @, @)", g.count(s), sub(), sub()) }},
		weighted{3, func() string { return "vari§(1, fs...)" }},
		weighted{deep, func() string { return "math.Mod(" + sub() + ", 97)" }},
		weighted{5, func() string { return "mf[" + g.key() + "]" }},
		weighted{some(s.floats, 12), func() string { return g.one(s.floats...) }},
		weighted{10, func() string { return g.one("0.5", "1.25", "3", "7 / 2", "1.0 / 3", "2*1.5") }},
	)
}

// count returns an expression of type int.
func (g *generator) count(s scope) string {
	return g.pick(
		weighted{some(s.loops, 30), func() string { return g.one(s.loops...) }},
		weighted{20, func() string { return g.place(s) + ".N" }},
		weighted{10, func() string { return g.one("len(ps)", "min(len(fs), 4)") }},
		weighted{10, func() string { return "mi[" + g.key() + "]" }},
		weighted{10, func() string {
			return g.say("(@%5 + @)", g.one(append(s.loops, "7")...), g.one("0", "1", "2", "3"))
		}},
		weighted{20, func() string { return g.one("1", "2", "7/2", "9%4", "(5-2)") }},
	)
}

func (g *generator) condition(s scope) string {
	compare := func() string {
		if g.rng.IntN(2) == 0 {
			return g.say("@ @ @", g.number(s, 1), g.one("<", ">", "<="), g.number(s, 1))
		}
		return g.say("@ @ @", g.count(s), g.one("==", "!=", "<"), g.count(s))
	}
	switch g.rng.IntN(4) {
	case 0:
		return g.say("(@) && @", compare(), compare())
	case 1:
		return g.say("@ || !(@)", compare(), compare())
	}
	return compare()
}

const valuesHead = `package feature

import (
	"fmt"
	"math"
	"say"
	"slices"
	"sort"
	"strings"
)

type P§ struct {
	X, Y float64
	N    int
	A    [3]float64
	S    []float64
	M    map[string]int
}
type Q§ struct {
	P§
	Tag string
	In  struct{ K int }
	Ptr *P§
}
type Sq§ struct{ s float64 }
type Ci§ struct{ r, w float64 }

func (s *Sq§) Area() float64           { return s.s * s.s }
func (c *Ci§) Area() float64           { c.w += 0.5; return c.r + c.w }
func (p P§) val(k float64) P§          { p.X += k; p.A[1] += k; return p }
func (p *P§) ptr(k float64) *P§        { p.Y += k; p.A[2] -= k; p.N++; return p }
func (q *Q§) both(k float64) float64   { q.X += k; q.In.K++; return q.X + float64(q.In.K) }
func mk§(i int) P§ {
	return P§{X: float64(i), N: i, S: []float64{float64(i)}, M: map[string]int{"a": i}}
}
func pair§(i int) (P§, error) {
	if i%7 == 6 {
		return P§{}, fmt.Errorf("bad %d", i)
	}
	return mk§(i), nil
}
func apply§(xs []float64, f func(int, float64) float64) {
	for i, x := range xs {
		xs[i] = f(i, x)
	}
}
func fold§(xs []float64, z float64, f func(a, b float64) float64) float64 {
	for _, x := range xs {
		z = f(z, x)
	}
	return z
}
func vari§(k int, xs ...float64) float64 {
	s := float64(k)
	for _, x := range xs {
		s += x
	}
	return s
}
func named§(a, b float64) (s, d float64) {
	s = a + b
	if a > b {
		d = a - b
		return
	}
	d = b - a
	return s, d * 2
}
func plus§(a float64) func(float64) float64 {
	n := 0
	return func(x float64) float64 { n++; return math.Mod(x+a*float64(n), 31) }
}
func make§(a float64, fs []float64) []func(float64) float64 {
	var list []func(float64) float64
	for _, x := range fs {
		list = append(list, plus§(a+x))
	}
	return list
}
func show§(p P§) string {
	return fmt.Sprint(p.X, " ", p.Y, " ", p.N, " ", p.A, " ", p.S, " ", len(p.M), " ", p.M["a"])
}

`

const valuesTail = `
func Run§() {
	words := []string{strings.ToUpper("b"), "a"}
	sort.Strings(words)
	slices.Reverse(words)
	for k := 0; k < 4; k++ {
		run§(k)
	}
}
`
