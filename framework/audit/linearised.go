package audit

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Limits of what is linearised.
const (
	mostJacobians = 16_000_000    // floats
	mostLocalWork = 1_000_000_000 // samples × parameters of the local training that it takes
)

// A linearised is the work of clients about a point.
type linearised struct {
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
	kept   *fl.Store      // what the client of the last run keeps
	beside map[string]int // how many numbers it sends beside its model, by name
	err    error          // of a local rule

	present float64   // probability that a round has a cohort
	growing float64   // share of the noise that the second half of the rounds added
	at      fl.Vector // room
}

func newLinearised(s *engine.Setup, w *engine.World, e *Effective, rounds *play) *linearised {
	c := &linearised{setup: s, world: w, rounds: rounds, mean: e.P.Clone(),
		present: 1 - rounds.law.Empty}
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
	c.step, c.at = make(fl.Vector, d), make(fl.Vector, d)
	if c.costs() == "" {
		c.slope = fl.NewMatrix(d, d)
		c.work, c.slopes = make(fl.Vector, n*d), make(fl.Vector, n*d*d)
	}
	return c
}

// costs says why Jacobians take too much, or "".
func (c *linearised) costs() string {
	d, clients, samples := len(c.step), 0, 0
	for i, j := range c.place {
		if j >= 0 {
			clients++
			samples += c.world.Roster.Samples[i]
		}
	}
	switch {
	case clients*d > mostJacobians/d:
		return fmt.Sprintf("a Jacobian of %d×%d for each of %d clients takes %.3g numbers, at "+
			"most %.3g are kept", d, d, clients, float64(clients)*float64(d)*float64(d),
			float64(mostJacobians))
	case samples*d > mostLocalWork/(2*d):
		return fmt.Sprintf("linearising what clients do takes %d runs of local training, each "+
			"with %d parameters: training tells sooner", 2*d*clients, d)
	}
	return ""
}

// refuse says why the work cannot be linearised, or "".
func (c *linearised) refuse(theta fl.Vector) string {
	if why := c.costs(); why != "" {
		return why
	}
	if c.setup.Model.Facts().Nonsmooth {
		return "the loss is not smooth, so that local steps have no linear approximation"
	}
	switch s := c.setup; {
	case c.rounds.probe.broadcast:
		return "clients are sent more than the model"
	case s.Compressor.Component != nil:
		return "updates are compressed"
	case s.Completion.Policy.Asynchronous():
		return "rounds overlap, so that updates are of earlier models"
	case s.Completion.Policy.Cuts():
		return "clients make fewer local steps in some rounds than in others"
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
		if len(c.kept.Names()) > 0 {
			return "what a client does depends on what it keeps from the rounds before"
		}
		if j == 2 { // the first few tell
			break
		}
	}
	return ""
}

// run sets dst to Δᵢ(θ), what client i adds to a model in round t.
func (c *linearised) run(dst fl.Vector, i, t int, theta fl.Vector) {
	if c.err != nil {
		return
	}
	k := &c.task
	k.Recycle()
	c.client = c.world.Population.Client(i)
	c.kept = fl.NewStore()
	k.State = c.kept
	k.T, k.Global, k.RNG = t, theta, fl.NewStream(c.setup.Seed, "audit client").At(t, i).Rand()
	copy(k.Params, theta)
	u, err := c.setup.Local.Run(k)
	if err == nil && len(u.Params) != len(theta) {
		err = fmt.Errorf("client %d uploads no model", i)
	}
	if c.err = err; err != nil {
		return
	}
	c.beside = map[string]int{}
	for name, m := range u.Payload {
		c.beside[name] = len(m.Data)
	}
	for j, x := range u.Params {
		dst[j] = x - theta[j]
	}
}

// differ returns the step by which parameters are varied to see how something depends on them.
func (c *linearised) differ(theta fl.Vector) float64 {
	h := 1e-4
	if c.setup.Model.Facts().Single {
		h = 1e-2
	}
	return h * (1 + theta.Norm()/math.Sqrt(float64(len(theta))))
}

// look computes b and their mean at a point, and J and their mean as well where that is asked for.
func (c *linearised) look(theta fl.Vector, slopes bool) {
	d, h := len(theta), c.differ(theta)
	at, up, down := theta.Clone(), make(fl.Vector, d), make(fl.Vector, d)
	clear(c.step)
	if slopes {
		clear(c.slope.Data)
	}
	for i, j := range c.place {
		if j < 0 {
			continue
		}
		b, slope := c.work[j*d:(j+1)*d], c.slopes[j*d*d:(j+1)*d*d]
		c.run(b, i, 0, theta)
		c.step.AddScaled(c.mean[i], b)
		if !slopes {
			continue
		}
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
		fl.Vector(c.slope.Data).AddScaled(c.mean[i], slope)
	}
}

// center moves θ to where the mean step is zero, and looks there. It is Newton's method, with
// Jacobians that are computed anew where those of a point before do not lead nearer. In directions
// in which nothing changes, such as one shift of the scores of all classes, no step is made: the
// slope is moved away from zero a little.
func (c *linearised) center(theta fl.Vector) bool {
	const little, near = 1e-9, 1e-7
	d, move := len(theta), make(fl.Vector, len(theta))
	c.look(theta, true)
	before, fresh := math.Inf(1), true
	for range 60 {
		bent := fl.NewMatrix(d, d)
		copy(bent.Data, c.slope.Data)
		shift := little * fl.Vector(c.slope.Data).Norm()
		for k := range d {
			bent.Row(k)[k] -= shift
		}
		if _, err := tensor.Solve(move, bent, c.step); err != nil || c.err != nil {
			return false
		}
		size := move.Norm()
		theta.AddScaled(-1, move)
		if size <= near*(1+theta.Norm()) {
			if c.look(theta, false); !c.affine(theta) {
				c.look(theta, true)
			}
			return c.err == nil
		}
		anew := !fresh && size > before/4
		c.look(theta, anew)
		before, fresh = size, anew
	}
	return false
}

// affine reports whether b and J of the first clients tell what they do far from a point.
func (c *linearised) affine(theta fl.Vector) bool {
	d := len(theta)
	away, got, want := make(fl.Vector, d), make(fl.Vector, d), make(fl.Vector, d)
	size := 1 + theta.Norm()/math.Sqrt(float64(d))
	for k := range away {
		away[k] = size * math.Sin(float64(5*k)+2)
	}
	far := theta.Clone()
	far.AddScaled(1, away)
	for i, j := range c.place {
		if j < 0 {
			continue
		}
		c.run(got, i, 0, far)
		jacobian := fl.Matrix{Rows: d, Cols: d, Data: c.slopes[j*d*d : (j+1)*d*d]}
		jacobian.MulVec(want, away)
		want.AddScaled(1, c.work[j*d:(j+1)*d])
		if !(got.Distance(want) <= 1e-6*(got.Norm()+want.Norm())) {
			return false
		}
		if j == 2 {
			break
		}
	}
	return true
}

// round sets next to what a round makes of e: e + Σ wₖ(bₖ + Jₖe).
func (c *linearised) round(e, next fl.Vector, cohort []int, weights fl.Vector) {
	d := len(e)
	copy(next, e)
	for k, i := range cohort {
		j, w := c.place[i], weights[k]
		if j < 0 || w == 0 {
			continue
		}
		next.AddScaled(w, c.work[j*d:(j+1)*d])
		slopes := c.slopes[j*d*d : (j+1)*d*d]
		for r := range next {
			next[r] += w * slopes[r*d:(r+1)*d].Dot(e)
		}
	}
}
