package aggregator

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// errNoSize is why a private aggregator does not know what to divide by.
var errNoSize = errors.New("denominator = 0 is the expected size of a cohort, and the server " +
	"does not know the cohort distribution: give a number")

// A clippedSum is what private aggregators release with noise: Σ clip(Δₖ, C), over a number m that
// does not depend on the cohort. Running statistics of batch norms are part of Δₖ, so that what is
// accounted for covers them, too.
type clippedSum struct {
	clip   float64 // C, of the first round where it moves
	noise  float64 // z
	size   float64 // m; 0: the expected size of a cohort
	blocks bool    // every block is clipped by itself
}

// newClippedSum declares it.
func newClippedSum(p *fl.Params, noise string) clippedSum {
	s := clippedSum{
		clip:  p.Float("clip", 1, fl.Above(0), "C, largest norm of an update, the clipping radius"),
		noise: p.Float("noise", 1, fl.AtLeast(0), noise),
		size: p.Float("denominator", 0, fl.AtLeast(0), "m, what the sum is divided by, whatever "+
			"the size of the cohort; 0: the expected size of a cohort"),
		blocks: p.Choice("per", "all", "what is clipped: the whole update to C, or each of its B "+
			"blocks, a weight matrix or a bias, to C/√B", "all", "block") == "block",
	}
	if in := p.Setting(); in.Known() && !in.Law && s.size == 0 {
		p.Fail("denominator", "%v", errNoSize)
	}
	return s
}

// denominator returns m. An expected size that is an integer but for rounding is that integer.
func (s *clippedSum) denominator(r *fl.Round) (float64, error) {
	if s.size > 0 {
		return s.size, nil
	}
	if r.Law == nil {
		return 0, errNoSize
	}
	m := r.Law.Inclusion.Sum()
	if whole := math.Round(m); math.Abs(m-whole) <= 1e-9*m {
		m = whole
	}
	if m == 0 {
		return 0, errors.New("no client ever participates: give a denominator")
	}
	return m, nil
}

// take sets dst to clip(Δₖ, radius) of the k-th update, and reports whether nothing was clipped. It
// also returns the factor of Δₖ; 0 where blocks have their own.
func (s *clippedSum) take(dst fl.Vector, r *fl.Round, k int) (factor float64, within bool) {
	theta := r.Updates[k].Params
	copy(dst, theta)
	dst.Sub(r.Global)
	blocks := r.Layout.Blocks
	if !s.blocks || len(blocks) < 2 {
		factor = clipped(theta.Distance(r.Global), s.clip)
		dst.Scale(factor)
		return factor, factor == 1
	}
	radius := s.clip / math.Sqrt(float64(len(blocks)))
	within = true
	for _, b := range blocks {
		lo, hi := b.Offset, b.Offset+b.Rows*b.Cols
		own := clipped(theta[lo:hi].Distance(r.Global[lo:hi]), radius)
		dst[lo:hi].Scale(own)
		within = within && own == 1
	}
	return 0, within
}

// keepVariances puts back running variances that noise, or a cohort larger than m, made zero or
// less: they stay as they were. It reads nothing that was not released.
func keepVariances(r *fl.Round, next fl.Vector) {
	for _, b := range r.Layout.Blocks {
		if b.Name != fl.RunningVariance {
			continue
		}
		for i := b.Offset; i < b.Offset+b.Rows*b.Cols; i++ {
			if next[i] <= 0 {
				next[i] = r.Global[i]
			}
		}
	}
}

// mean returns θᵗ⁻¹ + Σ clip(Δₖ, radius)/m, the weights of updates in it, nil where blocks have
// their own, and how many updates are no longer than the radius in all that is clipped. A cohort
// may be empty.
func (s *clippedSum) mean(r *fl.Round, radius, m float64) (next, weights fl.Vector, within int) {
	n := len(r.Updates)
	blocks := r.Layout.Blocks
	if !s.blocks || len(blocks) < 2 {
		w := r.Scratch(n)
		for k := range r.Updates {
			factor := clipped(r.Updates[k].Params.Distance(r.Global), radius)
			w[k] = factor / m
			if factor == 1 {
				within++
			}
		}
		next = r.Combine(w)
		next.AddScaled(1-w.Sum(), r.Global)
		return next, w, within
	}
	next = r.Scratch(len(r.Global))
	whole, w := r.Scratch(n), r.Scratch(n)
	radius /= math.Sqrt(float64(len(blocks)))
	models := r.Models()
	for _, b := range blocks {
		lo, hi := b.Offset, b.Offset+b.Rows*b.Cols
		part, global := next[lo:hi], r.Global[lo:hi]
		for k := range r.Updates {
			theta := r.Updates[k].Params[lo:hi]
			factor := clipped(theta.Distance(global), radius)
			w[k], models[k] = factor/m, theta
			if factor < 1 {
				whole[k] = 1
			}
		}
		part.AddWeighted(w, models)
		part.AddScaled(1-w.Sum(), global)
	}
	return next, nil, n - int(whole.Sum())
}
