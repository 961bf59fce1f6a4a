// LMF — all networks aligned with one of them by layer-wise transport, then averaged.
//
//	S. P. Singh, M. Jaggi. Model Fusion via Optimal Transport. NeurIPS 2020, Algorithm 1, with
//	K networks as in the CODE paper, where it is called LMF.
//
// Notation: θ_B the reference, T the plans that align the neurons of θ_k with those of θ_B.
//
//	θ = Σ_k w_k·align(θ_k → θ_B), w_k = 1/K as published
//
// With weights = "merit" it has the weights of CODE, and one alignment of each network instead of
// a chain: beside exp-average, which has these weights and no alignment, that shows what transport
// is worth where weights are by merit.
//
// With neurons = "activations" neurons are compared by what they say of the server's samples, the
// paper's activation-based alignment. With repair = "server" the hidden neurons of the mean are
// rescaled, see fuse.Repair.
//
// Departures: the published code fuses two networks and has no biases; here biases go with
// their neurons. The output layer keeps its classes in place unless asked. Of transformers heads
// are transported as wholes, by their queries, keys and values, and the stream that passes all
// blocks by the embedding or the patches; the paper has none.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
)

// LMF describes the aggregator to the registry.
var LMF = fl.AggregatorEntry{
	Name:       "lmf",
	Summary:    "aligns all networks with one of them by layer-wise transport, and averages",
	Paper:      "singh2020",
	Deviations: "biases go with their neurons, and classes keep their places",
	New:        newLMF,
	Traits:     fl.AggregatorTraits{Mixes: true},
	Fits:       needsNetwork,
	Waives: map[string]string{
		"consensus": "an entropic plan is blurred: it mixes neurons even of equal networks",
		"numbering": "where the first is the reference, it is that of clients",
	},
}

// lmf keeps nothing in State.
type lmf struct {
	fusion
	reference string
	sharing
	repair repairing
}

var _ fl.Aggregator = (*lmf)(nil)

func newLMF(p *fl.Params) (fl.Aggregator, error) {
	a := &lmf{reference: p.Choice("reference", "best",
		"the model that others are aligned with: the most accurate, the first, or their average",
		"best", "first", "average")}
	a.fusion, a.sharing = newFusion(p, "entropic"), newSharing(p)
	p.Later("weights")
	a.repair = newRepairing(p)
	a.fit(p)
	return a, nil
}

// fit complains where nothing can say which model is the best.
func (a *lmf) fit(p *fl.Params) {
	if s := p.Setting(); s.Known() && a.reference == "best" {
		if err := needsHeld(s); err != nil {
			p.Fail("reference", "best %v", err)
		}
	}
}

// begin returns the update whose structure the result has, and the weight of each.
func (a *lmf) begin(r *fl.Round) (at int, w fl.Vector, err error) {
	if len(r.Updates) == 0 {
		return 0, nil, errNoUpdates
	}
	if at, err = a.chosen(r); err != nil {
		return 0, nil, err
	}
	w, err = a.sharing.of(r)
	return at, w, err
}

// Aggregate averages what is aligned.
func (a *lmf) Aggregate(r *fl.Round) (fl.Outcome, error) {
	at, w, err := a.begin(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	on := newAligning(&a.fusion, r)
	to := networkOf(r, at)
	if a.reference == "average" {
		if to.Params, err = plainMean(r); err != nil {
			return fl.Outcome{}, err
		}
	}
	if err := on.watch(&to, at); err != nil {
		return fl.Outcome{}, err
	}
	fused, nets := make(fl.Vector, len(to.Params)), make([]fl.Vector, len(r.Updates))
	for k := range r.Updates {
		aligned := r.Updates[k].Params
		if k != at || a.reference == "average" {
			from := networkOf(r, k)
			if err := on.watch(&from, k); err != nil {
				return fl.Outcome{}, err
			}
			if aligned, err = on.align(from, to); err != nil {
				return fl.Outcome{}, err
			}
		}
		fused.AddScaled(w[k], aligned)
		nets[k] = aligned
	}
	on.remark()
	if err := a.repair.of(r, r.ModelOf(at), fuse.Mean{Params: fused, Of: nets, By: w}); err != nil {
		return fl.Outcome{}, err
	}
	return fl.Outcome{Params: fused, Adopted: []int{r.Updates[at].Client}}, nil
}

// chosen returns the update whose structure the result has.
func (a *lmf) chosen(r *fl.Round) (int, error) {
	if a.reference != "best" {
		return byClient(r)[0], nil
	}
	order, err := ranked(r)
	if err != nil {
		return 0, err
	}
	return order[len(order)-1], nil
}

// plainMean averages parameters one by one, which wants models of one layout.
func plainMean(r *fl.Round) (fl.Vector, error) {
	mean := make(fl.Vector, len(r.Updates[0].Params))
	for k := range r.Updates {
		if len(r.Updates[k].Params) != len(mean) {
			return nil, errMixed
		}
		mean.AddScaled(1/float64(len(r.Updates)), r.Updates[k].Params)
	}
	return mean, nil
}
