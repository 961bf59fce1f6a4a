package stats

import (
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Logistic is the workspace of logistic regressions. The zero value is ready; after a fit of some
// size, one of that size or smaller allocates its coefficients and nothing else. One goroutine uses
// it at a time.
type Logistic struct {
	newton descent
	loss   logLoss
}

// A LogisticFit models the probability that y is 1 as σ(⟨Coef, x⟩ + Intercept), σ(t) = 1/(1 + e⁻ᵗ).
type LogisticFit struct {
	Coef      tensor.Vector
	Intercept float64
	Objective float64 // Σᵢ wᵢ·loss + (l2/2)‖Coef‖²
	Residual  float64 // largest |Σᵢ rᵢxᵢⱼ + l2·Coefⱼ| over Σᵢ wᵢ|xᵢⱼ|, with rᵢ = wᵢ(σᵢ − yᵢ)
	Steps     int     // of Newton's method
	Converged bool    // Residual ≤ 1e-12, and the answer is not on its way to infinity
	Separable bool    // a hyperplane parts y = 1 from y = 0
	Free      int     // directions in which nothing decides: constant or redundant covariates
}

// Fit minimises Σᵢ wᵢ·(log(1 + e^{sᵢ}) − yᵢsᵢ) + (l2/2)‖β‖² with sᵢ = ⟨β, xᵢ⟩ + b by a damped
// Newton method from zero. The intercept b is not penalised. Labels are 0 or 1 or, as shares of
// several trials, between; weights are not negative, and nil stands for 1; l2 ≥ 0.
//
// Where all labels are 1, or all are 0, the answer is the limit: no coefficients, and an infinite
// intercept. Other separable labels have no finite answer without a penalty; they are then known by
// Newton's steps, which go on in a direction along which no row's loss grows. With a penalty there
// is an answer, and Separable says only whether it separates all labels, which is proof; a fit
// without one decides, for overlaps down to about 1e-8. A penalty makes the coefficient of a
// constant covariate zero and shares that of redundant ones; without it, Free counts them, and only
// the probabilities are determined. Without rows, and where a number is not finite, the answer is
// NaN.
func (l *Logistic) Fit(x tensor.Matrix, y, w tensor.Vector, l2 float64) LogisticFit {
	d := &l.newton
	fit := LogisticFit{Coef: make(tensor.Vector, x.Cols)}
	total, ones := l.load(x, y, w)
	if !(total > 0) || total-total != 0 || !kernel.Finite(x.Data) || !(ones >= 0) {
		fit.Coef.Fill(math.NaN())
		fit.Intercept, fit.Objective, fit.Residual = math.NaN(), math.NaN(), math.NaN()
		return fit
	}
	if none := ones == 0; none || l.loss.same {
		fit.Intercept = math.Inf(1)
		if none {
			fit.Intercept = math.Inf(-1)
		}
		fit.Converged, fit.Separable = true, true
		return fit
	}
	d.ridge.Fill(l2 / total)
	d.ridge[x.Cols] = 0
	end := d.run(&l.loss)
	copy(fit.Coef, d.beta)
	fit.Intercept = d.beta[x.Cols]
	fit.Objective, fit.Residual = total*end.value, end.residual
	fit.Steps, fit.Free = end.steps, end.free
	if l2 > 0 {
		fit.Separable = l.separates(d.beta, 0) > 0
	} else {
		// Near a minimum steps vanish; on the way to infinity each moves scores by about 1.
		fit.Separable = l.separates(d.beta, 0) > 0 || l.separates(d.step, 1e-6) > 0.1
	}
	fit.Converged = end.converged && (l2 > 0 || !fit.Separable)
	return fit
}

// load sets up the rows, with a last feature of 1, and returns Σw and Σwy. The weights of the
// loss sum to 1.
func (l *Logistic) load(x tensor.Matrix, y, w tensor.Vector) (total, ones float64) {
	d := &l.newton
	d.resize(x.Rows, x.Cols+1)
	l.loss.y, l.loss.w = y, sized(l.loss.w, x.Rows)
	l.loss.w.Fill(1)
	if w != nil {
		copy(l.loss.w, w)
	}
	total, ones = l.loss.w.Sum(), l.loss.w.Dot(y)
	l.loss.w.Scale(1 / total)
	l.loss.same = true
	clear(d.size)
	for i := range x.Rows {
		z := d.z.Row(i)
		copy(z, x.Row(i))
		z[x.Cols] = 1
		for j, v := range z {
			d.size[j] += float64(l.loss.w[i] * math.Abs(v))
		}
		l.loss.same = l.loss.same && (l.loss.w[i] == 0 || y[i] == 1)
	}
	for j, s := range d.size {
		if s == 0 {
			d.size[j] = 1
		}
	}
	return total, ones
}

// separates returns by how much a direction moves the score that it moves most, or 0 if it
// moves one towards the wrong label by more than tolerance times as much.
func (l *Logistic) separates(direction tensor.Vector, tolerance float64) (most float64) {
	d, worst := &l.newton, 0.0
	d.z.MulVec(d.scores, direction)
	for i, s := range d.scores {
		y := l.loss.y[i]
		if l.loss.w[i] == 0 {
			continue
		}
		most = max(most, math.Abs(s))
		if y > 0 {
			worst = max(worst, -s)
		}
		if y < 1 {
			worst = max(worst, s)
		}
	}
	if worst > tolerance*most {
		return 0
	}
	return most
}

// Chances sets dst to the probabilities of the rows of x under the model. It allocates nothing.
func (f *LogisticFit) Chances(dst tensor.Vector, x tensor.Matrix) {
	x.MulVec(dst, f.Coef)
	for i, s := range dst {
		dst[i] = -s - f.Intercept
	}
	kernel.Exp(dst, dst)
	for i, e := range dst {
		dst[i] = 1 / (1 + e)
	}
}

// A logLoss is φ(s) = Σᵢ wᵢ·(log(1 + e^{sᵢ}) − yᵢsᵢ).
type logLoss struct {
	y, w tensor.Vector
	same bool // all labels are 1
}

func (l *logLoss) at(slope, bend, s tensor.Vector) float64 {
	for i, t := range s {
		bend[i] = -math.Abs(t)
	}
	kernel.Exp(bend, bend)
	sum := 0.0
	for i, t := range s {
		y, w, e := l.y[i], l.w[i], bend[i]
		sum += float64(w * (max(t, 0) - float64(y*t) + math.Log1p(e)))
		one, zero := 1/(1+e), e/(1+e)
		if t < 0 {
			one, zero = zero, one
		}
		// σ − y, without the rounding of 1 − σ where σ is close to 1.
		slope[i] = w * (float64((1-y)*one) - float64(y*zero))
		bend[i] = w * one * zero
	}
	return sum
}
