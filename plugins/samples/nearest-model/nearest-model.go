// Krum — the model that lies closest to its neighbours, or the mean of several such.
//
//	P. Blanchard, E. M. El Mhamdi, R. Guerraoui, J. Stainer. Machine Learning with
//	Adversaries: Byzantine Tolerant Gradient Descent. NIPS 2017: the Krum function, Multi-Krum.
//
// Notation: n clients in the cohort, f of them faulty; the score s(k) is the sum of the squared
// distances from model k to its n − f − 2 closest; of the n models m are averaged.
//
// Departures: the paper chooses among gradients, of one step; here they are models, after any
// number of local steps. The theory wants n > 2f + 2; smaller cohorts are scored by as many
// neighbours as there are, at least one, and noted.

// Package nearestmodel is a strategy: two aggregators, of which the first is the second with m = 1.
package nearestmodel

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Krum describes the aggregator that chooses one model.
var Krum = fl.AggregatorEntry{
	Name:    "nearest-model",
	Summary: "the one model that is closest to its neighbours",
	Paper:   "P. Blanchard, E. M. El Mhamdi, R. Guerraoui, J. Stainer, NIPS 2017: Krum",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &krum{faulty: declareFaulty(p), chosen: 1}, nil
	},
}

// MultiKrum describes the aggregator that averages several.
var MultiKrum = fl.AggregatorEntry{
	Name:    "mean-of-nearest",
	Summary: "mean of the m models that are closest to their neighbours",
	Paper:   "P. Blanchard, E. M. El Mhamdi, R. Guerraoui, J. Stainer, NIPS 2017: Multi-Krum",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &krum{
			faulty: declareFaulty(p),
			chosen: p.Int("m", 0, fl.AtLeast(0), "m, models that are averaged; 0: n − f"),
		}, nil
	},
}

func declareFaulty(p *fl.Params) int {
	return p.Int("f", 1, fl.AtLeast(0), "f, faulty clients that a cohort may have")
}

// krum keeps nothing in State.
type krum struct {
	faulty int // f
	chosen int // m; 0: n − f
}

// Aggregate returns the mean of the m models of least score; of equal scores that of the
// client with the smaller number counts as less.
func (a *krum) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	if n == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	if n <= 2*a.faulty+2 {
		r.Notes.Add(fmt.Sprintf("a cohort was too small for f = %d faulty clients: Krum wants "+
			"more than %d", a.faulty, 2*a.faulty+2))
	}
	score, order := a.scores(r.Models()), make([]int, n)
	for k := range order {
		order[k] = k
	}
	sort.Slice(order, func(i, j int) bool {
		x, y := order[i], order[j]
		if score[x] != score[y] {
			return score[x] < score[y]
		}
		return r.Updates[x].Client < r.Updates[y].Client
	})
	m := a.chosen
	if m == 0 {
		m = max(1, n-a.faulty)
	}
	m = min(m, n)
	w := r.Scratch(n)
	for _, k := range order[:m] {
		w[k] = 1 / float64(m)
	}
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}

// scores returns s(k) of every model.
func (a *krum) scores(models [][]float64) fl.Vector {
	n := len(models)
	near := min(max(n-a.faulty-2, 1), n-1)
	distance, score := tensor.NewMatrix(n, n), make(fl.Vector, n)
	tensor.SquaredDistances(distance, models)
	for k := range score {
		row := distance.Row(k)
		slices.Sort(row) // the first is that of the model to itself
		score[k] = row[1 : near+1].Sum()
	}
	return score
}
