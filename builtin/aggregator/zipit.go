// ZipIt — features of all networks are merged, within and across networks, by how they correlate.
//
//	G. Stoica, D. Bolya, J. Bjorner, P. Ramesh, T. Hearn, J. Hoffman. ZipIt! Merging Models from
//	Different Tasks without Training. ICLR 2024 (arXiv:2305.03053).
//
// Notation: K networks of n features in a layer, on the server's samples; ρ their correlations;
// M_k what is averaged of network k, U_k which of its features is part of which merged one.
//
//	layer by layer, until n of Kn features are left: merge the two of largest ρ
//	W ← Σ_k M_k·W_k·U_k
//
// as fuse.Zip says, with α for features that are merged already and a budget β of merges within a
// network: features that a network has twice make room for those that it alone has, for which
// permutations have none. Scores are w_k-weighted sums of networks' scores, w_k = 1/K as published.
// Copies of one network, in whatever order their neurons are, make that network: two of them
// always, more with α = 1. With less, two features of different copies may correlate more than α,
// and are merged before the last copies find theirs. All that is of neurons that vary on the
// samples: others are merged with each other.
//
// Departures: clients have the same classes, so that layers are merged up to the scores; the paper
// has a head for each task, and may end below (partial zipping). Features are as the next layer
// gets them, behind pools. β counts all merges of features that have parts of one network; the
// authors' code looks at the first part, and with β = 0 merges once. The paper's text was not at
// hand in full; α and β by default are those of the authors' function.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
)

// ZipIt describes the aggregator to the registry.
var ZipIt = fl.AggregatorEntry{
	Name:    "zipit",
	Summary: "merges features of all networks, within and across them, by their correlations",
	Paper:   "stoica2024",
	Deviations: "all layers are merged, up to scores of classes that networks share; the budget " +
		"counts all merges of parts of one network",
	New: newZipIt,
	Fits: func(s fl.Setting) error {
		switch {
		case !s.Network:
			return errors.New("merges features of layers, and this model has none")
		case s.Known() && !s.Held:
			return errors.New("merges features by what they say of samples that the server " +
				"holds; validation = 0.1 gives it a tenth")
		case s.Layout.Layers == nil:
			return nil
		}
		return fuse.Zips(&s.Layout)
	},
	Waives: map[string]string{
		"numbering": "neurons are in the order of the first client's",
	},
}

// zipIt keeps nothing in State.
type zipIt struct {
	fuse.Zip
	sharing
}

var _ fl.Aggregator = (*zipIt)(nil)

func newZipIt(p *fl.Params) (fl.Aggregator, error) {
	a := new(zipIt)
	a.Alpha = p.Float("alpha", 0.3, fl.Closed(0, 1), "α: what a feature's correlations are times "+
		"each time that it is merged; 0: not again with parts of the same network")
	a.Beta = p.Float("beta", 0.125, fl.Closed(0, 1), "β: the share of merges that may be within "+
		"networks; 0: none, where others are left")
	a.sharing = newSharing(p)
	return a, nil
}

// Aggregate implements fl.Aggregator.
func (a *zipIt) Aggregate(r *fl.Round) (fl.Outcome, error) {
	switch {
	case len(r.Updates) == 0:
		return fl.Outcome{}, errNoUpdates
	case r.Validation == nil || r.Validation.Len() == 0:
		return fl.Outcome{}, errors.New("the server holds no samples to compare features by")
	}
	by, err := a.sharing.of(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	worker, shows := r.Model.Worker().(fl.LayerWorker)
	nets, w := make([]fuse.Network, len(r.Updates)), make(fl.Vector, len(r.Updates))
	for i, k := range byClient(r) {
		n := fuse.Network{Layout: r.Model.Layout(), Params: r.Updates[k].Params}
		if len(n.Params) != n.Layout.Len() {
			return fl.Outcome{}, errMixed
		}
		if shows {
			n.Neurons = fuse.Activations(worker, &n, r.Validation.X)
		}
		nets[i], w[i] = n, by[k]
	}
	params, merged, err := a.Fuse(nets, w)
	if err != nil {
		return fl.Outcome{}, err
	}
	within := 0
	for _, z := range merged {
		within += z.Within
	}
	r.Notes.Observe("merges within networks", float64(within))
	return fl.Outcome{Params: params}, nil
}
