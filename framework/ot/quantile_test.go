package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// sample returns the distribution of samples.
func sample(x tensor.Vector) ot.Line {
	x = x.Clone()
	slices.Sort(x)
	return ot.Line{At: x, Mass: even(len(x))}
}

// staircase returns a random distribution: samples or a histogram with empty bins, ties included.
func staircase(rng *rand.Rand) ot.Line {
	n := 1 + rng.IntN(12)
	x := gauss(rng, n, 2)
	for i := range x {
		x[i] = math.Round(4*x[i]) / 4
	}
	l := sample(x)
	if rng.IntN(2) == 0 {
		l.Mass = scatter(rng, n)
	}
	return l
}

// quantile returns Q(t) by its definition, min{x: F(x) ≥ t}.
func quantile(l ot.Line, t float64) float64 {
	sum := 0.0
	for i, mass := range l.Mass {
		if sum += mass; mass > 0 && sum >= t {
			return l.At[i]
		}
	}
	for i := len(l.At) - 1; ; i-- {
		if l.Mass[i] > 0 {
			return l.At[i]
		}
	}
}

// between returns the barycenter of a fresh solver.
func between(t *testing.T, w tensor.Vector, ls ...ot.Line) ot.Line {
	t.Helper()
	b, err := new(ot.Quantiles).Barycenter(w, ls)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	return b
}

// moved returns where the atoms of from go.
func moved(t *testing.T, from, to ot.Line) tensor.Vector {
	t.Helper()
	x := make(tensor.Vector, len(from.At))
	if err := new(ot.Quantiles).Map(x, from, to); err != nil {
		t.Fatal(err)
	}
	return x
}

// haulOf returns the problem of squared distances, and its least cost, W₂².
func haulOf(t *testing.T, a, b ot.Line) (ot.Transport, *ot.Exact, float64) {
	t.Helper()
	p := ot.Transport{Cost: tensor.NewMatrix(len(a.At), len(b.At)), A: a.Mass, B: b.Mass}
	for i, x := range a.At {
		for j, y := range b.At {
			p.Cost.Row(i)[j] = (x - y) * (x - y)
		}
	}
	e := new(ot.Exact)
	c := e.Solve(p)
	if !c.Converged {
		t.Fatalf("a gap of %g", c.Residual)
	}
	return p, e, c.Cost
}

// dispersion returns Σ wₛ·W₂²(lₛ, b).
func dispersion(t *testing.T, w tensor.Vector, ls []ot.Line, b ot.Line) (sum float64) {
	t.Helper()
	for s, l := range ls {
		_, _, cost := haulOf(t, l, b)
		sum += w[s] * cost
	}
	return sum
}

// TestQuantilesAreMeans compares quantile functions with their definition, and the objective with
// that of other distributions.
func TestQuantilesAreMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 1))
	for range 200 {
		ls := []ot.Line{staircase(rng), staircase(rng), staircase(rng)}
		w := scatter(rng, 3)
		b := between(t, w, ls...)
		for range 20 {
			at, want := rng.Float64(), 0.0
			for s, l := range ls {
				want += w[s] * quantile(l, at)
			}
			tolerance{1e-12, 0}.one(t, "Q", quantile(b, at), want)
		}
		best := dispersion(t, w, ls, b)
		if other := dispersion(t, w, ls, staircase(rng)); !(best <= other+1e-12) {
			t.Fatalf("%v is not the least: %v", best, other)
		}
	}
}

// TestOfEqualsItself: bit for bit, but for atoms without mass; and a map to itself moves nothing.
func TestOfEqualsItself(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 2))
	for range 200 {
		l := staircase(rng)
		b := between(t, scatter(rng, 4), l, l, l, l)
		var want ot.Line
		x := moved(t, l, l)
		for i, mass := range l.Mass {
			if mass > 0 {
				want.At, want.Mass = append(want.At, l.At[i]), append(want.Mass, mass)
				if x[i] != l.At[i] {
					t.Fatalf("%v moves to %v", l, x)
				}
			}
		}
		if !slices.Equal(b.At, want.At) || !slices.Equal(b.Mass, want.Mass) {
			t.Fatalf("of %v it is %v", l, b)
		}
	}
}

// TestOrderOfDistributions: it is irrelevant, and so are mirrors and distributions of no weight.
func TestOrderOfDistributions(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 3))
	mirrored := func(l ot.Line) ot.Line {
		l.At, l.Mass = l.At.Clone(), l.Mass.Clone()
		l.At.Scale(-1)
		slices.Reverse(l.At)
		slices.Reverse(l.Mass)
		return l
	}
	near := tolerance{1e-12, 0}
	for range 100 {
		x, y, z := staircase(rng), staircase(rng), staircase(rng)
		want := between(t, tensor.Vector{1, 2, 3}, x, y, z)
		back := mirrored(between(t, tensor.Vector{1, 2, 3}, mirrored(x), mirrored(y), mirrored(z)))
		got := between(t, tensor.Vector{3, 0, 1, 2}, z, staircase(rng), x, y)
		for _, b := range []ot.Line{got, back} {
			near.all(t, "at", b.At, want.At)
			near.all(t, "mass", b.Mass, want.Mass)
		}
		there := moved(t, mirrored(x), mirrored(y))
		there.Scale(-1)
		slices.Reverse(there)
		near.all(t, "map", moved(t, x, y), there)
	}
}

