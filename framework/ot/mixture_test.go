package ot_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestMixturesGolden compares plans, MW₂² and maps with those of SciPy and POT, from
// testdata/mixture_ot.py.
func TestMixturesGolden(t *testing.T) {
	cases := readGolden(t, "mixture_ot.json")
	if len(cases) != 5 {
		t.Errorf("%d cases, want 5", len(cases))
	}
	type law struct {
		Weights     tensor.Vector
		Means       []tensor.Vector
		Covariances [][]tensor.Vector
	}
	made := func(l law) ot.GaussianMixture {
		m := ot.GaussianMixture{Weights: l.Weights}
		for g, mean := range l.Means {
			m.Parts = append(m.Parts, ot.Gaussian{Mean: mean, Cov: stacked(l.Covariances[g])})
		}
		return m
	}
	for _, g := range cases {
		var in struct {
			From, To law
			Points   []tensor.Vector
		}
		g.inputs(t, &in)
		var m ot.Mixtures
		from, to := made(in.From), made(in.To)
		p, err := m.Plan(from, to)
		if err != nil {
			t.Fatal(err)
		}
		by, err := m.Map(from, to)
		if err != nil || !by.Converged {
			t.Fatalf("%s: %v, converged %v", g.Name, err, by.Converged)
		}
		x := stacked(in.Points)
		images := tensor.NewMatrix(x.Rows, x.Cols)
		m.Apply(images, x, by, 1)
		for key := range g.Expected {
			g.check(t, key, map[string]any{"plan": rowsOf(p.Plan), "squared": p.Squared,
				"images": rowsOf(images)}[key])
		}
	}
}

// blend returns a mixture of Gaussians that are well-conditioned, of means so far from 0.
func blend(t *testing.T, rng *rand.Rand, parts, d int, apart float64) ot.GaussianMixture {
	t.Helper()
	m := ot.GaussianMixture{Weights: make(tensor.Vector, parts)}
	for g := range parts {
		m.Weights[g] = 0.2 + rng.Float64()
		one := gaussian(t, rng, d, 10)
		one.Mean.Scale(apart)
		m.Parts = append(m.Parts, one)
	}
	m.Weights.Scale(1 / m.Weights.Sum())
	return m
}

// TestMixtureAgainstItsAffineCopy: an affine map with a symmetric positive matrix is the gradient
// of a convex function and so optimal; the map between a mixture and its copy under it is that map
// at every point, however components overlap, and MW₂² is W₂² = E‖T(Z) − Z‖².
func TestMixtureAgainstItsAffineCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for _, apart := range []float64{0.1, 1, 5} {
		from := blend(t, rng, 4, 3, apart)
		by := gaussian(t, rng, 3, 10) // its covariance is A, its mean the offset
		to := ot.GaussianMixture{Weights: from.Weights}
		want := 0.0
		for g, part := range from.Parts {
			to.Parts = append(to.Parts, under(part, by))
			w := mustDistance(t, part, to.Parts[g])
			want += from.Weights[g] * w * w
		}
		var m ot.Mixtures
		p, err := m.Plan(from, to)
		if err != nil || math.Abs(p.Squared-want) > 1e-9*want {
			t.Errorf("MW₂² = %v, want %v, %v", p.Squared, want, err)
		}
		there, err := m.Map(from, to)
		if err != nil {
			t.Fatal(err)
		}
		x, y := tensor.NewMatrix(50, 3), tensor.NewMatrix(50, 3)
		for i := range x.Data {
			x.Data[i] = 4 * rng.NormFloat64()
		}
		m.Apply(y, x, there, 1)
		for i := range x.Rows {
			for j := range 3 {
				if w := by.Mean[j] + by.Cov.Row(j).Dot(x.Row(i)); math.Abs(y.Row(i)[j]-w) > 1e-8 {
					t.Fatalf("apart %v, row %d: %v, want %v", apart, i, y.Row(i)[j], w)
				}
			}
		}
	}
}

// under returns the law of Az + b for z of a law, symmetric A = by.Cov and b = by.Mean.
func under(g, by ot.Gaussian) ot.Gaussian {
	d := len(g.Mean)
	to := ot.Gaussian{Mean: by.Mean.Clone(), Cov: tensor.NewMatrix(d, d)}
	half := tensor.NewMatrix(d, d)
	tensor.Mul(half, by.Cov, g.Cov)
	tensor.Mul(to.Cov, half, by.Cov)
	for i := range d {
		to.Mean[i] += by.Cov.Row(i).Dot(g.Mean)
		for j := range i {
			to.Cov.Row(j)[i] = to.Cov.Row(i)[j]
		}
	}
	return to
}

