package kernel

import "math"

// The functions of this file need A·x and then Aᵀ times what becomes of it. They take both
// from a few rows at a time, which stay in the first-level cache between the two, so that A
// is read once from where it lies.

// together is how many rows are taken at a time at most.
const together = 64

// rowsTogether returns how many rows of n columns are taken at a time: 32 KB of them, a
// multiple of 4.
func rowsTogether(n int) int { return min(max(4096/max(n, 1), 4), together) &^ 3 }

// Samples are what a linear model learns from: X is row-major, a row for each number of Y.
// The rows are not laid out in blocks with samples side by side: in float64 that gains less
// than a copy of every batch costs.
type Samples struct{ X, Y []float64 }

// LeastSquares adds scale·Xᵀr to grad, where r = X·w + bias − Y, and returns scale·Σr. That
// is the gradient of scale/2·‖r‖² by w and by the bias.
func LeastSquares(grad, w []float64, s Samples, bias, scale float64) float64 {
	return learn(active, &linearModel{grad, w, bias, scale, false}, s)
}

// Logistic adds scale·Xᵀr to grad, where r = σ(X·w + bias) − Y with σ(t) = 1/(1 + e⁻ᵗ), and
// returns scale·Σr. For Y of zeros and ones that is the gradient of scale times the
// cross-entropy, by w and by the bias.
func Logistic(grad, w []float64, s Samples, bias, scale float64) float64 {
	return learn(active, &linearModel{grad, w, bias, scale, true}, s)
}

// Sinkhorn does half a step of Sinkhorn's algorithm in one pass over the row-major matrix K
// of len(u) rows and len(v) columns: it sets u = a ⊘ (K·v) and ktu = Kᵀ·u. The other half is
// v = b ⊘ ktu. A row with K·v = 0 gets what a division by zero gives. No slices overlap.
func Sinkhorn(u, ktu, k, v, a []float64) { sinkhorn(active, u, ktu, k, [2][]float64{v, a}) }

// A linearModel is what LeastSquares and Logistic are asked for, but for the samples.
type linearModel struct {
	grad, w     []float64
	bias, scale float64
	logistic    bool
}

// learn adds scale·Xᵀr to the gradient and returns scale·Σr.
func learn(p path, m *linearModel, s Samples) float64 {
	n, sum := len(m.w), 0.0
	fit(len(m.grad) == n && len(s.X) == n*len(s.Y))
	step := rowsTogether(n)
	var room [together]float64
	for lo := 0; lo < len(s.Y); lo += step {
		hi := min(lo+step, len(s.Y))
		r, x := room[:hi-lo], s.X[lo*n:hi*n]
		gemv(p, r, x, n, m.w)
		for i := range r {
			r[i] += m.bias
		}
		if m.logistic {
			sigmoid(p, r)
		}
		for i, y := range s.Y[lo:hi] {
			r[i] = m.scale * (r[i] - y)
			sum += r[i]
		}
		gemvT(p, m.grad, x, n, r)
	}
	return sum
}

// sigmoid replaces each of a few t by σ(t), from e^−|t| so that nothing overflows.
func sigmoid(p path, t []float64) {
	var room [together]float64
	e := room[:len(t)]
	for i, x := range t {
		e[i] = -math.Abs(x)
	}
	exp64(p, e, e)
	for i, x := range t {
		if x < 0 {
			t[i] = e[i] / (1 + e[i])
		} else {
			t[i] = 1 / (1 + e[i])
		}
	}
}

func sinkhorn(p path, u, ktu, k []float64, va [2][]float64) {
	v, a := va[0], va[1]
	n := len(v)
	fit(len(ktu) == n && len(a) == len(u) && len(k) == n*len(u))
	clear(ktu)
	step := rowsTogether(n)
	for lo := sinkhornFours(p, u, ktu, k, va); lo < len(u); lo += step {
		hi := min(lo+step, len(u))
		part, rows := u[lo:hi], k[lo*n:hi*n]
		gemv(p, part, rows, n, v)
		for i, mass := range a[lo:hi] {
			part[i] = mass / part[i]
		}
		gemvT(p, ktu, rows, n, part)
	}
}
