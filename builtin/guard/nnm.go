// NNM — nearest-neighbour mixing: every update becomes the mean of those nearest to it.
//
//	Y. Allouah, S. Farhadkhani, R. Guerraoui, N. Gupta, R. Pinot, J. Stephan. Fixing by Mixing:
//	A Recipe for Optimal Byzantine ML under Heterogeneity. AISTATS 2023, Algorithm 2.
//
// Notation: n updates, f of them faulty, Nₖ the n − f updates nearest to θₖ, itself among them:
//
//	yₖ = 1/(n − f)·Σ θⱼ over j ∈ Nₖ.
//
// For any n − f updates, the mean square distance of their yₖ from the mean of these updates is at
// most 8f/(n − f) times their variance. With f = 0 all yₖ are the mean.
//
// Departures: ties are by client. A cohort of at most 2f clients is left as it is: f of them are no
// minority.

package guard

import (
	"cmp"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// NNM describes the guard to the registry.
var NNM = fl.GuardEntry{
	Name:       "nnm",
	Summary:    "every update becomes the mean of the n − f nearest to it",
	Paper:      "allouah2023",
	Deviations: "a cohort in which f clients are no minority is left as it is",
	New: func(p *fl.Params) (fl.Guard, error) {
		return &nnm{f: newFaulty(p)}, nil
	},
}

// nnm keeps nothing in State.
type nnm struct {
	f     int
	mixed [][]float64 // room
}

var _ fl.Guard = (*nnm)(nil)

// Apply implements fl.Guard.
func (a *nnm) Apply(g *fl.Guarding) error {
	n := len(g.Updates)
	if n <= 2*a.f {
		return nil
	}
	models := g.Models()
	distance := fl.Matrix{Rows: n, Cols: n, Data: g.Scratch(n * n)}
	tensor.SquaredDistances(distance, models)
	order, w := g.Room(n), fl.Matrix{Rows: n, Cols: n, Data: g.Scratch(n * n)}
	a.mixed = a.mixed[:0]
	for k := range n {
		order = order[:0]
		for j := range n {
			order = append(order, j)
		}
		row := distance.Row(k)
		row[k] = -1 // it is nearest to itself, whatever equals it
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(row[i], row[j]) })
		for _, j := range order[:n-a.f] {
			w.Row(k)[j] = 1 / float64(n-a.f)
		}
		a.mixed = append(a.mixed, g.Scratch(len(g.Global)))
	}
	tensor.AddCombinations(a.mixed, w, models)
	for k, mixed := range a.mixed {
		g.Updates[k].Params, g.Updates[k].Returned = mixed, false
	}
	return nil
}
