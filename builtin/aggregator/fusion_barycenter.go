// Fusion barycenter — the network in the middle of many, by layer-wise transport.
//
//	Y.-H. Chiang et al. Optimal-Transport-Based One-Shot Federated Learning for Artificial
//	Intelligence of Things. IEEE Internet of Things Journal, 2024, problems P₁ and P₂, which its
//	CODE goes around pair by pair. The fixed point: P. C. Álvarez-Esteban, E. del Barrio,
//	J. A. Cuesta-Albertos, C. Matrán. A fixed-point approach to barycenters in Wasserstein space.
//	Journal of Mathematical Analysis and Applications, 2016.
//
// Notation: X_k the neurons of a layer of network k in terms of channels that are aligned, ρ_k its
// weight, T_k the plan from X_k to the neurons Y of the result.
//
//	Y = argmin Σ_k ρ_k W₂²(X_k, Y):  T_k ← plans to Y;  Y ← Σ_k ρ_k·diag(1/T_kᵀ1)·T_kᵀ·X_k
//
// until the sum no longer falls, layer after layer. One pass is LMF, whose first network is the
// reference; further passes align all networks with what they are fused to. With weights = "merit"
// ρ_k are those of CODE, and there is no chain.
//
// Departures: P₁ as printed moves the masses of points and takes roots of costs; here all neurons
// count the same and the points move, as a network has them, and costs are squared distances. The
// fixed point is a local one. The output layer keeps its classes in place unless asked.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
)

// FusionBarycenter describes the aggregator to the registry.
var FusionBarycenter = fl.AggregatorEntry{
	Name:       "fusion-barycenter",
	Summary:    "the barycenter of all networks, layer by layer, by plans and points in turn",
	Paper:      "code",
	Deviations: "points move and masses are equal; costs are squared distances, without roots",
	New:        newFusionBarycenter,
	Traits:     fl.AggregatorTraits{Mixes: true},
	Fits:       needsNetwork,
	Waives: map[string]string{
		"numbering": "where the first is the reference, it is that of clients",
	},
}

// fusionBarycenter keeps nothing in State.
type fusionBarycenter struct {
	lmf
	passes int
	tol    float64
}

var _ fl.Aggregator = (*fusionBarycenter)(nil)

func newFusionBarycenter(p *fl.Params) (fl.Aggregator, error) {
	a := &fusionBarycenter{lmf: lmf{reference: p.Choice("reference", "best",
		"the model from whose neurons the barycenter begins", "best", "first")}}
	a.fusion, a.sharing = newFusion(p, "exact"), newSharing(p)
	a.repair = newRepairing(p)
	a.passes = p.Int("passes", 100, fl.AtLeast(1), "the most plans of a layer and network; 1: LMF")
	a.tol = p.Float("tolerance", 1e-6, fl.AtLeast(0),
		"stop when Σₖ ρₖ W₂² falls by no more than this share")
	if a.acts {
		p.Fail("neurons", "a barycenter has no activations before it is found")
	}
	if o := a.options; o.coupling != "balanced" || o.marginals == "printed" || o.measure {
		p.Fail("coupling", "a barycenter is of plans with their marginals, and is not measured")
	}
	a.fit(p)
	return a, nil
}

// Aggregate implements fl.Aggregator.
func (a *fusionBarycenter) Aggregate(r *fl.Round) (fl.Outcome, error) {
	at, w, err := a.begin(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	adopted := []int{r.Updates[at].Client}
	if len(r.Updates) == 1 {
		return fl.Outcome{Params: r.Updates[0].Params.Clone(), Adopted: adopted}, nil
	}
	nets := make([]fuse.Network, len(r.Updates))
	for k := range nets {
		nets[k] = networkOf(r, k)
	}
	b := &fuse.Barycenter{Aligner: *a.aligner(), Passes: a.passes, Tol: a.tol}
	fused, aligned, found, err := b.Fuse(nets, w, at)
	if err != nil {
		return fl.Outcome{}, err
	}
	short := 0
	for n, g := range found {
		if !g.Converged {
			short++
		}
		last := g.Costs[len(g.Costs)-1]
		r.Notes.Observe(fmt.Sprintf("passes for layer %d", n+1), float64(len(g.Costs)))
		r.Notes.Observe(fmt.Sprintf("sum of costs of layer %d", n+1), last)
		r.Notes.Observe(fmt.Sprintf("cost after all for each of LMF's in layer %d", n+1),
			last/g.Costs[0])
	}
	if short > 0 {
		r.Notes.Add(fmt.Sprintf("%d of %d layers did not converge: raise passes, or %s", short,
			len(found), a.remedy()))
	}
	mean := fuse.Mean{Params: fused, Of: aligned, By: w}
	if err := a.repair.of(r, r.ModelOf(at), mean); err != nil {
		return fl.Outcome{}, err
	}
	return fl.Outcome{Params: fused, Adopted: adopted}, nil
}
