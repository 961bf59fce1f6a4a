package stats

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// The errors of reading what was sent.
var (
	ErrNoMoments  = errors.New("these are no moments by class")
	ErrNoMixtures = errors.New("these are no mixtures by class")
)

// What numbers are sent as.
const (
	sentCount      = "count"      // 1×C: samples of every class
	sentMean       = "mean"       // C×d
	sentWithin     = "within"     // 1×d(d+1)/2: packed
	sentComponents = "components" // 1×C: of the mixture of every class
	sentWeights    = "weights"    // 1×G, of the components of all classes, one class after another
	sentMeans      = "means"      // G×d
	sentCovariance = "covariance" // G×1, G×d, or packed, G×d(d+1)/2
)

// Tensors returns the moments as named matrices, C + C·d + d(d+1)/2 numbers that share memory
// with m in part.
func (m *ClassMoments) Tensors() map[string]tensor.Matrix {
	within := tensor.NewMatrix(1, tensor.Packed(m.Within.Rows))
	m.Within.Pack(within.Data)
	return map[string]tensor.Matrix{
		sentCount: row(m.Count), sentMean: m.Mean, sentWithin: within,
	}
}

// ReadClassMoments returns moments from what Tensors made of them.
func ReadClassMoments(t map[string]tensor.Matrix) (*ClassMoments, error) {
	count, ok := naturals(t[sentCount])
	mean, within := t[sentMean], t[sentWithin]
	if !ok || mean.Rows != len(count) || len(within.Data) != tensor.Packed(mean.Cols) {
		return nil, ErrNoMoments
	}
	m := &ClassMoments{Count: count, Mean: mean, Within: tensor.NewMatrix(mean.Cols, mean.Cols)}
	m.Within.Unpack(within.Data)
	return m, nil
}

// ClassMixtures are mixtures of features by class, all of one form.
type ClassMixtures struct {
	Count    []int     // samples of each of C classes
	Mixtures []Mixture // of each class; one without components where there is none
}

// Tensors returns the mixtures as named matrices. A symmetric matrix is sent as what lies on and
// below its diagonal.
func (m *ClassMixtures) Tensors() map[string]tensor.Matrix {
	components := make([]int, len(m.Mixtures))
	var weights tensor.Vector
	var means, covariance tensor.Matrix
	for c, mix := range m.Mixtures {
		components[c] = len(mix.Weights)
		weights = append(weights, mix.Weights...)
		for g := range mix.Weights {
			means = below(means, mix.Means.Row(g))
			part := mix.covariance(g)
			if mix.Spread.dense() {
				packed := make(tensor.Vector, tensor.Packed(part.Rows))
				part.Pack(packed)
				part.Data = packed
			}
			covariance = below(covariance, part.Data)
		}
	}
	return map[string]tensor.Matrix{
		sentCount: row(m.Count), sentComponents: row(components),
		sentWeights: {Rows: 1, Cols: len(weights), Data: weights},
		sentMeans:   means, sentCovariance: covariance,
	}
}

// ReadClassMixtures returns mixtures from what Tensors made of them. Those that were Tied are
// Full.
func ReadClassMixtures(t map[string]tensor.Matrix) (*ClassMixtures, error) {
	count, counted := naturals(t[sentCount])
	components, split := naturals(t[sentComponents])
	weights, means, covariance := t[sentWeights], t[sentMeans], t[sentCovariance]
	all := 0
	for _, g := range components {
		all += g
	}
	spread, known := spreadOf(means.Cols, covariance.Cols)
	if !counted || !split || !known || len(count) != len(components) ||
		len(weights.Data) != all || means.Rows != all || covariance.Rows != all {
		return nil, ErrNoMixtures
	}
	m := &ClassMixtures{Count: count}
	at := 0
	for _, g := range components {
		mix := newMixture(spread, g, means.Cols)
		copy(mix.Weights, weights.Data[at:])
		copy(mix.Means.Data, means.Slice(at, at+g).Data)
		for k := range g {
			part := mix.covariance(k)
			if sent := covariance.Row(at + k); spread == Full {
				part.Unpack(sent)
			} else {
				copy(part.Data, sent)
			}
		}
		m.Mixtures = append(m.Mixtures, mix)
		at += g
	}
	return m, nil
}

// spreadOf returns the form of covariances of d features that are sent as so many numbers.
func spreadOf(d, numbers int) (s Spread, known bool) {
	switch numbers {
	case 1:
		return Spherical, true
	case d: // also where there is none
		return Diagonal, true
	case tensor.Packed(d):
		return Full, true
	}
	return s, false
}

// row returns a matrix of one row of integers.
func row(xs []int) tensor.Matrix {
	m := tensor.NewMatrix(1, len(xs))
	for i, x := range xs {
		m.Data[i] = float64(x)
	}
	return m
}

// below adds a row to a matrix.
func below(m tensor.Matrix, row tensor.Vector) tensor.Matrix {
	return tensor.Matrix{Rows: m.Rows + 1, Cols: len(row), Data: append(m.Data, row...)}
}

// naturals returns the numbers of a matrix, if they are 0, 1, 2, …, and there is any.
func naturals(m tensor.Matrix) (xs []int, ok bool) {
	for _, x := range m.Data {
		if !(x >= 0) || x != math.Trunc(x) || x > 1<<53 {
			return nil, false
		}
		xs = append(xs, int(x))
	}
	return xs, xs != nil
}
