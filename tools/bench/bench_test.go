package main

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/tools/bench/agree"
	"github.com/hansa-fl/hansa/tools/bench/masks"
)

// The test binary is a worker process, too, where it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asWorker {
		os.Exit(serve())
	}
	os.Exit(m.Run())
}

// Every benchmark runs, has a name of its own, and measures a rate.
func TestBenchmarksRun(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9-]+(/[A-Za-z0-9_-]+)+$`)
	seen := map[string]bool{}
	for _, p := range pairs() {
		lines, err := measure(p, 1, time.Microsecond)
		if err != nil {
			t.Fatalf("%s: %v", p[0].name, err)
		}
		for _, l := range lines {
			if !form.MatchString(l.Name) || seen[l.Name] {
				t.Errorf("the name %q is malformed or taken", l.Name)
			}
			seen[l.Name] = true
			if !(l.Best > 0) || !(l.Median > 0) || l.Unit == "" {
				t.Errorf("%+v", l)
			}
		}
	}
}

// A chunk has as many pieces of work as fit into it, and at least one; what fails is said.
func TestChunksAreFilled(t *testing.T) {
	for piece, most := range map[time.Duration]int{2 * time.Millisecond: 20, time.Second / 5: 1} {
		n, err := calibrate(func(n int) error {
			time.Sleep(time.Duration(n) * piece) // or longer, on a busy machine
			return nil
		}, 40*time.Millisecond)
		if err != nil || n < 1 || n > most {
			t.Errorf("%d pieces of %v fill 40 ms, %v", n, piece, err)
		}
	}
	fails := errors.New("it fails")
	if _, err := calibrate(func(int) error { return fails }, time.Second); err != fails {
		t.Errorf("the error is %v", err)
	}
}

// What stands beside hansa's rounds computes the same thing.
func TestNaiveRoundsAreTheSameRounds(t *testing.T) {
	s, err := cell(100, 100, "fedavg")
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFederation(&s)
	if err != nil {
		t.Fatal(err)
	}
	c, err := engine.Start(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	everyone := make([]int, 100)
	for i := range everyone {
		everyone[i] = i
	}
	for round := range 5 {
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
		f.round(everyone)
		if d := c.Checkpoint().Global.Distance(f.theta); d > 1e-10 {
			t.Errorf("round %d: hansa and the naive loops are %g apart", round+1, d)
		}
	}
}

// What stands beside masked scaling is the same scaling.
func TestDenseSweepsAreTheSameSweeps(t *testing.T) {
	const n = 20
	d := newDense(problem())
	for range n {
		d.sweep()
	}
	logU := make(fl.Vector, len(d.u))
	for i, u := range d.u {
		logU[i] = math.Log(u)
	}
	got := problem().Scale(math.SmallestNonzeroFloat64, n).LogU
	shift := got[0] - logU[0]
	for i := range got {
		if math.Abs(got[i]-logU[i]-shift) > 1e-10 {
			t.Errorf("client %d: log u = %v, dense %v", i, got[i], logU[i]+shift)
		}
	}
}

// What stands beside Sinkhorn's sweeps is the same sweeps.
func TestNaiveSweepsAreTheSameSweeps(t *testing.T) {
	const n, lambda = 20, 0.02
	p := points(30, 20)
	d, l := scaling(p, lambda).(*dense), logScaling(p, lambda).(*logs)
	for range n {
		d.sweep()
		l.sweep()
	}
	f := (&ot.Entropic{Lambda: lambda, MaxSweeps: n}).Solve(p).F
	for i, x := range f {
		naive := lambda * math.Log(d.u[i]/d.u[0])
		if math.Abs(x-f[0]-naive) > 1e-12 || math.Abs(x-l.f[i]) > 1e-12 {
			t.Errorf("row %d: f = %v, naive %v and %v", i, x, f[0]+naive, l.f[i])
		}
	}
}

// What stands beside barycenters of images is the same barycenter, and so is the dense one.
func TestNaiveProjectionsAreTheSame(t *testing.T) {
	const n = 20
	a := scribbles()
	p := newProjections(a)
	for range n {
		p.sweep()
	}
	for _, on := range []ot.Support{ot.SquaredGrid(side, side), ot.Points(squared())} {
		s := &ot.Bregman{Lambda: blur, MaxSweeps: n}
		c, err := s.Barycenter(on, uniform(pictures), a)
		if err != nil || c.Sweeps != n {
			t.Fatal(c.Sweeps, err)
		}
		for j, x := range c.Mass {
			if math.Abs(x-p.b[j]) > 1e-12*x {
				t.Fatalf("pixel %d: %v, naive %v", j, x, p.b[j])
			}
		}
	}
}

// What stands beside aligned images goes where the map of the library takes it.
func TestNaiveColoursAreTheSame(t *testing.T) {
	x, rng := photos(), rand.New(rand.NewPCG(1, 1))
	target := drawnMasses(rng)
	to, from := fl.NewMatrix(3, chosen), fl.NewMatrix(3, chosen)
	image := fl.Matrix{Rows: 3, Cols: 1024, Data: x.Row(0)}
	draw := rand.New(rand.NewPCG(2, 2))
	for i := range chosen {
		p := draw.IntN(1024)
		for c := range 3 {
			from.Row(c)[i], to.Row(c)[i] = image.Row(c)[p], target[i][c]
		}
	}
	m := ot.CloudMap{Lambda: tempered, Epsilon: 1e-10, MaxSweeps: 1000}
	plan, err := m.Fit(from, to)
	moved := fl.NewMatrix(3, 1024)
	if err != nil || !plan.Converged || m.Apply(moved, image) != nil {
		t.Fatal(plan, err)
	}
	naive := alignNaively(x.Row(0), target, rand.New(rand.NewPCG(2, 2)))
	if e := naive.Distance(moved.Data); e > 1e-9 {
		t.Errorf("%v away", e)
	}
}

// The rule without a loop over parameters is the rule with one, interpreted and compiled.
func TestMasksAreTheLoop(t *testing.T) {
	rng, r := rand.New(rand.NewPCG(1, 9)), &fl.Round{Global: fl.Vector{1, -1, 0, 2, 3}}
	for k := range 7 {
		model := r.Global.Clone()
		model.AddNoise(1, rng)
		model[k%3] = r.Global[k%3]
		r.Updates = append(r.Updates, fl.Update{Client: k, Samples: 1, Params: model})
	}
	var want fl.Vector
	for name, text := range map[string]string{"agree": loop, "masks": noLoop} {
		e, err := aggregator(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []fl.AggregatorEntry{e, agree.Entry, masks.Entry} {
			a, err := e.New(fl.NewParams(nil, fl.Setting{}, nil))
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.Aggregate(r)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = out.Params.Clone()
			}
			if out.Params.Distance(want) > 1e-14 {
				t.Errorf("%s: %v, want %v", e.Name, out.Params, want)
			}
		}
	}
}
