// Git Re-Basin — networks whose neurons are permuted to agree, then averaged.
//
//	S. K. Ainsworth, J. Hayase, S. Srinivasa. Git Re-Basin: Merging Models modulo Permutation
//	Symmetries. ICLR 2023, Algorithm 1 (weight matching) and Algorithm 3 (MergeMany).
//
// Notation: networks θ₁, …, θ_K; π a permutation of the neurons of every hidden layer.
//
//	repeat, for k in a random order, until nothing changes:
//	    θ̄ = Σ_{j≠k} θ_j/(K − 1);  π = argmax ⟨θ̄, π(θ_k)⟩, by coordinate ascent;  θ_k ← π(θ_k)
//	θ = Σ_k w_k·θ_k, w_k = 1/K as published
//
// Every step raises Σ_{j<k} ⟨θ_j, θ_k⟩, so that it ends. Neurons are moved and never blended: each
// network computes what it did, and no data are needed. Where the end depends on the order of
// visits, it depends on the numbers of clients, too. Of two copies of a network with one hidden
// layer, in whatever order their neurons are, it makes that network. With weights = "merit" it has
// the weights of CODE. With matching = "straight-through" it is Algorithm 2, which follows the
// loss, and with repair = "server" hidden neurons of the mean are rescaled, see fuse.Repair.
//
// Of a transformer π permutes the hidden units of every block, its heads as wholes, and the stream
// that passes all blocks, with embeddings, positions and scores; numbers within a head stay.
//
// Departures: none. Biases and norms count in the product, as in the authors' code. The paper has
// no transformers; what is done there is ours.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
)

// GitReBasin describes the aggregator to the registry.
var GitReBasin = fl.AggregatorEntry{
	Name:    "git-rebasin",
	Summary: "permutes the neurons of all networks until their weights agree, and averages",
	Paper:   "ainsworth2023",
	New:     newGitReBasin,
	Fits:    needsNetwork,
	Waives: map[string]string{"numbering": "by the straight-through estimator one client after " +
		"another draws batches and orders of layers"},
}

// gitReBasin keeps nothing in State.
type gitReBasin struct {
	sharing
	passes int // over the networks
	loss   bool
	by     straightThrough
	repair repairing
}

var _ fl.Aggregator = (*gitReBasin)(nil)

func newGitReBasin(p *fl.Params) (fl.Aggregator, error) {
	a := &gitReBasin{sharing: newSharing(p), passes: p.Int("passes", 100, fl.AtLeast(0),
		"the most passes over the networks, with a note where they end it; 0: FedAvg")}
	a.loss, a.by = newStraightThrough(p)
	a.repair = newRepairing(p)
	return a, nil
}

// Aggregate implements fl.Aggregator.
func (a *gitReBasin) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w, err := a.sharing.of(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	own, n := make([]fl.Vector, len(r.Updates)), len(r.Updates[0].Params)
	for i, k := range byClient(r) {
		if len(r.Updates[k].Params) != n {
			return fl.Outcome{}, errMixed
		}
		own[i] = r.Updates[k].Params.Clone()
	}
	if err := a.agree(r, own); err != nil {
		return fl.Outcome{}, err
	}
	fused, share := make(fl.Vector, n), make(fl.Vector, len(own))
	for i, k := range byClient(r) {
		fused.AddScaled(w[k], own[i])
		share[i] = w[k]
	}
	mean := fuse.Mean{Params: fused, Of: own, By: share}
	if err := a.repair.of(r, r.Model, mean); err != nil {
		return fl.Outcome{}, err
	}
	return fl.Outcome{Params: fused}, nil
}

// agree permutes the neurons of networks (Algorithm 3).
func (a *gitReBasin) agree(r *fl.Round, own []fl.Vector) error {
	if len(own) == 1 || a.passes == 0 {
		return nil
	}
	if a.loss {
		return a.by.agree(r, own)
	}
	m, l := new(fuse.Matcher), r.ModelOf(0).Layout()
	others := r.Scratch(len(own[0]))
	for pass := 1; pass <= a.passes; pass++ {
		changes := 0
		for _, k := range r.RNG.Perm(len(own)) {
			clear(others)
			for j, theta := range own {
				if j != k {
					others.AddScaled(1/float64(len(own)-1), theta)
				}
			}
			done, err := m.Match(own[k], others, &l, r.RNG)
			if err != nil {
				return err
			}
			changes += done.Changes
		}
		r.Notes.Observe("layers permuted in a pass", float64(changes))
		if changes == 0 {
			r.Notes.Observe("passes over the networks", float64(pass))
			return nil
		}
	}
	r.Notes.Add("permutations still changed in the last pass: raise passes")
	return nil
}
