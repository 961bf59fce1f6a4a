package stats

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// flat returns the numbers of any nested lists, in order.
func flat(t *testing.T, text json.RawMessage) (all tensor.Vector) {
	t.Helper()
	var lists any
	if err := json.Unmarshal(text, &lists); err != nil {
		t.Fatal(err)
	}
	var visit func(any)
	visit = func(x any) {
		switch x := x.(type) {
		case []any:
			for _, y := range x {
				visit(y)
			}
		case float64:
			all = append(all, x)
		}
	}
	visit(lists)
	return all
}

var spreads = map[string]Spread{
	"spherical": Spherical, "diag": Diagonal, "full": Full, "tied": Tied,
}

func TestMixtureGolden(t *testing.T) {
	for _, g := range readGolden[headGolden](t, "one_shot_heads", 13) {
		if !strings.HasPrefix(g.Name, "gmm_") {
			continue
		}
		var in struct {
			X          []tensor.Vector
			Weights    tensor.Vector   `json:"weights0"`
			Means      []tensor.Vector `json:"means0"`
			Form       string          `json:"covariance_type"`
			Iterations int
			Regular    float64 `json:"reg_covar"`
		}
		var want struct {
			Weights          tensor.Vector
			Means            json.RawMessage
			Covariances      json.RawMessage
			LogDensity       tensor.Vector   `json:"log_density_first4"`
			Responsibilities json.RawMessage `json:"responsibilities_first4"`
			LogLikelihood    float64         `json:"mean_log_likelihood"`
		}
		g.into(t, &in, &want)
		em := EM{Spread: spreads[in.Form], Regular: in.Regular, MaxIterations: in.Iterations}
		start := newMixture(em.Spread, len(in.Means), 2)
		copy(start.Weights, in.Weights)
		copy(start.Means.Data, matrix(in.Means).Data)
		for i := range start.Cov.Data { // identities
			if !em.Spread.dense() || i%4%3 == 0 {
				start.Cov.Data[i] = 1
			}
		}
		x := matrix(in.X)
		fit, err := em.From(start, x)
		if err != nil {
			t.Fatal(err)
		}
		if in.Iterations < 10 && fit.Iterations != in.Iterations ||
			in.Iterations > 10 && !fit.Converged {
			t.Errorf("%s: %d iterations, converged %t", g.Name, fit.Iterations, fit.Converged)
		}
		g.Tol.all(t, g.Name+": weights", fit.Weights, want.Weights)
		g.Tol.all(t, g.Name+": means", fit.Means.Data, flat(t, want.Means))
		g.Tol.all(t, g.Name+": covariances", fit.Cov.Data, flat(t, want.Covariances))
		g.Tol.one(t, g.Name+": likelihood", fit.LogLikelihood, want.LogLikelihood)
		density := make(tensor.Vector, 4)
		if err := fit.LogDensity(density, x.Slice(0, 4)); err != nil {
			t.Fatal(err)
		}
		g.Tol.all(t, g.Name+": density", density, want.LogDensity)
		f := newFitting(EM{Spread: em.Spread, Components: 2}, x.Slice(0, 4))
		copyMixture(f.fit.Mixture, fit.Mixture)
		if err := f.expect(); err != nil {
			t.Fatal(err)
		}
		g.Tol.all(t, g.Name+": shares", f.share.Data, flat(t, want.Responsibilities))
	}
}

// blobs returns n rows from so many clusters.
func blobs(rng *rand.Rand, n, d, clusters int) tensor.Matrix {
	x := tensor.Matrix{Rows: n, Cols: d, Data: normals(rng, n*d, 1)}
	for i := range n {
		x.Row(i)[i%clusters%d] += 6 * float64(1+i%clusters/d)
	}
	return x
}

