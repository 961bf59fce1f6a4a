package stats

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Moments are what weights w of n clients are to reproduce: Σᵢ wᵢhᵢ = h̄ with w ≥ 0, Σw = 1.
// Moments may be redundant and covariates constant. There must be a client, every number must be
// finite, and those of Base and Noise positive, unless nil; or the answer is NaN.
//
// Noise says that h̄ⱼ is known with a standard deviation of σⱼ. Moments are then met in part: the
// weights minimise D(w) + Σⱼ (Σᵢ wᵢhᵢⱼ − h̄ⱼ)² / (2σⱼ²). This is the most probable w when exp(−D)
// is its prior density. The prior is a unit-information prior: by it, the shift between the moments
// of the base and h̄ has the mean 0 and the covariance S of the covariates under the base, so a
// typical shift is one standard deviation. Where no bound w ≥ 0 holds a quadratic calibration back,
// Σwh is the base's moments plus S(S + Σ)⁻¹ times the shift given, with Σ = diag σ². Divide σ by τ
// for a prior of τ standard deviations. With σ → 0 moments are met exactly; with σ → ∞ the weights
// are the base.
//
// Moments that cannot be met need no noise: without, the nearest that can be take their place,
// which is the limit of vanishing noise in proportion to the covariates' ranges. Only clients in
// the direction of the target can then have weights.
type Moments struct {
	X      tensor.Matrix // hᵢ, n×k
	Target tensor.Vector // h̄
	Base   tensor.Vector // w₀, the weights to stay close to, in any scale; nil: all equal
	Noise  tensor.Vector // σ; nil: none
}

// A Calibration says how well weights were found.
type Calibration struct {
	Reach      Reach         // whether the moments can be met
	Lambda     tensor.Vector // multipliers of the moments, in their units
	Met        tensor.Vector // Σᵢ wᵢhᵢ
	Missed     float64       // largest |Met − Target|, in ranges of the covariates
	Divergence float64       // of w from w₀ with a sum of 1
	Residual   float64       // of the optimality conditions, in the same ranges
	Steps      int           // of Newton's method on the dual
	Converged  bool          // Residual ≤ 1e-12
}

// Reach decides whether the moments can be met.
func (m *Moments) Reach() Reach {
	if !m.sound() {
		return Reach{Distance: math.NaN(), Margin: math.NaN()}
	}
	unit := m.ranges()
	return newHull(m.centered(unit)).reach(m.Target, unit)
}

// Quadratic sets dst to the weights that minimise ½‖w − w₀‖², which are
// wᵢ = max(0, w₀ᵢ + a + ⟨λ, hᵢ⟩) for some a. With noise, D(w) is n times that. The dual is
// piecewise quadratic; Newton's method on it changes many bounds in a step.
func (m *Moments) Quadratic(dst tensor.Vector) Calibration {
	c, base := calibration{Moments: m}, m.normalBase()
	n := float64(len(base))
	scaled := base.Clone()
	scaled.Scale(n)
	c.solve(dst, &hinge{scaled}, scaled)
	c.answer.Lambda.Scale(1 / n)
	for i, w := range dst {
		away := w - base[i]
		c.answer.Divergence += float64(away * away / 2)
	}
	return c.answer
}

// Entropy sets dst to the weights that minimise D(w) = Σᵢ wᵢ log(wᵢ/w₀ᵢ), which are in
// proportion to w₀ᵢ·exp⟨λ, hᵢ⟩. Where moments can be met only with weights of zero, at the
// border of what can be met, the multipliers grow until these are zero to rounding.
func (m *Moments) Entropy(dst tensor.Vector) Calibration {
	c, logs := calibration{Moments: m}, m.normalBase()
	for i, w := range logs {
		logs[i] = math.Log(w)
	}
	c.newton.normalised = true
	c.solve(dst, &tilt{logs}, logs)
	for i, w := range dst {
		if w != 0 {
			c.answer.Divergence += float64(w * (math.Log(w) - logs[i]))
		}
	}
	return c.answer
}

// sound reports whether the numbers are such as they must be.
func (m *Moments) sound() bool {
	positive := func(v tensor.Vector) bool {
		for _, x := range v {
			if !(x > 0) {
				return false
			}
		}
		return kernel.Finite(v)
	}
	return m.X.Rows > 0 && kernel.Finite(m.X.Data) && kernel.Finite(m.Target) &&
		positive(m.Base) && positive(m.Noise)
}

// ranges returns the unit of each covariate: its range, or its size if it is constant.
func (m *Moments) ranges() tensor.Vector {
	lo, hi := m.X.Row(0).Clone(), m.X.Row(0).Clone()
	for i := range m.X.Rows {
		for j, h := range m.X.Row(i) {
			lo[j], hi[j] = min(lo[j], h), max(hi[j], h)
		}
	}
	unit := hi.Clone()
	unit.Sub(lo)
	for j := range unit {
		size := max(math.Abs(lo[j]), math.Abs(hi[j]), math.Abs(m.Target[j]))
		if unit[j] <= 1e-12*size {
			unit[j] = size
		}
		if unit[j] == 0 {
			unit[j] = 1
		}
	}
	return unit
}

