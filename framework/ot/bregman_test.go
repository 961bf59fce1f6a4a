package ot_test

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A mixture asks for the barycenter of measures, in rows, on a support.
type mixture struct {
	on ot.Support
	w  tensor.Vector
	a  tensor.Matrix
}

// stack returns the matrix of these rows.
func stack(rows ...tensor.Vector) tensor.Matrix {
	return tensor.Matrix{Rows: len(rows), Cols: len(rows[0]), Data: slices.Concat(rows...)}
}

// images returns so many random measures, with zeros, on a grid, and random weights.
func images(rng *rand.Rand, height, width, count int) mixture {
	m := mixture{on: ot.SquaredGrid(height, width), w: scatter(rng, count)}
	var rows []tensor.Vector
	for range count {
		rows = append(rows, scatter(rng, height*width))
	}
	m.a = stack(rows...)
	return m
}

// dense returns the same problem with a support that is not seen as a grid.
func (m mixture) dense() mixture {
	h, w := m.on.Down.Rows, m.on.Across.Rows
	cost := tensor.NewMatrix(h*w, h*w)
	for i := range cost.Rows {
		for j := range cost.Cols {
			cost.Row(i)[j] = m.on.Down.Row(i / w)[j/w] + m.on.Across.Row(i % w)[j%w]
		}
	}
	m.on = ot.Points(cost)
	return m
}

// mixed returns the answer of a fresh solver, which must have converged.
func mixed(t *testing.T, m mixture, lambda float64) ot.FixedBarycenter {
	t.Helper()
	s := &ot.Bregman{Lambda: lambda, Epsilon: 1e-13, MaxSweeps: 100_000}
	c, err := s.Barycenter(m.on, m.w, m.a)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Converged || !(c.Residual < 1e-9) || math.Abs(c.Mass.Sum()-1) > 1e-9 {
		t.Fatalf("λ = %g: change %g, residual %g after %d sweeps, mass %g", lambda, c.Change,
			c.Residual, c.Sweeps, c.Mass.Sum())
	}
	return c
}

// projections does so many rounds of iterative Bregman projections by their definition, with
// logarithms of everything, and returns b.
func projections(m mixture, lambda float64, sweeps int) tensor.Vector {
	cost := m.dense().on.Across
	n, total := cost.Rows, m.w.Sum()
	logV := tensor.NewMatrix(m.a.Rows, n)
	ktu, terms := tensor.NewMatrix(m.a.Rows, n), make(tensor.Vector, n)
	b := make(tensor.Vector, n)
	for range sweeps {
		clear(b)
		for s, w := range m.w {
			u := make(tensor.Vector, n)
			for i := range u {
				for j := range terms {
					terms[j] = logV.Row(s)[j] - cost.Row(i)[j]/lambda
				}
				u[i] = math.Log(m.a.Row(s)[i]) - terms.LogSumExp()
			}
			for j := range n {
				for i := range terms {
					terms[i] = u[i] - cost.Row(i)[j]/lambda
				}
				ktu.Row(s)[j] = terms.LogSumExp()
				b[j] += w / total * ktu.Row(s)[j]
			}
		}
		for s := range m.w {
			for j := range n {
				logV.Row(s)[j] = b[j] - ktu.Row(s)[j]
			}
		}
	}
	for j, x := range b {
		b[j] = math.Exp(x)
	}
	return b
}

func TestBregmanGolden(t *testing.T) {
	count := 0
	for _, g := range readGolden(t, "barycenter.json") {
		var in struct {
			Histograms []tensor.Vector
			Weights    tensor.Vector
			Reg        float64
		}
		if g.inputs(t, &in); in.Reg == 0 {
			continue
		}
		count++
		a := stack(in.Histograms...)
		c := mixed(t, mixture{ot.SquaredGrid(1, a.Cols), in.Weights, a}, in.Reg)
		g.check(t, "barycenter", c.Mass)
		g.check(t, "sum", c.Mass.Sum())
	}
	if count != 6 {
		t.Errorf("%d cases, want 6", count)
	}
}

