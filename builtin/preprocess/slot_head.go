package preprocess

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// The head that a server can make of moments by class, on features that are aligned: no features
// and no second exchange are needed, since the maps of clients are affine and follow from what the
// clients sent. Class means go where the map takes them, Wₖ becomes BₖWₖBₖ for the matrix Bₖ of the
// map, and moments about means are merged as those of all samples.

// aligned returns the moments by class of all clients' features, moved by a share of the way from
// their law to a reference.
func alignedClasses(own []classes, to ot.Gaussian, share float64) (classes, error) {
	count, m := len(own[0].count), own[0].mean.Cols
	all := classes{count: make(fl.Vector, count), mean: fl.NewMatrix(count, m),
		within: fl.NewMatrix(m, m)}
	moved, samples := make([]classes, len(own)), 0.0
	for k, o := range own {
		var err error
		if moved[k], err = o.moved(to, share); err != nil {
			return all, err
		}
		for c, n := range o.count {
			all.count[c] += n
			all.mean.Row(c).AddScaled(n, moved[k].mean.Row(c))
		}
		n := o.count.Sum()
		fl.Vector(all.within.Data).AddScaled(n, moved[k].within.Data)
		samples += n
	}
	for c, n := range all.count {
		if n > 0 {
			all.mean.Row(c).Scale(1 / n)
		}
	}
	apart := make(fl.Vector, m)
	for _, o := range moved {
		for c, n := range o.count {
			copy(apart, o.mean.Row(c))
			apart.Sub(all.mean.Row(c))
			for i, x := range apart {
				all.within.Row(i).AddScaled(n*x, apart)
			}
		}
	}
	fl.Vector(all.within.Data).Scale(1 / samples)
	_, err := stats.Floor(all.within)
	return all, err
}

// law returns the Gaussian of the features.
func (s classes) law() ot.Gaussian {
	share := s.count.Clone()
	share.Scale(1 / share.Sum())
	return s.mixed(share)
}

// moved returns what the moments become by a share of the way from their law to another.
func (s classes) moved(to ot.Gaussian, share float64) (classes, error) {
	if share == 0 {
		return s, nil
	}
	var b ot.Bures
	by, err := b.Map(s.law(), to)
	if err != nil {
		return s, err
	}
	there := classes{count: s.count, mean: fl.NewMatrix(s.mean.Rows, s.mean.Cols)}
	b.Apply(there.mean, s.mean, by, share)
	zero := ot.Gaussian{Mean: make(fl.Vector, s.mean.Cols), Cov: s.within}
	there.within = b.Interpolate(by, zero, share).Cov
	return there, nil
}

// A head scores classes by discriminant analysis: Gaussian classes of one covariance.
type head struct {
	weight fl.Matrix // C×m
	bias   fl.Vector // −Inf of a class without samples
}

// newHead returns the head of moments by class.
func newHead(s classes) (head, error) {
	h := head{weight: fl.NewMatrix(s.mean.Rows, s.mean.Cols), bias: make(fl.Vector, s.mean.Rows)}
	white, err := whitening(s.within)
	if err != nil {
		return h, err
	}
	half, n := fl.NewMatrix(s.mean.Rows, s.mean.Cols), s.count.Sum()
	tensor.Mul(half, s.mean, white)
	tensor.Mul(h.weight, half, white)
	for c := range h.bias {
		h.bias[c] = math.Log(s.count[c]/n) - s.mean.Row(c).Dot(h.weight.Row(c))/2
	}
	return h, nil
}

// labels returns the likeliest class of every row.
func (h head) labels(x fl.Matrix) []int {
	y, scores := make([]int, x.Rows), make(fl.Vector, len(h.bias))
	for i := range y {
		for c, b := range h.bias {
			scores[c] = b + h.weight.Row(c).Dot(x.Row(i))
		}
		y[i] = scores.ArgMax()
	}
	return y
}

// agreement returns the share of rows with the same label.
func agreement(a, b []int) float64 {
	same := 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
	}
	return float64(same) / float64(len(a))
}
