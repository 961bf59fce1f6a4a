// SLOT-Align — every client's features are moved to one common Gaussian, before anything is
// learnt from them.
//
//	Distribution Alignment for One-Shot Federated Learning via Optimal Transport. ICML 2026, and
//	the code published with it, github.com/daniebera/SLOT-Align, which decides where the text is
//	silent.
//	O. Ledoit, M. Wolf. A Well-Conditioned Estimator for Large-Dimensional Covariance Matrices.
//	Journal of Multivariate Analysis 88, 2004.
//
// Notation: features z ∈ ℝᵐ; μₖ and Σₖ the moments of client k; wₖ = nₖ/Σn; N(μ_b, Σ_b) the
// reference; τ ∈ [0, 1] how far features are moved; s of E epochs.
//
//	client:  μₖ; Σₖ by Ledoit–Wolf, with a floor under its eigenvalues
//	server:  μ_b = Σ wₖμₖ;  Σ_b = argmin Σ wₖ B²(Σ, Σₖ), the Bures–Wasserstein barycenter
//	client:  Aₖ = Σₖ^−½(Σₖ^½·Σ_b·Σₖ^½)^½·Σₖ^−½,  z ← (1 − τ)z + τ(μ_b + Aₖ(z − μₖ))
//
// With a radius R and noise z > 0 a client sends μₖ and Σₖ of its features as they follow from sums
// of features, clipped to R, and of their squares, with Gaussian noise (privacy.Moments, without
// classes), Σₖ without negative eigenvalues and with the floor: a note says what ε one sample of a
// client then has by what is sent here, and by nothing else. Its own map is that of its moments
// without noise, which are not sent; what is learnt from rows that were moved is not counted. With
// R = 0 and z = 0 nothing changes, to the bit.
//
// Test rows are moved by the map of the client that they belong to. With schedule = "cosine" a
// client trains, in epoch s, at τ_s = tau_min + (tau − tau_min)/2·(1 + cos(π(E − 1 − s)/E)); what
// is evaluated is moved by tau.
//
// With tau_by = "shrinkage" a client has a share of τ of its own, which is 0 where the noise of its
// moments explains how far they are from the reference: see slot_adapt.go. For that the server
// sends one number more, of all samples. With tau_by = "prediction" all have the share that is
// predicted to be best from the moments, which predict = true has in a footnote: see
// slot_predict.go. With covariance = "diagonal" all of this is of variances
// alone, and with shrinkage = "oas" or "none" Σₖ is estimated in another way.
//
// Departures: the barycenter is iterated as Álvarez-Esteban et al. do (2016), which needs tens
// of steps where the fixed point of the text needs a thousand; iteration = "plain" is the
// latter. Other covariances and other shares of τ are ours. The text has no noise; with it
// covariances are not shrunk, since by how much would depend on samples.

package preprocess

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/privacy"
	"github.com/hansa-fl/hansa/framework/stats"
)

// SLOTAlign describes the preprocessor to the registry.
var SLOTAlign = fl.PreprocessorEntry{
	Name:    "slot-align",
	Summary: "moves every client's features to one Gaussian, by optimal transport",
	Paper:   "slot-align",
	Deviations: "the barycenter is iterated as Álvarez-Esteban and others do, in fewer steps; " +
		"noise, other covariances and shares of τ are ours",
	New:  newSLOTAlign,
	Fits: needsOwners,
}

type slotAlign struct {
	way       way
	by        string // whose share of τ a client has
	predict   bool
	estimator estimator
	reference string // what Σ_b is
	equal     bool   // wₖ = 1/K
	plain     bool   // the fixed point of the text
	private   privacy.Moments
	delta     float64 // δ of the note
}

var _ fl.Preprocessor = (*slotAlign)(nil)

