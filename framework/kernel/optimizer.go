package kernel

import "math"

// A Momentum says how gradient descent with momentum takes a step. It keeps one velocity per
// parameter, 0 before the first step. Plain descent is Axpy32 with minus the rate.
type Momentum struct {
	Rate     float64 // η
	Momentum float64 // μ
	Decay    float64 // λ: the gradient gets λ·w
	Nesterov bool    // look ahead
}

// Step does g ← grad + λw, v ← μv + g, and w ← w − ηv, or with Nesterov w ← w − η(g + μv), as
// PyTorch's SGD does with no dampening. The slices do not overlap.
func (o *Momentum) Step(w, grad, velocity []float32) { o.step(active, w, grad, velocity) }

func (o *Momentum) step(p path, w, grad, velocity []float32) {
	fit(len(grad) == len(w) && len(velocity) == len(w))
	c := [3]float32{float32(-o.Rate), float32(o.Momentum), float32(o.Decay)}
	if o.Nesterov {
		nesterov32(p, w, grad, velocity, c[:])
	} else {
		momentum32(p, w, grad, velocity, c[:])
	}
}

// An Adam says how Adam and AdamW take a step. They keep two moments per parameter, 0 before
// the first step.
//
//	D. P. Kingma, J. Ba. Adam: A Method for Stochastic Optimization. ICLR 2015.
//	I. Loshchilov, F. Hutter. Decoupled Weight Decay Regularization. ICLR 2019.
type Adam struct {
	Rate         float64 // η
	Beta1, Beta2 float64 // β₁ and β₂, decay of the moments
	Epsilon      float64 // ε, outside the root
	Decay        float64 // λ
	Decoupled    bool    // AdamW: w shrinks by ηλ; else the gradient gets λ·w
}

// Step does step t = 1, 2, …: with g the gradient,
//
//	m ← m + (1−β₁)(g − m),  v ← β₂v + (1−β₂)g²,
//	w ← w − η/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε),
//
// as PyTorch's Adam and AdamW do. What is the same for all parameters is computed in
// float64. The slices do not overlap.
func (o *Adam) Step(t int, w, grad, mean, square []float32) {
	o.step(active, o.coefficients(t), w, grad, [2][]float32{mean, square})
}

func (o *Adam) step(p path, c [8]float32, w, grad []float32, moments [2][]float32) {
	mean, square := moments[0], moments[1]
	fit(len(grad) == len(w) && len(mean) == len(w) && len(square) == len(w))
	adam32(p, w, grad, mean, square, c[:])
}

// coefficients returns what adamGeneric multiplies by in step t.
func (o *Adam) coefficients(t int) [8]float32 {
	fit(t > 0)
	decay, keep := o.Decay, 1.0
	if o.Decoupled {
		decay, keep = 0, 1-float64(o.Rate*o.Decay)
	}
	rate := o.Rate / (1 - math.Pow(o.Beta1, float64(t)))
	root := math.Sqrt(1 - math.Pow(o.Beta2, float64(t)))
	return [8]float32{
		float32(decay), float32(1 - o.Beta1), float32(o.Beta2), float32(1 - o.Beta2),
		float32(1 / root), float32(o.Epsilon), float32(keep), float32(-rate),
	}
}

func momentumGeneric(w, grad, velocity, c []float32) {
	for i, x := range w {
		velocity[i] = fma32(velocity[i], c[1], fma32(c[2], x, grad[i]))
		w[i] = fma32(c[0], velocity[i], x)
	}
}

func nesterovGeneric(w, grad, velocity, c []float32) {
	for i, x := range w {
		g := fma32(c[2], x, grad[i])
		velocity[i] = fma32(velocity[i], c[1], g)
		w[i] = fma32(c[0], fma32(c[1], velocity[i], g), x)
	}
}

func adamGeneric(w, grad, mean, square, c []float32) {
	for i, x := range w {
		g := fma32(c[0], x, grad[i])
		mean[i] = fma32(c[1], g-mean[i], mean[i])
		square[i] = fma32(c[3], g*g, square[i]*c[2])
		root := float32(math.Sqrt(float64(square[i])))
		w[i] = fma32(c[7], mean[i]/fma32(c[4], root, c[5]), x*c[6])
	}
}
