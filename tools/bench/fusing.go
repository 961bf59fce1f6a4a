package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// devices is how many networks are fused.
const devices = 16

// fusing fuses the networks of sixteen devices by CODE, with the λ and ε of its paper.
func fusing() [][]benchmark {
	return [][]benchmark{{{fmt.Sprintf("fuse/code/%d", devices), "rounds/s", code}}}
}

// code opens a round of CODE in which every plan converges.
func code() (task, error) {
	reg, err := menu()
	if err != nil {
		return task{}, err
	}
	entry, _ := reg.Aggregators.Get("code")
	a, err := entry.New(fl.NewParams(map[string]any{"order": "given"}, fl.Setting{}, nil))
	if err != nil {
		return task{}, err
	}
	m, _, err := pieces(mlp, "sgd")
	if err != nil {
		return task{}, err
	}
	r := &fl.Round{Model: m, Layout: m.Layout(), State: fl.NewStore()}
	for k := range devices {
		r.Updates = append(r.Updates, fl.Update{Client: k, Params: trained(m, uint64(k))})
	}
	return task{do: func(n int) error {
		for range n {
			r.Recycle()
			r.Notes = new(fl.Notes)
			if _, err := a.Aggregate(r); err != nil {
				return err
			}
			if notes := r.Notes.List(); len(notes) > 0 {
				return fmt.Errorf("%s", notes[0])
			}
		}
		return nil
	}}, nil
}

// directions is how many directions of its input a trained layer has learnt to tell apart.
const directions = 10

// trained returns parameters as training leaves them: initial ones of a network's own, and in
// every layer neurons that follow mixtures of directions which all networks have found, by so
// much that plans take tens of sweeps, as they do after ten epochs of MNIST.
func trained(m fl.Model, seed uint64) fl.Vector {
	rng, common := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(1, 2))
	theta := m.Init(rng)
	for _, b := range m.Layout().Blocks {
		if b.Name != fl.Weight {
			continue
		}
		found := fl.NewMatrix(directions, b.Cols)
		for i := range found.Data {
			found.Data[i] = 2.5 * common.NormFloat64() / float64(b.Cols)
		}
		for r := range b.Rows {
			row := theta[b.Offset+r*b.Cols:][:b.Cols]
			for k := range directions {
				row.AddScaled(rng.NormFloat64(), found.Row(k))
			}
		}
	}
	return theta
}