// The likelihood never falls: by plain maximisation it rises in every step, and with variances
// made regular, which can make it fall, the fit ends before it does.
func TestTheoremLikelihoodNeverFalls(t *testing.T) {
	for name, spread := range spreads {
		rng := rand.New(rand.NewPCG(33, uint64(spread)))
		for _, regular := range []float64{0, 1e-6, 0.3} {
			x := blobs(rng, 200, 3, 4)
			last, begin := math.Inf(-1), rng.Uint64()
			for n := range 30 {
				em := EM{Spread: spread, Components: 5, Regular: regular, MaxIterations: n}
				fit, err := em.Fit(x, rand.New(rand.NewPCG(begin, 0)))
				if err != nil {
					t.Fatal(err)
				}
				if fit.LogLikelihood < last-1e-13 {
					t.Errorf("%s, %v: after %d iterations %v, before %v", name, regular, n,
						fit.LogLikelihood, last)
				}
				if regular == 0 && fit.Gain < -1e-13 || fit.Reseeded > 0 {
					t.Errorf("%s: %d iterations gain %v", name, n, fit.Gain)
				}
				last = fit.LogLikelihood
			}
		}
	}
}

// One component is the mean and the covariance of the rows, over n.
func TestMixtureOfOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 2))
	x := blobs(rng, 60, 4, 3)
	want := naiveMoments(x, make([]int, 60), 1)
	tensor.Vector(want.Within.Data).Scale(1.0 / 60)
	diagonal := make(tensor.Vector, 4)
	for i := range diagonal {
		diagonal[i] = want.Within.Row(i)[i]
	}
	tol := tolerance{Abs: 1e-12}
	for spread, cov := range map[Spread]tensor.Vector{
		Spherical: {diagonal.Sum() / 4}, Diagonal: diagonal,
		Full: want.Within.Data, Tied: want.Within.Data,
	} {
		fit, err := EM{Spread: spread, Components: 1, MaxIterations: 5}.Fit(x, rng)
		if err != nil || !fit.Converged || fit.Weights[0] != 1 {
			t.Fatalf("form %d: %+v, %v", spread, fit, err)
		}
		tol.all(t, "mean", fit.Means.Data, want.Mean.Data)
		tol.all(t, "covariance", fit.Cov.Data, cov)
	}
}

// A mixture that is sampled is found again.
func TestMixtureFromItsSamples(t *testing.T) {
	for name, spread := range spreads {
		rng := rand.New(rand.NewPCG(34, uint64(spread)))
		m := newMixture(spread, 2, 2)
		copy(m.Weights, []float64{3, 1}) // relative to their sum
		copy(m.Means.Data, []float64{0, 0, 8, -3})
		copy(m.Cov.Data, map[Spread][]float64{Spherical: {1, 0.25}, Diagonal: {1, 4, 0.25, 0.5},
			Full: {1, 0.5, 0.5, 2, 0.5, -0.2, -0.2, 0.25}, Tied: {1, 0.5, 0.5, 2}}[spread])
		x := tensor.NewMatrix(20_000, 2)
		if err := m.Sample(x, rng); err != nil {
			t.Fatal(err)
		}
		em := EM{Spread: spread, Components: 2, MaxIterations: 200, Tolerance: 1e-9}
		fit, err := em.Fit(x, rng)
		if err != nil || !fit.Converged {
			t.Fatalf("%s: %+v, %v", name, fit, err)
		}
		if fit.Means.Row(0)[0] > 4 { // the order of components is free
			fit, err = em.From(swapped(fit.Mixture), x)
		}
		if err != nil {
			t.Fatal(err)
		}
		tolerance{Abs: 0.02}.all(t, name+": weights", fit.Weights, tensor.Vector{0.75, 0.25})
		tolerance{Abs: 0.08}.all(t, name+": means", fit.Means.Data, m.Means.Data)
		tolerance{Abs: 0.03, Rel: 0.06}.all(t, name+": covariances", fit.Cov.Data, m.Cov.Data)
	}
}

// swapped returns a mixture of two with its components in the other order.
func swapped(m Mixture) Mixture {
	to := newMixture(m.Spread, 2, m.Means.Cols)
	copyMixture(to, m)
	for g := range 2 {
		to.Weights[g] = m.Weights[1-g]
		copy(to.Means.Row(g), m.Means.Row(1-g))
		copy(to.covariance(g).Data, m.covariance(1-g).Data)
	}
	return to
}

