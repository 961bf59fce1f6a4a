package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// hidden is a population whose selection depends on two covariates and, by odds of gamma, on a
// variable u ∈ {0, 1} that is not among them. The probability given the covariates alone is
// logistic: P(u = 1 | h) = q(h) is such that q·e₁ + (1 − q)·e₀ = e for e₁, e₀ with odds Γ and 1/Γ
// times those of e. So the marginal sensitivity model holds at Γ and at no less.
type hidden struct {
	Selected
	v     tensor.Vector
	truth tensor.Vector // P(selected) given all
	want  float64       // F
}

func newHidden(n int, gamma float64, rng *rand.Rand) *hidden {
	p := &hidden{Selected: Selected{X: tensor.NewMatrix(n, 2), In: make([]bool, n),
		Share: make(tensor.Vector, n), L2: 1e-3}, v: make(tensor.Vector, n),
		truth: make(tensor.Vector, n)}
	p.Share.Fill(1 / float64(n))
	for i := range n {
		x := p.X.Row(i)
		x[0], x[1] = rng.NormFloat64(), rng.NormFloat64()
		odds := math.Exp(-0.4 + 0.8*x[0] - 0.4*x[1])
		chance := func(odds float64) float64 { return odds / (1 + odds) }
		e, e1, e0 := chance(odds), chance(odds*gamma), chance(odds/gamma)
		u, q := 0.0, 0.5
		if gamma > 1 {
			q = (e - e0) / (e1 - e0)
		}
		if rng.Float64() < q {
			u = 1
		}
		p.truth[i] = u*e1 + (1-u)*e0
		p.v[i] = 1 + x[0] + 0.5*x[1] + 2*u + rng.NormFloat64()
	}
	p.want = p.Share.Dot(p.v)
	return p
}

// enrol draws the selected, and estimates the probabilities.
func (p *hidden) enrol(t *testing.T, rng *rand.Rand) {
	t.Helper()
	for i, e := range p.truth {
		p.In[i] = rng.Float64() < e
	}
	if err := p.Estimate(); err != nil {
		t.Fatal(err)
	}
}

// band fails where a share of hits is not that of a probability, by four standard deviations.
func band(t *testing.T, what string, hits, draws int, want float64) {
	t.Helper()
	got := float64(hits) / float64(draws)
	sd := math.Sqrt(want * (1 - want) / float64(draws))
	t.Logf("%s: %.4f of %d, 4 s.d. are %.4f", what, got, draws, 4*sd)
	if math.Abs(got-want) > 4*sd {
		t.Errorf("%s: %.4f, want %.4f ± %.4f", what, got, want, 4*sd)
	}
}

// Intervals of 95 % hold F in 95 % of selections of the same clients, where they take into account
// that probabilities are estimated, and in more where they take these for known: the values depend
// on covariates here.
func TestMeanCovers(t *testing.T) {
	for _, c := range []struct {
		n    int
		seed uint64
	}{{500, 5}, {500, 6}, {2000, 5}} {
		covers(t, newHidden(c.n, 1, rand.New(rand.NewPCG(25, c.seed))), 4000)
	}
}

// Where values bend with the covariates that selection depends on, a few values with large weights
// decide the estimate, and their absence makes it and its standard error small at once: intervals
// hold F in fewer cases. The limits say how few, on both sides, so that what is said of Mean is true.
func TestMeanCoversLess(t *testing.T) {
	for n, limit := range map[int][2]float64{500: {0.86, 0.93}, 2000: {0.89, 0.945}} {
		hits, short, draws := 0, 0, 0
		for seed := range uint64(3) {
			p := newHidden(n, 1, rand.New(rand.NewPCG(25, 20+seed)))
			for i := range n {
				x := p.X.Row(i)
				p.v[i] += x[0]*x[0] + 0.5*x[1]*x[1] - x[0] - 0.5*x[1]
			}
			p.want = p.Share.Dot(p.v)
			rng := rand.New(rand.NewPCG(25, 30+seed))
			for range 500 {
				p.enrol(t, rng)
				m, err := p.Mean(p.v)
				if err != nil {
					t.Fatal(err)
				}
				low, high := m.Interval(0.95, m.SE)
				if draws++; high < p.want {
					short++
				} else if low <= p.want {
					hits++
				}
			}
		}
		got := float64(hits) / float64(draws)
		t.Logf("of %d clients: %.4f of %d, below F %.4f", n, got, draws,
			float64(short)/float64(draws))
		if got < limit[0] || got > limit[1] {
			t.Errorf("of %d clients: coverage %.4f, want %v", n, got, limit)
		}
	}
}

// Under unobserved selection intervals hold F in few cases: the bias stays as the standard error
// shrinks with clients.
func TestMeanIsBiasedByHiddenSelection(t *testing.T) {
	const draws = 400
	for n, most := range map[int]float64{500: 0.15, 2000: 0.05} {
		rng := rand.New(rand.NewPCG(25, 6))
		p, hits := newHidden(n, 3, rng), 0
		for range draws {
			p.enrol(t, rng)
			m, err := p.Mean(p.v)
			if err != nil {
				t.Fatal(err)
			}
			if low, high := m.Interval(0.95, m.SE); low <= p.want && p.want <= high {
				hits++
			}
		}
		t.Logf("of %d clients: F is in %d of %d intervals", n, hits, draws)
		if float64(hits) > most*draws {
			t.Errorf("of %d clients: F is in %d of %d intervals", n, hits, draws)
		}
	}
}

