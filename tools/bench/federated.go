package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

const (
	features = 20
	samples  = 100 // per client
	steps    = 5   // full batches
	rate     = 0.01
)

// pairs lists the benchmarks, each with what stands beside it.
func pairs() [][]benchmark {
	var list [][]benchmark
	for _, k := range []int{2, 10, 100} {
		list = append(list, []benchmark{
			{fmt.Sprintf("fl/linreg/%d", k), "rounds/s", rounds(100, k, "fedavg")},
			{fmt.Sprintf("fl/linreg/%d/naive", k), "rounds/s", naive(100, k)},
		}, []benchmark{
			{fmt.Sprintf("fl/linreg-avot/%d", k), "rounds/s", rounds(100, k, "fedavot")},
			{fmt.Sprintf("fl/linreg-avot/%d/naive", k), "rounds/s", naive(100, k)},
		})
	}
	for _, n := range []int{100, 1000, 10_000} {
		name := fmt.Sprintf("fl/clients/%d", n)
		list = append(list, []benchmark{{name, "rounds/s", rounds(n, 10, "fedavg")}})
	}
	return slices.Concat(list, completing(), training(), storedRows(), picturesInParquet(),
		methods(), masked(), couplings(), barycenters(), colours(),
		fusing(), gemm(), eigen(), gaussian(), rules(), compressors(),
		robust(), inverse(), interpreted())
}

// menu returns everything built in.
func menu() (*registry.Registry, error) {
	reg := new(registry.Registry)
	return reg, builtin.Register(reg)
}

func pick(name string, params map[string]any) study.Pick {
	return study.Pick{Name: name, Params: params}
}

// cell is a federated least-squares problem in which k of n clients train per round.
func cell(n, k int, aggregator string) (engine.Setup, error) {
	reg, err := menu()
	if err != nil {
		return engine.Setup{}, err
	}
	c := study.Cell{
		Method: "bench", Clients: n, Rounds: 1 << 40, Every: 1 << 40, Law: true,
		Picks: map[string]study.Pick{
			"dataset": pick("regression", map[string]any{"features": int64(features),
				"samples_per_client": int64(samples), "test_samples_per_client": int64(0)}),
			"partition":    pick("natural", nil),
			"importance":   pick("linear", nil),
			"model":        pick("linear", map[string]any{"loss": "half-mse"}),
			"local":        pick("sgd", map[string]any{"steps": int64(steps), "lr": rate}),
			"availability": pick("always", nil),
			"selection":    pick("uniform-k", map[string]any{"k": int64(k)}),
			"aggregator":   pick(aggregator, map[string]any{}),
		},
	}
	if aggregator == "fedavg" {
		c.Picks["aggregator"].Params["weights"] = "self-normalised"
	}
	s, _, problems := reg.Compose(c)
	if len(problems) > 0 {
		return s, problems
	}
	return s, nil
}

// rounds plays rounds of least squares by hansa.
func rounds(n, k int, aggregator string) func() (task, error) {
	return play(func() (engine.Setup, error) { return cell(n, k, aggregator) }, engine.Options{})
}

// play plays rounds of a cell by hansa.
func play(compose func() (engine.Setup, error), o engine.Options) func() (task, error) {
	return func() (task, error) {
		s, err := compose()
		if err != nil {
			return task{}, err
		}
		c, err := engine.Start(&s, o)
		if err != nil {
			return task{}, err
		}
		return task{done: c.Close, hands: o.Workers, do: func(n int) error {
			for range n {
				if err := c.Step(); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}
}

// naive plays the same rounds as they are written without hansa: slices of slices and a
// loop for every sum.
func naive(n, k int) func() (task, error) {
	return func() (task, error) {
		s, err := cell(n, k, "fedavg")
		if err != nil {
			return task{}, err
		}
		f, err := newFederation(&s)
		if err != nil {
			return task{}, err
		}
		rng := rand.New(rand.NewPCG(1, 2))
		return task{do: func(rounds int) error {
			for range rounds {
				f.round(rng.Perm(n)[:k])
			}
			return nil
		}}, nil
	}
}

// A federation is the data of a cell as naive code holds them.
type federation struct {
	x     [][][]float64 // by client, sample, feature
	y     [][]float64
	p     []float64
	theta []float64
}

func newFederation(s *engine.Setup) (*federation, error) {
	w, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		return nil, err
	}
	f := &federation{p: w.Roster.Importance, theta: make([]float64, features)}
	for i := range w.Population.N() {
		d := w.Population.Client(i).Data
		var rows [][]float64
		for r := range d.Len() {
			rows = append(rows, append([]float64(nil), d.X.Row(r)...))
		}
		f.x, f.y = append(f.x, rows), append(f.y, append([]float64(nil), d.Target...))
	}
	return f, nil
}

// round trains a cohort and averages by importance.
func (f *federation) round(cohort []int) {
	next, total := make([]float64, features), 0.0
	for _, i := range cohort {
		total += f.p[i]
	}
	for _, i := range cohort {
		local := f.train(i)
		for j := range next {
			next[j] += f.p[i] / total * local[j]
		}
	}
	f.theta = next
}

// train returns the parameters of client i after its local steps.
func (f *federation) train(i int) []float64 {
	theta := append([]float64(nil), f.theta...)
	grad := make([]float64, features)
	for range steps {
		for j := range grad {
			grad[j] = 0
		}
		for r, row := range f.x[i] {
			residual := -f.y[i][r]
			for j, x := range row {
				residual += x * theta[j]
			}
			for j, x := range row {
				grad[j] += residual * x
			}
		}
		for j := range theta {
			theta[j] -= rate / samples * grad[j]
		}
	}
	return theta
}
