package preprocess

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A prediction of whether alignment will help, from what clients send: means, covariances and
// numbers of samples, without labels. It is ours.
//
// No statistic can be right in all cases. Let one client have features near 0 and 1, another near
// 1 and 2. With classes 0, 1 and 2 that is label shift, and alignment moves class 1 of one client
// onto class 2 of the other; with two classes and an offset it is domain shift, which alignment
// undoes. The laws of the features are the same in both cases. What can be said needs an
// assumption, and this one is that classes have one covariance W, and that labels alone differ:
// π_kc are the shares of class c at client k, π_c = Σ wₖπ_kc, and d_c the mean of a class less that
// of all features. Then second moments about the mean of all are linear in the shares,
//
//	Mₖ = Σₖ + (μₖ − μ)(μₖ − μ)ᵀ = W + Σ_c π_kc·d_c·d_cᵀ,
//
// so that all Mₖ − M, with M = Σ wₖMₖ, lie in the block of the span of the d_c, which has C − 1
// dimensions at most, since Σ π_c·d_c = 0. In directions beyond it label shift changes nothing.
// Domain shift has no reason to spare them. In coordinates in which M = I, which affine classifiers
// do not notice, with N rows of K clients in all,
//
//	E = Σ wₖ‖Mₖ − I‖²,   V = (K − 1)·m(m + 1)/N,   D = (1 − ρ)·max(0, E − V).
//
// V is the mean of E where clients are alike and rows Gaussian: an element of Mₖ has the variance
// 1/nₖ, 2/nₖ on the diagonal, and client k is in M by wₖ = nₖ/N, which leaves 1 − wₖ. ρ is the
// share of E in the block of the C − 1 first eigenvectors of Σ wₖ(Mₖ − I)²: label shift has ρ = 1.
// So D is what neither label shift nor sampling explains. Moved by a share t of the way, D
// leaves (1 − t)²D, and noise costs t²V; the sum is least at
//
//	t = D/(D + V),
//
// the predicted share of τ. It is 0 where there is label shift alone, and near 1 where there is
// much domain shift and many rows. What it does not know: the cost of label shift beside domain
// shift, since in the block the two cannot be told apart; classes of different covariances, which
// look like domain shift; and domain shift in few directions, such as offsets of up to C clients,
// which looks like label shift. With covariance = "diagonal" D and V are those of full covariances
// that are diagonal, and V is too large. How well it predicts is judged by
// experiments/frontier/alignment.toml: weakly, what all of the way brings; as a share of the way it
// brought more there, in the mean, than all of it.

// A prediction is what of the second moments is explained by what.
type prediction struct {
	beyond float64 // D
	noise  float64 // V
}

// share returns t.
func (p prediction) share() float64 {
	if p.beyond == 0 {
		return 0
	}
	return p.beyond / (p.beyond + p.noise)
}

// predict finds D and V of clients with so many samples each.
func predict(laws []ot.Gaussian, samples []int, classes int) (prediction, error) {
	second, rows, err := whitened(laws, samples)
	if err != nil {
		return prediction{}, err
	}
	m := second[0].Rows
	energy, spread := 0.0, fl.NewMatrix(m, m)
	square := fl.NewMatrix(m, m)
	for k, apart := range second {
		w := float64(samples[k]) / rows
		tensor.Mul(square, apart, apart)
		fl.Vector(spread.Data).AddScaled(w, square.Data)
		energy += w * fl.Vector(apart.Data).Dot(apart.Data)
	}
	p := prediction{noise: float64((len(laws)-1)*m*(m+1)) / rows}
	if energy <= p.noise {
		return p, nil
	}
	_, vectors, err := new(tensor.Eigen).Factor(spread)
	if err != nil {
		return p, err
	}
	block := min(m, classes-1)
	inside := 0.0
	for k, apart := range second {
		inside += float64(samples[k]) / rows * within(apart, vectors.Slice(m-block, m))
	}
	p.beyond = max(0, 1-inside/energy) * (energy - p.noise)
	return p, nil
}

// within returns the squared norm of a in the span of orthonormal rows.
func within(a, span fl.Matrix) float64 {
	half, norm := fl.NewMatrix(span.Rows, a.Cols), 0.0
	tensor.Mul(half, span, a)
	for i := range half.Rows {
		for j := range span.Rows {
			x := half.Row(i).Dot(span.Row(j))
			norm += float64(x * x)
		}
	}
	return norm
}

// whitened returns Mₖ − I in coordinates in which their mean is I, and the number of all rows.
func whitened(laws []ot.Gaussian, samples []int) (second []fl.Matrix, rows float64, err error) {
	for _, n := range samples {
		rows += float64(n)
	}
	m := len(laws[0].Mean)
	mean, pooled := make(fl.Vector, m), fl.NewMatrix(m, m)
	for k, g := range laws {
		mean.AddScaled(float64(samples[k])/rows, g.Mean)
	}
	for k, g := range laws {
		about := copied(g.Cov)
		apart := g.Mean.Clone()
		apart.Sub(mean)
		for i, x := range apart {
			about.Row(i).AddScaled(x, apart)
		}
		second = append(second, about)
		fl.Vector(pooled.Data).AddScaled(float64(samples[k])/rows, about.Data)
	}
	white, err := whitening(pooled)
	if err != nil {
		return nil, rows, err
	}
	half := fl.NewMatrix(m, m)
	for _, about := range second {
		tensor.Mul(half, white, about)
		tensor.Mul(about, half, white)
		for i := range m {
			about.Row(i)[i]--
		}
	}
	return second, rows, nil
}

// predictable says why nothing can be predicted of rows.
func predictable(in fl.Shape) error {
	if in.Classes > in.Features {
		return fmt.Errorf("predicts by directions beyond the %d that labels of %d classes can "+
			"change, and these rows have %d features: leave out predict and tau_by",
			in.Classes-1, in.Classes, in.Features)
	}
	return nil
}
