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

// Exp sets v[i] ← e^v[i], to within 1 ulp.
func (v Vector) Exp() { kernel.Exp(v, v) }

// Log sets v[i] ← ln v[i], which is −Inf of ±0 and NaN below.
func (v Vector) Log() {
	for i, x := range v {
		v[i] = math.Log(x)
	}
}

// Pow sets v[i] ← v[i]^p, with the special cases of math.Pow. Squares by v.Mul(v), roots by Sqrt
// and reciprocals by Div take less than a tenth of the time.
func (v Vector) Pow(p float64) {
	for i, x := range v {
		v[i] = math.Pow(x, p)
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
		if s := bit(x > 0) - bit(x < 0); s != 0 {
			v[i] = float64(s)
		}
	}
}

// Floor sets v[i] ← ⌊v[i]⌋; NaN and infinities stay.
func (v Vector) Floor() {
	for i, x := range v {
		v[i] = math.Floor(x)
	}
}

// AddProduct sets v[i] ← v[i] + (α·x[i])·y[i], rounded after every operation. x and y may be v.
func (v Vector) AddProduct(alpha float64, x, y Vector) {
	v.mustFit(x)
	v.mustFit(y)
	for i, a := range x {
		v[i] += float64(float64(alpha*a) * y[i])
	}
}

// Max sets v[i] to the larger of v[i] and x[i], to NaN if one of them is; +0 is larger than −0.
func (v Vector) Max(x Vector) {
	v.mustFit(x)
	for i, y := range x {
		v[i] = max(v[i], y)
	}
}

// Min sets v[i] to the smaller of v[i] and x[i], to NaN if one of them is; −0 is smaller than +0.
func (v Vector) Min(x Vector) {
	v.mustFit(x)
	for i, y := range x {
		v[i] = min(v[i], y)
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
