package compressor

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// flat is the layout of n numbers in one block.
func flat(n int) fl.Layout {
	return fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: 1, Cols: n}}}
}

// of6 is an update of six numbers that float32 has.
func of6() fl.Vector { return fl.Vector{1.5, -0.25, 0, 3, -2.75, 0.125} }

// Over all sets of k of six numbers, random-k is the update on average, and loses n/k − 1 of its
// squared length, to the bit; unscaled it loses 1 − k/n.
//
//hansa:verifies unbiased compressor/random-k
//hansa:verifies theorem compressor/random-k
func TestRandomKOverAllSets(t *testing.T) {
	x := of6()
	for k := 1; k <= 6; k++ {
		for _, unbiased := range []bool{true, false} {
			mean, lost, sets := make(fl.Vector, 6), 0.0, 0.0
			for set := range 1 << 6 {
				var at []int
				for j := range 6 {
					if set>>j&1 == 1 {
						at = append(at, j)
					}
				}
				if len(at) != k {
					continue
				}
				c := &fl.Coding{In: x, Out: make(fl.Vector, 6), Code: new(fl.Bits)}
				r := &randomK{unbiased: unbiased}
				r.write(c, at)
				r.read(c, at)
				mean.Add(c.Out)
				c.Out.Sub(x)
				lost, sets = lost+c.Out.Dot(c.Out), sets+1
			}
			mean.Scale(1 / sets)
			share := float64(k) / 6
			want := (1 - share) * x.Dot(x)
			if unbiased {
				want = (1/share - 1) * x.Dot(x)
			}
			if d := mean.Distance(x); unbiased && !(d < 1e-14) {
				t.Errorf("%s, k = %d: on average %v away", RandomK.Name, k, d)
			}
			if d := lost/sets - want; !(math.Abs(d) < 1e-12) {
				t.Errorf("k = %d, unbiased %t: loses %v, want %v", k, unbiased, lost/sets, want)
			}
		}
	}
}

// Places are drawn uniformly: each of the sets of two of four is drawn as often, by chance, and what
// is drawn is the same on both sides.
//
//hansa:verifies theorem compressor/random-k
func TestPlacesAreUniform(t *testing.T) {
	const draws = 60_000
	rng, again := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	count := map[[2]int]float64{}
	for range draws {
		at := drawn(&fl.Coding{Shared: rng}, 4, 2)
		other := drawn(&fl.Coding{Shared: again}, 4, 2)
		if at[0] != other[0] || at[1] != other[1] || at[0] >= at[1] {
			t.Fatal(at, other)
		}
		count[[2]int{at[0], at[1]}]++
	}
	for set, n := range count {
		if z := (n - draws/6) / math.Sqrt(draws*5.0/36); math.Abs(z) > 4 || len(count) != 6 {
			t.Errorf("%v is drawn %v times of %d", set, n, draws)
		}
	}
}

// Rounding at random is right on average, over all draws: of numbers that are whole in 64ths of a
// unit, and 64 draws that are equally far apart, the mean is the number, to the bit, and no draw is
// more than a unit away. QSGD, TernGrad and int8 round so; the contract holds them to it.
func TestRoundingOverAllDraws(t *testing.T) {
	const parts = 64
	for whole := -4 * parts; whole <= 4*parts; whole++ {
		x, sum, to := float64(whole)/parts, 0.0, grid(1, 4, 1)
		for draw := range parts {
			level := to.Level(x, float64(draw)/parts)
			if sum += level; math.Abs(level-x) >= 1 {
				t.Fatalf("%v is rounded to %v", x, level)
			}
		}
		if sum != float64(whole) {
			t.Errorf("%v is %v on average", x, sum/parts)
		}
	}
}

// Draws are uniform on [0, 1), and those of neighbours do not go together.
func TestDrawsAreUniform(t *testing.T) {
	const n = 1 << 18
	sum, squares, pairs := 0.0, 0.0, 0.0
	before := 0.5
	for j := range n {
		u := float64(kernel.Draw(12345, j>>1)>>(32*(j&1))&(1<<32-1)) * 0x1p-32
		sum, squares = sum+u, squares+u*u
		pairs, before = pairs+(u-0.5)*(before-0.5), u
	}
	deviation := math.Sqrt(1.0 / 12 / n)
	if z := (sum/n - 0.5) / deviation; math.Abs(z) > 4 || math.Abs(squares/n-1.0/3) > 0.002 ||
		math.Abs(pairs/n) > 4/12.0/math.Sqrt(n) {
		t.Errorf("mean %v, squares %v, pairs %v", sum/n, squares/n, pairs/n)
	}
}

