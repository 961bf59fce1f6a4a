package exam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry"
)

// A Speed is how long one call of a component takes, and of what size.
type Speed struct {
	Kind, Name string
	Work       string        // "a round of 10 clients × 100,000 parameters"
	Took       time.Duration // the best of several calls
	Allocs     uint64        // objects
	Bytes      uint64
	Slow       string // why that is slow, and what would be faster; empty when it is not
}

// Sizes at which speed is measured.
const (
	speedCohort  = 10
	speedParams  = 100_000
	speedClients = 10_000
)

// Limits beyond which a loop of the strategy's own must be at work: compiled code takes about
// a nanosecond for each.
const (
	perCoordinate = 10 * time.Nanosecond // of each client's parameters
	perClient     = time.Microsecond     // a loop is no mistake, many calls for each are
	perOnce       = 10 * perClient       // once in a run
)

// measureSpeed measures the component of a kind, where calls of that kind have a size.
func measureSpeed(r *registry.Registry, kind, name string) (Speed, bool) {
	var s Speed
	var call func() error
	steps := 0
	switch kind {
	case "local":
		s.Work = "training a client of 4 samples × 50,000 parameters"
		call = training(r, name, &steps)
	case "aggregator":
		s.Work = "a round of 10 clients × 100,000 parameters"
		call = aggregating(r, name, speedParams)
	case "enrollment":
		s.Work = "enrolling 10,000 clients"
		call = enrolling(r, name)
	case "preprocess":
		s.Work = "moving 10,000 rows of 10 features"
		call = movingRows(r, name)
	case "availability":
		s.Work = "a round of 10,000 clients"
		call = reaching(r, name)
	case "importance":
		s.Work = "weighing 10,000 clients"
		call = weighing(r, name)
	}
	if call == nil || call() != nil { // the contract says what is wrong
		return s, false
	}
	s.Kind, s.Name = kind, name
	s.measure(call)
	switch {
	case kind == "local" && s.Took > time.Duration(max(1, steps))*localParams*perStep:
		s.Slow = fmt.Sprintf("it loops over parameters itself, in %s; a Descent, tensor and the "+
			"methods of vectors do, compiled", phrase.Count(max(1, steps), "step", "steps"))
	case kind == "local":
	case kind == "aggregator" && s.Took > speedCohort*speedParams*perCoordinate:
		s.Slow = "it loops over parameters itself; tensor, stats and r.Combine do, compiled"
	case (kind == "enrollment" || kind == "preprocess") && s.Took < speedClients*perOnce:
	case kind == "preprocess":
		s.Slow = "it does much for every row; one pass with compiled functions is faster"
	case kind != "aggregator" && s.Took > speedClients*perClient:
		s.Slow = "it does much for every client; one pass with compiled functions is faster"
	}
	return s, true
}

// suspected reports whether a component was so slow that it may loop over parameters itself.
func (s *Speed) suspected() bool {
	return s.Slow != "" && (s.Kind == "local" || s.Kind == "aggregator")
}

// loopsOverParameters reports whether as many statements of a component begin as a loop over
// parameters has turns. It is one of a strategy that an exam watches.
func loopsOverParameters(r *registry.Registry, kind, name string, exam *plugins.Exam) bool {
	const few = speedParams / 10 // as a statement that is watched takes long
	turns, steps, call := few, 0, func() error { return nil }
	switch kind {
	case "local":
		turns, call = localParams, training(r, name, &steps)
	case "aggregator":
		call = aggregating(r, name, few)
	}
	if call == nil {
		return true
	}
	before := exam.Begun()
	_ = call() // what takes too long has begun many
	return exam.Begun()-before >= int64(turns)/2
}

// measure calls several times and keeps the best.
func (s *Speed) measure(call func() error) {
	var before, after runtime.MemStats
	for range 5 {
		runtime.ReadMemStats(&before)
		start := time.Now()
		if call() != nil {
			return
		}
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if s.Took == 0 || took < s.Took {
			s.Took = took
			s.Allocs, s.Bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
		}
	}
}

// String returns the speed in words.
func (s *Speed) String() string {
	return fmt.Sprintf("%s takes %v and allocates %s", s.Work, s.Took.Round(time.Microsecond),
		phrase.Count(int(s.Allocs), "object", "objects"))
}

