package nn

import "math"

// Match is Forward, which also compares the batch with the running statistics of batch norms. It
// returns the distance, the sum over all of them of
//
//	‖mean − running mean‖ + ‖variance − running variance‖
//
// of what enters them, with the variance that divides by the count (Yin et al. Dreaming to Distill:
// Data-free Knowledge Transfer via DeepInversion. CVPR 2020). BackwardInput has the gradient of
// weight times that distance, too. Without batch norms it is 0.
func (t *Tape) Match(params, x []float32, n int, weight float64) (scores []float32,
	distance float64) {
	t.pass.trains, t.pass.match, t.pass.distance = false, weight, 0
	scores = t.forward(params, x, n)
	return scores, t.pass.distance
}

// BackwardInput is Backward, and returns the gradient at the batch: NHWC, valid until the tape
// runs again; nil where the batch has tokens. It may follow Forward and Match, too, then with the
// running statistics held fixed. With grad = nil no gradient at the parameters is computed, nor any
// product for it. The gradient at the scores is that of a loss, or what the caller has written to
// ScoreSlopes.
func (t *Tape) BackwardInput(grad, params []float32) []float32 {
	t.pass.params, t.pass.grad, t.pass.descends = params, grad, false
	return t.backward(true)
}

// compare adds to the distance that of the moments of a batch from running statistics, sets.
func (s *normStage) compare(p *pass, sets []moment, x []float32) {
	if p.match == 0 {
		return
	}
	if s.seen == nil {
		s.seen = make([]moment, s.groups)
	}
	s.measure(s.seen, x)
	mean, variance := s.distances(sets)
	p.distance += mean + variance
}

// distances returns how far the means and the variances of the batch are from running statistics.
func (s *normStage) distances(sets []moment) (mean, variance float64) {
	for c, m := range sets {
		mean += (s.seen[c].mean - m.mean) * (s.seen[c].mean - m.mean)
		variance += (s.seen[c].variance - m.variance) * (s.seen[c].variance - m.variance)
	}
	return math.Sqrt(mean), math.Sqrt(variance)
}

// toInputRecalled is toInput where sets are running statistics, which do not depend on x:
// dx = γ·dy/σ, and of the distance of a batch of N numbers with moments m, v from moments μ, V
// (m − μ)/(N·‖m − μ‖) + 2·(v − V)·(x − m)/(N·‖v − V‖). The norm is not differentiable where it is
// 0; its gradient counts as 0 there.
func (s *normStage) toInputRecalled(p *pass, sets []moment) {
	scale := part(p.params, s.scale)
	mean, variance := 0.0, 0.0
	if p.match > 0 {
		mean, variance = s.distances(sets)
	}
	per := p.match / float64(s.count)
	for c, m := range sets {
		r := m.root()
		s.scaleSlope[c] = r * (s.dot[c] - m.mean*s.sum[c])
		s.offsetSlope[c] = s.sum[c]
		shift, slope := 0.0, 0.0
		if variance > 0 {
			slope = 2 * per * (s.seen[c].variance - m.variance) / variance
			shift = -slope * s.seen[c].mean
		}
		if mean > 0 {
			shift += per * (s.seen[c].mean - m.mean) / mean
		}
		s.a[c] = float32(float64(scale[c]) * r)
		s.b[c], s.e[c] = float32(shift), float32(slope)
	}
}