// The bounds are attained: of an update of equal numbers top-k loses exactly 1 − k/n, and of one
// with a single number sign loses exactly 1 − 1/n. Of any, sign loses what its definition says, and
// no k numbers are nearer to it than the largest.
//
//hansa:verifies theorem compressor/top-k compressor/sign
func TestBoundsAreAttained(t *testing.T) {
	same, one := make(fl.Vector, 8), make(fl.Vector, 8)
	same.Fill(0.5)
	one[3] = -2
	lost := func(c fl.Compressor, x fl.Vector) float64 {
		out, _ := sent(t, c, &fl.Coding{In: x, Layout: flat(len(x))})
		return math.Pow(out.Distance(x), 2) / x.Dot(x)
	}
	for k := int64(1); k <= 8; k++ {
		if got := lost(built(t, TopK, map[string]any{"k": k}), same); math.Abs(got-1+float64(k)/8) > 1e-15 {
			t.Errorf("top-%d loses %v", k, got)
		}
	}
	if got := lost(built(t, Sign, nil), one); math.Abs(got-7.0/8) > 1e-15 {
		t.Errorf("sign loses %v", got)
	}
	x := of6()
	l1 := 0.0
	for _, v := range x {
		l1 += math.Abs(v)
	}
	if got, want := lost(built(t, Sign, nil), x), 1-l1*l1/(6*x.Dot(x)); math.Abs(got-want) > 1e-13 {
		t.Errorf("sign loses %v, want %v", got, want)
	}
	if got, want := lost(built(t, TopK, map[string]any{"k": int64(2)}), x),
		1-(9+2.75*2.75)/x.Dot(x); math.Abs(got-want) > 1e-15 {
		t.Errorf("top-2 loses %v, want %v", got, want)
	}
}

// TernGrad loses m‖x‖₁ − ‖x‖² on average, as equation by equation: over 64 draws that are equally far
// apart, of numbers that are whole in 64ths of the largest.
//
//hansa:verifies theorem compressor/terngrad
func TestTernGradLosesWhatItSays(t *testing.T) {
	const parts, m = 64, 2.0
	x := fl.Vector{m, -m * 3 / parts, 0, m * 40 / parts, -m * 63 / parts}
	lost, want := 0.0, 0.0
	for _, v := range x {
		want += m*math.Abs(v) - v*v
		for draw := range parts {
			out := grid(m, 1, m).Level(v, float64(draw)/parts)
			lost += (out - v) * (out - v) / parts
		}
	}
	if math.Abs(lost-want) > 1e-12 {
		t.Errorf("%s: loses %v, want %v", TernGrad.Name, lost, want)
	}
}

// walk makes steps of subgradients through a compressor, with or without feedback.
func walk(
	t *testing.T, c fl.Compressor, f fl.Feedback, steps int, x fl.Vector, gradient func(x, g fl.Vector),
	visit func(x fl.Vector),
) {
	kept := make(fl.Vector, len(x))
	for range steps {
		g, next := make(fl.Vector, len(x)), make(fl.Vector, len(x))
		gradient(x, g)
		f.Before(g, kept)
		out, _ := sent(t, c, &fl.Coding{In: g, Layout: flat(len(x))})
		f.After(next, kept, g, out)
		kept = next
		x.Sub(out)
		visit(x)
	}
}

// The second counterexample of Karimireddy et al. (2019): f(x) = ε|x₁ + x₂| + |x₁ − x₂| from (1, 1).
// Signs, scaled or not, never change x₁ + x₂, to the bit, so that f stays above f(1, 1) = 2ε; with
// error feedback the same signs come to the minimum.
//
//hansa:verifies theorem compressor/sign
func TestSignNeedsFeedback(t *testing.T) {
	const epsilon, rate = 0.5, 1.0 / 256
	f := func(x fl.Vector) float64 { return epsilon*math.Abs(x[0]+x[1]) + math.Abs(x[0]-x[1]) }
	gradient := func(x, g fl.Vector) {
		sum, difference := math.Copysign(epsilon*rate, x[0]+x[1]), math.Copysign(rate, x[0]-x[1])
		g[0], g[1] = sum+difference, sum-difference
	}
	for _, c := range []fl.Compressor{built(t, Sign, nil), built(t, Sign, map[string]any{"step": rate})} {
		walk(t, c, fl.FeedbackNone, 2000, fl.Vector{1, 1}, gradient, func(x fl.Vector) {
			if x[0]+x[1] != 2 || f(x) < 2*epsilon {
				t.Fatalf("x = %v, f = %v", x, f(x))
			}
		})
	}
	last := 0.0
	walk(t, built(t, Sign, nil), fl.FeedbackEF, 4000, fl.Vector{1, 1}, gradient,
		func(x fl.Vector) { last = f(x) })
	if !(last < 0.03) {
		t.Errorf("with feedback f ends at %v", last)
	}
}

