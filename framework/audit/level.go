package audit

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Level is what F(θ) − F* is expected to be at the end of training, in the mean over the window
// of its last measurements, and what that is made of: the floor of the Prediction and these parts.
type Level struct {
	At    float64 `json:"at"`    // all of it
	Drift float64 `json:"drift"` // θ̄, about which θ settles, is not θ_p̃ after several local steps
	Noise float64 `json:"noise"` // θ moves about θ̄, because cohorts differ
	Start float64 `json:"start"` // what is left of θ⁰
	Error float64 `json:"error"` // standard error of At where it is simulated; 0: it is exact

	// Affine says that what clients do is an affine function of the model, so that the recursion is
	// training itself. Otherwise it is right to the first order about θ̄.
	Affine bool `json:"affine"`
	// Settles is after how many rounds less than 1 % of the level is left of the start: of θ⁰, and
	// of noise that still grows; 0 where that is so at the end of training.
	Settles int `json:"settles,omitempty"`
	// Trials is At of simulated trainings, each with cohorts of its own.
	Trials fl.Vector `json:"-"`
}

// A Trial is what was predicted of a cell beside what its training reached.
type Trial struct {
	Seed       uint64     `json:"seed"`
	Prediction Prediction `json:"prediction"`
	Reached    float64    `json:"reached"` // F(θ) − F* at the end, as tables have it
}

