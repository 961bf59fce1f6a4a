// The privacy loss of many releases.
//
// Koskela, Jälkö, Honkela (2020), see loss.go, for composition by FFT; Gopi, Lee, Wutschitz (2021)
// "Numerical Composition of Differential Privacy", NeurIPS, for windows. Checked against
// dp_accounting/pld of google/differential-privacy.
//
// The loss of independent releases is the sum of their losses; its distribution is a convolution,
// computed on a circle of n grid points: the transform of every mechanism to the power of its
// count. What lies outside the window of n points is at most 1e-15 on either side, by Chernoff's
// bound of the very masses that are convolved. On the circle it comes back at the other side, where
// it can only add to δ from above or take from δ from below; where it is missing it is added, or
// taken.
package privacy

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

const (
	outside     = 1e-15   // mass beyond either end of the window, and of all tails, at most
	lastPlace   = 2e-15   // rounding of δ per release, and per root of a sum of terms
	fineness    = 5e-3    // step · √releases, at most
	leastPoints = 1 << 16 // about what a window has, where the other limits allow
	mostCells   = 1 << 20 // of a window
	mostWidth   = 1 << 18 // of the losses of one release
)

// An Interval holds a number between two bounds.
type Interval struct{ Low, High float64 }

// A PLD gathers releases whose distributions of privacy loss are composed.
type PLD struct {
	parts    []part
	sampling Sampling
	nothing  bool // noise: δ is 1
}

// A part is a mechanism and how often it is released.
type part struct {
	mechanism Mechanism
	count     int
}

// Add composes count releases of a mechanism. Releases of the same mechanism cost no more time than
// one.
func (p *PLD) Add(m Mechanism, count int) error {
	if err := m.check(count); err != nil {
		return err
	}
	if count == 0 || m.silent() {
		return nil
	}
	m = m.reduced()
	if err := oneAdjacency(&p.sampling, m.Sampling); err != nil {
		return err
	}
	p.nothing = p.nothing || m.Sigma == 0
	for k := range p.parts {
		if p.parts[k].mechanism == m {
			p.parts[k].count += count
			return nil
		}
	}
	p.parts = append(p.parts, part{m, count})
	return nil
}

// A Profile says what δ belongs to what ε after all releases.
type Profile struct {
	above, below []composed
	nothing      bool
	// Step is the distance of the grid's losses, Points the length of its window.
	Step   float64
	Points int
	// Allowance is what is added to and taken from δ for rounding: the largest error seen after the
	// transform, as many times as the window has points, and a few units in the last place for
	// every release and for the sum of the window. It is measured, not proved.
	Allowance float64
	// LowKnown says that there is a lower bound. Replacing has none: its Low is 0.
	LowKnown bool
}

// Compose composes the releases. It takes a part of a second, whatever their number.
func (p *PLD) Compose() *Profile {
	out := &Profile{nothing: p.nothing, LowKnown: p.sampling != Replacing}
	if p.nothing || len(p.parts) == 0 {
		return out
	}
	for step := p.step(); ; step *= 2 {
		if p.compose(out, step) {
			return out
		}
	}
}

// step returns a distance of losses that is small for the accuracy and for the spread of the sum.
func (p *PLD) step() float64 {
	spread := math.Sqrt(p.variance())
	return min(min(fineness, spread/80)/math.Sqrt(p.count()), 16*spread/leastPoints)
}

// variance returns about the variance of the sum of the losses.
func (p *PLD) variance() float64 {
	variance := 0.0
	for _, part := range p.parts {
		m := part.mechanism
		noise := 1 / (m.Sigma * m.Sigma)
		variance += float64(part.count) * min(noise, m.Rate*m.Rate*math.Expm1(min(noise, 700)))
	}
	return variance
}

// count returns the number of releases.
func (p *PLD) count() float64 {
	count := 0.0
	for _, part := range p.parts {
		count += float64(part.count)
	}
	return count
}

// compose fills the profile on a grid, and reports whether the grid is coarse enough.
func (p *PLD) compose(out *Profile, step float64) bool {
	out.above, out.below, out.Step, out.Allowance, out.Points = nil, nil, step, 0, 0
	directions := []direction{removed, added}
	switch p.sampling {
	case Everyone:
		directions = directions[:1]
	case Replacing:
		directions = []direction{replaced}
	}
	count := p.count()
	for _, d := range directions {
		var above, below []lossGrid
		for _, part := range p.parts {
			if width(part.mechanism, d, step, outside/count) > mostWidth {
				return false
			}
			up, down := discretizeIn(part.mechanism, d, step, outside/count)
			above, below = append(above, up), append(below, down)
		}
		for _, side := range []struct {
			grids []lossGrid
			to    *[]composed
		}{{above, &out.above}, {below, &out.below}} {
			if d == replaced && side.to == &out.below {
				continue
			}
			c, ok := p.convolve(side.grids)
			if !ok {
				return false
			}
			*side.to = append(*side.to, c)
			out.Allowance = max(out.Allowance, c.rounding)
			out.Points = max(out.Points, len(c.delta))
		}
	}
	return true
}

