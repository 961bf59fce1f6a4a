// The privacy loss of one release, on a grid, from above and from below.
//
// Sommer, Meiser, Mohammadi (2019) "Privacy Loss Classes", PoPETs; Koskela, Jälkö, Honkela (2020)
// "Computing Tight Differential Privacy Guarantees Using FFT", AISTATS; Doroshenko et al. (2022)
// "Connect the Dots: Tighter Discrete Approximations of Privacy Loss Distributions", PoPETs; Zhu,
// Dong, Wang (2022) "Optimal Accounting of Differential Privacy via Characteristic Function",
// AISTATS: dominating pairs. Checked against dp_accounting/pld of google/differential-privacy.
//
// Notation: a pair (P, Q) of outcome distributions, L = log dP/dQ at an outcome of P, the profile
// δ(ε) = E (1 − e^(ε−L))₊. A loss distribution whose profile is larger everywhere is above; one
// whose profile is smaller everywhere is below. Either property survives composition.
//
// With N₀ = N(0, σ²), N₁ = N(1, σ²) and the rate q, M = (1 − q)N₀ + qN₁, the pairs are
//
//	Everyone       (N₁, N₀), which is symmetric
//	Independently  (M, N₀) when a client is removed, (N₀, M) when one is added: both exact
//	Replacing      the profile of (M, N₀) for ε ≥ 0, of (N₁, (1 − q)N₁ + qN₀) for ε < 0
//
// The last is an upper bound: with A for the draws without the client that makes the difference,
// the releases are (1 − q)A + qB and (1 − q)A + qB', where A, B and B' lie one sensitivity apart,
// so that advanced joint convexity gives the first half (Balle, Barthe, Gaboardi 2018, Theorem 2),
// and exchanging the two populations gives the second (Zhu et al., Proposition 30).
//
// From above, the mass of a cell of the grid goes to its two ends such that its probabilities under
// P and under Q are kept: connect the dots. From below, outcomes at both sides of a grid point are
// merged, which is post-processing, in the proportion in which their losses average to the grid
// point exactly; what finds no partner moves to the next lower grid point. Both err by the square
// of the step, where rounding errs by the step.
package privacy

import "math"

// A lossGrid is a measure on the losses (first + k)·step, and what lies beyond.
type lossGrid struct {
	step     float64
	first    int
	mass     []float64
	infinite float64 // mass of an infinite loss
}

const (
	negligible = 1e-9 // mass of a half cell at the end of a grid that may be rounded down
	reach      = 8    // half cells in which partners are looked for
)

// A direction is a pair of a mechanism: which of the two distributions is P.
type direction int

const (
	removed  direction = iota // P is the mixture
	added                     // Q is the mixture
	replaced                  // the upper bound of Replacing
)

// A losses computes what one mechanism's outcomes weigh between two losses.
type losses struct {
	rate, sigma float64
	added       bool
}

// outcome returns where the loss of the pair (M, N₀) is l, in standard deviations of the noise.
func (p *losses) outcome(l float64) float64 {
	rest := math.Log1p(-p.rate)
	if p.rate < 1 && l <= rest {
		return math.Inf(-1)
	}
	// log((eˡ − (1 − q))/q), without overflow; for q = 1 it is l.
	y := l
	if p.rate < 1 {
		y = l - math.Log(p.rate) + math.Log(-math.Expm1(rest-l))
	}
	return p.sigma*y + 1/(2*p.sigma)
}

// loss returns the loss of the pair (M, N₀) at an outcome in standard deviations.
func (p *losses) loss(u float64) float64 {
	y := u/p.sigma - 1/(2*p.sigma*p.sigma)
	return logAdd(math.Log1p(-p.rate), math.Log(p.rate)+y)
}

// A cell is what the outcomes between two losses weigh under P and Q.
type cell struct{ p, q float64 }

