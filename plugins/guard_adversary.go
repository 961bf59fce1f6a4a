package plugins

import (
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// adversary guards an fl.Adversary. Clients that are corrupted at once wait for each other.
type adversary guarding[fl.Adversary]

// guardAdversary guards an adversary, or what poisons data, which the engine is to know.
func guardAdversary(g guarded, a fl.Adversary) (fl.Adversary, error) {
	if data, ok := a.(*fl.PoisonedData); ok {
		return fl.DataAttack(&poisoner{g, data.Poisoner}), nil
	}
	if _, none := a.(fl.NoAdversary); none {
		return a, nil
	}
	return &adversary{g, a}, nil
}

// Corrupt implements fl.Adversary.
func (a *adversary) Corrupt(k *fl.Attack) error {
	parameters, updates := len(k.Global), len(k.Updates)
	return a.try("Corrupt", func() error {
		if err := a.of.Corrupt(k); err != nil {
			return err
		}
		if len(k.Updates) != updates {
			return fmt.Errorf("left %d of %d updates", len(k.Updates), updates)
		}
		for i := range k.Updates {
			if err := checkParams(k.Updates[i].Params, parameters); err != nil {
				return fmt.Errorf("%w of update %d", err, i)
			}
		}
		return nil
	}, input{"a", k})
}

// poisoner guards an fl.Poisoner.
type poisoner guarding[fl.Poisoner]

// Poison implements fl.Poisoner.
func (p *poisoner) Poison(d *fl.Poisoning) error {
	return p.try("Poison", func() error { return p.of.Poison(d) }, input{"p", d})
}

// corrupting returns an attack of two faulty clients of ten, with so many parameters.
func corrupting(a fl.Adversary, _ *registry.Registry, parameters int) func() (int, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	k := &fl.Attack{Global: normals(rng, parameters), State: fl.NewStore(), RNG: rng,
		Layout: fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: 1, Cols: parameters}}}}
	k.Allow(func() (fl.Vector, error) { return k.Global, nil })
	for i := range probeCohort {
		u := fl.Update{Client: i, Samples: 100, Steps: 5, Params: normals(rng, parameters)}
		if i < 2 {
			k.Updates = append(k.Updates, u)
		} else {
			k.Honest = append(k.Honest, u)
		}
	}
	return func() (int, error) {
		k.Recycle()
		err := a.Corrupt(k)
		k.T++
		return 1, err
	}
}
