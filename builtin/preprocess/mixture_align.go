// Mixture-align — every client's features are moved from a small Gaussian mixture of their own to
// one that all have in common.
//
//	J. Delon, A. Desolneux. A Wasserstein-Type Distance in the Space of Gaussian Mixture Models.
//	SIAM Journal on Imaging Sciences 13, 2020: MW₂, and T_mean, the mean of its plan by point.
//	M. Cuturi, A. Doucet. Fast Computation of Wasserstein Barycenters. ICML 2014, Algorithm 2:
//	barycenters in turns of plans and supports.
//
// Notation: features z ∈ ℝᵐ; client k has G components, of shares π_kg, moments μ_kg and Σ_kg;
// wₖ = nₖ/Σn; τ ∈ [0, 1] how far features are moved.
//
//	client:  π_kg, μ_kg, Σ_kg of its rows
//	server:  target = "barycenter": G components, a local minimum of Σ wₖ·MW₂², from the client's
//	         mixture for which that is least; "pooled": all of all clients, with shares wₖπ_kg
//	client:  ω the plan of MW₂ to the target;
//	         z ← (1 − τ)z + τ·Σ_g p_g(z)·Σ_h (ω_gh/π_kg)·T_gh(z)
//
// With G = 1 and the barycenter it is slot-align. Sent are G(1 + m + m(m + 1)/2) floats, with
// covariance = "diagonal" G(1 + 2m), and received as many, or as all clients send if pooled; with
// τ = 0 nothing is. slot-align sends m + m(m + 1)/2: a diagonal mixture of G = (m + 3)/4
// components sends about as much. What the plan moves beyond features is mass: where labels differ
// from client to client and components are classes, shares of components differ, and a share of
// one class is moved onto another, as slot-align moves means.
//
// Components are by EM, of one covariance for all of them (of variances by component, with
// "diagonal"), from k-means whose draws are the same at every call: what is sent and what moves
// rows is the same mixture, and nothing is kept between. Each row then counts for the component
// that is likeliest, whose moments are those of slot-align of its rows.
//
// Departures: the paper has two mixtures, and barycenters by all tuples of components, of which
// there are Gᴷ. It fits mixtures by EM alone; here covariances are shrunk, and have a floor.

package preprocess

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
)

// MixtureAlign describes the preprocessor to the registry.
var MixtureAlign = fl.PreprocessorEntry{
	Name:    "mixture-align",
	Summary: "moves every client's features to one Gaussian mixture, by optimal transport",
	Paper:   "delon2020",
	Deviations: "barycenters by turns of plans and components; covariances of components are " +
		"shrunk and have a floor",
	New:  newMixtureAlign,
	Fits: needsOwners,
}

type mixtureAlign struct {
	way       way
	estimator estimator
	parts     int // G
	pooled    bool
	equal     bool // wₖ = 1/K
}

var _ fl.Preprocessor = (*mixtureAlign)(nil)

func newMixtureAlign(p *fl.Params) (fl.Preprocessor, error) {
	a := &mixtureAlign{way: newWay(p), estimator: newEstimator(p)}
	a.parts = p.Int("components", 3, fl.Closed(1, 64), "G, Gaussians of a client; of n ≤ G rows "+
		"max(1, n/2) are fitted")
	a.pooled = p.Choice("target", barycenter, "the mixture that features are moved to: a "+
		"barycenter of G components, or the components of all clients", barycenter,
		"pooled") == "pooled"
	a.equal = p.Choice("weights", "samples", "wₖ, by the number of samples or the same for all",
		"samples", "equal") == "equal"
	return a, nil
}

// Shape implements fl.Preprocessor: features stay features.
func (a *mixtureAlign) Shape(in fl.Shape) (fl.Shape, error) { return narrow(in) }

// Summarize returns the mixture of a client, padded with components of share 0; with τ = 0 nothing.
func (a *mixtureAlign) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	if a.way.tau == 0 {
		return nil, nil
	}
	own, err := a.of(s.Data.X)
	if err != nil {
		return nil, err
	}
	for len(own.Parts) < a.parts {
		own.Weights, own.Parts = append(own.Weights, 0), append(own.Parts, own.Parts[0])
	}
	return a.sent(own), nil
}

// of returns the mixture of rows.
func (a *mixtureAlign) of(x fl.Matrix) (ot.GaussianMixture, error) {
	var own ot.GaussianMixture
	members, err := a.split(x)
	if err != nil {
		return own, err
	}
	for _, rows := range members {
		if len(rows) == 0 {
			continue
		}
		part := fl.NewMatrix(len(rows), x.Cols)
		for i, r := range rows {
			copy(part.Row(i), x.Row(r))
		}
		g, _, err := a.estimator.of(part)
		if err != nil {
			return own, err
		}
		own.Weights = append(own.Weights, float64(len(rows))/float64(x.Rows))
		own.Parts = append(own.Parts, g)
	}
	return own, nil
}

