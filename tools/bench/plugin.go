package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/tools/bench/mean"
)

//go:embed mean/mean.go
var strategy string

// interpreted measures a strategy: how fast it is vetted and loaded, how fast it aggregates
// beside the same file compiled, and how fast a worker process with it is there.
func interpreted() [][]benchmark {
	return [][]benchmark{
		{{"plugin/load", "strategies/s", func() (task, error) {
			return task{do: func(n int) error {
				for range n {
					if _, err := loadMean(); err != nil {
						return err
					}
				}
				return nil
			}}, nil
		}}},
		{
			{"plugin/fedavg/400k", "rounds/s", func() (task, error) {
				var r registry.Registry
				s, err := loadMean()
				if err != nil {
					return task{}, err
				}
				if err := s.Register(&r); err != nil {
					return task{}, err
				}
				e, _ := r.Aggregators.Get("mean")
				return aggregate(e)
			}},
			{"plugin/fedavg/400k/compiled", "rounds/s", func() (task, error) {
				return aggregate(mean.Entry)
			}},
		},
		{{"plugin/worker", "starts/s", starts}},
	}
}

func loadMean() (*plugins.Strategy, error) {
	files := []vet.File{{Name: "mean.go", Text: strategy}}
	return plugins.Load(context.Background(), plugins.NewSource("mean.go", files), 0)
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
			next, err := a.Aggregate(r)
			if err != nil {
				return err
			}
			if len(next) != parameters {
				return fmt.Errorf("%d parameters", len(next))
			}
		}
		return nil
	}}, nil
}
