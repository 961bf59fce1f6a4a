package audit

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Level is what F(θ) − F* is expected to be after the last round, and what that is made of:
// the floor of the Prediction and these parts.
type Level struct {
	At    float64 `json:"at"`    // all of it
	Drift float64 `json:"drift"` // θ̄, about which θ settles, is not θ_p̃ after several local steps
	Noise float64 `json:"noise"` // θ moves about θ̄, because cohorts differ
	Error float64 `json:"error"` // standard error of that, which is simulated
	Start float64 `json:"start"` // what is left of θ⁰
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
	Agrees   bool    `json:"agrees"`   // Expected lies in the interval
}

// Limits of what is linearised.
const (
	mostParameters = 64        // of the model
	mostJacobians  = 8_000_000 // floats
	playedRounds   = 20_000    // where they cost no more than their weights
)

// settle says where θ settles, with all clients' work linear in θ, which it is close enough to
// θ̄: Δᵢ(θ̄ + e) = bᵢ + Jᵢe. Then a round makes e + Σ wₖ(bₖ + Jₖe) of e.
func (p *Prediction) settle(c *craft, g goal) error {
	p.Unknown = c.refuse(g.theta)
	if c.err != nil || p.Unknown != "" {
		return c.err
	}
	theta := g.theta.Clone()
	if !c.center(theta) {
		p.Unknown = "its mean step leads nowhere that it would settle"
		return c.err
	}
	l := &Level{Drift: g.gap(theta) - p.Floor}
	start := c.setup.Model.Init(fl.NewStream(c.setup.Seed, "init").Rand())
	start.AddScaled(-1, theta)
	left := c.fade(start, c.setup.Rounds)
	settled := left.Norm() <= start.Norm()
	left.AddScaled(1, theta)
	l.Start = g.gap(left) - g.gap(theta)
	if c.rounds.end == nil {
		if err := c.rounds.repeat(c.setup, c.world); err != nil {
			return err
		}
	}
	l.Noise, l.Error = c.wander(newBowl(g.gap, theta))
	l.At = p.Floor + l.Drift + l.Noise + l.Start
	if !settled || math.IsNaN(l.At) || math.IsInf(l.At, 0) {
		p.Unknown = "its steps are too long to settle"
		return nil
	}
	for _, part := range []*float64{&l.Drift, &l.Noise, &l.Error, &l.Start} {
		if math.Abs(*part) <= rounding*math.Abs(l.At) {
			*part = 0
		}
	}
	p.Level = l
	return nil
}

// rounding is the share of a level below which a part of it is nothing but rounding.
const rounding = 1e-9

// repeat plays rounds of an aggregator whose weights are fixed.
func (p *play) repeat(s *engine.Setup, w *engine.World) error {
	return engine.Simulate(s, w, playedRounds, func(turn engine.Turn) error {
		if len(turn.Cohort) == 0 || len(p.members) > mostKept-len(turn.Cohort) {
			return nil
		}
		r, err := p.probe.read(turn.T, turn.Cohort)
		if err != nil {
			return err
		}
		p.keep(turn.Cohort, r.weights)
		return nil
	})
}

// A craft is the work of clients about a point.
type craft struct {
	setup  *engine.Setup
	world  *engine.World
	rounds *play
	mean   fl.Vector // E w, by client
	work   fl.Vector // bᵢ of the clients that are weighed, one after another
	slopes fl.Vector // Jᵢ of them, by rows
	place  []int     // of a client among them; −1 for others
	step   fl.Vector // Σ w̄ᵢbᵢ
	slope  fl.Matrix // Σ w̄ᵢJᵢ
	task   fl.Task
	client fl.Client
	err    error // of a local rule
}

