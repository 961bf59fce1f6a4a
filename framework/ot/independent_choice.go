package ot

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A crowd is the cohort distribution of an Independent problem as a choice. By 1/x = ∫₀^∞ e^{−sx}
// ds the share of a client is one integral over a product of all other clients: for cohorts of K,
//
//	p̃ᵢ · P(|S| = K) = ∫₀^∞ uᵢ bᵢ e^{−suᵢ} [zᴷ⁻¹] ∏_{k≠i} (1 − b_k + b_k e^{−su_k} z) ds,
//
// and for cohorts of any size the same with z = 1 in place of the coefficient.
//
// In τ = log s this is a sum over cohorts S, of weight U, of integrals of uᵢ s e^{−sU}. The
// trapezoidal rule of step h gets each of them right up to a relative error of
// 2|Γ(1 + 2πi/h)|, whatever U is, so that one step suits all.
type independentChoice struct {
	ids    []int // clients with weight, ascending; all others have weight 0
	absent []int // clients outside of ids whose cohorts do not count

	// Of all N clients:
	off, on    tensor.Vector // probabilities of absence, and of participation
	stay, come tensor.Vector // factors stay + come·z of those outside the integral
	outside    tensor.Vector // coefficients of their product in reverse, length max(1, K)
	any        bool          // cohorts have any size
	total      float64       // probability of a cohort of that size, or of any

	// Of the clients in ids, by their number there:
	order  []int         // by descending weight
	square tensor.Vector // E[1{i∈S} (uᵢ/U)²] at the last share
	at     tensor.Vector // the a of the last bend,
	shares tensor.Vector // p̃ there,
	beside tensor.Vector // and a point a little away

	// Of a tier, by the order in it:
	x          tensor.Vector // s·uᵢ
	pull       tensor.Vector // bᵢ e^{−suᵢ}
	rest, draw tensor.Vector // factors rest + draw·z of those inside the integral
	without    tensor.Vector // coefficient of the whole product without one factor
	scratch    tensor.Vector // for that
}

const (
	tauStep   = 0.28 // h, for an error of 1e-14
	firstTime = 1e-7 // sU of the first node; nodes before it matter by the square of this
	lastTime  = 40   // sU beyond which e^{−sU} is negligible
	faintest  = -80  // log su below which a client's weight is negligible
	apart     = 40   // gap in log u beyond which one client's weight is negligible beside another's
)

// crowd returns the cohort distribution of s for the weights of the clients in ids.
func (s Independent) crowd(ids []int) *independentChoice {
	n, k, m := len(s.Chance), max(1, s.Size), len(ids)
	v := func(n int) tensor.Vector { return make(tensor.Vector, n) }
	c := &independentChoice{
		ids: ids, off: v(n), on: s.Chance.Clone(), stay: v(n), come: v(n), outside: v(k),
		order: make([]int, m), square: v(m), at: v(m), shares: v(m), beside: v(m),
		x: v(m), pull: v(m), rest: v(m), draw: v(m), without: v(m),
		scratch: v(kernel.SymmetricScratch(m, k)),
	}
	empty := 0.0
	for i, b := range s.Chance {
		c.off[i] = 1 - b
		empty += math.Log1p(-b)
	}
	if c.any = s.Size == 0; c.any {
		c.total = -math.Expm1(empty)
		return c
	}
	// Given the size of the cohort, other probabilities have the same distribution. Those are
	// chosen for which that size is likely.
	kernel.Tilt(c.off, c.on, k)
	exactly := v(k + 1)
	kernel.Symmetric(exactly, c.off, c.on)
	c.total = exactly[k]
	return c
}

// marginal implements choice for log u = a of the clients in ids, all finite: their shares of the
// cohorts without absent clients.
func (c *independentChoice) marginal(dst, a tensor.Vector) {
	c.allOutside()
	for _, i := range c.absent {
		c.leave(i)
	}
	c.share(dst, a)
}

// bend implements choice: the diagonal of H is E[1{i∈S} uᵢ/U (1 − uᵢ/U)].
func (c *independentChoice) bend(diag, a tensor.Vector) {
	copy(c.at, a)
	c.marginal(c.shares, a)
	floats.SubTo(diag, c.shares, c.square)
}

// curve implements choice. It takes the difference of two shares, which are right to 1e-13, over a
// step of 1e-6. That gives six digits of H·x, and it only serves to choose the next direction.
func (c *independentChoice) curve(dst, x tensor.Vector) {
	const step = 1e-6
	longest := floats.Norm(x, math.Inf(1))
	if longest == 0 {
		clear(dst)
		return
	}
	floats.AddScaledTo(c.beside, c.at, step/longest, x)
	c.marginal(dst, c.beside)
	floats.Sub(dst, c.shares)
	floats.Scale(longest/step, dst)
}

// allOutside makes all clients outsiders, which may participate and have weight 0.
func (c *independentChoice) allOutside() {
	copy(c.stay, c.off)
	if c.any {
		floats.Add(c.stay, c.on)
	} else {
		copy(c.come, c.on)
	}
}