// TestSweepsAreProjections compares single sweeps with the definition, at λ at which products
// do, at which they do until some sweep, and at which exp(−C/λ) is 0 but for a few elements; for
// grids, for the same points without a grid, and for costs that are not symmetric.
func TestSweepsAreProjections(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 1))
	for range 60 {
		m := images(rng, 1+rng.IntN(5), 1+rng.IntN(6), 1+rng.IntN(4))
		if rng.IntN(2) == 0 {
			m.w.Fill(1)
		}
		for _, c := range []tensor.Matrix{m.on.Down, m.on.Across} {
			for k := range c.Data {
				c.Data[k] += 0.1*rng.Float64() - 3
			}
		}
		for _, lambda := range []float64{0.1, 0.003, 0.0012, 1e-4} {
			for _, p := range []mixture{m, m.dense()} {
				sweeps := 1 + rng.IntN(12)
				s := &ot.Bregman{Lambda: lambda, MaxSweeps: sweeps}
				c, err := s.Barycenter(p.on, p.w, p.a)
				if err != nil || c.Sweeps < sweeps && !c.Converged {
					t.Fatal(c, err)
				}
				want := projections(m, lambda, c.Sweeps)
				tolerance{1e-300, 1e-9}.all(t, "b", c.Mass, want)
			}
		}
	}
}

// TestFirstOrder: at the barycenter the gradient Σ wₛ·gₛ of Σ wₛ·W(aₛ, b) is the same at all
// points, where gₛ are potentials that another solver finds; for random weights.
func TestFirstOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 2))
	e := &ot.Entropic{Epsilon: 1e-13, MaxSweeps: 100_000}
	for range 15 {
		m := images(rng, 1+rng.IntN(4), 5+rng.IntN(5), 2+rng.IntN(3))
		for _, lambda := range []float64{0.3, 0.05} {
			e.Lambda = lambda
			b := mixed(t, m, lambda).Mass
			gradient := make(tensor.Vector, len(b))
			for s, w := range m.w {
				cost := m.dense().on.Across
				c := e.Solve(ot.Transport{Cost: cost, A: m.a.Row(s), B: b})
				if !(c.Residual < 1e-11) {
					t.Fatalf("a residual of %g", c.Residual)
				}
				gradient.AddScaled(w, c.G)
			}
			tolerance{1e-7, 0}.all(t, "gradient", gradient, constant(len(b), gradient[0]))
		}
	}
}

func constant(n int, x float64) tensor.Vector {
	v := make(tensor.Vector, n)
	v.Fill(x)
	return v
}

// TestGridsAreDense: to the end, both kinds of support have the same answer.
func TestGridsAreDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 3))
	for _, lambda := range []float64{0.1, 0.01} {
		m := images(rng, 7, 9, 3)
		got, want := mixed(t, m, lambda), mixed(t, m.dense(), lambda)
		tolerance{1e-11, 1e-8}.all(t, "b", got.Mass, want.Mass)
	}
}

// TestSymmetry: the order of the measures does not matter, nor do measures without weight; a
// measure twice is a measure of twice the weight; what is mirrored has a mirrored barycenter.
func TestSymmetry(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 4))
	for _, lambda := range []float64{0.1, 0.01} {
		m := images(rng, 3, 5, 3)
		m.w = tensor.Vector{2, 3, 5}
		want, near := mixed(t, m, lambda), tolerance{1e-11, 1e-9}
		x, y, z := m.a.Row(0), m.a.Row(1), m.a.Row(2)
		turned := mixture{m.on, tensor.Vector{5, 3, 0, 1, 1}, stack(z, y, even(15), x, x)}
		near.all(t, "in another order", mixed(t, turned, lambda).Mass, want.Mass)
		slices.Reverse(x)
		slices.Reverse(y)
		slices.Reverse(z)
		got := mixed(t, m, lambda).Mass
		slices.Reverse(got)
		near.all(t, "mirrored", got, want.Mass)
		pair := mixture{m.on, even(2), stack(x, x.Clone())}
		slices.Reverse(pair.a.Row(1))
		got = mixed(t, pair, lambda).Mass
		back := got.Clone()
		slices.Reverse(back)
		near.all(t, "of a mirrored pair", got, back)
	}
}

