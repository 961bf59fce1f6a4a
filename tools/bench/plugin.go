package main

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/tools/bench/agree"
	"github.com/hansa-fl/hansa/tools/bench/mean"
)

//go:embed mean/mean.go
var strategy string

//go:embed agree/agree.go
var loop string

//go:embed masks/masks.go
var noLoop string

// interpreted measures strategies: how fast one is vetted and loaded, how fast it aggregates beside
// the same file compiled, how fast one that is compiled beside the same rule built in, how fast a
// rule without a loop over parameters beside the same with one, and how fast a worker process is
// there.
func interpreted() [][]benchmark {
	return [][]benchmark{
		{{"plugin/load", "strategies/s", func() (task, error) {
			return task{do: func(n int) error {
				for range n {
					if _, err := loaded("mean.go", strategy); err != nil {
						return err
					}
				}
				return nil
			}}, nil
		}}},
		{
			{"plugin/fedavg/400k", "rounds/s", interpret("mean", strategy)},
			{"plugin/fedavg/400k/compiled", "rounds/s", func() (task, error) {
				return aggregate(mean.Entry)
			}},
		},
		{
			{"plugin/loop/400k/compiled", "rounds/s", func() (task, error) {
				e, err := compiledAgree()
				if err != nil {
					return task{}, err
				}
				return aggregate(e)
			}},
			{"plugin/loop/400k/built-in", "rounds/s", func() (task, error) {
				return aggregate(agree.Entry)
			}},
		},
		{
			{"plugin/masks/400k", "rounds/s", interpret("masks", noLoop)},
			{"plugin/masks/400k/loop", "rounds/s", interpret("agree", loop)},
		},
		{{"plugin/worker", "starts/s", starts}},
	}
}

// interpret opens the work of aggregating by a strategy that is interpreted.
func interpret(name, text string) func() (task, error) {
	return func() (task, error) {
		e, err := aggregator(name, text)
		if err != nil {
			return task{}, err
		}
		return aggregate(e)
	}
}

// aggregator returns the aggregator of a strategy that is interpreted.
func aggregator(name, text string) (fl.AggregatorEntry, error) {
	s, err := loaded(name+".go", text)
	if err != nil {
		return fl.AggregatorEntry{}, err
	}
	var r registry.Registry
	if err := s.Register(&r); err != nil {
		return fl.AggregatorEntry{}, err
	}
	e, _ := r.Aggregators.Get(name)
	return e, nil
}

// compiledAgree returns a strategy with a loop over parameters as a worker of --strategies compiled
// has it: the compiler's code, with the guards of strategies around it.
func compiledAgree() (fl.AggregatorEntry, error) {
	source := plugins.NewSource("agree.go", []vet.File{{Name: "agree.go", Text: loop}})
	s, err := plugins.LoadCompiled(context.Background(), source, time.Minute,
		plugins.Compiled{"Entry": &agree.Entry})
	if err != nil {
		return fl.AggregatorEntry{}, err
	}
	var r registry.Registry
	if err := s.Register(&r); err != nil {
		return fl.AggregatorEntry{}, err
	}
	e, _ := r.Aggregators.Get("agree")
	return e, nil
}

func loaded(file, text string) (*plugins.Strategy, error) {
	files := []vet.File{{Name: file, Text: text}}
	return plugins.Load(context.Background(), plugins.NewSource(file, files), 0)
}

// aggregate returns the work of aggregating 10 updates of 400,000 parameters.
func aggregate(e fl.AggregatorEntry) (task, error) {
	a, err := e.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		return task{}, err
	}
	const parameters = 400_000
	rng := fl.NewStream(1, "bench").Rand()
	random := func() fl.Vector {
		v := make(fl.Vector, parameters)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	r := &fl.Round{Global: random(), State: fl.NewStore(), Notes: new(fl.Notes),
		Roster: &fl.Roster{N: 10}}
	for k := range 10 {
		r.Updates = append(r.Updates, fl.Update{Client: k, Samples: 1 + k, Params: random()})
	}
	return task{do: func(n int) error {
		for range n {
			r.Recycle()
			out, err := a.Aggregate(r)
			if err != nil {
				return err
			}
			if len(out.Params) != parameters {
				return fmt.Errorf("%d parameters", len(out.Params))
			}
		}
		return nil
	}}, nil
}
