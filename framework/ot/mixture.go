package ot

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A GaussianMixture is the law Σ_g w_g·N(μ_g, Σ_g) on ℝᵈ.
type GaussianMixture struct {
	Weights tensor.Vector // w, length G, ≥ 0, sums to 1
	Parts   []Gaussian    // as many, all in the same dimension
}

// Mixtures finds transport between Gaussian mixtures by plans that are Gaussian mixtures, too (J.
// Delon, A. Desolneux. A Wasserstein-Type Distance in the Space of Gaussian Mixture Models. SIAM
// Journal on Imaging Sciences 13, 2020). Between mixtures of G and H components
//
//	MW₂² = min Σ_gh ω_gh·W₂²(N(μ_g, Σ_g), N(ν_h, Γ_h))
//
// over plans ω with the weights as marginals: a discrete problem of G×H. It is never below W₂²,
// since plans are restricted. The zero value is ready; it allocates, and one goroutine uses it at
// a time.
type Mixtures struct {
	bures Bures
	exact Exact
}

// A MixturePlan is a plan between two mixtures.
type MixturePlan struct {
	Plan    tensor.Matrix // ω, G×H
	Squared float64       // MW₂²
}

// Plan returns the plan of least cost.
func (m *Mixtures) Plan(from, to GaussianMixture) (MixturePlan, error) {
	rows, cols := len(from.Parts), len(to.Parts)
	p := MixturePlan{Plan: tensor.NewMatrix(rows, cols)}
	cost := tensor.NewMatrix(rows, cols)
	for g, a := range from.Parts {
		for h, b := range to.Parts {
			w, err := m.bures.Distance(a, b)
			if err != nil {
				return p, fmt.Errorf("components %d and %d: %w", g, h, err)
			}
			cost.Row(g)[h] = w * w
		}
	}
	t := Transport{Cost: cost, A: from.Weights, B: to.Weights}
	if err := t.Check(); err != nil {
		return p, err
	}
	p.Squared = m.exact.Solve(t).Cost
	m.exact.Plan(p.Plan)
	return p, nil
}

// A MixtureBarycenter is a mixture that was found, and how.
type MixtureBarycenter struct {
	GaussianMixture
	Objective  float64 // Σ wₖ·MW₂² to the mixtures, of what is returned
	Iterations int
	Converged  bool // the last iteration lowered the objective by 1e-9 of it or less
}

// Barycenter lowers Σₖ wₖ·MW₂²(S, Mₖ) over mixtures S with the weights of start: in turns plans are
// found, and every component becomes the Bures–Wasserstein barycenter of the components that it
// is matched with. So the objective never rises, as for barycenters of points with fixed masses
// (M. Cuturi, A. Doucet. Fast Computation of Wasserstein Barycenters. ICML 2014, Algorithm 2). It
// is not convex: the result depends on start. Weights w are ≥ 0, and one is above 0.
func (m *Mixtures) Barycenter(
	w tensor.Vector, laws []GaussianMixture, start GaussianMixture,
) (MixtureBarycenter, error) {
	const most, gain = 100, 1e-9
	b := MixtureBarycenter{GaussianMixture: start, Objective: math.Inf(1)}
	for ; ; b.Iterations++ {
		plans, objective := make([]MixturePlan, len(laws)), 0.0
		for k, law := range laws {
			var err error
			if plans[k], err = m.Plan(b.GaussianMixture, law); err != nil {
				return b, fmt.Errorf("mixture %d: %w", k, err)
			}
			objective += float64(w[k] / w.Sum() * plans[k].Squared)
		}
		b.Converged = b.Objective-objective <= gain*objective
		b.Objective = objective
		if b.Converged || b.Iterations == most {
			return b, nil
		}
		next := GaussianMixture{Weights: start.Weights}
		for g, old := range b.Parts {
			part, err := m.matched(g, w, laws, plans)
			if err != nil {
				return b, fmt.Errorf("component %d: %w", g, err)
			}
			if part.Mean == nil {
				part = old
			}
			next.Parts = append(next.Parts, part)
		}
		b.GaussianMixture = next
	}
}

