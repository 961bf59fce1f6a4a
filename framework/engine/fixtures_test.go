package engine_test

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// The toys: a world small enough to see through, with every kind of move in it.

// cloud is a source: n samples in d dimensions for each client, around its own mean.
type cloud struct{ perClient, features int }

func (c cloud) Shape() fl.Shape { return fl.Shape{Features: c.features, Owned: true} }

func (c cloud) Load(l *fl.LoadInput) (*fl.Dataset, *fl.Dataset, error) {
	n := l.Clients * c.perClient
	d := &fl.Dataset{Shape: c.Shape(), X: fl.NewMatrix(n, c.features), Target: make(fl.Vector, n)}
	for i := range n {
		for k := range c.features {
			d.X.Row(i)[k] = l.RNG.NormFloat64()
		}
		d.Target[i] = float64(i%l.Clients) + l.RNG.NormFloat64()
		d.Owner = append(d.Owner, i%l.Clients)
	}
	return d, nil, nil
}

// owners deals rows to the clients they belong to.
type owners struct{}

func (owners) Split(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
	rows := make([][]int, n)
	for r, i := range d.Owner {
		rows[i] = append(rows[i], r)
	}
	return rows, nil
}

// equal is an importance.
type equal struct{}

func (equal) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i := range p {
		p[i] = 1 / float64(pop.N)
	}
	return p
}

// mean is a model: its loss is half the squared distance of θ to the mean of the rows.
type mean struct{ d int }

func (m mean) For(in fl.Shape) (fl.Model, error) { return mean{in.Features}, nil }
func (m mean) Layout() fl.Layout {
	return fl.Layout{Blocks: []fl.Block{{Name: "center", Rows: 1, Cols: m.d}}}
}
func (m mean) Facts() fl.ModelFacts { return fl.ModelFacts{} }
func (m mean) Worker() fl.Worker    { return m }

