// MinimumSeparation — clients that took part wait for R rounds before they are available again.
//
//	Z. Sun, Z. Zhang, Z. Xu, G. Joshi, P. Sharma, E. Wei. Debiasing Federated Learning with
//	Correlated Client Participation. ICLR 2025 (arXiv:2410.01209): participation as a Markov chain
//	of order R.
//
// Notation: r the prior, K the size of a cohort, R the separation. In every round K clients are
// available, among those that were in none of the last R cohorts:
//
//	P(S given the last R cohorts) ∝ Π_S rᵢ.
//
// For K = 1 client i follows with probability rᵢ over the sum of r of those that may. It starts
// from stationarity. There R + 1 cohorts in a row are one conditional Poisson sample of K(R + 1)
// clients with odds ∝ r, cut at random into cohorts of K: the chain is reversible. So
//
//	πᵢ = P(i is in that sample)/(R + 1),    P(S) ∝ Π_S rᵢ·e_KR(r of all others),
//
// with e the elementary symmetric polynomials, exactly. With R = 1 and K = 1 that is
// πᵢ ∝ rᵢ(1 − rᵢ). A longer separation makes π more even, which is the theorem of the paper; with
// K(R + 1) = N clients are available in turns, in an order that is drawn once in effect, and πᵢ is
// K/N for all. With R = 0 this is k-subset with design = "distinct".
//
// Departures: how several clients are drawn among those that have waited is ours, and the way in
// which the authors of FedAVOT draw theirs; in the paper's experiments one group of clients
// participates in a round, which is K = 1. It starts from stationarity. This was written from the
// abstract and the public reviews of the paper; no code of the authors is known.

package availability

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// MinimumSeparation describes the availability model to the registry.
var MinimumSeparation = fl.AvailabilityEntry{
	Name:    "minimum-separation",
	Summary: "K clients are available in every round, none of them twice within R + 1 rounds",
	Paper:   "sun2025",
	Deviations: "it starts from stationarity; with K > 1 the cohort is a conditional Poisson " +
		"sample of the clients that have waited",
	New: newMinimumSeparation,
}

// mostWeighed bounds the multiplications that listing the law of a round may take.
const mostWeighed = 50_000_000

// minimumSeparation keeps in State: table, what stats draws from, length 3N; recent, the last R
// cohorts, of which that of round t is row t mod R; begun, length 1, whether there are any.
type minimumSeparation struct {
	k, wait int // K ≥ 1, R ≥ 0
	prior   fl.Importance
	room    fl.Vector // scratch, length 2N
}

var _ fl.Availability = (*minimumSeparation)(nil)

func newMinimumSeparation(p *fl.Params) (fl.Availability, error) {
	a := &minimumSeparation{
		k: p.Int("k", 1, fl.AtLeast(1), "K, clients that are available in a round"),
		wait: p.Int("separation", 1, fl.AtLeast(0),
			"R, for how many rounds a client that took part is not available"),
		prior: p.Importance("prior", "uniform",
			"r, how much more often some clients are available than others"),
	}
	if s := p.Setting(); s.Known() && !a.fits(s.Clients) {
		p.Fail("separation", "%v", a.tooFew(s.Clients))
	}
	return a, nil
}

// fits reports whether so many clients are enough for R + 1 different cohorts.
func (a *minimumSeparation) fits(n int) bool { return a.wait < n && a.k <= n/(a.wait+1) }

// tooFew says that so many clients are not enough.
func (a *minimumSeparation) tooFew(n int) error {
	return fmt.Errorf("%d clients can be available, which is fewer than k·(separation + 1), with "+
		"k = %d and separation = %d", n, a.k, a.wait)
}

// Available implements fl.Availability.
func (a *minimumSeparation) Available(r *fl.AvailabilityInput) []int {
	n, begun := r.Roster.N, r.State.Vector("begun", 1)
	table := r.State.Vector("table", 3*n)
	recent := r.State.Matrix("recent", a.wait, a.k)
	if begun[0] == 0 {
		weights := a.prior.Weights(r.Roster)
		if likely := positive(weights); !a.fits(likely) {
			r.Fail(a.tooFew(likely))
			return nil
		}
		begun[0] = 1
		stats.ConditionalTable(table, weights, a.k)
		a.begin(r, weights, recent)
	}
	without := r.Room(a.wait * a.k)
	for _, i := range recent.Data {
		without = append(without, int(i))
	}
	if len(a.room) != 2*n {
		a.room = make(fl.Vector, 2*n)
	}
	here := stats.DrawConditionalWithout(r.Room(a.k+1), table, without, a.room, r.RNG)
	if a.wait > 0 {
		keepCohort(recent.Row(r.T%a.wait), here)
	}
	return here
}

// begin draws R cohorts that may have been before the first round: of R + 1 that are one sample,
// all but the last.
func (a *minimumSeparation) begin(r *fl.AvailabilityInput, weights fl.Vector, recent fl.Matrix) {
	if a.wait == 0 {
		return
	}
	table := make(fl.Vector, 3*len(weights))
	stats.ConditionalTable(table, weights, a.k*(a.wait+1))
	all := stats.DrawConditional(nil, table, r.RNG)
	r.RNG.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for row := range a.wait {
		keepCohort(recent.Row((r.T+row)%a.wait), all[row*a.k:(row+1)*a.k])
	}
}

// keepCohort writes the clients of a cohort to a row.
func keepCohort(row fl.Vector, ids []int) {
	for k, i := range ids {
		row[k] = float64(i)
	}
}

// Law implements fl.Availability.
func (a *minimumSeparation) Law(pop *fl.Roster) (fl.Law, bool) {
	weights := a.prior.Weights(pop)
	if !a.fits(positive(weights)) {
		return fl.Law{}, false // Available says why
	}
	if equal(weights) {
		law := UniformSubsets(pop.N, a.k)
		law.Memoryless = a.wait == 0 || law.Everyone
		return law, true
	}
	law := fl.Law{Exact: true, Memoryless: a.wait == 0, Inclusion: make(fl.Vector, pop.N)}
	stats.SeparatedInclusion(law.Inclusion, weights, a.k, a.wait)
	count := stats.CountSubsets(pop.N, a.k)
	if listable(pop.N, a.k) && count*pop.N*(a.k*a.wait+1) <= mostWeighed {
		law.Sets, law.Q = stats.Subsets(pop.N, a.k), stats.SeparatedLaw(weights, a.k, a.wait)
	}
	return law, true
}