// The example of Beznosikov et al. (2020): fᵢ(x) = ⟨aᵢ, x⟩² + ‖x‖²/4 of three clients, from (1, 1, 1).
// Gradient steps of size η through top-1 multiply x by 1 + 11η/6 in every round; with error feedback
// and with EF21 the same steps come to the minimum at 0.
//
//hansa:verifies theorem compressor/top-k
func TestTopOneNeedsFeedback(t *testing.T) {
	const rate = 1.0 / 128
	a := []fl.Vector{{-3, 2, 2}, {2, -3, 2}, {2, 2, -3}}
	c := built(t, TopK, map[string]any{"k": int64(1)})
	for feedback, rounds := range map[fl.Feedback]int{fl.FeedbackNone: 100, fl.FeedbackEF: 4000,
		fl.FeedbackEF21: 4000} {
		x := fl.Vector{1, 1, 1}
		kept := []fl.Vector{make(fl.Vector, 3), make(fl.Vector, 3), make(fl.Vector, 3)}
		for round := range rounds {
			mean := make(fl.Vector, 3)
			for i := range a {
				g, next := x.Clone(), make(fl.Vector, 3)
				g.Scale(0.5)
				g.AddScaled(2*a[i].Dot(x), a[i])
				g.Scale(rate)
				feedback.Before(g, kept[i])
				out, _ := sent(t, c, &fl.Coding{In: g, Layout: flat(3)})
				feedback.After(next, kept[i], g, out)
				kept[i] = next
				mean.AddScaled(1.0/3, out)
			}
			x.Sub(mean)
			want := math.Pow(1+11*rate/6, float64(round+1))
			for _, v := range x {
				if feedback == fl.FeedbackNone && !(math.Abs(v/want-1) < 1e-6) {
					t.Fatalf("round %d: x = %v, want %v", round, x, want)
				}
			}
		}
		if d := math.Sqrt(x.Dot(x)); feedback != fl.FeedbackNone && !(d < 1e-4) {
			t.Errorf("%s ends at %v", feedback, x)
		}
	}
}

// Of the same weight in every round, PowerSGD comes to the best matrix of its rank; of a weight of
// that rank it is the weight from the first round on, but for float32.
//
//hansa:verifies fixed-point compressor/power-sgd
func TestPowerSGDComesToTheBestRank(t *testing.T) {
	const n = 8
	layout := fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: n, Cols: n}}}
	run := func(values ...float64) (first, last float64) {
		x := make(fl.Vector, n*n)
		for i, v := range values {
			x[i*n+(3*i+1)%n] = v // singular values, in places that no rotation is needed for
		}
		c, state, rng := built(t, PowerSGD, nil), fl.NewStore(), rand.New(rand.NewPCG(5, 6))
		for round := range 60 {
			out, bits := sent(t, c, &fl.Coding{T: round, In: x, Layout: layout, State: state, RNG: rng})
			if last = out.Distance(x); round == 0 {
				first = last
			}
			if bits != 32*2*2*n {
				t.Fatalf("%d bits", bits)
			}
		}
		return first, last
	}
	if first, last := run(5, -4, 2, 1); !(math.Abs(last-math.Sqrt(5)) < 1e-6) || first < last {
		t.Errorf("%v away at first and %v in the end, want √5", first, last)
	}
	if first, _ := run(5, -4); !(first < 1e-5) {
		t.Errorf("a matrix of rank 2 is %v away", first)
	}
}

// The largest numbers are those of a sort, of equal ones the first: of many and few, in updates with
// equal numbers, zeros, one number, and sizes far apart.
//
//hansa:verifies theorem compressor/top-k
func TestLargestAreThoseOfASort(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for kind, draw := range []func(j int) float64{
		func(int) float64 { return rng.NormFloat64() },
		func(int) float64 { return float64(rng.IntN(5) - 2) },
		func(j int) float64 { return math.Pow(-2, float64(rng.IntN(600)-300)) },
		func(int) float64 { return 1 },
		func(int) float64 { return 0 },
		func(j int) float64 { return float64(j%256) * rng.Float64() }, // the sample sees the smallest
	} {
		for _, n := range []int{1, 2, 100, 70_000} {
			x, order := make(fl.Vector, n), make([]int, n)
			for j := range x {
				x[j], order[j] = draw(j), j
			}
			slices.SortStableFunc(order, func(a, b int) int {
				return cmp.Compare(math.Abs(x[b]), math.Abs(x[a]))
			})
			for _, want := range []int{1, 2, n / 100, n / 10, n/2 + 1, n} {
				if want = min(want, n); want == 0 {
					continue
				}
				best := slices.Sorted(slices.Values(order[:want]))
				if got := largest(&fl.Coding{In: x}, want); !slices.Equal(got.at, best) {
					t.Errorf("kind %d: the %d largest of %d are others", kind, want, n)
				}
			}
		}
	}
}
