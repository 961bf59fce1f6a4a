package ot_test

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// byTraces returns W₂ by its definition.
func byTraces(t *testing.T, p, q ot.Gaussian) float64 {
	t.Helper()
	d := len(p.Mean)
	var e tensor.Eigen
	if _, err := e.FactorPositive(p.Cov, 1e-15); err != nil {
		t.Fatal(err)
	}
	root := tensor.NewMatrix(d, d)
	e.Sqrt(root)
	between, _, err := e.Factor(times(times(root, q.Cov), root))
	if err != nil {
		t.Fatal(err)
	}
	square := math.Pow(p.Mean.Distance(q.Mean), 2)
	for i, x := range between {
		square += p.Cov.Row(i)[i] + q.Cov.Row(i)[i] - 2*math.Sqrt(max(0, x))
	}
	return math.Sqrt(square)
}

func TestDistanceIsThatOfItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, d := range []int{1, 2, 5, 33} {
		for _, condition := range []float64{1, 100, 1e7} {
			p, q := gaussian(t, rng, d, condition), gaussian(t, rng, d, condition)
			got, want := mustDistance(t, p, q), byTraces(t, p, q)
			if math.Abs(got-want) > 1e-11*want {
				t.Errorf("d = %d, condition %v: %v, by traces %v", d, condition, got, want)
			}
			if back := mustDistance(t, q, p); math.Abs(back-got) > 1e-13*got {
				t.Errorf("d = %d: %v there, %v back", d, got, back)
			}
			between := gaussian(t, rng, d, condition)
			if by := mustDistance(t, p, between) + mustDistance(t, between, q); by < got*(1-1e-14) {
				t.Errorf("d = %d: %v directly, %v by a third law", d, got, by)
			}
		}
	}
	if x := mustDistance(t, ot.Gaussian{}, ot.Gaussian{}); x != 0 {
		t.Errorf("without dimensions: %v", x)
	}
}

// Near 0, where a difference of traces has half of the digits, no digits are lost but those of
// the covariances themselves; nor where these are singular.
func TestDistanceNearZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	for _, d := range []int{1, 4, 25} {
		for _, condition := range []float64{1, 1e4, 1e8, math.Inf(1)} {
			p := gaussian(t, rng, d, min(condition, 100))
			if d > 1 && condition > 100 {
				lambda := make(tensor.Vector, d)
				for i := range lambda {
					lambda[i] = math.Pow(condition, -float64(i)/float64(d-1))
				}
				p.Cov = turned(t, symmetric(rng, d), lambda)
			}
			trace := 0.0
			for i := range d {
				trace += p.Cov.Row(i)[i]
			}
			for _, delta := range []float64{0, 1e-12, 1e-9, 1e-6, 1e-2} {
				q := ot.Gaussian{Mean: p.Mean, Cov: tensor.NewMatrix(d, d)}
				tensor.Vector(q.Cov.Data).AddScaled((1+delta)*(1+delta), p.Cov.Data)
				want, scale := delta*math.Sqrt(trace), math.Sqrt(trace)
				if got := mustDistance(t, p, q); math.Abs(got-want) > 2e-15*float64(d)*scale {
					t.Errorf("d = %d, condition %v, δ = %v: %v, want %v", d, condition, delta,
						got, want)
				}
			}
		}
	}
}

// W₂(G^τ, H) = (1 − τ)·W₂(G, H) and W₂(G^s, G^t) = |t − s|·W₂(G, H), also for a small one.
func TestTheoremContraction(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	var b ot.Bures
	for _, d := range []int{1, 2, 16, 50} {
		p, q := gaussian(t, rng, d, 100), gaussian(t, rng, d, 100)
		m, w := mustMap(t, p, q), mustDistance(t, p, q)
		for _, tau := range []float64{0, 0.1, 0.25, 0.4, 0.8, 1} {
			g := b.Interpolate(m, p, tau)
			if left := mustDistance(t, g, q); math.Abs(left-(1-tau)*w) > 1e-12*w {
				t.Errorf("d = %d, τ = %v: %v, want %v", d, tau, left, (1-tau)*w)
			}
			on := b.Interpolate(m, p, tau+1e-8)
			if step := mustDistance(t, g, on); math.Abs(step/w-1e-8) > 1e-14*float64(d) {
				t.Errorf("d = %d, τ = %v: a step of 1e-8 is one of %v", d, tau, step/w)
			}
		}
	}
}

// A takes Σ to Γ, is the identity from a law to itself, and back is its inverse.
func TestTheoremMapTakesSourceToTarget(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	for _, d := range []int{1, 2, 16, 50} {
		p, q := gaussian(t, rng, d, 1e3), gaussian(t, rng, d, 1e3)
		m := mustMap(t, p, q)
		e := far(times(times(m.A, p.Cov), m.A), q.Cov)
		if e > 1e-11 || !m.Converged || math.Abs(m.Residual-e) > 1e-13 || m.Rank != d {
			t.Errorf("d = %d: AΣA is %v from Γ, residual %v", d, e, m.Residual)
		}
		one := diagonal(ones(d)...).Cov
		if e := far(times(m.A, mustMap(t, q, p).A), one); e > 1e-9 {
			t.Errorf("d = %d: there and back is %v from where it began", d, e)
		}
		if e := far(mustMap(t, p, p).A, one); e > 1e-11 {
			t.Errorf("d = %d: the map to itself is %v from the identity", d, e)
		}
	}
}

