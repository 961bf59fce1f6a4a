package plugins

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// Sizes at which components are measured. Of a client that trains there are so few samples that
// gradients take little beside a loop over parameters.
const (
	probeCohort  = 10
	probeClients = 10_000
	localSamples = 4
	localParams  = 50_000
)

// Limits beyond which a loop of the strategy's own must be at work: compiled code takes about
// a nanosecond for each.
const (
	perCoordinate = 10 * time.Nanosecond // of each client's parameters
	perClient     = time.Microsecond     // a loop is no mistake, many calls for each are
	perOnce       = 10 * perClient       // once in a run
	// perStep is the limit for a parameter in a step of a client: interpreted, one line of a loop
	// over parameters takes twice as long on a fast processor, and a compiled step a third of it on
	// a slow one. Beyond it statements are counted, which decide.
	perStep = 15 * time.Nanosecond
)

// aggregating returns a round of 10 clients and so many parameters.
func aggregating(a fl.Aggregator, _ *registry.Registry, parameters int) func() (int, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	round := &fl.Round{Global: normals(rng, parameters), Roster: equalRoster(probeCohort),
		State: fl.NewStore(), Shared: fl.NewStore(), Notes: new(fl.Notes), RNG: rng,
		Law:    certain(probeCohort),
		Layout: fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: 1, Cols: parameters}}}}
	for i := range probeCohort {
		round.Updates = append(round.Updates,
			fl.Update{Client: i, Samples: 100, Steps: 5, Params: normals(rng, parameters)})
		round.Losses = append(round.Losses, 1)
	}
	return func() (int, error) {
		round.Recycle()
		_, err := a.Aggregate(round)
		round.T++
		return 1, err
	}
}

// normals returns n standard normal numbers.
func normals(rng *rand.Rand, n int) fl.Vector {
	v := make(fl.Vector, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// certain is the cohort distribution where everyone comes.
func certain(n int) *fl.Law {
	law := &fl.Law{Everyone: true, Exact: true, Q: fl.Vector{1}, Sets: [][]int{nil}}
	for i := range n {
		law.Sets[0] = append(law.Sets[0], i)
		law.Inclusion = append(law.Inclusion, 1)
	}
	return law
}

// equalRoster returns clients that count the same, and have three covariates.
func equalRoster(n int) *fl.Roster {
	r := &fl.Roster{N: n, Covariates: fl.NewMatrix(n, 3)}
	copy(r.Covariates.Data, normals(rand.New(rand.NewPCG(3, 4)), 3*n))
	for range n {
		r.Importance = append(r.Importance, 1/float64(n))
		r.Samples = append(r.Samples, 100)
	}
	return r
}

// training returns a call of a local rule by a client of a linear model, which counts its steps.
func training(rule fl.LocalRule, r *registry.Registry, parameters int) func() (int, error) {
	shape := fl.Shape{Features: parameters - 1}
	e, ok := r.Models.Get("linear")
	if !ok {
		return nil
	}
	model, err := e.New(r.Params(nil, fl.Setting{Clients: 1, Rounds: 1, Shape: shape}))
	if err == nil {
		model, err = model.For(shape)
	}
	if err != nil {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	own := fl.Dataset{Shape: shape, X: fl.NewMatrix(localSamples, shape.Features)}
	copy(own.X.Data, normals(rng, len(own.X.Data)))
	own.Target = normals(rng, localSamples)
	global := make(fl.Vector, model.Layout().Len())
	t := &fl.Task{Client: &fl.Client{Data: own}, Global: global, Params: global.Clone(),
		Model: model, Worker: model.Worker(), Broadcast: fl.Tensors{}, RNG: rng}
	return func() (int, error) {
		t.Recycle()
		copy(t.Params, t.Global)
		u, err := rule.Run(t)
		return u.Steps, err
	}
}

func enrolling(m fl.Enrollment, _ *registry.Registry, clients int) func() (int, error) {
	e := &fl.EnrollmentInput{Roster: equalRoster(clients), RNG: rand.New(rand.NewPCG(1, 2)),
		Probability: make(fl.Vector, clients)}
	return func() (int, error) {
		e.Probability.Fill(math.NaN())
		m.Enroll(e)
		return 1, nil
	}
}

func movingRows(p fl.Preprocessor, _ *registry.Registry, rows int) func() (int, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	own := &fl.Dataset{Shape: fl.Shape{Features: 10, Owned: true, Tested: true},
		X: fl.NewMatrix(rows, 10)}
	copy(own.X.Data, normals(rng, len(own.X.Data)))
	return func() (int, error) {
		payload, err := p.Summarize(&fl.SummaryInput{Data: own, RNG: rng})
		if err != nil {
			return 1, err
		}
		reference, err := p.Combine(&fl.CombineInput{Shape: own.Shape, RNG: rng,
			Uploads: []fl.Update{{Samples: rows, Payload: payload}}, Notes: new(fl.Notes)})
		if err != nil {
			return 1, err
		}
		_, err = p.Transform(&fl.TransformInput{Own: own, Rows: own.X, Shape: own.Shape, RNG: rng,
			Reference: reference, Notes: new(fl.Notes)})
		return 1, err
	}
}

func reaching(a fl.Availability, _ *registry.Registry, clients int) func() (int, error) {
	reach := &fl.AvailabilityInput{Roster: equalRoster(clients), State: fl.NewStore(),
		RNG:   rand.New(rand.NewPCG(1, 2)),
		Fixed: func() *rand.Rand { return rand.New(rand.NewPCG(5, 6)) }}
	return func() (int, error) {
		reach.Recycle()
		reach.Context, reach.Inclusion = fl.Matrix{}, nil
		a.Available(reach)
		reach.T++
		return 1, nil
	}
}

func weighing(p fl.Importance, _ *registry.Registry, clients int) func() (int, error) {
	roster := equalRoster(clients)
	return func() (int, error) {
		p.Weights(roster)
		return 1, nil
	}
}