// TestMixturesOfOneComponent: plan, map and barycenter are those of Gaussians.
func TestMixturesOfOneComponent(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	gs := []ot.Gaussian{gaussian(t, rng, 4, 30), gaussian(t, rng, 4, 30), gaussian(t, rng, 4, 30)}
	w := tensor.Vector{1, 2, 3}
	var laws []ot.GaussianMixture
	for _, g := range gs {
		laws = append(laws, ot.GaussianMixture{Weights: tensor.Vector{1}, Parts: []ot.Gaussian{g}})
	}
	var m ot.Mixtures
	p, err := m.Plan(laws[0], laws[1])
	if d := mustDistance(t, gs[0], gs[1]); err != nil || math.Abs(p.Squared-d*d) > 1e-12*d*d {
		t.Errorf("MW₂² = %v, W₂² = %v, %v", p.Squared, d*d, err)
	}
	by, err := m.Map(laws[0], laws[1])
	one := mustMap(t, gs[0], gs[1])
	if err != nil || far(by.Parts[0].A, one.A) > 0 || by.Parts[0].Target.Distance(one.Target) > 0 {
		t.Errorf("another map, %v", err)
	}
	b, err := m.Barycenter(w, laws, laws[0])
	want := mustBarycenter(t, new(ot.Bures), w, gs)
	if err != nil || !b.Converged || far(b.Parts[0].Cov, want.Cov) > 1e-9 ||
		b.Parts[0].Mean.Distance(want.Mean) > 1e-12 {
		t.Errorf("another barycenter, %+v, %v", b, err)
	}
}

// TestBarycenterOfMixtures: the objective is no larger than at the start, that of equal mixtures is
// 0 at themselves, and of two copies of one mixture by symmetric maps the barycenter is the copy by
// the mean map, with equal weights half of the way.
func TestBarycenterOfMixtures(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 3))
	from := blend(t, rng, 3, 3, 6)
	var m ot.Mixtures
	same, err := m.Barycenter(tensor.Vector{1, 2}, []ot.GaussianMixture{from, from}, from)
	if err != nil || !(same.Objective < 1e-9) {
		t.Errorf("of equal mixtures: %v, %v", same.Objective, err)
	}
	by := gaussian(t, rng, 3, 4)
	half := ot.Gaussian{Mean: by.Mean.Clone(), Cov: tensor.NewMatrix(3, 3)}
	half.Mean.Scale(0.5)
	copy(half.Cov.Data, by.Cov.Data)
	tensor.Vector(half.Cov.Data).Scale(0.5)
	to, middle := ot.GaussianMixture{Weights: from.Weights}, ot.GaussianMixture{Weights: from.Weights}
	for i := range 3 {
		half.Cov.Row(i)[i] += 0.5
	}
	for _, part := range from.Parts {
		to.Parts = append(to.Parts, under(part, by))
		middle.Parts = append(middle.Parts, under(part, half))
	}
	b, err := m.Barycenter(tensor.Vector{1, 1}, []ot.GaussianMixture{from, to}, from)
	if err != nil || !b.Converged {
		t.Fatalf("%+v, %v", b, err)
	}
	if p, err := m.Plan(b.GaussianMixture, middle); err != nil || p.Squared > 1e-9 {
		t.Errorf("barycenter of a mixture and its copy is %v from half of the way, %v", p.Squared, err)
	}
	laws := []ot.GaussianMixture{from, blend(t, rng, 2, 3, 3), blend(t, rng, 5, 3, 3)}
	start, w := 0.0, tensor.Vector{1, 1, 1}
	for _, law := range laws {
		p, err := m.Plan(from, law)
		if err != nil {
			t.Fatal(err)
		}
		start += p.Squared / 3
	}
	if b, err = m.Barycenter(w, laws, from); err != nil || b.Objective >= start {
		t.Errorf("the objective is %v, at the start %v, %v", b.Objective, start, err)
	}
}

// TestMixturesSayWhatIsWrong: weights that are none are refused, and τ = 0 is a copy.
func TestMixturesSayWhatIsWrong(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	a, b := blend(t, rng, 2, 2, 1), blend(t, rng, 3, 2, 1)
	var m ot.Mixtures
	by, err := m.Map(a, b)
	if err != nil {
		t.Fatal(err)
	}
	x, y := tensor.NewMatrix(4, 2), tensor.NewMatrix(4, 2)
	x.Row(1)[0] = 3
	if m.Apply(y, x, by, 0); far(x, y) > 0 {
		t.Error("τ = 0 moves rows")
	}
	a.Weights[0] = 2
	if _, err := m.Plan(a, b); err == nil {
		t.Error("weights that sum to 2: no error")
	}
}