func ones(n int) tensor.Vector {
	v := make(tensor.Vector, n)
	v.Fill(1)
	return v
}

// A map from a singular law exists if it need not leave its range; otherwise it says so.
func TestMapFromASingularLaw(t *testing.T) {
	m := mustMap(t, diagonal(4, 1, 0), diagonal(1, 9, 0))
	if !m.Converged || m.Rank != 2 || m.Residual > 1e-14 {
		t.Errorf("within the range: %+v", m)
	}
	tolerance{abs: 1e-14}.all(t, "A", m.A.Data, diagonal(0.5, 3, 0).Cov.Data)
	m = mustMap(t, diagonal(0, 0), diagonal(1, 1))
	if m.Converged || m.Rank != 0 || m.Residual != 1 {
		t.Errorf("from a point: %+v", m)
	}
	m = mustMap(t, diagonal(1, 1), diagonal(0, 0))
	if !m.Converged || m.Residual != 0 {
		t.Errorf("to a point: %+v", m)
	}
}

// features returns n points, and their law.
func features(rng *rand.Rand, n, d int) (tensor.Matrix, ot.Gaussian) {
	x := tensor.Matrix{Rows: n, Cols: d, Data: gauss(rng, n*d, 1)}
	x = times(x, tensor.Matrix{Rows: d, Cols: d, Data: gauss(rng, d*d, 1)})
	for i := range n {
		x.Row(i)[0] += 3
	}
	return x, law(x)
}

// law returns the law of the rows of x.
func law(x tensor.Matrix) ot.Gaussian {
	g := ot.Gaussian{Mean: make(tensor.Vector, x.Cols), Cov: tensor.NewMatrix(x.Cols, x.Cols)}
	for i := range x.Rows {
		g.Mean.AddScaled(1/float64(x.Rows), x.Row(i))
	}
	for i := range x.Rows {
		z := x.Row(i).Clone()
		z.Sub(g.Mean)
		for j := range z {
			g.Cov.Row(j).AddScaled(z[j]/float64(x.Rows), z)
		}
	}
	return g
}

// With τ = 1 the moments of the features become those of the target, with τ in between those of
// the geodesic, and what becomes of a row depends on nothing but that row.
func TestTheoremFeaturesMoveAsTheirLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 5))
	var b ot.Bures
	for _, d := range []int{1, 3, 20} {
		x, from := features(rng, 300, d)
		to := gaussian(t, rng, d, 10)
		m := mustMap(t, from, to)
		for _, tau := range []float64{0.3, 1} {
			moved := tensor.NewMatrix(x.Rows, d)
			b.Apply(moved, x, m, tau)
			got, want := law(moved), b.Interpolate(m, from, tau)
			if tau == 1 {
				want = to
			}
			if e := far(got.Cov, want.Cov); e > 1e-10 || got.Mean.Distance(want.Mean) > 1e-12 {
				t.Errorf("d = %d, τ = %v: covariance %v away", d, tau, e)
			}
			some := tensor.NewMatrix(2, d)
			copy(some.Data, x.Slice(140, 142).Data)
			b.Apply(some, some, m, tau)
			if far(some, moved.Slice(140, 142)) != 0 {
				t.Errorf("d = %d, τ = %v: two rows alone, in place, move elsewhere", d, tau)
			}
		}
	}
}

func TestTheoremNothingMovesForZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var b ot.Bures
	x, from := features(rng, 10, 2)
	minus := math.Copysign(0, -1)
	copy(x.Data, []float64{minus, math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64})
	m := mustMap(t, from, gaussian(t, rng, 2, 10))
	same := tensor.NewMatrix(10, 2)
	b.Apply(same, x, m, 0)
	g := b.Interpolate(m, from, 0)
	for _, p := range [][2]tensor.Vector{
		{same.Data, x.Data}, {g.Mean, from.Mean}, {g.Cov.Data, from.Cov.Data},
	} {
		for i, v := range p[1] {
			if math.Float64bits(p[0][i]) != math.Float64bits(v) {
				t.Errorf("%v became %v", v, p[0][i])
			}
		}
	}
}

var rewrite = flag.Bool("update", false, "rewrite the hashes of results")

// TestTheBitsOfGaussianTransport holds on every path of the kernels: run it with HANSA_ISA set to
// avx512, avx2 and generic. The workspace is used again, which must not show either.
func TestTheBitsOfGaussianTransport(t *testing.T) {
	h := sha256.New()
	var b ot.Bures
	for _, d := range []int{70, 9, 1, 33} {
		rng := rand.New(rand.NewPCG(7, uint64(d)))
		w, gs := several(t, rng, 3, d, 100)
		c := mustBarycenter(t, &b, w, gs)
		m, err := b.Map(gs[0], c.Gaussian)
		if err != nil {
			t.Fatal(err)
		}
		x := tensor.Matrix{Rows: 150, Cols: d, Data: gauss(rng, 150*d, 1)}
		b.Apply(x, x, m, 0.4)
		distance, err := b.Distance(gs[1], c.Gaussian)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range [][]float64{c.Cov.Data, m.A.Data, x.Data,
			{c.Objective, c.Residual, c.Change, m.Residual, distance}} {
			if err := binary.Write(h, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	unchanged(t, "gaussian.sha256", h)
}