func newCraft(s *engine.Setup, w *engine.World, e *Effective, rounds *play) *craft {
	c := &craft{setup: s, world: w, rounds: rounds, mean: e.P.Clone()}
	c.mean.Scale(e.Total)
	d, n := s.Model.Layout().Len(), 0
	for _, x := range c.mean {
		if x != 0 {
			c.place = append(c.place, n)
			n++
		} else {
			c.place = append(c.place, -1)
		}
	}
	c.task = fl.Task{Client: &c.client, Model: s.Model, Worker: s.Model.Worker(),
		Params: make(fl.Vector, d)}
	c.step, c.slope = make(fl.Vector, d), fl.NewMatrix(d, d)
	if d <= mostParameters && n*d*d <= mostJacobians {
		c.work, c.slopes = make(fl.Vector, n*d), make(fl.Vector, n*d*d)
	}
	return c
}

// refuse says why the work cannot be linearised, or "".
func (c *craft) refuse(theta fl.Vector) string {
	switch {
	case c.work == nil && len(c.step) > mostParameters:
		return fmt.Sprintf("the model has %d parameters, too many to linearise what clients do: "+
			"at most %d", len(c.step), mostParameters)
	case c.work == nil:
		return "there are too many clients to linearise what each does"
	case c.rounds.probe.round.Broadcast.Floats() > 0:
		return "clients are sent more than the model"
	}
	d := len(theta)
	one, other := make(fl.Vector, d), make(fl.Vector, d)
	for i, j := range c.place {
		if j < 0 {
			continue
		}
		c.run(one, i, 0, theta)
		if c.run(other, i, c.setup.Rounds-1, theta); one.Distance(other) > 0 {
			return "what a client makes of the same model differs from round to round, by its " +
				"batches or its learning rate"
		}
		if j == 2 { // the first few tell
			break
		}
	}
	return ""
}

// run sets dst to Δᵢ(θ), what client i adds to a model in round t.
func (c *craft) run(dst fl.Vector, i, t int, theta fl.Vector) {
	if c.err != nil {
		return
	}
	k := &c.task
	k.Recycle()
	c.client = c.world.Population.Client(i)
	k.T, k.Global, k.RNG = t, theta, fl.NewStream(c.setup.Seed, "audit client").At(t, i).Rand()
	copy(k.Params, theta)
	u, err := c.setup.Local.Run(k)
	if err == nil && len(u.Params) != len(theta) {
		err = fmt.Errorf("client %d uploads no model", i)
	}
	if c.err = err; err != nil {
		return
	}
	for j, x := range u.Params {
		dst[j] = x - theta[j]
	}
}

// differ returns the step by which parameters are varied to see how something depends on them.
func (c *craft) differ(theta fl.Vector) float64 {
	h := 1e-4
	if c.setup.Model.Theory().Single {
		h = 1e-2
	}
	return h * (1 + theta.Norm()/math.Sqrt(float64(len(theta))))
}

// look computes b and J at a point, and their means.
func (c *craft) look(theta fl.Vector) {
	d, h := len(theta), c.differ(theta)
	at, up, down := theta.Clone(), make(fl.Vector, d), make(fl.Vector, d)
	clear(c.step)
	clear(c.slope.Data)
	for i, j := range c.place {
		if j < 0 {
			continue
		}
		b, slope := c.work[j*d:(j+1)*d], c.slopes[j*d*d:(j+1)*d*d]
		c.run(b, i, 0, theta)
		for k := range d {
			at[k] = theta[k] + h
			c.run(up, i, 0, at)
			at[k] = theta[k] - h
			c.run(down, i, 0, at)
			at[k] = theta[k]
			for r := range d {
				slope[r*d+k] = (up[r] - down[r]) / (2 * h)
			}
		}
		c.step.AddScaled(c.mean[i], b)
		fl.Vector(c.slope.Data).AddScaled(c.mean[i], slope)
	}
}