// cells calls visit with the weights between consecutive losses from·step/2, …, to·step/2, and
// before the first and beyond the last.
func (p *losses) cells(from, to int, step float64, visit func(k int, c cell)) {
	sign := 1.0
	if p.added {
		sign = -1
	}
	last := p.edge(math.Inf(-int(sign)))
	for k := from; k <= to+1; k++ {
		u := math.Inf(int(sign))
		if k <= to {
			u = p.outcome(sign * float64(k) * step / 2)
		}
		next := p.edge(u)
		visit(k-1, p.between(last, next))
		last = next
	}
}

// An edge is an outcome, as the nearer tail of both normal distributions and its side.
type edge struct{ zero, one tail }

// A tail is what a normal distribution has beyond an outcome, on the side away from its mean.
type tail struct {
	mass  float64
	right bool
}

func (p *losses) edge(u float64) edge { return edge{newTail(u), newTail(u - 1/p.sigma)} }

func newTail(u float64) tail { return tail{mass: normal(-math.Abs(u)), right: u > 0} }

// to returns the mass between two outcomes, with small relative error in both tails.
func (t tail) to(o tail) float64 {
	if t.right == o.right {
		return math.Abs(t.mass - o.mass)
	}
	return 1 - t.mass - o.mass
}

// between returns the weights of the outcomes between two edges.
func (p *losses) between(a, b edge) cell {
	zero := a.zero.to(b.zero)
	mixture := (1-p.rate)*zero + p.rate*a.one.to(b.one)
	if p.added {
		return cell{p: zero, q: mixture}
	}
	return cell{p: mixture, q: zero}
}

// span returns the losses, in steps, between which all but tail of the mass lies.
func (p *losses) span(step, tail float64) (from, to int) {
	z := 1.0
	for normal(-z) > tail {
		z += 0.25
	}
	low, high := p.loss(-z), p.loss(z+1/p.sigma)
	if p.added {
		low, high = -p.loss(z), -p.loss(-z)
	}
	return int(math.Floor(low / step)), int(math.Ceil(high / step))
}

// discretize returns the loss distribution of a mechanism from above and from below, each at a
// tail of its own at most.
func discretize(m Mechanism, d direction, step, tail float64) (above, below lossGrid) {
	p := losses{rate: m.Rate, sigma: m.Sigma, added: d == added}
	from, to := p.span(step, tail)
	to = max(to, from+1)
	half := make([]cell, 2*(to-from)) // of cells between from and to
	var before, beyond cell
	p.cells(2*from, 2*to, step, func(k int, c cell) {
		switch {
		case k < 2*from:
			before = c
		case k >= 2*to:
			beyond = c
		default:
			half[k-2*from] = c
		}
	})
	normalise(half, &before, &beyond)
	above = connect(half, before, beyond, from, step)
	if p.added {
		below = mergeDown(half, beyond, from, step)
	} else {
		below = mergeUp(half, beyond, from, step)
	}
	return above, below
}

// normalise makes the masses sum to 1, which the rounding of so many of them misses by about 1e-13:
// too much for the power of thousands of releases.
func normalise(half []cell, before, beyond *cell) {
	total := before.plus(*beyond)
	for _, c := range half {
		total = total.plus(c)
	}
	for k := range half {
		half[k].p /= total.p
		half[k].q /= total.q
	}
	*before = cell{before.p / total.p, before.q / total.q}
	*beyond = cell{beyond.p / total.p, beyond.q / total.q}
}

// connect puts every cell at its two ends: connect the dots.
func connect(half []cell, before, beyond cell, from int, step float64) lossGrid {
	g := lossGrid{step: step, first: from, mass: make([]float64, len(half)/2+1)}
	g.mass[0] = before.p
	for k := 0; k < len(half); k += 2 {
		p, q := half[k].p+half[k+1].p, half[k].q+half[k+1].q
		upper := float64(from+k/2+1) * step
		low := min(max((scaled(upper, q)-p)/math.Expm1(step), 0), p)
		g.mass[k/2] += low
		g.mass[k/2+1] += p - low
	}
	// Beyond the last point: what keeps the probability under Q stays, the rest is infinite.
	end := len(g.mass) - 1
	stays := min(scaled(float64(from+end)*step, beyond.q), beyond.p)
	g.mass[end] += stays
	g.infinite = beyond.p - stays
	return g
}