// TestOfGaussians: of discretised Gaussians N(m₁, σ₁²) and N(m₂, σ₂²) it is the one between, of
// variance S = Σ wₛ·(√(S·σₛ² + λ²/16) + λ/4): plans are Gaussians of precision 2/λ − gₛ″/λ in b,
// and Σ wₛ·gₛ″ = 0.
func TestOfGaussians(t *testing.T) {
	const n, lambda = 400, 0.002
	at := func(i int) float64 { return float64(i) / (n - 1) }
	bell := func(mean, sd float64) tensor.Vector {
		return unit(n, func(i float64) float64 {
			z := (at(int(i)-1) - mean) / sd
			return math.Exp(-z * z / 2)
		})
	}
	w := tensor.Vector{0.3, 0.7}
	a := stack(bell(0.35, 0.03), bell(0.6, 0.06))
	b := mixed(t, mixture{ot.SquaredGrid(1, n), w, a}, lambda).Mass
	mean, square := 0.0, 0.0
	for i, x := range b {
		mean += x * at(i)
		square += x * at(i) * at(i)
	}
	want := 0.05 * 0.05
	for range 200 {
		sum := 0.0
		for s, sd := range []float64{0.03, 0.06} {
			sum += w[s] * (math.Sqrt(want*sd*sd+lambda*lambda/16) + lambda/4)
		}
		want = sum
	}
	tolerance{1e-6, 0}.one(t, "mean", mean, 0.3*0.35+0.7*0.6)
	tolerance{0, 1e-4}.one(t, "variance", square-mean*mean, want)
}

// TestSmallSupports has one point, one measure, and point masses at one place, however many, whose
// barycenter is their row of exp(−C/λ), normalised.
func TestSmallSupports(t *testing.T) {
	one := mixture{ot.SquaredGrid(1, 1), tensor.Vector{1}, stack(tensor.Vector{1})}
	tolerance{1e-15, 0}.all(t, "one point", mixed(t, one, 1e-3).Mass, tensor.Vector{1})
	for _, lambda := range []float64{0.05, 0.003, 1e-3, 1e-5} {
		point := tensor.Vector{1, 0, 0, 0, 0}
		want := unit(5, func(i float64) float64 { return math.Exp(-(i - 1) * (i - 1) / 16 / lambda) })
		for count := range 4 {
			m := mixture{ot.SquaredGrid(1, 5), even(count + 1), tensor.NewMatrix(count+1, 5)}
			for s := range m.w {
				copy(m.a.Row(s), point)
			}
			tolerance{1e-300, 1e-12}.all(t, "a point", mixed(t, m, lambda).Mass, want)
		}
	}
}

// TestRestIsNotConvergence: points far apart exchange mass by e⁻²⁵⁰ at first, so b rests where
// the first sweep has put it, which is not the barycenter.
func TestRestIsNotConvergence(t *testing.T) {
	m := mixture{ot.SquaredGrid(1, 3), even(2), stack(even(3), tensor.Vector{0.8, 0.1, 0.1})}
	s := &ot.Bregman{Lambda: 0.001, Epsilon: 1e-12, MaxSweeps: 20}
	c, err := s.Barycenter(m.on, m.w, m.a)
	if err != nil || !(c.Change < 1e-12) || !(c.Residual > 0.1) || c.Converged || c.Sweeps != 20 {
		t.Error(c, err)
	}
}