// Densities in closed form, and far from every component, where no density is a number.
func TestLogDensity(t *testing.T) {
	m := newMixture(Full, 1, 2)
	m.Weights[0] = 5
	copy(m.Cov.Data, []float64{2, 1, 1, 2}) // det 3, inverse (2, −1; −1, 2)/3
	got := make(tensor.Vector, 3)
	if err := m.LogDensity(got, matrix([]tensor.Vector{{0, 0}, {1, 2}, {3e5, 0}})); err != nil {
		t.Fatal(err)
	}
	top := -math.Log(2*math.Pi) - math.Log(3)/2
	want := tensor.Vector{top, top - 1, top - 3e10}
	tolerance{Abs: 1e-14, Rel: 1e-14}.all(t, "density", got, want)
	copy(m.Cov.Data, []float64{1, 1, 1, 1}) // eigenvalues 2 and 0, which becomes 2·2⁻⁵²·2
	if err := m.LogDensity(got[:1], tensor.NewMatrix(1, 2)); err != nil {
		t.Fatal(err)
	}
	flat := -math.Log(2*math.Pi) - math.Log(8*0x1p-52)/2
	tolerance{Rel: 1e-12}.one(t, "density of a singular covariance", got[0], flat)
	clear(m.Cov.Data)
	if err := m.LogDensity(got[:1], tensor.NewMatrix(1, 2)); !errors.Is(err, tensor.ErrNotPositive) {
		t.Errorf("a covariance of 0: %v", err)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		m := newMixture(Diagonal, 1, 2)
		m.Weights[0], m.Cov.Data[0], m.Cov.Data[1] = 1, 1, bad
		if err := m.LogDensity(got, tensor.NewMatrix(3, 2)); err == nil {
			t.Errorf("a variance of %v has a density", bad)
		}
		if err := m.Sample(tensor.NewMatrix(3, 2), nil); err == nil {
			t.Errorf("a variance of %v has a sample", bad)
		}
	}
}

func TestFewSamplesHaveFewComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 4))
	em := EM{Spread: Diagonal, Components: 10, Regular: 1e-6, MaxIterations: 100}
	for n, want := range map[int]int{1: 1, 2: 1, 3: 1, 7: 3, 10: 5, 11: 10} {
		rng := rand.New(rand.NewPCG(37, uint64(n)))
		fit, err := em.Fit(blobs(rng, n, 3, 3), rng)
		if err != nil || len(fit.Weights) != want || math.Abs(fit.Weights.Sum()-1) > 1e-14 {
			t.Errorf("%d rows: %d components, want %d, %v", n, len(fit.Weights), want, err)
		}
	}
	if _, err := em.Fit(tensor.NewMatrix(0, 3), rng); !errors.Is(err, ErrNoSamples) {
		t.Errorf("no rows: %v", err)
	}
	nan := blobs(rng, 20, 3, 2)
	nan.Data[7] = math.NaN()
	if _, err := em.Fit(nan, rng); !errors.Is(err, ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
	if _, err := em.From(newMixture(Full, 2, 3), nan); err == nil {
		t.Error("a start of another form is taken")
	}
}

// lonely returns a mixture of components of variance 1: one at 0, one at (6, 0), and others so far
// away that nothing belongs to them.
func lonely(spread Spread, components int) Mixture {
	m := newMixture(spread, components, 2)
	m.Weights.Fill(1)
	for g := range components {
		m.Means.Row(g)[1] = 1e9
	}
	clear(m.Means.Data[:4])
	m.Means.Row(1)[0] = 6
	for i := range m.Cov.Data {
		if !spread.dense() || i%4%3 == 0 {
			m.Cov.Data[i] = 1
		}
	}
	return m
}

// Components to which nothing belongs begin anew where the mixture is worst, each elsewhere, and
// no number is lost on the way.
func TestEmptyComponentsBeginAnew(t *testing.T) {
	for name, spread := range spreads {
		x := blobs(rand.New(rand.NewPCG(35, uint64(spread))), 90, 2, 2)
		em := EM{Spread: spread, Regular: 1e-6, MaxIterations: 3000, Tolerance: 1e-10}
		fit, err := em.From(lonely(spread, 4), x)
		if err != nil || fit.Reseeded < 2 || !fit.Converged {
			t.Fatalf("%s: %+v, %v", name, fit, err)
		}
		if tensor.Vector(fit.Means.Data).NormInf() > 20 || !(fit.Weights[2] > 1e-3) {
			t.Errorf("%s: means %v, weights %v", name, fit.Means.Data, fit.Weights)
		}
		if fit.Means.Row(2).Distance(fit.Means.Row(3)) == 0 {
			t.Errorf("%s: two components are one: %v", name, fit.Means.Data)
		}
	}
}