// centered returns the points (hᵢ − h̄)/unit.
func (m *Moments) centered(unit tensor.Vector) tensor.Matrix {
	g := tensor.NewMatrix(m.X.Rows, m.X.Cols)
	for i := range g.Rows {
		row := g.Row(i)
		copy(row, m.X.Row(i))
		row.Sub(m.Target)
		row.Div(unit)
	}
	return g
}

// A calibration is one on its way.
type calibration struct {
	*Moments
	newton descent
	answer Calibration
}

// normalBase returns w₀ with a sum of 1.
func (m *Moments) normalBase() tensor.Vector {
	base := m.Base.Clone()
	if base == nil {
		base = make(tensor.Vector, m.X.Rows)
		base.Fill(1)
	}
	base.Scale(1 / base.Sum())
	return base
}

// solve minimises φ(Gλ + a) − a + ½ρ‖λ‖² for points G as seen from the target. ∇φ are the
// weights. A log-sum-exp has no need of the number a: its weights sum to 1.
//
// Where moments cannot be met, λ grows without end as ρ → 0. What grows is λ₀ = −y/ρ for the
// point y of the hull that is nearest in units of the noise: with λ = λ₀ + μ the problem is that
// of points G − y and scores that are lower by ⟨gᵢ − y, y⟩/ρ ≥ 0, which is 0 in the face of y.
// Without noise, the others are left out.
func (c *calibration) solve(dst tensor.Vector, phi shape, base tensor.Vector) {
	if !c.sound() {
		dst.Fill(math.NaN())
		c.answer = Calibration{Reach: c.Reach(), Missed: math.NaN(), Residual: math.NaN()}
		return
	}
	ranges, d, k := c.ranges(), &c.newton, c.X.Cols
	unit, rho := ranges, 0.0
	g := c.centered(unit)
	h := newHull(g)
	c.answer.Reach = h.reach(c.Target, unit)
	if c.Noise != nil {
		unit, rho = c.noisy(ranges)
		g = c.centered(unit)
		h = newHull(g)
	}
	if rho > 0 || !c.answer.Reach.Feasible {
		h.lower(base, rho)
	}
	for i := range g.Rows {
		g.Row(i).Sub(h.nearest)
	}
	d.resize(g.Rows, k)
	if !d.normalised {
		d.resize(g.Rows, k+1)
		d.pull[k] = 1
	}
	d.z.Data = appendOnes(d.z.Data[:0], g, d.z.Cols-k)
	copy(d.size, ranges)
	d.size[:k].Div(unit)
	d.ridge[:k].Fill(rho)
	end := d.run(phi)
	if rho > 0 {
		d.beta[:k].AddScaled(-1/rho, h.nearest)
	}
	d.beta[:k].Div(unit)
	copy(dst, d.slope)
	dst.Scale(1 / dst.Sum()) // it is 1 to the residual
	c.describe(dst, end, ranges)
}

// noisy returns units in proportion to the noise, of which none is below a range, and ρ in them.
func (c *calibration) noisy(ranges tensor.Vector) (unit tensor.Vector, rho float64) {
	unit = ranges.Clone()
	unit.Div(c.Noise)
	most := 1.0
	if len(unit) > 0 {
		most = slices.Max(unit)
	}
	copy(unit, c.Noise)
	unit.Scale(most)
	return unit, 1 / (most * most)
}

// describe says how the weights w came out.
func (c *calibration) describe(w tensor.Vector, end descended, ranges tensor.Vector) {
	a := &c.answer
	a.Residual, a.Steps, a.Converged = end.residual, end.steps, end.converged
	a.Lambda, a.Met = c.newton.beta[:len(ranges)].Clone(), make(tensor.Vector, len(ranges))
	c.X.AddMulTVec(a.Met, w)
	for j, met := range a.Met {
		a.Missed = max(a.Missed, math.Abs(met-c.Target[j])/ranges[j])
	}
}

// appendOnes appends the rows of g to dst, each followed by so many ones.
func appendOnes(dst tensor.Vector, g tensor.Matrix, ones int) tensor.Vector {
	for i := range g.Rows {
		dst = append(dst, g.Row(i)...)
		for range ones {
			dst = append(dst, 1)
		}
	}
	return dst
}

// A hinge is φ(s) = (1/2n) Σᵢ max(0, n·w₀ᵢ + sᵢ)².
type hinge struct{ base tensor.Vector } // n·w₀

func (h *hinge) at(slope, bend, s tensor.Vector) float64 {
	sum, n := 0.0, float64(len(s))
	for i, t := range s {
		x := max(0, h.base[i]+t)
		slope[i], bend[i] = x/n, 0
		if x > 0 {
			bend[i] = 1 / n
		}
		sum += float64(x * x / 2)
	}
	return sum / n
}

// A tilt is φ(s) = log Σᵢ w₀ᵢ·exp sᵢ.
type tilt struct{ logs tensor.Vector } // log w₀

func (t *tilt) at(slope, bend, s tensor.Vector) float64 {
	copy(slope, s)
	slope.Add(t.logs)
	sum := kernel.Softmax(slope, slope)
	copy(bend, slope)
	return sum
}
