// Drift — probabilities that move slowly from one profile to another, and back.
//
//	M. Xiang, S. Ioannidis, E. Yeh, C. Joe-Wong, L. Su. Efficient Federated Learning against
//	Heterogeneous and Non-stationary Client Unavailability. NeurIPS 2024 (arXiv:2409.17446):
//	probabilities that follow a staircase or a sine in time.
//
// Notation: b⁰ᵢ and b¹ᵢ = min(1, rate·N·rᵢ) by two priors r, P the period in rounds. In round t
// client i is available, independently of others, with probability
//
//	bᵢᵗ = (1 − uᵗ)·b⁰ᵢ + uᵗ·b¹ᵢ,    uᵗ = u((t + a)/P mod 1),
//
// where u(x) is 1 − |2x − 1| ("linear"), (1 − cos 2πx)/2 ("sine"), or 0 before x = ½ and 1 after
// ("step"), and a is drawn once and uniform over the period. So the law of the first round is
// that of all, with the mean of b⁰ and b¹; oracles read bᵢᵗ. A run that is as long as the period
// sees each probability equally often; one that is much shorter sees one law that hardly moves.
//
// Of up to 12 clients the law is listed: the probability of a cohort is a polynomial in u of no
// higher degree than there are clients, whose mean a quadrature of seven nodes has exactly.
//
// In "diurnal" all clients have the same mean, and rise and fall by the same; here it drifts which
// clients are frequent. What the server has is that of the paper: it sees nothing of u.

package availability

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Drift describes the availability model to the registry.
var Drift = fl.AvailabilityEntry{
	Name:       "drift",
	Summary:    "probabilities that move slowly from one profile to another, and back",
	Paper:      "xiang2024",
	Deviations: "two profiles of all clients, between which probabilities move",
	New:        newDrift,
}

// drift keeps in State: begun, length 1, a + 1; profiles, length 2N, b⁰ and b¹; inclusion, length
// N, bᵗ.
type drift struct {
	from, to spread
	period   float64 // P
	shape    string
}

var _ fl.Availability = (*drift)(nil)

func newDrift(p *fl.Params) (fl.Availability, error) {
	rate := p.Float("rate", 0.5, fl.LeftOpen(0, 1), "mean probability of being available, before "+
		"each is limited to 1: bᵢ = min(1, rate·N·rᵢ)")
	const doc = "r, how much more often some clients are available than others, where the drift "
	return &drift{
		from: spread{rate, p.Importance("from", "uniform", doc+"begins")},
		to:   spread{rate, p.Importance("to", "linear", doc+"turns")},
		period: p.Float("period", 1000, fl.AtLeast(2), "P, rounds from one profile to the other "+
			"and back"),
		shape: p.Choice("shape", "linear", "how it moves: at one speed; slowly at the ends; or at "+
			"once, twice a period", "linear", "sine", "step"),
	}, nil
}

// at returns u at x, a part of the period in [0, 1).
func (d *drift) at(x float64) float64 {
	switch d.shape {
	case "sine":
		return (1 - math.Cos(2*math.Pi*x)) / 2
	case "step":
		return math.Floor(2 * x)
	}
	return 1 - math.Abs(2*x-1)
}

// Available implements fl.Availability.
func (d *drift) Available(r *fl.AvailabilityInput) []int {
	n := r.Roster.N
	begun, profiles := r.State.Vector("begun", 1), r.State.Vector("profiles", 2*n)
	if begun[0] == 0 {
		begun[0] = 1 + d.period*r.Fixed().Float64()
		copy(profiles, d.from.chances(r.Roster))
		copy(profiles[n:], d.to.chances(r.Roster))
	}
	u := d.at(math.Mod((float64(r.T)+begun[0]-1)/d.period, 1))
	r.Inclusion = r.State.Vector("inclusion", n)
	between(r.Inclusion, profiles[:n], profiles[n:], u)
	return stats.DrawBernoulli(r.Room(n), r.Inclusion, r.RNG)
}

// between sets dst to (1 − u)·a + u·b.
func between(dst, a, b fl.Vector, u float64) {
	for i := range dst {
		dst[i] = min(1, (1-u)*a[i]+u*b[i])
	}
}

// Nodes and weights of Gauss and Legendre on [0, 1], exact up to degree 13: above mostEnumerated.
var (
	gaussNodes = [...]float64{0.5, 0.7029225756886985, 0.2970774243113015, 0.8707655927996972,
		0.1292344072003028, 0.9745539561713793, 0.02544604382862076}
	gaussWeights = [...]float64{0.20897959183673470, 0.19091502525255946, 0.19091502525255946,
		0.13985269574463833, 0.13985269574463833, 0.06474248308443485, 0.06474248308443485}
)

// Law implements fl.Availability.
func (d *drift) Law(pop *fl.Roster) (fl.Law, bool) {
	a, b := d.from.chances(pop), d.to.chances(pop)
	mean := make(fl.Vector, pop.N)
	between(mean, a, b, 0.5)
	if pop.N > mostEnumerated {
		return fl.Law{Exact: true, Inclusion: mean}, true
	}
	var laws []fl.Law
	var shares fl.Vector
	add := func(u, share float64) {
		chance := make(fl.Vector, pop.N)
		between(chance, a, b, u)
		laws, shares = append(laws, independent(chance)), append(shares, share)
	}
	switch d.shape {
	case "step":
		add(0, 0.5)
		add(1, 0.5)
	case "sine": // a polynomial in cos 2πx: the mean over 7 equal parts has degree 13
		for k := range gaussNodes {
			add((1-math.Cos(math.Pi*(float64(k)+0.5)/float64(len(gaussNodes))))/2,
				1/float64(len(gaussNodes)))
		}
	default:
		for k, u := range gaussNodes {
			add(u, gaussWeights[k])
		}
	}
	law := mixed(laws, shares, pop.N)
	law.Inclusion = mean
	return law, true
}