// built builds a component by its defaults and example, or returns false.
func built[T any](r *registry.Registry, t *registry.Table[T], name string) (c T, ok bool) {
	e, found := t.Get(name)
	if !found {
		return c, false
	}
	p := r.Params(e.Example, fl.Setting{Clients: speedClients, Rounds: 100, Law: true,
		Shape: fl.Shape{Features: 10, Owned: true, Tested: true,
			Covariates: []string{"x1", "x2", "x3"}}})
	c, err := e.New(p)
	return c, err == nil && len(p.Finish()) == 0 && any(c) != nil
}

// aggregating returns a round of 10 clients and so many parameters.
func aggregating(r *registry.Registry, name string, parameters int) func() error {
	a, ok := built(r, &r.Aggregators, name)
	if !ok {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	vector := func() fl.Vector {
		v := make(fl.Vector, parameters)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	round := &fl.Round{Global: vector(), Roster: equalRoster(speedCohort), State: fl.NewStore(),
		Notes: new(fl.Notes), RNG: rng, Law: certain(speedCohort),
		Layout: fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: 1, Cols: parameters}}}}
	for i := range speedCohort {
		round.Updates = append(round.Updates,
			fl.Update{Client: i, Samples: 100, Steps: 5, Params: vector()})
	}
	return func() error {
		round.Recycle()
		_, err := a.Aggregate(round)
		round.T++
		return err
	}
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
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range r.Covariates.Data {
		r.Covariates.Data[k] = rng.NormFloat64()
	}
	for range n {
		r.Importance = append(r.Importance, 1/float64(n))
		r.Samples = append(r.Samples, 100)
	}
	return r
}

func enrolling(r *registry.Registry, name string) func() error {
	m, ok := built(r, &r.Enrollments, name)
	if !ok {
		return nil
	}
	e := &fl.EnrollmentInput{Roster: equalRoster(speedClients), RNG: rand.New(rand.NewPCG(1, 2)),
		Probability: make(fl.Vector, speedClients)}
	return func() (err error) {
		defer recovered(&err)
		for i := range e.Probability {
			e.Probability[i] = math.NaN()
		}
		m.Enroll(e)
		return nil
	}
}

func movingRows(r *registry.Registry, name string) func() error {
	p, ok := built(r, &r.Preprocessors, name)
	if !ok {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	own := &fl.Dataset{Shape: fl.Shape{Features: 10, Owned: true, Tested: true},
		X: fl.NewMatrix(speedClients, 10)}
	for k := range own.X.Data {
		own.X.Data[k] = rng.NormFloat64()
	}
	return func() (err error) {
		defer recovered(&err)
		payload, err := p.Summarize(&fl.SummaryInput{Data: own, RNG: rng})
		if err != nil {
			return err
		}
		upload := fl.Update{Samples: speedClients, Payload: payload}
		reference, err := p.Combine(&fl.CombineInput{Uploads: []fl.Update{upload}, Shape: own.Shape,
			RNG: rng, Notes: new(fl.Notes)})
		if err != nil {
			return err
		}
		_, err = p.Transform(&fl.TransformInput{Own: own, Rows: own.X, Shape: own.Shape, RNG: rng,
			Reference: reference, Notes: new(fl.Notes)})
		return err
	}
}

func reaching(r *registry.Registry, name string) func() error {
	a, ok := built(r, &r.Availability, name)
	if !ok {
		return nil
	}
	reach := &fl.AvailabilityInput{Roster: equalRoster(speedClients), State: fl.NewStore(),
		RNG:   rand.New(rand.NewPCG(1, 2)),
		Fixed: func() *rand.Rand { return rand.New(rand.NewPCG(5, 6)) }}
	return func() (err error) {
		defer recovered(&err)
		reach.Recycle()
		reach.Context, reach.Inclusion = fl.Matrix{}, nil
		a.Available(reach)
		reach.T++
		return nil
	}
}

func weighing(r *registry.Registry, name string) func() error {
	p, ok := built(r, &r.Importances, name)
	if !ok {
		return nil
	}
	roster := equalRoster(speedClients)
	return func() (err error) {
		defer recovered(&err)
		p.Weights(roster)
		return nil
	}
}

// recovered makes an error of the panic of a component.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}