// leave makes client i an outsider that is absent.
func (c *independentChoice) leave(i int) { c.stay[i], c.come[i] = c.off[i], 0 }

// enter takes client i from the outsiders.
func (c *independentChoice) enter(i int) { c.stay[i], c.come[i] = 1, 0 }

// gather takes the product of the outsiders. To multiply a polynomial by it and pick the
// coefficient of zᴷ⁻¹ is to take the inner product with its coefficients in reverse.
func (c *independentChoice) gather() {
	kernel.Symmetric(c.outside, c.stay, c.come)
	slices.Reverse(c.outside)
}

// share sets dst to p̃ of the clients in ids when others are outsiders, absent or not.
//
// Clients that are very much heavier than others have priority over them. The tiers are integrated
// one after another: those in a tier share what heavier clients leave, and lighter ones are
// negligible beside them.
func (c *independentChoice) share(dst, a tensor.Vector) {
	clear(dst)
	clear(c.square)
	order := c.order
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(j, k int) int { return cmp.Or(cmp.Compare(a[k], a[j]), j-k) })
	for len(order) > 0 {
		size := 1
		for size < len(order) && a[order[size-1]]-a[order[size]] <= apart {
			size++
		}
		if tier := order[:size]; size == 1 {
			c.takeAll(dst, tier[0])
		} else {
			c.integrate(dst, a, tier)
		}
		order = order[size:]
	}
	floats.Scale(1/c.total, dst)
	floats.Scale(1/c.total, c.square)
}

// takeAll sets the share of client number k when it is alone in its tier.
func (c *independentChoice) takeAll(dst tensor.Vector, k int) {
	i := c.ids[k]
	c.enter(i)
	c.gather()
	c.leave(i)
	dst[k] = c.on[i] * c.outside[0]
	c.square[k] = dst[k]
}

// integrate adds the integrals of one tier to dst and, by 1/x² = ∫₀^∞ s e^{−sx} ds, to the
// squares.
//
// At a time s only clients with su between e⁻⁸⁰ and 40 matter, a window of the tier that
// moves on to lighter ones. Heavier ones are absent, lighter ones weigh nothing yet.
func (c *independentChoice) integrate(dst, a tensor.Vector, tier []int) {
	least, heaviest := c.bounds(a, tier)
	start := math.Log(firstTime/heaviest) - a[tier[0]]
	// The first node stands for all before it as well, where the integrand is as good as
	// proportional to s.
	weight := tauStep / -math.Expm1(-tauStep)
	lo, hi := 0, 0
	for node := 0; ; node++ {
		tau, seen := start+float64(node)*tauStep, lo+hi
		for ; hi < len(tier) && tau+a[tier[hi]] > faintest; hi++ {
			c.x[hi] = math.Exp(tau + a[tier[hi]])
			c.enter(c.ids[tier[hi]])
		}
		for ; lo < hi && c.x[lo] > lastTime; lo++ {
			c.leave(c.ids[tier[lo]])
		}
		if len(tier)-lo < least || hi == len(tier) && c.x[hi-least:hi].Sum() > lastTime {
			// The remaining clients may stay: if there are any, every cohort without heavier
			// clients has some of them, and lighter tiers have share 0.
			break
		}
		if lo+hi > seen {
			c.gather()
		}
		c.visit(dst, tier[lo:hi], c.x[lo:hi], weight)
		c.x[lo:hi].Scale(math.Exp(tauStep))
		weight = tauStep
	}
}

// visit adds the integrands of the clients in window, of which su = x, times weight.
func (c *independentChoice) visit(
	dst tensor.Vector, window []int, x tensor.Vector, weight float64,
) {
	n := len(window)
	for j, k := range window {
		i := c.ids[k]
		c.pull[j] = c.on[i] * math.Exp(-x[j])
		if c.any {
			c.rest[j] = c.off[i] + c.pull[j]
		} else {
			c.rest[j], c.draw[j] = c.off[i], c.pull[j]
		}
	}
	kernel.SymmetricWithout(c.without[:n], c.rest[:n], c.draw[:n], c.outside, c.scratch)
	for j, k := range window {
		share := weight * x[j] * c.pull[j] * c.without[j]
		dst[k] += share
		c.square[k] += share * x[j]
	}
}

// bounds returns how many of the tier a cohort without heavier clients has at least, and
// how much those in a cohort weigh at most, relative to the heaviest of them.
func (c *independentChoice) bounds(a tensor.Vector, tier []int) (least int, heaviest float64) {
	least, most := 1, len(tier)
	if !c.any {
		least, most = len(c.outside), min(most, len(c.outside))
		for _, b := range c.come {
			if b > 0 {
				least--
			}
		}
		for _, k := range tier {
			if c.on[c.ids[k]] > 0 {
				least++
			}
		}
		least = max(least, 1)
	}
	for _, k := range tier[:most] {
		heaviest += math.Exp(a[k] - a[tier[0]])
	}
	return least, heaviest
}
