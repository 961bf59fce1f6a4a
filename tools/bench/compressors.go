package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/hansa-fl/hansa/framework/fl"
)

// compressors measures what compressors of the menu make of the updates of one round, 10 of 400,000
// numbers each, in the same chunks as rule/mean, which is what reading them takes.
func compressors() [][]benchmark {
	const unit, size = "rounds/s", "/10x400k"
	shared := sync.OnceValue(func() *cohort { return newCohort(members, parameters) })
	list := []benchmark{{"compress/mean" + size, unit, func() (task, error) {
		c := shared()
		return repeat(func() error {
			clear(c.next)
			c.next.AddWeighted(c.weights, c.models)
			return nil
		}), nil
	}}}
	for _, name := range []string{"top-k", "random-k", "sign", "qsgd", "terngrad", "int8",
		"float16", "bfloat16", "power-sgd"} {
		list = append(list, benchmark{"compress/" + name + size, unit,
			func() (task, error) { return compress(shared(), name) }})
	}
	return [][]benchmark{list}
}

// compress has a compressor make of every update of a cohort what arrives of it, as the engine
// does: of sparse ones it writes what is not zero, to memory that was cleared there.
func compress(c *cohort, name string) (task, error) {
	reg, err := menu()
	if err != nil {
		return task{}, err
	}
	e, ok := reg.Compressors.Get(name)
	if !ok {
		return task{}, fmt.Errorf("there is no compressor %s", name)
	}
	made, err := e.New(reg.Params(nil, fl.Setting{}))
	if err != nil {
		return task{}, err
	}
	n := len(c.next)
	rng := rand.New(rand.NewPCG(1, 2))
	k := &fl.Coding{Out: c.next, Code: new(fl.Bits), RNG: rng, Shared: rng, State: fl.NewStore(),
		Layout: fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: n / 1000, Cols: 1000}}}}
	arrive, err := arrival(made, k)
	return repeat(func() error {
		for _, model := range c.models {
			k.Recycle()
			k.In = model
			arrive()
		}
		return nil
	}), err
}

// arrival returns what sets k.Out by a compressor.
func arrival(c fl.Compressor, k *fl.Coding) (func(), error) {
	switch c := c.(type) {
	case fl.Direct:
		return func() { c.Compress(k) }, nil
	case fl.Sparse:
		return func() {
			at, values, _ := c.Sparsify(k)
			for i, j := range at {
				k.Out[j] = values[i]
			}
			for _, j := range at {
				k.Out[j] = 0
			}
		}, nil
	}
	return nil, errors.New("it compresses only to a code")
}
