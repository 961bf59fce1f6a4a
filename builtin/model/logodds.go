package model

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// logLoss returns log(1 + eˢ) − ys for a label y of 0 or 1, whatever the size of s.
func logLoss(s float64, y int) float64 {
	if y == 1 {
		s = -s
	}
	return max(s, 0) + math.Log1p(math.Exp(-math.Abs(s)))
}

// logOdds is the objective Σ wᵢ fᵢ of logistic regression as a convex function.
type logOdds struct {
	model *logistic
	data  *fl.Dataset
	share fl.Vector // what each row counts
	slope fl.Vector // share·(σ − y) at the last Gradient, by row
	bend  fl.Vector // share·σ(1 − σ) there
	s     fl.Vector // scratch, by row
}

var _ stats.Convex = (*logOdds)(nil)

func newLogOdds(m *logistic, pop *fl.Population, w fl.Vector) *logOdds {
	n := pop.Train.Len()
	return &logOdds{model: m, data: wideTrain(pop), share: pop.Shares(w),
		slope: make(fl.Vector, n), bend: make(fl.Vector, n), s: make(fl.Vector, n)}
}

// Value implements stats.Convex.
func (f *logOdds) Value(x fl.Vector) float64 {
	f.model.score(f.s, x, f.data.X)
	sum := 0.0
	for r, s := range f.s {
		sum += f.share[r] * logLoss(s, f.data.Y[r])
	}
	return sum + f.model.penalty(x)
}

// Gradient implements stats.Convex.
func (f *logOdds) Gradient(dst, x fl.Vector) {
	f.model.score(f.s, x, f.data.X)
	for r, s := range f.s {
		small := rarer(s)
		// σ − y, without the rounding of 1 − σ where σ is close to 1.
		away := small
		if (s > 0) != (f.data.Y[r] == 1) {
			away = 1 - small
		}
		if f.data.Y[r] == 1 {
			away = -away
		}
		f.slope[r], f.bend[r] = f.share[r]*away, f.share[r]*small*(1-small)
	}
	f.pull(dst, f.slope, x)
}

// Curve implements stats.Convex.
func (f *logOdds) Curve(dst, v fl.Vector) {
	f.model.score(f.s, v, f.data.X)
	f.s.Mul(f.bend)
	f.pull(dst, f.s, v)
}

// pull sets dst to Xᵀr, and Σr for the bias, with l2·x.
func (f *logOdds) pull(dst, r, x fl.Vector) {
	clear(dst)
	beta, _ := f.model.split(x)
	own := dst[:len(beta)]
	own.AddScaled(f.model.l2, beta)
	f.data.X.AddMulTVec(own, r)
	if f.model.bias {
		dst[len(beta)] = r.Sum()
	}
}

// ones returns what the rows of class 1 count together.
func (f *logOdds) ones() float64 {
	copy(f.s, f.share)
	for r, y := range f.data.Y {
		if y == 0 {
			f.s[r] = 0
		}
	}
	return f.s.Sum()
}

// rarer returns the probability of the less likely class at score s, σ(−|s|).
func rarer(s float64) float64 {
	e := math.Exp(-math.Abs(s))
	return e / (1 + e)
}

// solve runs Newton's method to a gradient of 1e-12.
func (m *logistic) solve(pop *fl.Population, w fl.Vector) (fl.Optimum, error) {
	f := newLogOdds(m, pop, w)
	if ones := f.ones(); m.bias && (ones == 0 || ones == f.share.Sum()) {
		return fl.Optimum{}, errors.New("all labels that count are the same: no bias is best")
	}
	best, err := newton(f, m.Layout().Len())
	if err != nil {
		return best, err
	}
	at := make(fl.Vector, pop.Train.Len()) // scores at the optimum
	m.score(at, best.Params, f.data.X)
	best.Gap = func(params fl.Vector) float64 { return f.gap(params, best.Params, at) }
	return best, nil
}

// gap returns F(θ) − F(θ*) as what it is where ∇F(θ*) = 0: the divergence of every row's score
// from that at the optimum, and of the penalty. No term is negative, so nothing cancels.
func (f *logOdds) gap(theta, best, at fl.Vector) float64 {
	var room [together]float64
	sum := 0.0
	for lo := 0; lo < len(at); lo += together {
		hi := min(lo+together, len(at))
		s := fl.Vector(room[:hi-lo])
		f.model.score(s, theta, f.data.X.Slice(lo, hi))
		for i, score := range s {
			sum += f.share[lo+i] * divergence(score, at[lo+i])
		}
	}
	beta, _ := f.model.split(theta)
	star, _ := f.model.split(best)
	away := beta.Distance(star)
	return overflown(sum + f.model.l2/2*away*away)
}

// divergence returns log(1 + eˢ) − log(1 + eᵗ) − σ(t)(s − t) ≥ 0, to a relative error of some
// 1e-12: the relative entropy of two coins with log-odds t and s.
func divergence(s, t float64) float64 {
	if t > 0 { // it is the same for the other side of both coins
		s, t = -s, -t
	}
	p, away := rarer(t), s-t
	switch {
	case math.Abs(away) < 1e-3: // cumulants: the logarithm would lose what is left of it
		v, skew := p*(1-p), 1-2*p
		return v * away * away / 2 * (1 + away/3*(skew+away/4*(1-6*v+away/5*skew*(1-12*v))))
	case away < 30:
		return math.Log1p(p*math.Expm1(away)) - p*away
	}
	return logLoss(s, 0) - logLoss(t, 0) - p*away
}
