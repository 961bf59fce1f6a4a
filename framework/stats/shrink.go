package stats

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// The errors of laws that are estimated from samples.
var (
	ErrNoSamples = errors.New("there are no samples")
	ErrNotFinite = errors.New("a sample is NaN or infinite, or so large that its square is")
)

// A Shrunk covariance is that of samples, drawn towards a multiple of the identity.
type Shrunk struct {
	Mean      tensor.Vector // d
	Cov       tensor.Matrix // d×d: (1 − δ)·S + δ·(tr S/d)·I, where S is that of samples, over n
	Shrinkage float64       // δ ∈ [0, 1]
}

// LedoitWolf estimates the covariance of which the rows of x are samples, n×d, with the shrinkage
//
//	δ = min(b², d²)/d²,  d² = ‖S − mI‖²/d,  b² = Σₖ ‖xₖ·xₖᵀ − S‖²/(n²·d),  m = tr S/d,
//
// of centred xₖ (Ledoit, Wolf, A well-conditioned estimator for large-dimensional covariance
// matrices, J. Multivariate Analysis 88, 2004), as scikit-learn does. Of a single row or of equal
// ones the covariance is 0; see Floor. It allocates.
func LedoitWolf(x tensor.Matrix) (Shrunk, error) {
	s, err := SampleCovariance(x)
	if err != nil {
		return s, err
	}
	n, d := float64(x.Rows), float64(x.Cols)
	fourth, centred := 0.0, make(tensor.Vector, x.Cols)
	for k := range x.Rows {
		copy(centred, x.Row(k))
		centred.Sub(s.Mean)
		square := centred.Dot(centred)
		fourth += float64(square * square)
	}
	mean, norm := trace(s.Cov)/d, kernel.Dot(s.Cov.Data, s.Cov.Data)
	beyond := s.centre(mean)
	// Σₖ ‖xₖ·xₖᵀ − S‖² = Σₖ ‖xₖ‖⁴ − n·‖S‖², which is not negative but for rounding.
	if b := min(max(fourth/n-norm, 0)/n, beyond); b > 0 {
		s.Shrinkage = b / beyond
	}
	if s.draw(mean); !kernel.Finite(s.Cov.Data) || math.IsInf(fourth, 1) {
		return s, ErrNotFinite
	}
	return s, nil
}

// OAS estimates it with the oracle approximating shrinkage of Gaussian samples,
//
//	δ = min(1, ((1 − 2/d)·tr S² + tr² S)/((n + 1 − 2/d)·(tr S² − tr² S/d))),
//
// (Chen, Wiesel, Eldar, Hero, Shrinkage algorithms for MMSE covariance estimation, IEEE Trans.
// Signal Processing 58, 2010, equation 23). scikit-learn leaves out both 2/d. Of samples whose
// covariance is a multiple of the identity, and of one feature, δ is 1 and nothing changes by it;
// of a single row or of equal ones the covariance is 0. It allocates.
func OAS(x tensor.Matrix) (Shrunk, error) {
	s, err := SampleCovariance(x)
	if err != nil {
		return s, err
	}
	n, d := float64(x.Rows), float64(x.Cols)
	norm, sum := kernel.Dot(s.Cov.Data, s.Cov.Data), trace(s.Cov)
	beyond := s.centre(sum / d)
	above := (1-2/d)*norm + sum*sum
	if below := (n + 1 - 2/d) * beyond; below > above {
		s.Shrinkage = above / below
	} else {
		s.Shrinkage = 1
	}
	if s.draw(sum / d); !kernel.Finite(s.Cov.Data) || math.IsInf(norm, 1) {
		return s, ErrNotFinite
	}
	return s, nil
}

// SampleCovariance returns S, over n, which is not shrunk. It allocates.
func SampleCovariance(x tensor.Matrix) (Shrunk, error) {
	if x.Rows == 0 {
		return Shrunk{}, ErrNoSamples
	}
	m := NewClassMoments(1, x.Cols)
	m.Add(x, nil)
	s := Shrunk{Mean: m.Mean.Row(0), Cov: m.Within}
	tensor.Vector(s.Cov.Data).Scale(1 / float64(x.Rows))
	if !kernel.Finite(s.Cov.Data) {
		return s, ErrNotFinite
	}
	return s, nil
}

// centre takes the mean eigenvalue from S, and returns the squared norm of what is left.
func (s *Shrunk) centre(mean float64) float64 {
	for i := range s.Cov.Rows {
		s.Cov.Row(i)[i] -= mean
	}
	return kernel.Dot(s.Cov.Data, s.Cov.Data)
}

// draw shrinks what is left, and gives the mean eigenvalue back.
func (s *Shrunk) draw(mean float64) {
	tensor.Vector(s.Cov.Data).Scale(1 - s.Shrinkage)
	for i := range s.Cov.Rows {
		s.Cov.Row(i)[i] += mean
	}
}

// trace returns the sum of the diagonal of a square matrix.
func trace(m tensor.Matrix) (sum float64) {
	for i := range m.Rows {
		sum += m.Row(i)[i]
	}
	return sum
}

// Floor lifts the smallest eigenvalue of a covariance to 1e-8·max(1, tr/d) by adding a multiple
// of the identity, as the code of SLOT-Align does before it takes roots. It returns the multiple,
// 0 where nothing is to be lifted. It allocates.
func Floor(cov tensor.Matrix) (lift float64, err error) {
	values, _, err := new(tensor.Eigen).Factor(cov)
	if err != nil || len(values) == 0 {
		return 0, err
	}
	lift = max(0, 1e-8*max(1, trace(cov)/float64(cov.Rows))-values[0])
	for i := range cov.Rows {
		cov.Row(i)[i] += lift
	}
	return lift, nil
}
