package stats

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// NearestPositive sets a symmetric matrix to the nearest one, in the Frobenius norm, that has no
// negative eigenvalue. It allocates.
func NearestPositive(a tensor.Matrix) error {
	var e tensor.Eigen
	values, vectors, err := e.Factor(a)
	if err != nil || len(values) == 0 || values[0] >= 0 {
		return err
	}
	clear(a.Data)
	for k, v := range values {
		if v <= 0 {
			continue
		}
		for j, x := range vectors.Row(k) {
			a.Row(j).AddScaled(v*x, vectors.Row(k))
		}
	}
	for i := range a.Rows { // symmetric to the bit
		for j := range i {
			a.Row(j)[i] = a.Row(i)[j]
		}
	}
	return nil
}

// OneGaussian returns the mixture of one component with a mean and the covariance of a form that is
// nearest to a symmetric matrix, with variances raised by regular. It changes cov.
func OneGaussian(s Spread, mean tensor.Vector, cov tensor.Matrix, regular float64) (
	Mixture, error,
) {
	if s == Tied {
		return Mixture{}, fmt.Errorf("one Gaussian ties nothing")
	}
	m := newMixture(s, 1, len(mean))
	m.Weights[0] = 1
	copy(m.Means.Data, mean)
	if s == Full {
		if err := NearestPositive(cov); err != nil {
			return m, err
		}
		copy(m.Cov.Data, cov.Data)
		for i := range cov.Rows {
			m.Cov.Row(i)[i] += regular
		}
		return m, nil
	}
	for i := range cov.Rows {
		if s == Diagonal {
			m.Cov.Data[i] = max(0, cov.Row(i)[i]) + regular
		} else {
			m.Cov.Data[0] += cov.Row(i)[i] / float64(cov.Rows)
		}
	}
	if s == Spherical {
		m.Cov.Data[0] = max(0, m.Cov.Data[0]) + regular
	}
	return m, nil
}
