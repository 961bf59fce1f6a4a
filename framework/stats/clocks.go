package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Successive sampling has the law of a race: client i finishes at a time that is
// exponential with rate rᵢ, and the first k to finish are drawn (Rosén, Ann. Math. Stat.
// 43, 1972). By a given time s clients have finished independently of each other, which
// turns sums over subsets into one integral over s. In τ = log s its integrand is
// analytic, vanishes at both ends and varies no faster than on a scale of 1/√k, so the
// trapezoidal rule converges geometrically (Trefethen, Weideman, SIAM Rev. 56, 2014).

// negligible is the probability of what the ends of an integral may leave out.
const negligible = 1e-17

// step returns the step in τ for a race that k clients must finish. Large k narrow the
// integrand to a bell of width 1/√k, where the error is exp(−2π²/(h²k)); at small k the
// exponential law itself sets the limit, with exp(−π²/h). Either is below 1e-14.
func step(k int) float64 { return 0.6 / math.Sqrt(float64(k)+4) }

// SuccessiveInclusion sets dst[i] = πᵢ, the probability that client i is one of the k
// drawn by successive sampling with weights r (see SuccessiveLaw). It lists no subsets:
//
//	πᵢ = ∫₀^∞ rᵢ e^{−rᵢs} Gᵢ(s) ds,   Gᵢ(s) = P(fewer than k others have finished by s).
//
// As s → 0 this integrand falls no faster than s. So the integral is taken in closed form
// for a Gamma law of shape k, and numerically for the difference, which falls like sᵏ⁺¹.
//
// It is right to about 1e-14, in some 400·len(r)·k multiplications and more when weights
// span many powers of ten. When no more than k weights are positive, those clients are
// always drawn.
func SuccessiveInclusion(dst, r tensor.Vector, k int) {
	clear(dst)
	if k == 0 {
		return
	}
	if positive(r) <= k {
		for i, w := range r {
			if w > 0 {
				dst[i] = 1
			}
		}
		return
	}
	c := newRace(r, k)
	for i, w := range r {
		dst[i] = -math.Expm1(-float64(k) * math.Log1p(w/c.rate))
	}
	h := step(k)
	for s := c.start(); c.run(s, h, dst); {
		s *= math.Exp(h)
	}
}

// A race holds what an integral over time needs.
type race struct {
	r    tensor.Vector
	k    int
	half float64 // time at which k − ½ clients have finished in the mean
	rate float64 // k/half, of the Gamma law that stands for the time of the k-th finish

	going, done tensor.Vector // probabilities that client i has not, and has, finished
	fewer       tensor.Vector // Gᵢ
	ones        tensor.Vector // the functional that sums up k coefficients
	scratch     tensor.Vector
}

func newRace(r tensor.Vector, k int) *race {
	n, half := len(r), finishTime(r, float64(k)-0.5)
	c := &race{
		r: r, k: k, half: half, rate: float64(k) / half,
		going: make(tensor.Vector, n), done: make(tensor.Vector, n),
		fewer: make(tensor.Vector, n), ones: make(tensor.Vector, k),
		scratch: make(tensor.Vector, kernel.SymmetricScratch(n, k)),
	}
	for m := range c.ones {
		c.ones[m] = 1
	}
	return c
}

// finishTime returns the time at which m clients have finished in the mean, to within
// 1 in 1000.
func finishTime(r tensor.Vector, m float64) float64 {
	lo := m / r.Sum()
	hi := lo
	for finished(r, hi) < m {
		lo, hi = hi, 2*hi
	}
	for hi > 1.001*lo {
		if mid := math.Sqrt(lo) * math.Sqrt(hi); finished(r, mid) < m {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// finished returns how many clients have finished by time s in the mean.
func finished(r tensor.Vector, s float64) float64 {
	sum := 0.0
	for _, w := range r {
		sum -= math.Expm1(-w * s)
	}
	return sum
}

// start returns a time by which k clients have finished with negligible probability: Σᵢ rᵢ bounds
// the rate at which they do.
func (c *race) start() float64 {
	return mathext.GammaIncRegInv(float64(c.k), negligible) / max(c.rate, c.r.Sum())
}

// run adds the integrand of every client at time s, times h, to dst. It reports whether
// later times matter.
func (c *race) run(s, h float64, dst tensor.Vector) bool {
	for i, w := range c.r {
		c.going[i], c.done[i] = math.Exp(-w*s), -math.Expm1(-w*s)
	}
	kernel.SymmetricWithout(c.fewer, c.going, c.done, c.ones, c.scratch)
	gamma := mathext.GammaIncRegComp(float64(c.k), c.rate*s)
	more := s < c.half
	for i, w := range c.r {
		density := s * c.going[i]
		dst[i] += h * w * density * (c.fewer[i] - gamma)
		// Clients of small weight have πᵢ ≈ rᵢ·half, so this keeps their relative accuracy.
		more = more || w > 0 && density*max(c.fewer[i], gamma) > negligible*c.half
	}
	return more
}

// lawByClocks returns the law of SuccessiveLaw through the finishing time of the first client
// outside of S,
//
//	q(S) = ∫₀^∞ R e^{−Rs} ∏_{i∈S} (1 − e^{−rᵢs}) ds,   R = Σ_{l∉S} r_l,
//
// in about 100·k multiplications a subset.
func lawByClocks(r tensor.Vector, k int) tensor.Vector {
	sets := Subsets(len(r), k)
	q, rest := make(tensor.Vector, len(sets)), make(tensor.Vector, len(sets))
	slowest := math.Inf(1)
	for j, set := range sets {
		if rest[j] = weightOutside(r, set); rest[j] == 0 {
			q[j] = 1 // No other client can be drawn.
			continue
		}
		slowest = math.Min(slowest, rest[j])
	}
	c, h := newRace(r, k), step(k)
	for s := c.start(); s*slowest < -math.Log(negligible); s *= math.Exp(h) {
		for i, w := range r {
			c.done[i] = -math.Expm1(-w * s)
		}
		for j, set := range sets {
			term := h * rest[j] * s * math.Exp(-rest[j]*s)
			for _, i := range set {
				term *= c.done[i]
			}
			q[j] += term
		}
	}
	return q
}
