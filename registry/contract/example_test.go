package contract_test

import (
	"fmt"
	"log"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// A component is asked everything that is required of its kind; what it breaks is a violation.
func ExampleExamine() {
	reg := new(registry.Registry)
	err := reg.Importances.Add(fl.ImportanceEntry{
		Name:    "half",
		Summary: "every client has the importance 1/2",
		New:     func(*fl.Params) (fl.Importance, error) { return half{}, nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range contract.Examine(reg, contract.Options{}) {
		fmt.Printf("%s %s, requirement %q: %s\n", v.Kind, v.Component, v.Check, v.Found)
	}
	// Output:
	// importance half, requirement "weights": of 6 clients: weights that sum to 3, not 1
}

type half struct{}

// Weights implements fl.Importance.
func (half) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i := range p {
		p[i] = 0.5
	}
	return p
}