// mergeUp gathers at every grid point, ascending, what is left of the cell before it and as much of
// the outcomes after it, the nearest first, as makes their losses average to the grid point. It
// suits losses that have a least one, near which most may lie. It consumes the half cells.
func mergeUp(half []cell, beyond cell, from int, step float64) lossGrid {
	g := lossGrid{step: step, first: from, mass: make([]float64, len(half)/2+1)}
	if half[0].p < negligible {
		g.mass[0], half[0] = half[0].p, cell{}
	}
	for k := 1; k < len(g.mass); k++ {
		left := half[2*k-2].plus(half[2*k-1])
		l := float64(from+k) * step
		debt, paid := -left.over(l), 0.0
		for j := 2 * k; j < min(2*k+reach, len(half)) && paid < debt; j++ {
			f := part01(debt-paid, half[j].over(l))
			paid += f * half[j].over(l)
			g.mass[k] += f * half[j].p
			half[j] = half[j].times(1 - f)
		}
		share := part01(paid, debt)
		g.mass[k] += share * left.p
		g.mass[k-1] += (1 - share) * left.p
	}
	g.mass[len(g.mass)-1] += beyond.p
	return g
}

// mergeDown is mergeUp, descending: for losses that have a largest one.
func mergeDown(half []cell, beyond cell, from int, step float64) lossGrid {
	g := lossGrid{step: step, first: from, mass: make([]float64, len(half)/2+1)}
	end := len(half)
	g.mass[end/2] = beyond.p
	if half[end-1].p < negligible {
		g.mass[end/2-1], half[end-1] = half[end-1].p, cell{}
	}
	for k := end/2 - 1; k >= 0; k-- {
		right := half[2*k].plus(half[2*k+1])
		l := float64(from+k) * step
		debt, paid := right.over(l), 0.0
		for j := 2*k - 1; j >= max(2*k-reach, 0) && paid < debt; j-- {
			f := part01(debt-paid, -half[j].over(l))
			paid -= f * half[j].over(l)
			g.mass[k] += f * half[j].p
			half[j] = half[j].times(1 - f)
		}
		g.mass[k] += right.p // what finds no partner lies above the point already
	}
	return g
}

// part01 returns a/b, but at most 1, and 1 when there is nothing to divide by.
func part01(a, b float64) float64 {
	if b <= a || !(b > 0) {
		return 1
	}
	return max(a, 0) / b
}

func (c cell) plus(o cell) cell { return cell{p: c.p + o.p, q: c.q + o.q} }

func (c cell) times(f float64) cell { return cell{p: f * c.p, q: f * c.q} }

// over returns by how much P exceeds e^l·Q: it is positive when losses are larger than l.
func (c cell) over(l float64) float64 { return c.p - scaled(l, c.q) }

// scaled returns eˡ·q, which is finite where it is needed.
func scaled(l, q float64) float64 {
	if l < 700 || q == 0 {
		return math.Exp(min(l, 700)) * q
	}
	return math.Exp(l + math.Log(q))
}

// discretizeReplaced returns the upper bound of Replacing: the losses above 0 are those of (M, N₀),
// the losses below 0 those of (N₁, (1 − q)N₁ + qN₀), and what is left has the loss 0.
func discretizeReplaced(m Mechanism, step, tail float64) lossGrid {
	up, _ := discretize(m, removed, step, tail)
	down, _ := discretize(m, added, step, tail)
	first := min(down.first, 0)
	last := max(up.first+len(up.mass)-1, 0)
	g := lossGrid{step: step, first: first, mass: make([]float64, last-first+1)}
	g.infinite = up.infinite
	rest := 1 - up.infinite
	add := func(from lossGrid, keep func(k int) bool) {
		for k, mass := range from.mass {
			if keep(from.first + k) {
				g.mass[from.first+k-first] += mass
				rest -= mass
			}
		}
	}
	add(up, func(k int) bool { return k > 0 })
	add(down, func(k int) bool { return k < 0 })
	g.mass[-first] += max(rest, 0)
	return g
}