// With fewer different rows than components the others end without harm, and do not begin anew
// for ever.
func TestMixtureOfEqualRows(t *testing.T) {
	for name, spread := range spreads {
		same := tensor.NewMatrix(30, 2)
		same.Row(4)[0] = 1
		for _, regular := range []float64{1e-6, 1e-30} {
			em := EM{Spread: spread, Components: 4, Regular: regular, MaxIterations: 500}
			fit, err := em.Fit(same, rand.New(rand.NewPCG(39, 1)))
			if err != nil || math.Abs(fit.Weights.Sum()-1) > 1e-12 || !fit.Converged {
				t.Errorf("%s, %v: %+v, %v", name, regular, fit, err)
			}
			if !tensor.Vector(fit.Means.Data).Finite() || fit.Reseeded > 40 {
				t.Errorf("%s, %v: began anew %d times", name, regular, fit.Reseeded)
			}
		}
	}
}

func TestEMIterationsAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 6))
	x := blobs(rng, 300, 6, 4)
	for name, spread := range spreads {
		start, err := EM{Spread: spread, Components: 4, Regular: 1e-6}.Fit(x, rng)
		if err != nil {
			t.Fatal(err)
		}
		count := func(iterations int) float64 {
			return testing.AllocsPerRun(3, func() {
				em := EM{Spread: spread, MaxIterations: iterations, Tolerance: 0}
				if _, err := em.From(start.Mixture, x); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := count(1), count(6); few != many {
			t.Errorf("%s: %v allocations in one iteration, %v in six", name, few, many)
		}
	}
}

func TestParameters(t *testing.T) {
	const g, m = 3, 5
	for spread, want := range map[Spread]int{Spherical: (m+2)*g - 1, Diagonal: (2*m+1)*g - 1,
		Full: ((m*m+3*m)/2+1)*g - 1, Tied: g - 1 + g*m + m*(m+1)/2} {
		if got := newMixture(spread, g, m).Parameters(); got != want {
			t.Errorf("form %d: %d parameters, want %d", spread, got, want)
		}
	}
}

func TestHalf(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 1: 1, 1 + 0x1p-11: 1, 1 + 3*0x1p-11: 1 + 0x1p-9,
		0.1: 0.0999755859375, -2049: -2048, 65504: 65504, 65519.9: 65504, 65520: 65536,
		0x1p-24: 0x1p-24, 0x1p-25: 0, 1.1 * 0x1p-25: 0x1p-24, 6.103515625e-05: 0x1p-14} {
		if got := half(x); got != want {
			t.Errorf("%v becomes %v, want %v", x, got, want)
		}
	}
	m := newMixture(Full, 1, 2)
	m.Weights[0] = 1
	copy(m.Means.Data, []float64{1e9, -math.Inf(1)})
	copy(m.Cov.Data, []float64{1e-9, 1e-10, 1e-10, 0.3})
	arrived, clamped := m.Half()
	want := tensor.Vector{0x1p-24, 0, 0, 0.300048828125}
	tolerance{}.all(t, "means", arrived.Means.Data, tensor.Vector{65504, -65504})
	tolerance{}.all(t, "covariance", arrived.Cov.Data, want)
	if clamped != 3 || m.Cov.Data[0] != 1e-9 {
		t.Errorf("%d numbers are clamped: %+v", clamped, m)
	}
	s := newMixture(Spherical, 2, 2)
	s.Weights[0] = 1
	copy(s.Cov.Data, []float64{0, 1e5})
	if arrived, clamped := s.Half(); clamped != 2 || arrived.Cov.Data[0] != 0x1p-24 {
		t.Errorf("%d variances are clamped: %v", clamped, arrived.Cov.Data)
	}
}
