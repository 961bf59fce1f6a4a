package registry_test

import (
	"fmt"
	"log"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// A component of one's own is registered beside the built-in ones, and an experiment names it.
func ExampleRegistry_Compose() {
	entry := fl.ImportanceEntry{
		Name:    "first",
		Summary: "the first clients share all importance",
		New: func(p *fl.Params) (fl.Importance, error) {
			return first(p.Int("clients", 1, fl.AtLeast(1), "that share all importance")), nil
		},
	}
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		log.Fatal(err)
	}
	if err := reg.Importances.Add(entry); err != nil {
		log.Fatal(err)
	}

	spec, err := study.Parse("mine.toml", []byte(`
		title = "Two of ten clients matter"
		[setting]
		clients      = 10
		rounds       = 50
		dataset      = "regression"
		model        = "linear"
		importance   = { name = "first", clients = 2 }
		availability = { name = "k-subset", k = 3 }
		metrics      = ["suboptimality"]
		partition    = "natural"
		local        = { name = "sgd", steps = 5, lr = 0.01 }
		[[method]]
		label      = "FedAvg"
		aggregator = "fedavg"`), study.Overrides{})
	if err != nil {
		log.Fatal(err)
	}
	cells, err := spec.Expand()
	if err != nil {
		log.Fatal(err)
	}
	setup, cell, problems := reg.Compose(cells[0])
	if len(problems) > 0 {
		log.Fatal(problems)
	}
	fmt.Println(setup.Importance.Weights(&fl.Roster{N: 4}))
	fmt.Println(cell.Picks["importance"].Params)
	// Output:
	// [0.5 0.5 0 0]
	// map[clients:2]
}

// first gives so many clients, the first ones, the same importance, and the others none.
type first int

// Weights implements fl.Importance.
func (k first) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i := range min(int(k), pop.N) {
		p[i] = 1 / float64(min(int(k), pop.N))
	}
	return p
}
