package ot

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A product is the kernel K = exp(−C/λ) of a support, for several vectors on it at once. The
// rows h of all vectors s lie together: element (h, w) of vector s is at (h·S + s)·W + w. So
// they are a matrix of H·S rows for the kernel across, and one of H rows for the kernel down.
type product struct {
	height, count, width int // H, S, W
	down, across         direction
	lambda               float64
	between              tensor.Vector // one of the two products
	x, y, terms          tensor.Vector // scratch: H or W numbers
	space                kernel.Workspace
}

// A direction is a factor of K, times a constant that makes its largest element 1.
type direction struct {
	cost       tensor.Matrix
	low        float64 // the lowest cost
	k          tensor.Matrix
	logs, logT tensor.Matrix // log K and its transpose, in the log domain
}

// load computes the kernel for so many vectors.
func (p *product) load(on Support, lambda float64, count int) error {
	if !(lambda > 0) {
		return fmt.Errorf("λ is %v", lambda)
	}
	p.lambda, p.height, p.count, p.width = lambda, on.Down.Rows, count, on.Across.Rows
	for _, c := range []tensor.Matrix{on.Down, on.Across} {
		if spread := floats.Max(c.Data) - floats.Min(c.Data); !(finest*spread <= lambda) {
			return fmt.Errorf("λ is %v, too small for costs that differ by %v", lambda, spread)
		}
	}
	p.down.load(on.Down, lambda)
	p.across.load(on.Across, lambda)
	most := max(p.height, p.width)
	p.between = resize(p.between, p.size())
	p.x, p.y, p.terms = resize(p.x, most), resize(p.y, most), resize(p.terms, most)
	return nil
}

func (d *direction) load(cost tensor.Matrix, lambda float64) {
	d.cost, d.low = cost, floats.Min(cost.Data)
	d.k = resized(d.k, cost.Rows, cost.Cols)
	for i, c := range cost.Data {
		d.k.Data[i] = (d.low - c) / lambda
	}
	kernel.Exp(d.k.Data, d.k.Data)
}

// takeLogs makes ready for products in the log domain.
func (p *product) takeLogs() {
	p.down.takeLogs(p.lambda)
	p.across.takeLogs(p.lambda)
}

func (d *direction) takeLogs(lambda float64) {
	d.logs = resized(d.logs, d.cost.Rows, d.cost.Cols)
	d.logT = resized(d.logT, d.cost.Cols, d.cost.Rows)
	for i := range d.cost.Rows {
		for j, c := range d.cost.Row(i) {
			x := (d.low - c) / lambda
			d.logs.Row(i)[j], d.logT.Row(j)[i] = x, x
		}
	}
}

// size returns the number of elements of all vectors.
func (p *product) size() int { return p.height * p.count * p.width }

// line returns row h of vector s, of all vectors x.
func (p *product) line(x tensor.Vector, h, s int) tensor.Vector {
	return x[(h*p.count+s)*p.width:][:p.width]
}

// row returns row h of one vector x that lies alone.
func (p *product) row(x tensor.Vector, h int) tensor.Vector { return x[h*p.width:][:p.width] }

// apply sets dst = K·src for every vector.
func (p *product) apply(dst, src tensor.Vector) {
	p.multiply(dst, src, whole(p.down.k), whole(p.across.k).T())
}

// applyT sets dst = Kᵀ·src for every vector.
func (p *product) applyT(dst, src tensor.Vector) {
	p.multiply(dst, src, whole(p.down.k).T(), whole(p.across.k))
}

func (p *product) multiply(dst, src tensor.Vector, left, right kernel.Matrix[float64]) {
	lines, stripe := p.height*p.count, p.count*p.width
	kernel.Gemm64(&p.space, kernel.RowMajor(p.between, lines, p.width),
		kernel.RowMajor(src, lines, p.width), right, false)
	kernel.Gemm64(&p.space, kernel.RowMajor(dst, p.height, stripe),
		left, kernel.RowMajor(p.between, p.height, stripe), false)
}

// logApply sets dst to log(K·e^src) for every vector.
func (p *product) logApply(dst, src tensor.Vector) {
	p.logMultiply(dst, src, p.down.logs, p.across.logs)
}

// logApplyT sets dst to log(Kᵀ·e^src) for every vector.
func (p *product) logApplyT(dst, src tensor.Vector) {
	p.logMultiply(dst, src, p.down.logT, p.across.logT)
}

func (p *product) logMultiply(dst, src tensor.Vector, down, across tensor.Matrix) {
	for at := 0; at < len(src); at += p.width {
		p.logMulVec(p.between[at:][:p.width], across, src[at:][:p.width])
	}
	stripe := p.count * p.width
	x, y := p.x[:p.height], p.y[:p.height]
	for j := range stripe {
		for h := range x {
			x[h] = p.between[h*stripe+j]
		}
		p.logMulVec(y, down, x)
		for h, v := range y {
			dst[h*stripe+j] = v
		}
	}
}

// logMulVec sets dst to log(e^m·e^x).
func (p *product) logMulVec(dst tensor.Vector, m tensor.Matrix, x tensor.Vector) {
	terms := p.terms[:len(x)]
	for i := range dst {
		floats.AddTo(terms, m.Row(i), x)
		dst[i] = kernel.LogSumExp(terms)
	}
}
