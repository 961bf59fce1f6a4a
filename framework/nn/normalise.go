package nn

import (
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// normStage normalises a batch in parts: the samples of a group norm one by one, the whole
// batch of a batch norm at once. The groups of channels of a part are its sets.
type normStage struct {
	norm
	x, y    []float32
	moments []moment // of every set, part by part
	count   int      // of the numbers of a set of the last batch
	seen    []moment // of the last batch, where running statistics are used and it is compared

	// Per channel.
	sum, dot                []float64 // of a part: Σ x and Σ x·x, or Σ dy and Σ dy·x
	scaleSlope, offsetSlope []float64 // gradients at the scale and at the offset
	a, b, e                 []float32 // y = a·x + b and dx = a·dy + e·x + b
}

// A moment is the mean of a set and its variance, the one with the count below.
type moment struct{ mean, variance float64 }

// root returns 1/√(variance + ε).
func (m moment) root() float64 { return 1 / math.Sqrt(m.variance+steadier) }

func (s *normStage) reserve(n int) {
	s.y = make([]float32, n*s.shape.Len())
	s.moments = make([]moment, n*s.groups)
}

// divide says into how many parts n samples are divided, and of how many numbers each.
func (s *normStage) divide(n int) (parts, size int) {
	if s.mean != nil {
		return 1, n * s.shape.Len()
	}
	return n, s.shape.Len()
}

// part returns part k of a batch, and its sets.
func (s *normStage) part(k, size int) (lo, hi int, sets []moment) {
	return k * size, (k + 1) * size, s.moments[k*s.groups : (k+1)*s.groups]
}

func (s *normStage) forward(p *pass, x []float32) []float32 {
	s.x = x[:p.n*s.shape.Len()]
	y := s.y[:len(s.x)]
	parts, size := s.divide(p.n)
	s.count = size / s.groups
	for k := range parts {
		lo, hi, sets := s.part(k, size)
		if s.mean != nil && !p.trains {
			s.recall(p, sets)
			s.compare(p, sets, x)
		} else {
			s.measure(sets, x[lo:hi])
		}
		s.toOutput(p, sets)
		kernel.ScaleRows32(y[lo:hi], x[lo:hi], s.a, s.b, s.relu)
	}
	return y
}

// recall sets the moments to running statistics. A server may make variances below zero, such as a
// sum whose weights are not all positive: they count as zero.
func (s *normStage) recall(p *pass, sets []moment) {
	mean, variance := part(p.params, s.norm.mean), part(p.params, s.norm.variance)
	for c := range sets {
		sets[c] = moment{float64(mean[c]), max(float64(variance[c]), 0)}
	}
}

// measure sets the moments of the sets of a part.
func (s *normStage) measure(sets []moment, x []float32) {
	kernel.Moments32(s.sum, s.dot, x, x)
	each := s.shape.C / s.groups
	for g := range sets {
		mean, square := 0.0, 0.0
		for c := g * each; c < (g+1)*each; c++ {
			mean += s.sum[c]
			square += s.dot[c]
		}
		mean /= float64(s.count)
		sets[g] = moment{mean, max(square/float64(s.count)-mean*mean, 0)}
	}
}

// toOutput sets a and b such that a·x + b = scale·(x − mean)/√(variance + ε) + offset.
func (s *normStage) toOutput(p *pass, sets []moment) {
	scale, offset := part(p.params, s.scale), part(p.params, s.offset)
	each := s.shape.C / s.groups
	for c := range s.a {
		m := sets[c/each]
		a := float64(scale[c]) * m.root()
		s.a[c], s.b[c] = float32(a), float32(float64(offset[c])-a*m.mean)
	}
}

func (s *normStage) backward(p *pass, dy []float32, _ bool) []float32 {
	if s.relu {
		kernel.ReLUBackward32(dy, s.y[:len(dy)])
	}
	clear(s.scaleSlope)
	clear(s.offsetSlope)
	parts, size := s.divide(p.n)
	for k := range parts {
		lo, hi, sets := s.part(k, size)
		kernel.Moments32(s.sum, s.dot, dy[lo:hi], s.x[lo:hi])
		if s.mean != nil && !p.trains {
			s.toInputRecalled(p, sets)
		} else {
			s.toInput(p, sets)
		}
		s.applyBackward(dy[lo:hi], s.x[lo:hi])
	}
	p.set(s.scale, toSingle(s.a, s.scaleSlope))
	p.set(s.offset, toSingle(s.b, s.offsetSlope))
	if s.mean != nil && !p.descends && p.grad != nil {
		clear(part(p.grad, s.mean))
		clear(part(p.grad, s.variance))
	}
	return dy
}

// toInput sets a, e and b such that a·dy + e·x + b is the gradient at the input, and adds
// to the gradients at the scale and at the offset. With x̂ = (x − μ)/σ and γ the scale, dx
// is (γ·dy − mean(γ·dy) − x̂·mean(γ·dy·x̂))/σ, the means over the set.
func (s *normStage) toInput(p *pass, sets []moment) {
	scale := part(p.params, s.scale)
	each, count := s.shape.C/s.groups, float64(s.count)
	for g, m := range sets {
		r, sum, dot := m.root(), 0.0, 0.0
		for c := g * each; c < (g+1)*each; c++ {
			slope := r * (s.dot[c] - m.mean*s.sum[c])
			s.scaleSlope[c] += slope
			s.offsetSlope[c] += s.sum[c]
			sum += float64(scale[c]) * s.sum[c]
			dot += float64(scale[c]) * slope
		}
		e := -r * r * dot / count
		for c := g * each; c < (g+1)*each; c++ {
			s.a[c] = float32(float64(scale[c]) * r)
			s.b[c], s.e[c] = float32(-e*m.mean-r*sum/count), float32(e)
		}
	}
}

// track moves running statistics a share of the way towards the moments of the last batch. As in
// PyTorch the running variance is that of an unbiased estimate; of a single number it is zero.
func (s *normStage) track(params []float32, share float64) {
	mean, variance := part(params, s.mean), part(params, s.variance)
	unbiased := float64(s.count) / float64(max(s.count-1, 1))
	for c, m := range s.moments[:s.groups] {
		mean[c] += float32(share * (m.mean - float64(mean[c])))
		variance[c] += float32(share * (unbiased*m.variance - float64(variance[c])))
	}
}

// applyBackward sets dy to a·dy + e·x + b by rows, of which a few at a time stay in the
// first-level cache.
func (s *normStage) applyBackward(dy, x []float32) {
	const few = 2048
	size := max(1, few/len(s.a)) * len(s.a)
	for lo := 0; lo < len(x); lo += size {
		hi := min(lo+size, len(x))
		kernel.ScaleRows32(dy[lo:hi], dy[lo:hi], s.a, s.b, false)
		kernel.ScaleRows32(dy[lo:hi], x[lo:hi], s.e, dy[lo:hi], false)
	}
}

// toSingle rounds v to dst and returns that.
func toSingle(dst []float32, v []float64) []float32 {
	for i, x := range v {
		dst[i] = float32(x)
	}
	return dst
}