func newSLOTAlign(p *fl.Params) (fl.Preprocessor, error) {
	a := &slotAlign{way: newWay(p), estimator: newEstimator(p)}
	a.by = p.Choice("tau_by", "all", "τ is the same for all clients; or each has the share of it "+
		"that the noise of its own moments leaves, by shrinkage; or all have the share that is "+
		"predicted from all moments", "all", byShrinkage, byPrediction)
	a.predict = p.Bool("predict", false, "observe which share of τ is predicted to be best from "+
		"what is sent, whatever τ is")
	a.reference = p.Choice("reference", barycenter, "Σ_b: the Bures–Wasserstein barycenter; the "+
		"arithmetic mean of the Σₖ; or the covariance of all features together, which has the "+
		"distances of the μₖ in it", barycenter, arithmetic, euclidean)
	a.equal = p.Choice("weights", "samples", "wₖ, by the number of samples or the same for all",
		"samples", "equal") == "equal"
	a.plain = newIteration(p)
	a.private = privacy.Moments{
		Radius: p.Float("clip", 0, fl.AtLeast(0), "R, largest norm of a row in what is sent; 0: "+
			"rows are not clipped"),
		Noise: p.Float("noise", 0, fl.AtLeast(0), "z, standard deviation of the noise on what is "+
			"sent, in how far one row moves it at most; 0: there is none"),
	}
	a.delta = p.Float("delta", 1e-5, fl.Open(0, 1), "δ at which a note says ε, where there is "+
		"noise")
	for _, name := range []string{"clip", "noise", "delta", "covariance", "shrinkage", "tau_by",
		"predict"} {
		p.Later(name)
	}
	if a.private.Noise > 0 && a.private.Radius == 0 {
		p.Clash("noise", "clip", "without a radius a row moves what is sent by any length: "+
			"give clip")
	}
	if s := p.Setting(); s.Known() && (a.predict || a.by == byPrediction) && s.Shape.Classes == 0 {
		p.Fail("predict", "predicts by what labels of classes can change, and these rows have no "+
			"classes: leave out predict and tau_by")
	}
	if a.private.Noise > 0 && a.estimator.shrinkage != ledoitWolf {
		p.Clash("shrinkage", "noise", "with noise covariances are not shrunk")
	}
	return a, nil
}

// What a share of τ can be of.
const (
	byShrinkage  = "shrinkage"
	byPrediction = "prediction"
)

// What the covariance of the reference can be.
const (
	barycenter = "barycenter"
	arithmetic = "arithmetic"
	euclidean  = "euclidean-mean"
)

// newIteration declares which fixed point is iterated.
func newIteration(p *fl.Params) (plain bool) {
	return p.Choice("iteration", "squared", "to the barycenter: squared converges in tens of "+
		"steps, the plain one of the text in up to a thousand", "squared", "plain") == "plain"
}

// Shape implements fl.Preprocessor: features stay features.
func (a *slotAlign) Shape(in fl.Shape) (fl.Shape, error) {
	if a.predict || a.by == byPrediction {
		if err := predictable(in); err != nil {
			return in, err
		}
	}
	return narrow(in)
}

// narrow refuses rows whose covariances would be too large.
func narrow(in fl.Shape) (fl.Shape, error) {
	const most = 4096
	if in.Features > most {
		return in, fmt.Errorf("takes covariances of %d×%d features; up to %d can be: encode them, "+
			"or take their principal components, before", in.Features, in.Features, most)
	}
	return in, nil
}

// Summarize returns μₖ and Σₖ.
func (a *slotAlign) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	x := s.Data.X
	if a.private.Radius > 0 {
		x = copied(x)
		for i := range x.Rows {
			a.private.Clip(x.Row(i))
		}
	}
	if a.private.Noise > 0 {
		return a.noisy(s, x)
	}
	g, _, err := a.estimator.of(x)
	if err != nil {
		return nil, err
	}
	return a.estimator.sent(g), nil
}

