package kernel

import "math"

// Sigmoid32 sets dst to 1/(1 + e^−x), to within 2e-7 of a number between 0 and 1. dst may be x.
func Sigmoid32(dst, x []float32) {
	fit(len(x) == len(dst))
	curve32(active, dst, x, 1, 1, 0)
}

// Tanh32 sets dst to tanh x = 2/(1 + e^−2x) − 1, to within 3e-7 of a number between −1 and 1. dst
// may be x.
func Tanh32(dst, x []float32) {
	fit(len(x) == len(dst))
	curve32(active, dst, x, 2, 2, -1)
}

// GELU32 sets dst to x·Φ(x), where Φ is the distribution function of the normal distribution, and
// slope to its derivative Φ(x) + x·φ(x). Φ is within 2e-7. One of both may be x.
func GELU32(dst, slope, x []float32) {
	fit(len(x) == len(dst) && len(x) == len(slope))
	gelu32(active, dst, slope, x)
}

// Softmax32 sets dst to eˣ/Σeˣ, as Softmax does with 16 lanes. dst may be x.
func Softmax32(dst, x []float32) {
	fit(len(x) == len(dst))
	probabilities32(active, dst, x, 1)
}

// Times32 multiplies the elements of dst by those of x.
func Times32(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] *= v
	}
}

// curveGeneric sets dst to height/(1 + e^(−steep·x)) + floor.
func curveGeneric[T float](dst, x []T, steep, height, floor T) {
	e := exponentialOf[T]()
	for i, v := range x {
		dst[i] = T(height/T(e.at(T(v*-steep))+1)) + floor
	}
}

// The numbers of the normal distribution function. With t = 1/(1 + P·|x|), Φ(−|x|) is t times a
// polynomial of t, times e^(−x²/2), to within 7.5e-8 (Abramowitz, Stegun. Handbook of Mathematical
// Functions. 1964, 7.1.26, for the error function of |x|/√2).
const (
	normalP  = 0.3275911 / math.Sqrt2
	normalA1 = 0.254829592 / 2
	normalA2 = -0.284496736 / 2
	normalA3 = 1.421413741 / 2
	normalA4 = -1.453152027 / 2
	normalA5 = 1.061405429 / 2
	normalD  = 1 / (math.Sqrt2 * math.SqrtPi) // φ(0)
)

// geluGeneric is GELU32. Φ(x) is ½ + sign(x)·(½ − Φ(−|x|)).
func geluGeneric[T float](dst, slope, x []T) {
	e := exponentialOf[T]()
	for i, v := range x {
		density := e.at(T(T(v*v) * -0.5))
		t := 1 / fma(T(math.Abs(float64(v))), T(normalP), 1)
		y := T(normalA5)
		for _, a := range [...]T{normalA4, normalA3, normalA2, normalA1} {
			y = fma(y, t, a)
		}
		y = 0.5 - T(T(y*t)*density)
		if math.Signbit(float64(v)) {
			y = -T(math.Abs(float64(y)))
		}
		y += 0.5
		dst[i] = T(v * y)
		slope[i] = fma(T(v*density), T(normalD), y)
	}
}