// center moves θ to where the mean step is zero, by Newton's method, and looks there. In
// directions in which nothing changes, such as one shift of the scores of all classes, no step is
// made: the slope is moved away from zero a little.
func (c *craft) center(theta fl.Vector) bool {
	const little = 1e-9
	d, move := len(theta), make(fl.Vector, len(theta))
	for range 20 {
		if c.look(theta); c.err != nil {
			return false
		}
		shift := little * fl.Vector(c.slope.Data).Norm()
		for k := range d {
			c.slope.Row(k)[k] -= shift
		}
		if _, err := tensor.Solve(move, c.slope, c.step); err != nil {
			return false
		}
		if theta.AddScaled(-1, move); move.Norm() <= 1e-7*(1+theta.Norm()) {
			c.look(theta)
			return c.err == nil
		}
	}
	return false
}

// fade returns what is left of e after so many mean rounds.
func (c *craft) fade(e fl.Vector, rounds int) fl.Vector {
	left, step := e.Clone(), make(fl.Vector, len(e))
	for range rounds {
		c.slope.MulVec(step, left)
		left.AddScaled(1, step)
	}
	return left
}

// wander returns by how much F is higher on average than at θ̄ while θ moves about it, and the
// standard error of that, by the means of stretches of rounds. The first quarter is left out.
func (c *craft) wander(f *bowl) (mean, deviation float64) {
	const stretches = 20
	d, n := len(c.step), len(c.rounds.end)
	e, next := make(fl.Vector, d), make(fl.Vector, d)
	sums, counts := make(fl.Vector, stretches), make(fl.Vector, stretches)
	from := 0
	for t, to := range c.rounds.end {
		copy(next, e)
		for k := from; k < to; k++ {
			w, j := c.rounds.weights[k], c.place[c.rounds.members[k]]
			if j < 0 {
				continue
			}
			slope := fl.Matrix{Rows: d, Cols: d, Data: c.slopes[j*d*d : (j+1)*d*d]}
			next.AddScaled(w, c.work[j*d:(j+1)*d])
			for r := range next {
				next[r] += w * slope.Row(r).Dot(e)
			}
		}
		e, next, from = next, e, to
		if t >= n/4 {
			s := (t - n/4) * stretches / (n - n/4)
			sums[s] += f.above(e)
			counts[s]++
		}
	}
	square := 0.0
	for s, sum := range sums {
		if counts[s] == 0 {
			return math.NaN(), math.NaN() // too few rounds to tell
		}
		mean += sum / counts[s] / stretches
		square += sum / counts[s] * sum / counts[s] / stretches
	}
	return mean, math.Sqrt(max(0, square-mean*mean) / (stretches - 1))
}

// A bowl is F about a point, to the second order.
type bowl struct {
	gradient fl.Vector
	hessian  fl.Matrix
	room     fl.Vector
}

func newBowl(f func(fl.Vector) float64, theta fl.Vector) *bowl {
	d, at := len(theta), theta.Clone()
	h := 1e-3 * (1 + theta.Norm()/math.Sqrt(float64(d)))
	b := &bowl{make(fl.Vector, d), fl.NewMatrix(d, d), make(fl.Vector, d)}
	shifted := func(i, j int, x, y float64) float64 {
		copy(at, theta)
		at[i] += x
		at[j] += y
		return f(at)
	}
	for i := range d {
		b.gradient[i] = (shifted(i, i, h, 0) - shifted(i, i, -h, 0)) / (2 * h)
		for j := range i + 1 {
			x := (shifted(i, j, h, h) - shifted(i, j, h, -h) - shifted(i, j, -h, h) +
				shifted(i, j, -h, -h)) / (4 * h * h)
			b.hessian.Row(i)[j], b.hessian.Row(j)[i] = x, x
		}
	}
	return b
}

// above returns F(θ̄ + e) − F(θ̄).
func (b *bowl) above(e fl.Vector) float64 {
	b.hessian.MulVec(b.room, e)
	return b.gradient.Dot(e) + b.room.Dot(e)/2
}