// noisy returns μₖ and Σₖ of sums with noise.
func (a *slotAlign) noisy(s *fl.SummaryInput, x fl.Matrix) (fl.Tensors, error) {
	if x.Rows == 0 {
		return nil, stats.ErrNoSamples
	}
	m := stats.NewClassMoments(1, x.Cols)
	m.Add(x, nil)
	g := ot.Gaussian{Mean: m.Mean.Row(0), Cov: m.Within}
	n := float64(x.Rows)
	spread := func(by float64) {
		for i, v := range g.Mean {
			g.Cov.Row(i).AddScaled(by*v, g.Mean)
		}
	}
	spread(n) // about 0
	g.Mean.Scale(n)
	a.private.Sums(g.Mean, s.RNG)
	a.private.Squares(g.Cov, s.RNG)
	g.Mean.Scale(1 / n)
	a.private.Clip(g.Mean)
	spread(-n)
	fl.Vector(g.Cov.Data).Scale(1 / n)
	if err := stats.NearestPositive(g.Cov); err != nil {
		return nil, err
	}
	if _, err := stats.Floor(g.Cov); err != nil {
		return nil, err
	}
	epsilon, err := a.private.Epsilon(a.delta, 1)
	if err != nil {
		return nil, err
	}
	s.Notes.Add(fmt.Sprintf("slot-align: sample ε = %.4g at δ = %v of the moments that a client "+
		"sends, where one sample is another one; what is sent afterwards is not counted", epsilon,
		a.delta))
	return a.estimator.sent(g), nil
}

// Combine returns μ_b and Σ_b.
func (a *slotAlign) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	laws, w := make([]ot.Gaussian, len(c.Uploads)), make(fl.Vector, len(c.Uploads))
	for k, u := range c.Uploads {
		laws[k] = received(u.Payload)
		if w[k] = float64(u.Samples); a.equal {
			w[k] = 1
		}
	}
	w.Scale(1 / w.Sum())
	to, err := a.middle(c, w, laws)
	if err != nil {
		return nil, err
	}
	reference := a.estimator.sent(to)
	return reference, a.shares(c, laws, reference)
}

// shares adds to a reference what shares of τ are of.
func (a *slotAlign) shares(c *fl.CombineInput, laws []ot.Gaussian, reference fl.Tensors) error {
	samples, all := make([]int, len(laws)), 0
	for k, u := range c.Uploads {
		samples[k] = u.Samples
		all += u.Samples
	}
	if a.by == byShrinkage {
		reference["samples"] = vector(fl.Vector{float64(all)})
	}
	if !a.predict && a.by != byPrediction {
		return nil
	}
	p, err := predict(laws, samples, c.Shape.Classes)
	if err != nil {
		return err
	}
	c.Notes.Observe("predicted share of τ", p.share())
	if a.by == byPrediction {
		reference["share"] = vector(fl.Vector{p.share()})
	}
	return nil
}

// middle returns N(μ_b, Σ_b).
func (a *slotAlign) middle(c *fl.CombineInput, w fl.Vector, laws []ot.Gaussian) (
	ot.Gaussian, error,
) {
	if a.reference == barycenter {
		return centre(c, w, laws, a.plain)
	}
	d := len(laws[0].Mean)
	to := ot.Gaussian{Mean: make(fl.Vector, d), Cov: fl.NewMatrix(d, d)}
	for k, g := range laws {
		to.Mean.AddScaled(w[k], g.Mean)
		fl.Vector(to.Cov.Data).AddScaled(w[k], g.Cov.Data)
	}
	if a.reference == euclidean {
		spreadMeans(to, w, func(k int) fl.Vector { return laws[k].Mean })
	}
	return to, nil
}

// spreadMeans adds to the covariance of a mixture what the distances of its parts have in it.
func spreadMeans(g ot.Gaussian, w fl.Vector, mean func(k int) fl.Vector) {
	for k, share := range w {
		apart := mean(k).Clone()
		apart.Sub(g.Mean)
		for i, x := range apart {
			g.Cov.Row(i).AddScaled(share*x, apart)
		}
	}
}

