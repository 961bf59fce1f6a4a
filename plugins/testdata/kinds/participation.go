package kinds

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Weather is an availability that says what the server sees of clients, and the truth.
var Weather = fl.AvailabilityEntry{
	Name:    "weather",
	Summary: "clients stay away when it rains where they are",
	New: func(p *fl.Params) (fl.Availability, error) {
		return &weather{p.Float("rain", 1, fl.AtLeast(0), "how much rain matters")}, nil
	},
}

type weather struct{ rain float64 }

// Available draws the climate of every client once, and every round its weather about that.
func (w *weather) Available(r *fl.AvailabilityInput) []int {
	n := r.Roster.N
	climate := make(fl.Vector, n)
	fixed := r.Fixed()
	for i := range climate {
		climate[i] = fixed.NormFloat64()
	}
	r.Context = fl.NewMatrix(n, 2)
	r.Inclusion = make(fl.Vector, n)
	ids := r.Room(n)
	for i := range n {
		z := r.Context.Row(i)
		z[0] = climate[i]
		z[1] = climate[i] + r.RNG.NormFloat64()
		if r.Roster.Covariates.Cols > 0 {
			z[1] += r.Roster.Covariates.Row(i)[0]
		}
		r.Inclusion[i] = 1 / (1 + math.Exp(w.rain*z[1]))
		if r.RNG.Float64() < r.Inclusion[i] {
			ids = append(ids, i)
		}
	}
	return ids
}

// Law is not known.
func (w *weather) Law(*fl.Roster) (fl.Law, bool) { return fl.Law{}, false }

// Census is an aggregator that looks at all that a server may know of who takes part.
var Census = fl.AggregatorEntry{
	Name:    "census",
	Summary: "weights by the truth, and notes what it sees",
	New:     func(*fl.Params) (fl.Aggregator, error) { return &census{}, nil },
	Fits: func(s fl.Setting) error {
		if !s.Oracle {
			return errors.New("it needs oracle = true")
		}
		return nil
	},
}

type census struct{}

// Aggregate weighs by inverse chances, and notes what is known of clients.
func (c *census) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	pop := r.Roster
	w := r.Scratch(len(r.Updates))
	rain, far := 0.0, 0.0
	for k, i := range r.Cohort() {
		w[k] = pop.Importance[i] / (r.Oracle.Enrollment[i] * r.Oracle.Inclusion[i])
		rain += r.Context.Row(i)[0]
		if pop.Covariates.Cols > 0 {
			far += pop.Covariates.Row(i)[0]
		}
	}
	w.Scale(1 / w.Sum())
	hidden, in := 0, 0
	for i := range pop.N {
		if math.IsNaN(r.Context.Row(i)[0]) {
			hidden++
		}
		if pop.Reaches(i) {
			in++
		}
	}
	r.Notes.Observe("squares of weights", w.Dot(w))
	r.Notes.Observe("rain of the cohort", rain)
	r.Notes.Observe("covariate of the cohort", far)
	r.Notes.Observe("clients without context", float64(hidden))
	r.Notes.Observe("enrolled", float64(in))
	r.Notes.Observe("enrolled, told", float64(pop.Enrolment()+len(pop.Enrolled)))
	if pop.Moments != nil {
		r.Notes.Observe("mean covariate", pop.Moments[0])
	}
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}