// matched returns the barycenter of what component g is matched with; none where it has no weight.
func (m *Mixtures) matched(
	g int, w tensor.Vector, laws []GaussianMixture, plans []MixturePlan,
) (Gaussian, error) {
	var share tensor.Vector
	var parts []Gaussian
	for k, law := range laws {
		for h, mass := range plans[k].Plan.Row(g) {
			if mass*w[k] > 0 {
				share, parts = append(share, mass*w[k]), append(parts, law.Parts[h])
			}
		}
	}
	if len(parts) == 0 {
		return Gaussian{}, nil
	}
	b, err := m.bures.Barycenter(share, parts)
	return b.Gaussian, err
}

// A MixtureMap takes one mixture near another: the mean of where the best plan sends a point,
//
//	T(z) = Σ_g p_g(z)·Σ_h (ω_gh/w_g)·T_gh(z)
//
// with the posterior p_g of the components at z and the maps T_gh between components (section 6.3
// of the paper, where it is T_mean). Between mixtures of one component it is their map. Else the
// law of T(z) is not quite the target in general: posteriors blend maps where components overlap.
type MixtureMap struct {
	Parts     []GaussianMap // by component that has weight: the mean of its maps
	Converged bool          // all maps have

	constant tensor.Vector // log w_g − ½·log det Σ_g
	inverse  []tensor.Matrix
}

// Map returns the map of a plan from one mixture to another.
func (m *Mixtures) Map(from, to GaussianMixture) (MixtureMap, error) {
	p, err := m.Plan(from, to)
	if err != nil {
		return MixtureMap{}, err
	}
	t := MixtureMap{Converged: true}
	for g, part := range from.Parts {
		mass := tensor.Vector(p.Plan.Row(g)).Sum()
		if mass == 0 {
			continue
		}
		d := len(part.Mean)
		mean := GaussianMap{Source: part.Mean.Clone(), Target: make(tensor.Vector, d),
			A: tensor.NewMatrix(d, d)}
		for h, share := range p.Plan.Row(g) {
			if share == 0 {
				continue
			}
			one, err := m.bures.Map(part, to.Parts[h])
			if err != nil {
				return t, fmt.Errorf("components %d and %d: %w", g, h, err)
			}
			mean.Target.AddScaled(share/mass, one.Target)
			kernel.Axpy(mean.A.Data, share/mass, one.A.Data)
			mean.Rank, mean.Residual = one.Rank, max(mean.Residual, one.Residual)
			t.Converged = t.Converged && one.Converged
		}
		if err := t.weigh(part, from.Weights[g]); err != nil {
			return t, fmt.Errorf("component %d: %w", g, err)
		}
		t.Parts = append(t.Parts, mean)
	}
	return t, nil
}

// weigh adds what the density of a component takes.
func (t *MixtureMap) weigh(g Gaussian, w float64) error {
	var f factor
	if err := f.of(g.Cov); err != nil {
		return err
	}
	c := math.Log(w)
	for _, x := range f.lambda {
		c -= math.Log(x) / 2
	}
	t.constant, t.inverse = append(t.constant, c), append(t.inverse, f.inverse)
	return nil
}

// Posterior sets the rows of dst, n×G, to the posteriors of the components of Parts at rows of x.
func (t *MixtureMap) Posterior(dst, x tensor.Matrix) {
	d := x.Cols
	apart := make(tensor.Vector, d)
	for i := range x.Rows {
		to := dst.Row(i)
		for g, part := range t.Parts {
			copy(apart, x.Row(i))
			apart.Sub(part.Source)
			square := 0.0
			for k := range t.inverse[g].Rows {
				y := t.inverse[g].Row(k).Dot(apart)
				square += float64(y * y)
			}
			to[g] = t.constant[g] - square/2
		}
		tensor.Softmax(to, to)
	}
}

// Apply sets row i of dst to (1 − τ)z + τT(z) of row z of x, both n×d and apart. With τ = 0 it is a
// copy, bit for bit. What becomes of a row depends on that row only.
func (m *Mixtures) Apply(dst, x tensor.Matrix, t MixtureMap, tau float64) {
	if tau == 0 || len(t.Parts) == 1 {
		if copy(dst.Data, x.Data); tau > 0 {
			m.bures.Apply(dst, x, t.Parts[0], tau)
		}
		return
	}
	posterior := tensor.NewMatrix(x.Rows, len(t.Parts))
	t.Posterior(posterior, x)
	moved := tensor.NewMatrix(x.Rows, x.Cols)
	clear(dst.Data)
	for g, part := range t.Parts {
		m.bures.Apply(moved, x, part, tau)
		for i := range x.Rows {
			dst.Row(i).AddScaled(posterior.Row(i)[g], moved.Row(i))
		}
	}
}
