// FoolsGold — clients whose updates resemble each other over rounds count less.
//
//	C. Fung, C. J. M. Yoon, I. Beschastnikh. The Limitations of Federated Learning in Sybil
//	Settings. RAID 2020, Algorithm 1.
//
// Notation: Δₖ = θₖ − θᵗ⁻¹ the n updates of a round, Hₖ the sum of all Δ that the client sent, this
// one included, on the features; cₖⱼ the cosine of Hₖ and Hⱼ, and vₖ = max(0, maxⱼ cₖⱼ) over j ≠ k.
// Clients that merely resemble sybils are pardoned, cₖⱼ ← cₖⱼ·vₖ/vⱼ where vₖ < vⱼ; then
//
//	αₖ = 1 − maxⱼ cₖⱼ in [0, 1],  αₖ ← αₖ/max α,  1 becoming 0.99,
//	αₖ ← κ·(ln(αₖ/(1 − αₖ)) + 0.5) in [0, 1],    θᵗ = θᵗ⁻¹ + η_g/n·Σ αₖΔₖ.
//
// Where no two histories have a positive cosine all αₖ are 1: it is the plain mean. Any number of
// clients with one history counts 0, but one faulty client alone counts fully: the rule is
// against sybils, and stands no single client that may send anything.
//
// Departures: histories are compared in the cohort of a round; in the paper all clients participate
// in all rounds. The paper adds Σ αₖΔₖ up, which is η_g = n. Where all histories are the same, for
// which the formula is 0/0, the model stays as it is. Constants and the order of steps are those
// of the official code (DistributedML/FoolsGold, model_aggregator.py); its filter of features by
// importance, which is off by default, is left out.

package aggregator

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// FoolsGold describes the aggregator to the registry.
var FoolsGold = fl.AggregatorEntry{
	Name:    "foolsgold",
	Summary: "plain mean of updates, those counting less whose histories resemble others'",
	Paper:   "fung2020",
	Deviations: "a cohort's histories are compared, not those of all clients; a mean, where the " +
		"paper has a sum",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &foolsGold{
			histories: newLatest(),
			confidence: p.Float("confidence", 1, fl.Above(0), "κ, how sharply histories are told "+
				"apart"),
			head: p.Choice("features", "all", "which parameters histories are compared on: all, "+
				"or those of the last dense layer, as the paper does for deep networks",
				"all", "head") == "head",
			rate: newServerRate(p),
		}, nil
	},
	Traits: fl.AggregatorTraits{Tracks: true},
}

// foolsGold keeps in State: Hᵢ of each client that was seen.
type foolsGold struct {
	histories  latest
	confidence float64 // κ
	head       bool
	rate       *serverRate // η_g
	views      [][]float64
}

var _ fl.Aggregator = (*foolsGold)(nil)

// Aggregate implements fl.Aggregator.
func (a *foolsGold) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	if n == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	a.views = a.views[:0]
	for k := range r.Updates {
		a.views = append(a.views, a.history(r, k))
	}
	cosine := fl.Matrix{Rows: n, Cols: n, Data: r.Scratch(n * n)}
	tensor.Gram(cosine, a.views)
	toCosines(r, cosine, a.views)
	w := r.Scratch(n)
	trust(w, cosine, a.confidence)
	r.Notes.Observe("mean weight of clients by foolsgold", w.Sum()/float64(n))
	w.Scale(a.rate.of(r) / float64(n))
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// history adds the k-th update to the history of its client, and returns that.
func (a *foolsGold) history(r *fl.Round, k int) fl.Vector {
	u := &r.Updates[k]
	from, more := a.features(r, r.Global)
	to, most := a.features(r, u.Params)
	m := len(from)
	h := a.histories.named(r, u.Client, m+len(more))
	h[:m].Add(to)
	h[m:].Add(most)
	h[:m].Sub(from)
	h[m:].Sub(more)
	return h
}

// toCosines makes cosines of inner products: 0 of what has no length. Vectors of which squares
// overflow or vanish are shortened or lengthened before.
func toCosines(r *fl.Round, gram fl.Matrix, of [][]float64) {
	n, length := gram.Rows, r.Scratch(gram.Rows)
	for k := range n {
		length[k] = math.Sqrt(gram.Row(k)[k])
		if square := gram.Row(k)[k]; square > 1e-280 && square < 1e280 {
			continue
		}
		unit := r.Scratch(len(of[k]))
		copy(unit, of[k])
		length[k] = 0
		if most := unit.NormInf(); most > 0 {
			unit.Scale(1 / most)
			length[k] = unit.Norm()
		}
		of[k] = unit
		for j := range n {
			gram.Row(k)[j] = unit.Dot(of[j])
			gram.Row(j)[k] = gram.Row(k)[j]
		}
	}
	for k := range n {
		for j := range n {
			if length[k] > 0 && length[j] > 0 {
				gram.Row(k)[j] /= length[k] * length[j]
			}
		}
	}
}

// features returns the elements of a vector that histories are of, in two parts.
func (a *foolsGold) features(r *fl.Round, v fl.Vector) (first, second fl.Vector) {
	if !a.head {
		return v, nil
	}
	weight, bias := lastDense(r.Layout)
	switch {
	case weight == nil:
		return v, nil
	case bias == nil:
		return weight.Of(v).Data, nil
	}
	return weight.Of(v).Data, bias.Of(v).Data
}

// trust sets w to the αₖ of cosines, which it changes.
func trust(w fl.Vector, cosine fl.Matrix, confidence float64) {
	n := len(w)
	v := w // maxⱼ cₖⱼ, and then α
	for k := range n {
		cosine.Row(k)[k] = 0
		v[k] = max(0, slices.Max(cosine.Row(k)))
	}
	for k := range n {
		row := cosine.Row(k)
		for j := range n {
			if j != k && v[k] < v[j] {
				row[j] *= v[k] / v[j]
			}
		}
	}
	for k := range n {
		w[k] = min(1, max(0, 1-slices.Max(cosine.Row(k))))
	}
	most := slices.Max(w)
	for k, alpha := range w {
		if alpha == 0 {
			continue // the logarithm is −∞
		}
		if alpha /= most; alpha == 1 {
			alpha = 0.99
		}
		w[k] = min(1, max(0, confidence*(math.Log(alpha/(1-alpha))+0.5)))
	}
}
