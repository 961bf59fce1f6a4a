package preprocess

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A client whose moments differ from the reference by what sampling explains is not to be moved:
// τₖ by shrinkage, an empirical Bayes estimate. It is ours; the paper has one τ for all.
//
// Let the law of client k be at a distance θ from the reference, W₂² in all, and its moments be
// estimated from nₖ rows. The squared distance that is seen is θ² + Vₖ in expectation, to first
// order, with the noise Vₖ of the moments. If features are moved by a share t of the way that is
// seen, then θ²(1 − t)² is left of what is real, and t²Vₖ is added that is not. The sum is least
// at
//
//	t = θ²/(θ² + Vₖ),  estimated by  tₖ = max(0, 1 − Vₖ/W₂²(Gₖ, G_b)),
//
// as James and Stein (1961) shrink means, with the positive part. Vₖ is by the delta method for
// Gaussian rows. The mean has the variance tr Σ/n. Near Σ with eigenvalues λ the squared Bures
// distance is B² = ½ Σᵢⱼ Eᵢⱼ²/(λᵢ + λⱼ) to second order in the error E, whose elements in the
// eigenvectors of Σ have variances λᵢλⱼ/n, and 2λᵢ²/n on the diagonal. So
//
//	V = tr Σ/n + (1 − δ)²/(2n)·(Σᵢⱼ λᵢλⱼ/(λᵢ + λⱼ) + ½ tr Σ):
//
// shrinkage by δ leaves 1 − δ of the error. Of a diagonal covariance the bracket is tr Σ. Client k
// is in the reference, too, by its own share wₖ, so that the mean of the difference has the
// variance (1 − wₖ)·tr Σ/n where clients are alike: V is taken times 1 − wₖ with wₖ = nₖ/Σn.

// noiseOf returns V of a law that is estimated from n rows.
func (e estimator) noiseOf(g ot.Gaussian, delta, n float64) (float64, error) {
	trace, pairs := 0.0, 0.0
	for i := range g.Cov.Rows {
		trace += g.Cov.Row(i)[i]
	}
	if pairs = trace / 2; !e.diagonal {
		values, _, err := new(tensor.Eigen).Factor(g.Cov)
		if err != nil {
			return 0, err
		}
		pairs = 0
		for _, a := range values {
			for _, b := range values {
				if a > 0 && b > 0 {
					pairs += a * (b / (a + b))
				}
			}
		}
	}
	return trace/n + (1-delta)*(1-delta)/(2*n)*(pairs+trace/2), nil
}

// signal returns tₖ, the share of the way to the reference that sampling does not explain.
func (e estimator) signal(own *fl.Dataset, delta, all float64, from, to ot.Gaussian) (
	float64, error,
) {
	n := float64(own.Len())
	v, err := e.noiseOf(from, delta, n)
	if err != nil {
		return 0, err
	}
	seen, err := new(ot.Bures).Distance(from, to)
	if err != nil || seen == 0 {
		return 0, err
	}
	return max(0, 1-(1-n/all)*v/(seen*seen)), nil
}