// split returns the rows of every component.
func (a *mixtureAlign) split(x fl.Matrix) ([][]int, error) {
	if a.parts == 1 {
		all := make([]int, x.Rows)
		for i := range all {
			all[i] = i
		}
		return [][]int{all}, nil
	}
	em := stats.EM{Spread: stats.Tied, Components: a.parts, Regular: 1e-6, Tolerance: 1e-6,
		MaxIterations: 200}
	if a.estimator.diagonal {
		em.Spread = stats.Diagonal
	}
	fit, err := em.Fit(x, fl.NewStream(0, "mixture-align").Rand())
	if err != nil {
		return nil, err
	}
	members := make([][]int, len(fit.Weights))
	share := fl.NewMatrix(x.Rows, len(fit.Weights))
	if err := fit.Posterior(share, x); err != nil {
		return nil, err
	}
	for i := range x.Rows {
		g := fl.Vector(share.Row(i)).ArgMax()
		members[g] = append(members[g], i)
	}
	return members, nil
}

// sent returns a mixture as it is sent.
func (a *mixtureAlign) sent(m ot.GaussianMixture) fl.Tensors {
	t := fl.Tensors{"weights": vector(m.Weights)}
	for _, name := range []string{"mean", "covariance"} {
		all := fl.Matrix{Rows: len(m.Parts)}
		for _, g := range m.Parts {
			one := a.estimator.sent(g)[name]
			all.Cols, all.Data = one.Cols, append(all.Data, one.Data...)
		}
		t[name] = all
	}
	return t
}

// receivedMixture returns the mixture that was sent, without components of share 0.
func receivedMixture(t fl.Tensors) ot.GaussianMixture {
	var m ot.GaussianMixture
	for g, w := range t["weights"].Data {
		if w > 0 {
			m.Weights = append(m.Weights, w)
			m.Parts = append(m.Parts, received(fl.Tensors{"mean": vector(t["mean"].Row(g)),
				"covariance": vector(t["covariance"].Row(g))}))
		}
	}
	return m
}

// Combine returns the target.
func (a *mixtureAlign) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	if a.way.tau == 0 {
		return nil, nil
	}
	laws, w := make([]ot.GaussianMixture, len(c.Uploads)), make(fl.Vector, len(c.Uploads))
	for k, u := range c.Uploads {
		laws[k] = receivedMixture(u.Payload)
		if w[k] = float64(u.Samples); a.equal {
			w[k] = 1
		}
	}
	w.Scale(1 / w.Sum())
	if a.pooled {
		var all ot.GaussianMixture
		for k, law := range laws {
			for g, share := range law.Weights {
				all.Weights = append(all.Weights, w[k]*share)
				all.Parts = append(all.Parts, law.Parts[g])
			}
		}
		all.Weights.Scale(1 / all.Weights.Sum())
		return a.sent(all), nil
	}
	var m ot.Mixtures
	start, err := medoid(&m, w, laws)
	if err != nil {
		return nil, err
	}
	b, err := m.Barycenter(w, laws, laws[start])
	if err != nil {
		return nil, err
	}
	if !b.Converged {
		c.Notes.Add(fmt.Sprintf("the barycenter of mixtures did not converge in %d iterations: "+
			"take fewer components, or put pca before it", b.Iterations))
	}
	return a.sent(b.GaussianMixture), nil
}

// medoid returns the mixture from which the others are least far.
func medoid(m *ot.Mixtures, w fl.Vector, laws []ot.GaussianMixture) (int, error) {
	sums := make(fl.Vector, len(laws))
	for i := range laws {
		for j := range i {
			p, err := m.Plan(laws[i], laws[j])
			if err != nil {
				return 0, err
			}
			sums[i] += w[j] * p.Squared
			sums[j] += w[i] * p.Squared
		}
	}
	best, least := 0, math.Inf(1)
	for i, x := range sums {
		if x < least {
			best, least = i, x
		}
	}
	return best, nil
}

// Transform moves features towards the target.
func (a *mixtureAlign) Transform(t *fl.TransformInput) (fl.Matrix, error) {
	if t.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	t.Blend = a.way.blend()
	if a.way.tau == 0 {
		return copied(t.Rows), nil
	}
	own, err := a.of(t.Own.X)
	if err != nil {
		return fl.Matrix{}, err
	}
	var m ot.Mixtures
	by, err := m.Map(own, receivedMixture(t.Reference))
	if err != nil {
		return fl.Matrix{}, err
	}
	if !by.Converged {
		t.Notes.Add("a map between components misses its target: put pca with fewer components " +
			"before it")
	}
	moved := fl.NewMatrix(t.Rows.Rows, t.Rows.Cols)
	m.Apply(moved, t.Rows, by, a.way.tau)
	return moved, nil
}