// width returns how many steps the losses of a mechanism span.
func width(m Mechanism, d direction, step, tail float64) int {
	widest := 0
	for _, plus := range []bool{false, true} {
		if d == replaced || plus == (d == added) {
			p := losses{rate: m.Rate, sigma: m.Sigma, added: plus}
			from, to := p.span(step, tail)
			widest = max(widest, to-from)
		}
	}
	return widest
}

// discretizeIn returns the losses of a mechanism in a direction; without sampling all directions
// are the same.
func discretizeIn(m Mechanism, d direction, step, tail float64) (above, below lossGrid) {
	switch {
	case m.Sampling == Everyone:
		return discretize(m, removed, step, tail)
	case d == replaced:
		return discretizeReplaced(m, step, tail), lossGrid{}
	}
	return discretize(m, d, step, tail)
}

// A composed is a profile at the losses (first + k)·step, without what is lost at the ends.
type composed struct {
	step     float64
	first    int
	delta    []float64
	total    float64 // mass in the window
	ends     float64 // mass of an infinite loss and outside the window
	rounding float64
}

// convolve composes the parts, whose losses the grids hold. It reports false when the window would
// have too many points.
func (p *PLD) convolve(grids []lossGrid) (composed, bool) {
	step := grids[0].step
	low, high := p.window(grids)
	n := 2
	for n < high-low+1 {
		if n *= 2; n > mostCells {
			return composed{}, false
		}
	}
	fft := fourier.NewFFT(n)
	circle := make([]float64, n)
	product, transform := make([]complex128, n/2+1), make([]complex128, n/2+1)
	for k := range product {
		product[k] = 1
	}
	finite := 0.0 // log of the probability that no loss is infinite
	for g, grid := range grids {
		clear(circle)
		for k, mass := range grid.mass {
			circle[modulo(grid.first+k, n)] += mass
		}
		fft.Coefficients(transform, circle)
		for k, c := range transform {
			product[k] *= power(c, p.parts[g].count)
		}
		finite += float64(p.parts[g].count) * math.Log1p(-grid.infinite)
	}
	fft.Sequence(circle, product)
	mass, worst, total := make([]float64, n), 0.0, 0.0
	for k := range mass {
		m := circle[modulo(low+k, n)] / float64(n)
		worst = max(worst, -m)
		mass[k] = max(m, 0)
		total += mass[k]
	}
	rounding := float64(n)*worst + lastPlace*(p.count()+math.Sqrt(float64(n)))
	return composed{
		step: step, first: low, delta: profile(mass, step), total: total,
		ends: outside - math.Expm1(finite), rounding: rounding,
	}, true
}

// profile turns masses into δ at their losses: δ(l) = Σ_{k: l_k > l} mass_k (1 − e^(l−l_k)). No
// term of the recursion is negative.
func profile(mass []float64, step float64) []float64 {
	keep, drop := math.Exp(-step), -math.Expm1(-step)
	tail, delta := 0.0, 0.0
	for k := len(mass) - 1; k >= 0; k-- {
		delta = keep*delta + drop*tail
		tail += mass[k]
		mass[k] = delta
	}
	return mass
}

// window returns the grid points between which the sum lies, but for a mass of outside at either
// side.
func (p *PLD) window(grids []lossGrid) (low, high int) {
	least, most := 0, 0
	for g, grid := range grids {
		count := p.parts[g].count
		least += count * grid.first
		most += count * (grid.first + len(grid.mass) - 1)
	}
	start := math.Sqrt(-2*math.Log(outside)/p.variance()) * grids[0].step
	up := p.chernoff(grids, start)
	down := p.chernoff(grids, -start)
	return max(least, int(math.Floor(down))), min(most, int(math.Ceil(up)))
}

// chernoff returns the bound of the sum, in steps, that Chernoff's inequality gives with the best
// exponent near start, whose sign is the side.
func (p *PLD) chernoff(grids []lossGrid, start float64) float64 {
	bound := func(exponent float64) float64 {
		total := 0.0
		for g, grid := range grids {
			total += float64(p.parts[g].count) * grid.cumulant(exponent)
		}
		return (total - math.Log(outside)) / exponent
	}
	side := 1.0
	if start < 0 {
		side = -1
	}
	best := bound(start)
	for _, factor := range []float64{math.Sqrt2, 1 / math.Sqrt2} {
		for x := start * factor; ; x *= factor {
			b := bound(x)
			if !(side*b < side*best) {
				break
			}
			best = b
		}
	}
	return best
}

// cumulant returns log Σ mass_k · exp(exponent · (first + k)).
func (g *lossGrid) cumulant(exponent float64) float64 {
	shrink, sum, end := math.Exp(-math.Abs(exponent)), 0.0, g.first
	if exponent > 0 {
		end += len(g.mass) - 1
		for _, m := range g.mass {
			sum = sum*shrink + m
		}
	} else {
		for k := len(g.mass) - 1; k >= 0; k-- {
			sum = sum*shrink + g.mass[k]
		}
	}
	return exponent*float64(end) + math.Log(sum)
}

// modulo returns the remainder in [0, n).
func modulo(k, n int) int { return ((k % n) + n) % n }

// power returns c to the power of count ≥ 0 by squaring.
func power(c complex128, count int) complex128 {
	result := complex(1, 0)
	for ; count > 0; count >>= 1 {
		if count&1 == 1 {
			result *= c
		}
		c *= c
	}
	return result
}
