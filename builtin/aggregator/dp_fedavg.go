// DP-FedAvg — a sum of clipped updates with Gaussian noise, over a fixed number.
//
//	H. B. McMahan, D. Ramage, K. Talwar, L. Zhang. Learning Differentially Private Recurrent
//	Language Models. ICLR 2018, Algorithm 1 with the estimator f̃_f and flat or per-layer
//	clipping.
//	G. Andrew, O. Thakkar, H. B. McMahan, S. Ramaswamy. Differentially Private Learning with
//	Adaptive Clipping. NeurIPS 2021, Algorithm 1 and Theorem 1: adaptive = true.
//
// Notation: Δₖ = θₖ − θᵗ⁻¹, C the clipping radius, z the noise multiplier, m a fixed number, by
// default the expected size E|Sᵗ| of a cohort, η_g the server's rate:
//
//	clip(Δ, C) = Δ·min(1, C/‖Δ‖)
//	θᵗ = θᵗ⁻¹ + η_g/m·(Σ_S clip(Δₖ, C) + N(0, (zC)²I)).
//
// A client moves the sum by at most C, and another client in its place by at most 2C. Per block,
// each of B blocks is clipped to C/√B, with the same bounds. Empty rounds are played: their model
// has the noise alone, so that it does not show that no client participated.
//
// Adaptive: bₖ is 1 where ‖Δₖ‖ ≤ C, and else 0, σ_b the noise of their count, γ a quantile:
//
//	b̃ = ½ + 1/m·(Σ_S (bₖ − ½) + N(0, σ_b²)),    C ← C·exp(−η_C(b̃ − γ)),
//	z_Δ = (z⁻² − (2σ_b)⁻²)^(−½)
//
// is the multiplier of the noise on the sum, so that both releases together are as private as one
// with z, which is what is accounted for. With z = 0 neither has noise.
//
// With z = 0 and a radius beyond all updates it is the plain mean where cohorts have m clients, to
// the bit. Metric epsilon says what z costs under the participation law.
//
// Running statistics of batch norms are clipped and get noise with all else, and no rate of the
// server moves them. A variance that would be zero or less stays as it was.
//
// Departures: all clients have weight 1; the paper's min(nₖ/ŵ, 1) lets public sizes weigh them.
// Cohorts are those of the setting's participation law, not only Poisson samples. Blocks of one
// layer, its weight and its bias, are clipped apart. σ_b is at least z where it is not given: the
// paper's m/20 is too little for cohorts of fewer than 10 z.

package aggregator

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// DPFedAvg describes the aggregator to the registry.
var DPFedAvg = fl.AggregatorEntry{
	Name:    "dp-fedavg",
	Summary: "sum of clipped updates with Gaussian noise, over a fixed number",
	Paper:   "mcmahan2018",
	Deviations: "clients have weight 1; cohorts are those of the participation law, not only " +
		"Poisson samples; a weight and its bias are clipped apart; σ_b is at least z by default",
	New: newDPFedAvg,
	Traits: fl.AggregatorTraits{Private: func(params fl.Resolved) fl.Release {
		return fl.Release{Noise: params.Float("noise")}
	}},
	Waives: map[string]string{"consensus": "it adds noise to what clients agree on"},
}

// dpFedAvg keeps in State, where it is adaptive: moved, log C less that of the first round.
type dpFedAvg struct {
	clippedSum
	adaptive bool
	quantile float64     // γ
	speed    float64     // η_C
	count    float64     // σ_b; 0: m/20
	rate     *serverRate // η_g
}

var _ fl.Aggregator = (*dpFedAvg)(nil)

func newDPFedAvg(p *fl.Params) (fl.Aggregator, error) {
	a := &dpFedAvg{
		clippedSum: newClippedSum(p, "z, standard deviation of the noise on the sum, in clipping "+
			"radii"),
		adaptive: p.Bool("adaptive", false, "C follows a quantile of the norms of updates"),
		quantile: p.Float("quantile", 0.5, fl.Closed(0, 1), "γ, share of updates within C"),
		speed:    p.Float("clip_rate", 0.2, fl.AtLeast(0), "η_C, how fast C moves"),
		count: p.Float("count_noise", 0, fl.AtLeast(0), "σ_b, standard deviation of the noise on "+
			"the number of updates within C; 0: the larger of m/20 and z; with z = 0 there is "+
			"none"),
		rate: newServerRate(p),
	}
	if a.adaptive && a.blocks {
		p.Clash("adaptive", "per", "adaptive clipping is of whole updates: per = \"all\"")
	}
	if a.adaptive && a.count > 0 && a.noise >= 2*a.count {
		p.Fail("count_noise", "%v is too little for noise = %v: it must be above half of that",
			a.count, a.noise)
	}
	return a, nil
}

// Aggregate implements fl.Aggregator.
func (a *dpFedAvg) Aggregate(r *fl.Round) (fl.Outcome, error) {
	m, err := a.denominator(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	radius, noise, count := a.clip, a.noise, 0.0
	if a.adaptive {
		radius *= math.Exp(r.State.Vector("moved", 1)[0])
		noise, count = a.split(m)
	}
	next, weights, within := a.mean(r, radius, m)
	next.AddNoise(noise*radius/m, r.RNG)
	if a.adaptive {
		inside := float64(within) - float64(len(r.Updates))/2
		if count > 0 {
			inside += count * r.RNG.NormFloat64()
		}
		r.State.Vector("moved", 1)[0] -= a.speed * (0.5 + inside/m - a.quantile)
		r.Notes.Observe("clipping radius", radius)
	}
	if n := len(r.Updates); n > 0 {
		r.Notes.Observe("share of updates clipped", 1-float64(within)/float64(n))
	}
	out, err := a.rate.Step(r, next)
	keepVariances(r, next)
	out.Weights = weights
	return out, err
}

// split returns z_Δ and σ_b.
func (a *dpFedAvg) split(m float64) (noise, count float64) {
	if a.noise == 0 {
		return 0, 0
	}
	if count = a.count; count == 0 {
		count = max(m/20, a.noise)
	}
	return 1 / math.Sqrt(1/(a.noise*a.noise)-1/(4*count*count)), count
}
