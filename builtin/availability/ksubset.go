// KSubset — K clients are available in every round, some more often than others.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Section 4, "subsets of size K = 2 are
//	sampled without replacement from r".
//	F. Yates, P. M. Grundy. Selection Without Replacement from Within Strata with
//	Probability Proportional to Size. J. R. Stat. Soc. B 15, 1953: successive sampling.
//
// Notation: r the prior, K the size of a cohort, q(S) ∝ the probability of cohort S.
// Departures: the paper's text is design = "successive". The authors' code draws with
// replacement and discards cohorts with duplicates, q(S) ∝ ∏_{i∈S} rᵢ: design = "distinct".

package availability

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// KSubset describes the availability model to the registry.
var KSubset = fl.AvailabilityEntry{
	Name:    "k-subset",
	Summary: "K clients are available in every round, drawn from a prior",
	Paper:   "fedavot",
	Deviations: "design = \"successive\" is the paper's text, design = \"distinct\" the authors' " +
		"code, which has another distribution",
	New: newKSubset,
}

// mostIntegrated bounds N·K up to which inclusion probabilities of successive sampling are
// integrated; beyond, they are simulated.
const mostIntegrated = 2_000_000

// kSubset keeps in State: uniform, length 1, whether all weights are equal (1) or not (2);
// table, what stats draws from, length 2N or 3N.
type kSubset struct {
	k        int // K, ≥ 1
	prior    fl.Importance
	distinct bool
}

var _ fl.Availability = (*kSubset)(nil)

func newKSubset(p *fl.Params) (fl.Availability, error) {
	a := &kSubset{
		k: p.Int("k", 2, fl.AtLeast(1), "clients that are available in a round"),
		prior: p.Importance("prior", "uniform",
			"r, how much more often some clients are available than others"),
		distinct: p.Choice("design", "successive", "one after another without replacement, "+
			"or all at once with replacement until they differ",
			"successive", "distinct") == "distinct",
	}
	if s := p.Setting(); s.Known() && a.k > s.Clients {
		p.Fail("k", "%d of %d clients", a.k, s.Clients)
	}
	return a, nil
}

// Available implements fl.Availability.
func (a *kSubset) Available(r *fl.AvailabilityInput) []int {
	n := r.Roster.N
	room := r.Room(a.k)
	uniform := r.State.Vector("uniform", 1)
	if uniform[0] == 0 {
		uniform[0] = a.prepare(r)
	}
	switch {
	case uniform[0] == 1:
		return stats.DrawUniform(room, n, a.k, r.RNG)
	case a.distinct:
		return stats.DrawConditional(room, r.State.Vector("table", 3*n), r.RNG)
	}
	return stats.DrawSuccessive(room, r.State.Vector("table", 2*n), a.k, r.RNG)
}

// prepare fills the table to draw from and returns what uniform is to be.
func (a *kSubset) prepare(r *fl.AvailabilityInput) float64 {
	weights := a.prior.Weights(r.Roster)
	switch {
	case equal(weights):
		return 1
	case a.distinct:
		stats.ConditionalTable(r.State.Vector("table", 3*len(weights)), weights, a.k)
	default:
		stats.SumTree(r.State.Vector("table", 2*len(weights)), weights)
	}
	return 2
}

// Law implements fl.Availability.
func (a *kSubset) Law(pop *fl.Roster) (fl.Law, bool) {
	weights := a.prior.Weights(pop)
	switch {
	case equal(weights):
		return UniformSubsets(pop.N, a.k), true
	case positive(weights) < a.k:
		return fl.Law{}, false // fewer than K come, always the same
	case a.distinct:
		return a.conditional(weights), true
	}
	return a.successive(weights)
}

// conditional is the law of design = "distinct".
func (a *kSubset) conditional(r fl.Vector) fl.Law {
	law := fl.Law{Exact: true, Memoryless: true, Size: a.k}
	law.Chance, law.Inclusion = make(fl.Vector, len(r)), make(fl.Vector, len(r))
	for i, x := range r {
		law.Chance[i] = x / (1 + x)
	}
	if listable(len(r), a.k) {
		law.Sets, law.Q = stats.Subsets(len(r), a.k), stats.ConditionalLaw(r, a.k)
	}
	stats.ConditionalInclusion(law.Inclusion, r, a.k)
	return law
}

// successive is the law of design = "successive".
func (a *kSubset) successive(r fl.Vector) (fl.Law, bool) {
	law := fl.Law{Exact: true, Memoryless: true, Inclusion: make(fl.Vector, len(r))}
	switch {
	case listable(len(r), a.k):
		law.Sets, law.Q = stats.Subsets(len(r), a.k), stats.SuccessiveLaw(r, a.k)
		law.Inclusion = stats.Inclusion(law.Sets, law.Q, len(r))
	case len(r)*a.k <= mostIntegrated:
		stats.SuccessiveInclusion(law.Inclusion, r, a.k)
	default:
		return fl.Law{}, false
	}
	return law, true
}

func equal(w fl.Vector) bool {
	for _, x := range w {
		if x != w[0] {
			return false
		}
	}
	return true
}

func positive(w fl.Vector) int {
	n := 0
	for _, x := range w {
		if x > 0 {
			n++
		}
	}
	return n
}