// centre returns the barycenter of Gaussians, with a note where it was not found.
func centre(c *fl.CombineInput, w fl.Vector, laws []ot.Gaussian, plain bool) (ot.Gaussian, error) {
	b, err := (&ot.Bures{Plain: plain}).Barycenter(w, laws)
	if err != nil {
		return ot.Gaussian{}, err
	}
	if !b.Converged {
		remedy := "put pca with fewer components before it"
		if plain {
			remedy = `use iteration = "squared"`
		}
		c.Notes.Add(fmt.Sprintf("the barycenter of covariances did not converge: residual %.1e "+
			"after %d iterations: "+remedy, b.Residual, b.Iterations))
	}
	return b.Gaussian, nil
}

// Transform moves features towards the reference.
func (a *slotAlign) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if m.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	own, delta, err := a.estimator.of(m.Own.X)
	if err != nil {
		return fl.Matrix{}, err
	}
	m.Blend = a.way.blend()
	to, way := received(m.Reference), a.way
	switch a.by {
	case byPrediction:
		way.tau *= m.Reference["share"].Data[0]
	case byShrinkage:
		all := m.Reference["samples"].Data[0]
		share, err := a.estimator.signal(m.Own, delta, all, own, to)
		if err != nil {
			return fl.Matrix{}, err
		}
		m.Notes.Observe("share of τ by shrinkage", share)
		way.tau *= share
	}
	return way.move(m, own, to)
}

// needsOwners is why what moves rows by the map of their client does not fit where rows have none.
func needsOwners(s fl.Setting) error {
	if s.Held || s.Shape.Tested && !s.Assigned {
		return errNoClient
	}
	return nil
}

var errNoClient = errors.New("moves rows by the map of their client, but some have no client: " +
	`test rows have clients with partition = "domains" or "natural", and validation = 0 leaves ` +
	"the server without rows of its own")

// A way is how far features are moved.
type way struct {
	tau, from float64 // τ, and where a schedule begins
	cosine    bool
}

func newWay(p *fl.Params) way {
	w := way{
		tau: p.Float("tau", 0.4, fl.Closed(0, 1), "τ: how far features are moved; 0: not at all"),
		cosine: p.Choice("schedule", "constant", "over the epochs of a client's training τ is the "+
			"same, or rises from tau_min along half a cosine", "constant", "cosine") == "cosine",
		from: p.Float("tau_min", 0, fl.Closed(0, 1), "where the cosine begins"),
	}
	if w.cosine && w.from > w.tau {
		p.Clash("tau_min", "tau", "%v is above tau = %v", w.from, w.tau)
	}
	return w
}

// blend returns the share of τ at which a client trains in an epoch; nil: always all of it.
func (w way) blend() func(epoch, epochs int) float64 {
	if !w.cosine || w.tau == 0 {
		return nil
	}
	return func(s, of int) float64 {
		turn := math.Pi * float64(of-1-s) / float64(of)
		return (w.from + (w.tau-w.from)/2*(1+math.Cos(turn))) / w.tau
	}
}

// move moves rows of one distribution towards another.
func (w way) move(m *fl.TransformInput, from, to ot.Gaussian) (fl.Matrix, error) {
	moved := fl.NewMatrix(m.Rows.Rows, m.Rows.Cols)
	if w.tau == 0 {
		copy(moved.Data, m.Rows.Data)
		return moved, nil
	}
	var b ot.Bures
	t, err := b.Map(from, to)
	if err != nil {
		return moved, err
	}
	if !t.Converged {
		m.Notes.Add(fmt.Sprintf("the map of a client did not converge: it misses its target by "+
			"%.1e: put pca with fewer components before it", t.Residual))
	}
	b.Apply(moved, m.Rows, t, w.tau)
	return moved, nil
}