// Training is what training reached, over the seeds that were trained.
type Training struct {
	Trials   []Trial `json:"trials"`
	Expected float64 `json:"expected"` // mean of what was predicted: levels, or else floors
	Reached  float64 `json:"reached"`  // mean
	Half     float64 `json:"half"`     // half the 95 % confidence interval of that; 0 of one seed

	// The means of 95 % of trainings of as many seeds lie between Low and High if the prediction is
	// right. Judged is false where that is not known.
	Judged bool    `json:"judged"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Agrees bool    `json:"agrees"` // Reached lies there
}

// settled is the share of a level below which what is left of the start does not count.
const settled = 0.01

// settle computes what is expected at the end of training, with all clients' work linear in θ,
// which it is close enough to θ̄: Δᵢ(θ̄ + e) = bᵢ + Jᵢe. Then a round makes e + Σ wₖ(bₖ + Jₖe) of
// e.
func (p *Prediction) settle(c *linearised, g goal, o *Options) error {
	p.Unknown = c.refuse(g.theta)
	if c.err != nil || p.Unknown != "" {
		return c.err
	}
	theta := g.theta.Clone()
	if !c.center(theta) {
		p.Unknown = "its mean step leads nowhere that it would settle"
		return c.err
	}
	window := o.Window
	if len(window) == 0 {
		window = []int{c.setup.Rounds}
	}
	start := c.setup.Model.Init(fl.NewStream(c.setup.Seed, "init").Rand())
	start.AddScaled(-1, theta)
	l := &Level{Affine: c.affine(theta)}
	base := g.gap(theta)
	above := func(e fl.Vector) float64 {
		copy(c.at, theta)
		c.at.AddScaled(1, e)
		return g.gap(c.at) - base
	}
	l.Drift = base - p.Floor
	grows := c.path(start, window, func(e fl.Vector) { l.Start += above(e) / float64(len(window)) })
	exact := c.exact()
	simulated := !exact || o.Trials
	if exact {
		l.Noise = c.spread(newQuadratic(g.gap, theta), start, window)
	}
	if simulated {
		p.Unknown = c.replay(l, start, window, above, o.Trials)
		if c.err != nil || p.Unknown != "" {
			return c.err
		}
		for r := range l.Trials {
			l.Trials[r] += p.Floor + l.Drift
		}
	}
	l.At = p.Floor + l.Drift + l.Noise + l.Start
	if grows || math.IsNaN(l.At) || math.IsInf(l.At, 0) {
		p.Unknown = "its steps are too long to settle"
		return nil
	}
	for _, part := range []*float64{&l.Drift, &l.Noise, &l.Error, &l.Start} {
		if math.Abs(*part) <= rounding*math.Abs(l.At) {
			*part = 0
		}
	}
	l.Settles = c.settles(l, start, above, exact)
	p.Level = l
	return nil
}

// rounding is the share of a level below which a part of it is nothing but rounding.
const rounding = 1e-9

// path follows the mean of e, which is e⁰ at first, through the rounds, shows it after those of the
// window, and reports whether it has grown.
func (c *linearised) path(e fl.Vector, window []int, visit func(fl.Vector)) (grows bool) {
	left, step := e.Clone(), make(fl.Vector, len(e))
	next := 0
	for t := 0; next < len(window); t++ {
		for ; next < len(window) && window[next] == t; next++ {
			visit(left)
		}
		c.slope.MulVec(step, left)
		left.AddScaled(c.present, step)
	}
	return left.Norm() > e.Norm()*(1+1e-12)
}

// settles returns Level.Settles.
func (c *linearised) settles(l *Level, e fl.Vector, above func(fl.Vector) float64, exact bool) int {
	most := settled * math.Abs(l.At-l.Start)
	rounds := 0
	if math.Abs(l.Start) > settled*math.Abs(l.At) {
		rounds = c.fades(e, func(e fl.Vector) bool { return math.Abs(above(e)) <= most })
	}
	// Noise grows to its level as the square of that fades: when it has come within 1 % of it, half
	// as many rounds had brought it within 10 %.
	if exact && c.growing > 1.0/11 && l.Noise > settled*math.Abs(l.At) {
		rate := c.contraction()
		n := math.Ceil(math.Log(settled) / (2 * math.Log(rate)))
		if rate > 0 && rate < 1 && n < 1e9 {
			rounds = max(rounds, int(n))
		}
	}
	if rounds <= c.setup.Rounds {
		return 0
	}
	return rounds
}

// powers returns A, A², A⁴, … of the mean round A = I + Σ w̄J, as many as double up to 2³⁰ rounds.
func (c *linearised) powers(most int, visit func(k int, a fl.Matrix) bool) {
	d := len(c.step)
	a, next := fl.NewMatrix(d, d), fl.NewMatrix(d, d)
	for r := range d {
		copy(a.Row(r), c.slope.Row(r))
		a.Row(r).Scale(c.present)
		a.Row(r)[r]++
	}
	for k := range most {
		if !visit(k, a) {
			return
		}
		multiply(next, a, a)
		a, next = next, a
	}
}

// multiply sets dst = a·b.
func multiply(dst, a, b fl.Matrix) {
	clear(dst.Data)
	for i := range a.Rows {
		row := dst.Row(i)
		for k, x := range a.Row(i) {
			if x != 0 {
				row.AddScaled(x, b.Row(k))
			}
		}
	}
}

// fades returns after how many rounds what the mean round leaves of e is small, to a thousandth of
// that; 0 if it never is.
func (c *linearised) fades(e fl.Vector, small func(fl.Vector) bool) int {
	const most = 30
	var all []fl.Matrix
	at, next := e.Clone(), make(fl.Vector, len(e))
	found := false
	c.powers(most, func(k int, a fl.Matrix) bool {
		kept := fl.NewMatrix(a.Rows, a.Cols)
		copy(kept.Data, a.Data)
		all = append(all, kept)
		a.MulVec(next, at)
		found = small(next)
		return !found
	})
	if !found {
		return 0
	}
	rounds := 0
	for k := len(all) - 1; k >= 0; k-- { // the largest number of rounds after which it is not small
		all[k].MulVec(next, at)
		if !small(next) {
			at, next = next, at
			rounds += 1 << k
		}
	}
	return rounds + 1
}

// contraction returns the factor by which the slowest part of e that fades shrinks in a mean round.
func (c *linearised) contraction() float64 {
	const far = 20
	at, next := make(fl.Vector, len(c.step)), make(fl.Vector, len(c.step))
	for k := range at {
		at[k] = math.Sin(float64(3*k) + 1)
	}
	before, rate := 0.0, 0.0
	flat := c.step.Clone() // what no round moves: the slope maps it to 0
	c.powers(far, func(k int, a fl.Matrix) bool {
		a.MulVec(next, at)
		c.slope.MulVec(flat, next)
		size := flat.Norm()
		if k > 0 && size > 0 && before > 0 && size > 1e-200 {
			rate = math.Pow(size/before, 1/math.Exp2(float64(k-1)))
		}
		before = size
		return size > 1e-12
	})
	return rate
}

// tooLong says why rounds are too many to simulate.
func tooLong(rounds, trials int) string {
	return fmt.Sprintf("its %d rounds are too many to simulate %d times", rounds, trials)
}
