package contract

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func metrics() exam[fl.Metric] {
	type s = *subject[fl.Metric]
	return exam[fl.Metric]{
		of:   registry.Metrics(),
		data: true,
		checks: []check[s]{
			{"finite", "it measures a finite number of any finite model", "", measuresNumber},
			{"repeatable", "two fresh instances measure the same bits", "finite", repeatsMeasure},
			{readOnly, "Measure modifies neither the model nor the data nor what a Snapshot " +
				"computes once", "finite", readsSnapshot},
			{"client-order", "the order of clients is irrelevant, to 1e-9",
				"repeatable", ordersClients},
			{"direction", "Higher tells the optimum from models far away, unless bytes or " +
				"seconds are counted, or it only describes", "finite", pointsRight},
			{"reads", "what its entry does not say that it reads can change without changing the " +
				"value by a bit", "repeatable", readsDeclared},
		},
	}
}

// snapshot returns a toy's cell at the given parameters, in fresh memory.
func (t *fixture) snapshot(params fl.Vector) *fl.Snapshot {
	own := t.copy()
	perSample := 1.0
	shot := &fl.Snapshot{
		T: 3, Params: params.Clone(), Model: t.model, Worker: t.model.Worker(),
		Roster: own.roster, Population: own.population,
		Optimal:  func() (*fl.Optimum, error) { return t.optimum() },
		Uploaded: 120, Downloaded: 180, Seconds: 0.5, Own: owned{},
		Exposure: &fl.Exposure{Release: fl.Release{Noise: 1}, Rounds: 3,
			Draw: fl.Draw{Rate: 0.3}},
		PerSample: &perSample,
	}
	own.roster.Enrolled = make([]bool, clients)
	for i, p := range own.roster.Importance { // whatever the order of clients is
		own.roster.Enrolled[i] = p < 0.2
		shot.Residual = append(shot.Residual, 0.5+p)
		if !own.roster.Enrolled[i] {
			shot.Residual[i] = math.NaN()
		}
	}
	if train := own.population.Train; train.Target != nil {
		mix := own.population.Mix(own.roster.Importance)
		shot.Pooled = &fl.Dataset{Shape: train.Shape, Moments: mix}
	}
	return shot
}

// owned are models of clients that depend on θ alone, so that what a metric reads of clients is
// what it says.
type owned struct{}

func (owned) Deploys() fl.Whose                 { return fl.FineTunedModel }
func (owned) Personal(int, fl.Vector) error     { return nil }
func (owned) FineTune(_ int, v fl.Vector) error { v.Scale(0.99); return nil }

func (owned) Alone(_ string, _ int, v fl.Vector) error { clear(v); return nil }

func (t *fixture) optimum() (*fl.Optimum, error) {
	best, err := t.model.Facts().Solve(t.population, t.roster.Importance)
	return &best, err
}

// near returns the optimum of the toy, or where its normal equations are singular, as those of
// images, what gradient descent comes to.
func near(s *subject[fl.Metric]) fl.Vector {
	best, err := s.toy.optimum()
	if err == nil && best.Params != nil {
		return best.Params
	}
	const steps, rate = 200, 0.01
	params, worker := s.toy.model.Init(s.stream("near").Rand()), s.toy.model.Worker()
	for range steps {
		gradient := make(fl.Vector, len(params))
		worker.Gradient(gradient, params, s.toy.population.Train, nil)
		params.AddScaled(-rate, gradient)
	}
	return params
}

// far returns the k-th of several models that are far from the optimum.
func far(s *subject[fl.Metric], k int) fl.Vector {
	away := near(s)
	away.AddScaled(1, normals(s.stream("far").At(k, 0).Rand(), len(away), 5))
	return away
}

// measure measures by a fresh instance.
func measure(s *subject[fl.Metric], shot *fl.Snapshot) (float64, string) {
	x, err := s.build().Measure(shot)
	if err != nil {
		return 0, "error: " + err.Error()
	}
	return x, ""
}

func measuresNumber(s *subject[fl.Metric]) string {
	for _, params := range []fl.Vector{near(s), far(s, 0), make(fl.Vector, len(near(s)))} {
		x, broken := measure(s, s.toy.snapshot(params))
		if broken != "" {
			return broken
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("it measures %v", x)
		}
		if low, high := declaredRange(s); x < low-1e-9 || x > high+1e-9 {
			return fmt.Sprintf("it measures %v, and says that it lies in [%v, %v]", x, low, high)
		}
	}
	return ""
}

// declaredRange returns the range that a metric declares.
func declaredRange(s *subject[fl.Metric]) (low, high float64) {
	of := fl.TraitsOf[fl.MetricTraits](s.entry).Range
	if of == nil {
		return math.Inf(-1), math.Inf(1)
	}
	p := s.registry.Params(s.given, s.toy.setting)
	_, _ = s.entry.New(p) // it was built before, and so there is no error
	return of(p.Resolved())
}

func repeatsMeasure(s *subject[fl.Metric]) string {
	x, _ := measure(s, s.toy.snapshot(far(s, 0)))
	y, _ := measure(s, s.toy.snapshot(far(s, 0)))
	return differ(x, y, 0)
}

func readsSnapshot(s *subject[fl.Metric]) string {
	params := far(s, 0)
	shot := s.toy.snapshot(params)
	losses := shot.ClientLosses().Clone()
	look := func() string {
		d := newDigest()
		d.dataset(shot.Population.Train)
		d.dataset(shot.Population.Test)
		d.ints(slices.Concat(shot.Population.Start, shot.Population.TestStart)...)
		d.roster(shot.Roster)
		d.floats(shot.Residual)
		return d.sum()
	}
	before := look()
	measure(s, shot)
	switch {
	case apart(shot.Params, params, 0) != "":
		return "the model changed"
	case before != look():
		return "the population changed"
	case apart(shot.ClientLosses(), losses, 0) != "":
		return "the losses of clients changed"
	}
	return ""
}

func ordersClients(s *subject[fl.Metric]) string {
	params := far(s, 0)
	x, _ := measure(s, s.toy.snapshot(params))
	y, broken := measure(s, s.toy.permuted([]int{3, 0, 5, 1, 4, 2}).snapshot(params))
	if broken != "" {
		return broken
	}
	return differ(x, y, 1e-9)
}

func pointsRight(s *subject[fl.Metric]) string {
	c := s.build()
	unit := engine.Series{Unit: c.Unit()}
	if unit.InBytes(); fl.Cumulative(unit.Unit) ||
		fl.TraitsOf[fl.MetricTraits](s.entry).Describes {
		return ""
	}
	best, _ := measure(s, s.toy.snapshot(near(s)))
	worst := 0.0 // on average: one model may look as good as the optimum by chance
	const several = 8
	for k := range several {
		x, _ := measure(s, s.toy.snapshot(far(s, k)))
		worst += x / several
	}
	if c.Higher() && best > worst || !c.Higher() && best < worst {
		return ""
	}
	return fmt.Sprintf("Higher is %t, but it measures %v at the optimum and %v far away",
		c.Higher(), best, worst)
}