func TestBregmanSaysWhatIsWrong(t *testing.T) {
	nan, grid, none := math.NaN(), ot.SquaredGrid(1, 2), tensor.NewMatrix(1, 1)
	half, w := even(2), tensor.Vector{1}
	skew := ot.Support{Down: none, Across: tensor.NewMatrix(1, 2)}
	wrong := []struct {
		m      mixture
		lambda float64
		want   string
	}{
		{mixture{grid, w, stack(tensor.Vector{0, 0})}, 1, "measure 0: a sums to 0, not to 1"},
		{mixture{grid, w, stack(tensor.Vector{2, -1})}, 1,
			"measure 0: a[1] is -1, which is not a probability"},
		{mixture{grid, w, stack(half, half)}, 1,
			"1 weights and 2 measures on 2 points, but the support has 2"},
		{mixture{grid, w, stack(even(3))}, 1,
			"1 weights and 1 measures on 3 points, but the support has 2"},
		{mixture{grid, tensor.Vector{0}, stack(half)}, 1, "the weights sum to 0"},
		{mixture{grid, tensor.Vector{3, -1}, stack(half, half)}, 1, "weight 1 is -1"},
		{mixture{grid, tensor.Vector{nan}, stack(half)}, 1, "the weights sum to NaN"},
		{mixture{grid, w, stack(half)}, 0, "λ is 0"},
		{mixture{grid, w, stack(half)}, nan, "λ is NaN"},
		{mixture{grid, w, stack(half)}, 1e-16, "λ is 1e-16, too small for costs that differ by 1"},
		{mixture{skew, w, stack(half)}, 1, "the costs of a direction are 1×2 with 2 elements"},
		{mixture{ot.Points(stack(tensor.Vector{nan})), w, stack(w)}, 1,
			"C[0, 0] is NaN, which is no cost"},
	}
	for _, c := range wrong {
		s := &ot.Bregman{Lambda: c.lambda, MaxSweeps: 10}
		if _, err := s.Barycenter(c.m.on, c.m.w, c.m.a); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestBregmanIsUsedAgain: memory of another problem shows neither in the bits nor as allocations.
func TestBregmanIsUsedAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 5))
	large, small := images(rng, 8, 6, 4), images(rng, 3, 4, 2)
	s := &ot.Bregman{MaxSweeps: 20}
	solve := func(s *ot.Bregman, m mixture, lambda float64) tensor.Vector {
		s.Lambda = lambda
		c, err := s.Barycenter(m.on, m.w, m.a)
		if err != nil {
			t.Fatal(err)
		}
		return c.Mass
	}
	for _, lambda := range []float64{0.1, 1e-4} {
		solve(s, large, lambda)
		got := solve(s, small, lambda)
		want := solve(&ot.Bregman{MaxSweeps: 20}, small, lambda)
		if !slices.Equal(got, want) {
			t.Errorf("λ = %g: %v, want %v", lambda, got, want)
		}
		kerneltest.None(t, func() {
			solve(s, large, lambda)
			solve(s, small, lambda)
		})
	}
}

// TestTheBitsOfBarycenters holds on every path of the kernels, as TestTheBitsOfTransport does.
func TestTheBitsOfBarycenters(t *testing.T) {
	h, s := sha256.New(), &ot.Bregman{Epsilon: 1e-6, MaxSweeps: 50}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(82, seed))
		m := images(rng, 1+rng.IntN(20), 1+rng.IntN(20), 1+rng.IntN(9))
		for _, s.Lambda = range []float64{0.1, 0.002, 1e-5} {
			c, err := s.Barycenter(m.on, m.w, m.a)
			if err != nil {
				t.Fatal(err)
			}
			numbers := append(tensor.Vector{c.Change, c.Residual, float64(c.Sweeps)}, c.Mass...)
			if err := binary.Write(h, binary.LittleEndian, []float64(numbers)); err != nil {
				t.Fatal(err)
			}
		}
	}
	unchanged(t, "barycenter.sha256", h)
}