func (m mean) Init(rng *rand.Rand) fl.Vector {
	v := make(fl.Vector, m.d)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func (mean) Scores(fl.Matrix, fl.Vector, fl.Matrix) {}

func (mean) Loss(params fl.Vector, d *fl.Dataset) float64 {
	if d.Moments != nil && d.Len() == 0 {
		return params.Distance(d.Moments.X)
	}
	sum := 0.0
	for i := range d.Len() {
		away := params.Distance(d.X.Row(i))
		sum += away * away / 2
	}
	return sum / float64(d.Len())
}

func (mean) Gradient(grad, params fl.Vector, d *fl.Dataset, _ []int) {
	for i := range d.Len() {
		grad.AddScaled(1/float64(d.Len()), params)
		grad.AddScaled(-1/float64(d.Len()), d.X.Row(i))
	}
}

func (m mean) Descend(d *fl.Descent) { d.Follow(m) }

// noisy is a local rule: a gradient step and some of the client's own randomness.
type noisy struct{}

func (noisy) Run(t *fl.Task) (fl.Update, error) {
	grad := t.Scratch(len(t.Params))
	t.Worker.Gradient(grad, t.Params, &t.Client.Data, nil)
	t.Params.AddScaled(-0.1, grad)
	for i := range t.Params {
		t.Params[i] += 1e-3 * t.RNG.NormFloat64()
	}
	return fl.Update{Steps: 1, Params: t.Params}, nil
}

// broken is a local rule that does something wrong at client 2 in round 3.
type broken struct{ how string }

func (b broken) Run(t *fl.Task) (fl.Update, error) {
	if t.Client.ID != 2 || t.T < 2 {
		return fl.Update{Params: t.Params}, nil
	}
	switch b.how {
	case "nan":
		t.Params[1] = math.NaN()
	case "inf":
		t.Params[0] = math.Inf(-1)
	case "panic":
		var none []int
		none[t.T]++
	case "raise":
		panic(errors.New("own words"))
	case "error":
		return fl.Update{}, errors.New("out of ideas")
	case "length":
		return fl.Update{Params: t.Params[:1]}, nil
	}
	return fl.Update{Params: t.Params}, nil
}

// coin is an availability: each client comes with probability one half, and remembers in
// State how often.
type coin struct{}

func (coin) Available(r *fl.AvailabilityInput) []int {
	came := r.State.Vector("came", r.Roster.N)
	ids := r.Room(r.Roster.N)
	for i := range r.Roster.N {
		if r.RNG.IntN(2) == 0 {
			came[i]++
			ids = append(ids, i)
		}
	}
	return ids
}

func (coin) Law(*fl.Roster) (fl.Law, bool) { return fl.Law{}, false }

// listed is an availability that draws from a list of cohorts, all equally likely.
type listed [][]int

func (l listed) Available(r *fl.AvailabilityInput) []int { return l[r.RNG.IntN(len(l))] }

func (l listed) Law(*fl.Roster) (fl.Law, bool) {
	q := make(fl.Vector, len(l))
	for j := range q {
		q[j] = 1 / float64(len(l))
	}
	return fl.Law{Sets: l, Q: q, Exact: true}, true
}

// everyone is both moves at once: no client stays away.
type everyone struct{}

func (everyone) Available(r *fl.AvailabilityInput) []int { return r.Everyone() }
func (everyone) Law(*fl.Roster) (fl.Law, bool) {
	return fl.Law{Everyone: true, Exact: true}, true
}

type takeAll struct{}

func (takeAll) Select(d *fl.SelectionInput) []int { return d.Available }
func (takeAll) Law(*fl.Roster, []int) (fl.Law, bool) {
	return fl.Law{Everyone: true, Exact: true}, true
}

// takeOne selects one of those available, all equally likely.
type takeOne struct{}

func (takeOne) Select(d *fl.SelectionInput) []int {
	return append(d.Room(1), d.Available[d.RNG.IntN(len(d.Available))])
}

func (takeOne) Law(_ *fl.Roster, available []int) (fl.Law, bool) {
	law := fl.Law{Exact: true}
	for _, i := range available {
		law.Sets, law.Q = append(law.Sets, []int{i}), append(law.Q, 1/float64(len(available)))
	}
	return law, true
}

// momentum is an aggregator that keeps a velocity in State and uses its own randomness. It holds
// models; summed is the same and holds none.
type momentum struct{}

func summed() fl.Aggregator { return fl.WeighThen(momentum{}, momentum{}) }

func (m momentum) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w, err := m.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	out, err := m.Step(r, r.CombineDeltas(w.By))
	out.Weights = w.By
	return out, err
}

func (momentum) Weights(r *fl.Round) (fl.Weights, error) {
	w := r.Scratch(len(r.Updates))
	for k := range w {
		w[k] = 1 / float64(len(w))
	}
	return fl.Weights{By: w, Deltas: true}, nil
}

func (momentum) Step(r *fl.Round, next fl.Vector) (fl.Outcome, error) {
	velocity := r.State.Vector("velocity", len(next))
	for i := range next {
		velocity[i] = 0.5*velocity[i] + next[i] - r.Global[i] + 1e-3*r.RNG.NormFloat64()
		next[i] = r.Global[i] + velocity[i]
	}
	if len(r.Updates) > 3 {
		r.Notes.Add("a crowd came")
	}
	return fl.Outcome{Params: next}, nil
}

// objective and rounds are metrics.
type objective struct{}

func (objective) Measure(s *fl.Snapshot) (float64, error) { return s.Objective(), nil }
func (objective) Unit() string                            { return "" }
func (objective) Higher() bool                            { return false }

// toy returns a setup with all of this in it.
func toy() *engine.Setup {
	return &engine.Setup{
		ID: "toy", Seed: 7, DataSeed: 7, Clients: 6, Rounds: 12, Every: 5,
		Source: cloud{4, 3}, Partition: owners{}, Importance: equal{}, Model: mean{3},
		Local: noisy{}, Availability: coin{}, Selection: takeAll{}, Aggregator: momentum{},
		Measures: []engine.Measure{{Key: "objective", Metric: objective{}},
			{Key: "objective (average)", Metric: objective{}, Average: true}},
		DataKey: "toy", GoalKey: "toy",
	}
}
