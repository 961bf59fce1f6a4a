package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// Two methods are trained on the same federation, without a folder for results and without the
// command: an experiment becomes cells, each cell a Setup, and each Setup a Result.
func ExampleRun() {
	spec, err := study.Parse("two.toml", []byte(`
		title = "All clients, or three of them"
		seeds = 1
		[setting]
		clients    = 12
		rounds     = 200
		dataset    = { name = "regression", features = 4, samples_per_client = 20 }
		partition  = "natural"
		importance = "uniform"
		model      = "linear"
		local      = { name = "sgd", steps = 5, lr = 0.01 }
		metrics    = ["suboptimality", "upload"]
		aggregator = { name = "fedavg", weights = "uniform" }
		[[method]]
		label        = "all"
		availability = "always"
		[[method]]
		label        = "three"
		availability = { name = "k-subset", k = 3 }`), study.Overrides{})
	if err != nil {
		log.Fatal(err)
	}
	cells, err := spec.Expand()
	if err != nil {
		log.Fatal(err)
	}
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		log.Fatal(err)
	}
	for _, c := range cells {
		setup, cell, problems := reg.Compose(c)
		if len(problems) > 0 {
			log.Fatal(problems)
		}
		result, err := engine.Run(context.Background(), &setup, engine.Options{Workers: 2})
		if err != nil {
			log.Fatal(err)
		}
		last := len(result.Rounds) - 1
		fmt.Printf("%s after %d rounds:", cell.Method, result.Rounds[last])
		for _, s := range result.Series {
			fmt.Printf(" %s = %.3g%s", s.Key, s.Values[last], s.Unit)
		}
		fmt.Println()
	}
	// Output:
	// all after 200 rounds: suboptimality = 0.000717 upload = 3.84e+04B
	// three after 200 rounds: suboptimality = 0.00355 upload = 9.6e+03B
}
