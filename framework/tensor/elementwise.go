package tensor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// Fill sets every element of v to x.
func (v Vector) Fill(x float64) {
	for i := range v {
		v[i] = x
	}
}

// Add sets v ← v + x.
func (v Vector) Add(x Vector) { kernel.Axpy(v, 1, x) }

// Sub sets v ← v − x.
func (v Vector) Sub(x Vector) { kernel.Axpy(v, -1, x) }

// AddConst adds x to every element of v.
func (v Vector) AddConst(x float64) {
	for i := range v {
		v[i] += x
	}
}

// Mul multiplies every element of v by that of x. x may be v.
func (v Vector) Mul(x Vector) {
	v.mustFit(x)
	for i, y := range x {
		v[i] *= y
	}
}

// Div divides every element of v by that of x: 0/0 is NaN, and 1/0 infinite. x may be v.
func (v Vector) Div(x Vector) {
	v.mustFit(x)
	for i, y := range x {
		v[i] /= y
	}
}

// Sqrt sets v[i] ← √v[i], which is NaN below zero.
func (v Vector) Sqrt() {
	for i, x := range v {
		v[i] = math.Sqrt(x)
	}
}

// Abs sets v[i] ← |v[i]|.
func (v Vector) Abs() {
	for i, x := range v {
		v[i] = math.Abs(x)
	}
}

// Sign sets v[i] to 1 above zero, to −1 below, and leaves ±0 and NaN.
func (v Vector) Sign() {
	for i, x := range v {
		switch {
		case x > 0:
			v[i] = 1
		case x < 0:
			v[i] = -1
		}
	}
}

// Softmax sets dst to e^x / Σ e^x, which does not overflow, and returns log Σ e^x. Of nothing
// but −Inf, of +Inf and of NaN it makes NaN. dst may be x.
func Softmax(dst, x Vector) (logSum float64) { return kernel.Softmax(dst, x) }

// LogSumExp returns log Σ e^x without overflow: −Inf for no elements or nothing but −Inf, and
// NaN if an element is.
func (v Vector) LogSumExp() float64 { return kernel.LogSumExp(v) }

func (v Vector) mustFit(x Vector) {
	if len(x) != len(v) {
		panic("tensor: lengths do not fit")
	}
}
