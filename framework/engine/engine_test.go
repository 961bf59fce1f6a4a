package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// content is what a result file would hold: the bits that must not differ.
func content(t *testing.T, r *engine.Result) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func run(t *testing.T, s *engine.Setup, o engine.Options) *engine.Result {
	t.Helper()
	r, err := engine.Run(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// big is a toy whose rounds are large enough to be shared between workers.
func big() *engine.Setup {
	s := toy()
	s.Clients, s.Source, s.Model, s.Rounds = 40, cloud{200, 50}, mean{50}, 6
	return s
}

func TestResultsDoNotDependOnWorkers(t *testing.T) {
	for _, make := range []func() *engine.Setup{toy, big} {
		want := content(t, run(t, make(), engine.Options{}))
		for _, procs := range []int{1, 2, 8} {
			old := runtime.GOMAXPROCS(procs)
			for _, workers := range []int{1, 2, 3, 8} {
				if got := content(t, run(t, make(), engine.Options{Workers: workers})); got != want {
					t.Errorf("%d workers on %d processors give\n%s\nwant\n%s", workers, procs, got, want)
				}
			}
			runtime.GOMAXPROCS(old)
		}
	}
}

// resumes stops a cell after each of its rounds and wants it to end, resumed, as one that ran
// in one go. A setup is made for every run, as its components may count.
func resumes(t *testing.T, make func() *engine.Setup) {
	t.Helper()
	want := content(t, run(t, make(), engine.Options{}))
	for stop := range make().Rounds + 1 {
		c, err := engine.Start(make(), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range stop {
			if err := c.Step(); err != nil {
				t.Fatal(err)
			}
		}
		saved := bytesOf(t, c.Checkpoint())
		if _, err := c.Finish(context.Background()); err != nil { // must not reach what was saved
			t.Fatal(err)
		}
		resumed, err := engine.Resume(make(), engine.Options{}, decoded(t, saved))
		if err != nil {
			t.Fatal(err)
		}
		result, err := resumed.Finish(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := content(t, result); got != want {
			t.Errorf("resumed after round %d:\n%s\nwant\n%s", stop, got, want)
		}
	}
}

func TestResumingEqualsRunning(t *testing.T) { resumes(t, toy) }

func TestMeasuresAreTakenWhenTheyAreDue(t *testing.T) {
	r := run(t, toy(), engine.Options{})
	if want := []int{0, 5, 10, 12}; !slices.Equal(r.Rounds, want) {
		t.Errorf("measured after rounds %v, want %v", r.Rounds, want)
	}
	last, average := r.Series[0].Values, r.Series[1].Values
	if len(last) != 4 || last[0] != average[0] || last[3] == average[3] {
		t.Errorf("last iterate %v, average iterate %v", last, average)
	}
}

// The average iterate is the mean of θ¹ … θᵗ, by another route.
func TestAverageIterate(t *testing.T) {
	s := toy()
	s.Every = 1
	var sum fl.Vector
	c, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range s.Rounds {
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
		p := c.Checkpoint()
		if sum == nil {
			sum = make(fl.Vector, len(p.Global))
		}
		sum.AddScaled(1, p.Global)
		mean := sum.Clone()
		mean.Scale(1 / float64(p.Round))
		if d := mean.Distance(p.Average); d > 1e-14 {
			t.Fatalf("round %d: the average is off by %g", p.Round, d)
		}
	}
}

// The best of all evaluations so far is the running minimum of a metric of which less is better, and
// the maximum of one of which more is.
func TestBestIsARunningExtreme(t *testing.T) {
	s := toy()
	s.Every = 1
	s.Measures = []engine.Measure{{Key: "last", Metric: wave{1}},
		{Key: "least", Metric: wave{1}, Best: true}, {Key: "more", Metric: wave{-1}},
		{Key: "most", Metric: wave{-1}, Best: true}}
	r := run(t, s, engine.Options{})
	for k := 0; k < 4; k += 2 {
		last, best := r.Series[k].Values, r.Series[k+1].Values
		sign, fell := float64(1-k), false
		extreme := math.Inf(1)
		for i, x := range last {
			fell = fell || sign*x > extreme
			extreme = min(extreme, sign*x)
			if best[i] != sign*extreme {
				t.Fatalf("%s at evaluation %d: %v, want %v", r.Series[k+1].Key, i, best[i],
					sign*extreme)
			}
		}
		if !fell {
			t.Errorf("%s never gets worse, which shows nothing", r.Series[k].Key)
		}
	}
}

// wave is a metric that rises and falls: of which less is better at sign 1, and more at −1.
type wave struct{ sign float64 }

func (w wave) Measure(s *fl.Snapshot) (float64, error) {
	return w.sign * (math.Sin(3*float64(s.T)) - float64(s.T)/10), nil
}
func (wave) Unit() string   { return "" }
func (w wave) Higher() bool { return w.sign < 0 }

func TestMistakesNameRoundAndClient(t *testing.T) {
	for how, want := range map[string]string{
		"nan":    "round 3: client 2: the update has NaN or Inf: local training diverged; try a lower lr",
		"inf":    "round 3: client 2: the update has NaN or Inf: local training diverged; try a lower lr",
		"panic":  "round 3: client 2: panic: runtime error: index out of range",
		"error":  "round 3: client 2: out of ideas",
		"raise":  "round 3: client 2: own words",
		"length": "round 3: client 2: the update has 1 parameters, the model has 3",
	} {
		for _, workers := range []int{1, 4} {
			for _, weighs := range []bool{false, true} {
				s := toy()
				s.Availability, s.Local = everyone{}, broken{how}
				if weighs {
					s.Aggregator = summed()
				}
				_, err := engine.Run(context.Background(), s, engine.Options{Workers: workers})
				if err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%s: %v, want %s…", how, err, want)
				}
			}
		}
	}
}

// wrong are availabilities that break their contract.
type wrong []int

func (w wrong) Available(*fl.AvailabilityInput) []int { return w }
func (w wrong) Law(*fl.Roster) (fl.Law, bool)         { return fl.Law{}, false }
func (w wrong) Select(*fl.SelectionInput) []int       { return w }
func (wrong) Aggregate(*fl.Round) (fl.Outcome, error) {
	return fl.Outcome{Params: make(fl.Vector, 1)}, nil
}

func TestWhatComponentsReturnIsChecked(t *testing.T) {
	for want, ids := range map[string]wrong{
		"client 1 after client 2; want them ascending": {2, 1}, "client 1 twice": {1, 1},
		"client -1, there are clients 0 to 5": {-1}, "client 6, there are clients 0 to 5": {6},
		"client 2 after client 3; want them ascending": {0, 3, 2},
	} {
		s := toy()
		s.Availability = ids
		if _, err := engine.Run(context.Background(), s, engine.Options{}); err == nil ||
			!strings.Contains(err.Error(), "availability returned "+want) {
			t.Errorf("%v: %v", ids, err)
		}
	}
	s := toy()
	s.Availability, s.Selection = listed{{0, 1}}, notAvailable{}
	if _, err := engine.Run(context.Background(), s, engine.Options{}); err == nil ||
		!strings.Contains(err.Error(), "not available") {
		t.Errorf("an unavailable client was selected: %v", err)
	}
	s = toy()
	s.Aggregator = wrong{}
	if _, err := engine.Run(context.Background(), s, engine.Options{}); err == nil ||
		!strings.Contains(err.Error(), "returned 1 parameters, the model has 3") {
		t.Errorf("an aggregate of the wrong length: %v", err)
	}
}

// reader is an availability model that reads files, of which there are none.
type reader struct{}

func (reader) Available(r *fl.AvailabilityInput) []int {
	if r.T == 1 {
		r.Fail(fmt.Errorf("nothing in %v", r.Folders))
	}
	return r.Everyone()
}
func (reader) Law(*fl.Roster) (fl.Law, bool) { return fl.Law{}, false }

// An availability model knows where files lie, and what it cannot do ends the cell, in
// rounds that are played as in those that are simulated.
func TestAvailabilityFails(t *testing.T) {
	s := toy()
	s.Availability = reader{}
	for _, s.Law = range []bool{false, true} {
		_, err := engine.Run(context.Background(), s, engine.Options{Folders: []string{"a", "b"}})
		if err == nil || err.Error() != "round 2: availability: nothing in [a b]" {
			t.Errorf("law = %t: %v", s.Law, err)
		}
	}
}

type notAvailable struct{}

func (notAvailable) Select(d *fl.SelectionInput) []int    { return append(d.Room(1), 4) }
func (notAvailable) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }

func TestNobodyCame(t *testing.T) {
	s := toy()
	s.Availability = wrong{}
	r := run(t, s, engine.Options{})
	if r.Law.Skipped != s.Rounds || r.Law.Mean != 0 || len(r.Notes) != 1 {
		t.Errorf("%+v %v", r.Law, r.Notes)
	}
	if v := r.Series[0].Values; v[0] != v[len(v)-1] {
		t.Errorf("the model moved without local training: %v", v)
	}
}

// Cells at one seed share the cohorts and the initial model whatever else they do.
func TestMethodsArePaired(t *testing.T) {
	other := toy()
	other.Aggregator, other.Local = plain{}, broken{}
	a, b := run(t, toy(), engine.Options{}), run(t, other, engine.Options{})
	if a.Law.Mean != b.Law.Mean || a.Series[0].Values[0] != b.Series[0].Values[0] {
		t.Errorf("cohorts of mean size %v and %v, initial objective %v and %v",
			a.Law.Mean, b.Law.Mean, a.Series[0].Values[0], b.Series[0].Values[0])
	}
	reseeded := toy()
	reseeded.Seed++
	if c := run(t, reseeded, engine.Options{}); c.Series[0].Values[0] == a.Series[0].Values[0] {
		t.Error("another seed gives the same initial model")
	}
}

type plain struct{}

func (plain) Aggregate(r *fl.Round) (fl.Outcome, error) {
	return fl.Outcome{Params: r.Updates[0].Params}, nil
}

func TestARoundAllocatesNothing(t *testing.T) {
	weighs, shared := toy(), big()
	weighs.Aggregator, shared.Aggregator = summed(), summed()
	for name, s := range map[string]*engine.Setup{
		"serial": toy(), "shared": big(), "serial, weighs": weighs, "shared, weighs": shared,
	} {
		s.Rounds, s.Every = 1<<20, 1<<20
		c, err := engine.Start(s, engine.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		step := func() {
			if err := c.Step(); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 { // the largest cohort has come by then
			step()
		}
		if n := testing.AllocsPerRun(50, step); n != 0 {
			t.Errorf("%s: %v allocations per round", name, n)
		}
		c.Close()
	}
}

func TestCancelling(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := toy()
	s.Rounds = 1 << 30
	o := engine.Options{Progress: func(done int) {
		if done >= 64 {
			cancel()
		}
	}}
	if _, err := engine.Run(ctx, s, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