// covers counts the intervals of one population that hold F.
func covers(t *testing.T, p *hidden, draws int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(25, 9))
	var hits, known, sampled, under, over int
	var sum, square, se, seKnown float64
	for range draws {
		p.enrol(t, rng)
		m, err := p.Mean(p.v)
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range []float64{m.SE, m.Known, m.Sampled} {
			low, high := m.Interval(0.95, x)
			if low <= p.want && p.want <= high {
				*[]*int{&hits, &known, &sampled}[k]++
			}
		}
		switch low, high := m.Interval(0.95, m.SE); {
		case high < p.want:
			under++
		case low > p.want:
			over++
		}
		sum += m.Value - p.want
		square += (m.Value - p.want) * (m.Value - p.want)
		se, seKnown = se+m.SE, seKnown+m.Known
		if m.Sampled < m.Known {
			t.Fatalf("%+v", m)
		}
	}
	d := float64(draws)
	t.Logf("bias %.4f, s.d. %.4f, mean SE %.4f, known %.4f", sum/d, math.Sqrt(square/d), se/d,
		seKnown/d)
	t.Logf("coverage of known %.4f, of sampled %.4f", float64(known)/d, float64(sampled)/d)
	t.Logf("below F %.4f, above F %.4f", float64(under)/d, float64(over)/d)
	band(t, "coverage", hits, draws, 0.95)
	if float64(known)/d < 0.97 || sampled < known || seKnown < 1.1*se {
		t.Errorf("known %d, sampled %d of %d", known, sampled, draws)
	}
}

// The range over selections of strength 1 is the estimate; it grows with the strength; and it is
// that over all vertices of the marginal sensitivity model.
func TestRangeOverSelections(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 6))
	for range 50 {
		p := newHidden(16, 2, rng)
		p.enrol(t, rng)
		for i, in := range p.In {
			if !in {
				p.v[i] = math.NaN() // not observed
			}
		}
		m, err := p.Mean(p.v)
		if err != nil {
			t.Fatal(err)
		}
		low, high := p.Range(p.v, 1)
		tolerance{1e-12, 1e-12}.all(t, "at 1", tensor.Vector{low, high},
			tensor.Vector{m.Value, m.Value})
		for _, gamma := range []float64{1.1, 2, 5, 1e3} {
			nextLow, nextHigh := p.Range(p.v, gamma)
			if nextLow > low || nextHigh < high {
				t.Fatalf("Γ = %v: %v … %v, before %v … %v", gamma, nextLow, nextHigh, low, high)
			}
			low, high = nextLow, nextHigh
			var v tensor.Vector
			var r WeightRange
			for i, in := range p.In {
				if in {
					inverse := func(z float64) float64 { return 1 + z*(1/p.Chance[i]-1) }
					v = append(v, p.v[i])
					r.Low = append(r.Low, inverse(1/gamma))
					r.High = append(r.High, inverse(gamma))
				}
			}
			least, most := vertices(&r, v)
			tolerance{1e-12, 1e-12}.all(t, "ends", tensor.Vector{low, high},
				tensor.Vector{least, most})
		}
	}
}

// Clients are drawn anew, with a selection at Γ: the percentile interval at 1 holds the mean of the
// population that they are drawn from in 95 % of cases where selection has no more strength. The
// interval at the true Γ holds it in at least 95 %: the mean is within the range, not at an end of
// it. The interval at a strength below the true one does not.
func TestBootstrapCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 7))
	for _, c := range []struct {
		truth, assumed float64
		draws          int
		least, most    float64
	}{{1, 1, 1000, 0.95, 0.95}, {3, 3, 150, 0.95, 1}, {3, 1.2, 150, 0, 0.4}} {
		want := newHidden(400_000, c.truth, rng).want
		hits := 0
		for range c.draws {
			p := newHidden(300, c.truth, rng)
			p.enrol(t, rng)
			low, high := p.Resample(39, rng).Range(p.v, c.assumed, 0.95)
			if low <= want && want <= high {
				hits++
			}
		}
		what := fmt.Sprintf("Γ = %v, taken for %v", c.truth, c.assumed)
		if c.least == c.most {
			band(t, what, hits, c.draws, c.least)
			continue
		}
		got := float64(hits) / float64(c.draws)
		t.Logf("%s: %.4f of %d", what, got, c.draws)
		if got < c.least || got > c.most {
			t.Errorf("%s: coverage %.4f, want %v to %v", what, got, c.least, c.most)
		}
	}
}

// A further draw is below the quantile of few draws with the probability of its level.
func TestQuantileOfDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 10))
	const draws = 20_000
	for _, n := range []int{39, 100} {
		below := 0
		x := make(tensor.Vector, n)
		for range draws {
			for k := range x {
				x[k] = rng.Float64()
			}
			if rng.Float64() < quantile(x, 0.025) {
				below++
			}
		}
		band(t, "below", below, draws, 0.025)
	}
	if got := quantile(tensor.Vector{3}, 0.975); got != 3 {
		t.Errorf("of one number: %v", got)
	}
}

// Where all are selected there is nothing to estimate: the mean is exact, whatever the strength.
func TestAllSelected(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 8))
	p := newHidden(20, 1, rng)
	p.truth.Fill(1)
	p.enrol(t, rng)
	m, err := p.Mean(p.v)
	low, high := p.Range(p.v, 100)
	if err != nil || m.SE != 0 || m.Known != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	tolerance{0, 1e-12}.all(t, "mean", tensor.Vector{m.Value, low, high},
		tensor.Vector{p.want, p.want, p.want})
	clear(p.In)
	if p.Estimate() == nil {
		t.Error("none is selected, and no error")
	}
	p.X.Data[0] = math.NaN()
	if p.Estimate() == nil {
		t.Error("unknown covariates, and no error")
	}
}