// TestGaussianBetween: of N(m₁, σ₁²) and N(m₂, σ₂²) it is N(Σ wₛmₛ, (Σ wₛσₛ)²), quantile by quantile.
func TestGaussianBetween(t *testing.T) {
	const n = 1000
	law := func(mean, sd float64) ot.Line {
		x := make(tensor.Vector, n)
		for i := range x {
			x[i] = distuv.Normal{Mu: mean, Sigma: sd}.Quantile((float64(i) + 0.5) / n)
		}
		return sample(x)
	}
	b := between(t, tensor.Vector{0.3, 0.7}, law(-1, 0.5), law(4, 2))
	tolerance{1e-13, 1e-13}.all(t, "quantiles", b.At, law(2.5, 1.55).At)
	tolerance{1e-12, 0}.all(t, "map", moved(t, law(-1, 0.5), b), law(2.5, 1.55).At)
}

// TestMapIsTheProjectionOfThePlan compares it with the exact plan, which is the only one where no
// two places are the same, and looks at atoms without mass.
func TestMapIsTheProjectionOfThePlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 4))
	for range 200 {
		a := ot.Line{At: sample(gauss(rng, 9, 1)).At, Mass: scatter(rng, 9)}
		b := ot.Line{At: sample(gauss(rng, 7, 1)).At, Mass: scatter(rng, 7)}
		p, e, _ := haulOf(t, a, b)
		plan, x := planOf(e, p), moved(t, a, b)
		for i, mass := range a.Mass {
			if i > 0 && x[i] < x[i-1] {
				t.Fatalf("%v falls", x)
			}
			if mass > 0 {
				tolerance{1e-9, 1e-9}.one(t, "x", x[i], plan.Row(i).Dot(b.At)/mass)
			}
		}
	}
	from := ot.Line{At: tensor.Vector{0, 1, 2, 3, 4, 5}, Mass: tensor.Vector{0, 0.5, 0, 0.5, 0, 0}}
	to := ot.Line{At: tensor.Vector{6, 7, 8, 9}, Mass: tensor.Vector{0, 0.5, 0.5, 0}}
	tolerance{0, 0}.all(t, "x", moved(t, from, to), tensor.Vector{7, 7, 7.5, 8, 8, 8})
	constant := ot.Line{At: tensor.Vector{0.3}, Mass: tensor.Vector{1}}
	tolerance{1e-15, 0}.all(t, "a constant", moved(t, constant, to), tensor.Vector{7.5})
	tolerance{0, 0}.all(t, "to one", moved(t, from, constant), tensor.Vector{.3, .3, .3, .3, .3, .3})
}

// TestRounding: no atom has a mass below 0 where masses do not sum to the same, and nothing moves
// beyond what it moves to: −0.1 + (0.2 − (−0.1)) is above 0.2.
func TestRounding(t *testing.T) {
	short := ot.Line{At: tensor.Vector{1}, Mass: tensor.Vector{1 - 1e-10}}
	long := ot.Line{At: tensor.Vector{1, 2, 3}, Mass: tensor.Vector{0.5, 0.5 - 5e-11, 5e-11}}
	for _, ls := range [][]ot.Line{{short, long}, {long, short}} {
		tolerance{0, 1e-5}.all(t, "mass", between(t, even(2), ls...).Mass, long.Mass)
	}
	one := ot.Line{At: tensor.Vector{0}, Mass: tensor.Vector{1}}
	two := ot.Line{At: tensor.Vector{-0.1, 0.2}, Mass: tensor.Vector{1e-17, 1}}
	tolerance{0, 0}.all(t, "x", moved(t, one, two), tensor.Vector{0.2})
}

func TestQuantilesSayWhatIsWrong(t *testing.T) {
	good := ot.Line{At: tensor.Vector{1, 2}, Mass: even(2)}
	q, w := new(ot.Quantiles), tensor.Vector{1}
	for want, l := range map[string]ot.Line{
		"1 places for 2 masses":                              {At: w, Mass: even(2)},
		"atom 1 is at 1, and what is before it at 2":         {At: tensor.Vector{2, 1}, Mass: even(2)},
		"atom 0 is at NaN, and what is before it at -1e+300": {At: tensor.Vector{math.NaN()}, Mass: w},
		"mass sums to 0, not to 1":                           {At: good.At, Mass: tensor.Vector{0, 0}},
	} {
		_, err := q.Barycenter(w, []ot.Line{l})
		if err == nil || err.Error() != "distribution 0: "+want {
			t.Errorf("%v, want %s", err, want)
		}
		for _, p := range [][2]ot.Line{{l, good}, {good, l}} {
			err := q.Map(make(tensor.Vector, len(p[0].At)), p[0], p[1])
			if err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	for want, w := range map[string]tensor.Vector{
		"2 weights for 1 distributions": even(2),
		"the weights sum to 0":          {0},
		"the weights sum to NaN":        {math.NaN()},
	} {
		if _, err := q.Barycenter(w, []ot.Line{good}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := q.Barycenter(tensor.Vector{2, -1}, []ot.Line{good, good})
	if err == nil || err.Error() != "weight 1 is -1" {
		t.Error(err)
	}
	if err := q.Map(w, good, good); err == nil || err.Error() != "1 numbers for 2 atoms" {
		t.Error(err)
	}
}

func TestQuantilesKeepTheirMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 5))
	q, ls := new(ot.Quantiles), []ot.Line{staircase(rng), staircase(rng), staircase(rng)}
	x, w := make(tensor.Vector, len(ls[0].At)), tensor.Vector{1, 2, 3}
	kerneltest.None(t, func() {
		if _, err := q.Barycenter(w, ls); err != nil {
			t.Fatal(err)
		}
		if err := q.Map(x, ls[0], ls[1]); err != nil {
			t.Fatal(err)
		}
	})
}
