// DP-FTRL — all updates so far, with the noise of a tree.
//
//	P. Kairouz, B. McMahan, S. Song, O. Thakkar, A. Thakurta, Z. Xu. Practical and Private (Deep)
//	Learning Without Sampling or Shuffling. ICML 2021, Algorithm 1, and DP-FTRLM with momentum.
//
// Notation: Δₖ = θₖ − θᵗ⁻¹, C the clipping radius, m a fixed number, by default the expected size
// of a cohort, Nᵗ the noise of the prefix sum of round t: of every bit that is set in t a node of a
// binary tree, each N(0, (zC)²I); β momentum, η_g the server's rate, v⁰ = 0:
//
//	Gᵗ = Σ_{s ≤ t} Σ_S clip(Δₖ, C)
//	vᵗ = βvᵗ⁻¹ + (Gᵗ + Nᵗ)/m,    θᵗ = θ⁰ + η_g vᵗ.
//
// The noise of θᵗ has at most ⌈log₂(t + 1)⌉ times the variance of a node, where that of rounds with
// noise of their own grows as t. In turn a client that participates several times moves several
// nodes by several radii (privacy.TreeSensitivity). No cohort needs to be drawn at random: the
// method is for clients that are available as they please, but seldom. Empty rounds are played.
//
// With restart = r the tree ends after every r rounds and a new one begins: what was summed stays,
// with the noise of its last prefix, N^r, or with completion that of a node for all r rounds, as if
// rounds without clients followed until the tree is full. A client that participates once in every
// r rounds then moves one node on each level of each tree, by one radius.
//
// Running statistics of batch norms are clipped and get noise with all else, and neither momentum
// nor the server's rate moves them. A variance that would be zero or less stays as it was.
//
// With z = 0 and β = 0 it is dp-fedavg without noise, but for rounding.
//
// Departures: no estimator of Honaker (2015), which would lower the noise at the same cost.
// Momentum is as in the authors' code: β acts on whole prefix sums, and the velocity outlives a
// restart. A completed tree is accounted for by the nodes that are released; the authors' code
// counts all that the rounds without clients would fill.

package aggregator

import (
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
)

// DPFTRL describes the aggregator to the registry.
var DPFTRL = fl.AggregatorEntry{
	Name:       "dp-ftrl",
	Summary:    "all clipped updates so far, with the noise of a tree",
	Paper:      "kairouz2021",
	Deviations: "no Honaker's estimator; of a completed tree only nodes that are released count",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := &dpFTRL{
			clippedSum: newClippedSum(p, "z, standard deviation of the noise of a node of the "+
				"tree, in clipping radii"),
			beta: p.Float("momentum", 0, fl.RightOpen(0, 1), "β, what stays of the velocity"),
			rate: p.Float("server_rate", 1, fl.Above(0), "η_g, how far to go along the updates"),
			restart: p.Int("restart", 0, fl.AtLeast(0), "r, after how many rounds a new tree "+
				"begins; 0: there is one for all"),
			completes: p.Bool("completion", false, "a tree that ends is completed: the noise of "+
				"its rounds becomes that of one node"),
		}
		p.Later("restart")
		p.Later("completion")
		if a.completes && a.restart == 0 {
			p.Clash("completion", "restart", "there is no restart before which to complete a tree")
		}
		for level := range a.names {
			a.names[level] = fmt.Sprintf("level %d", level)
		}
		return a, nil
	},
	Traits: fl.AggregatorTraits{Private: func(params fl.Resolved) fl.Release {
		return fl.Release{Noise: params.Float("noise"), Tree: true, Restart: params.Int("restart"),
			Completed: params.Bool("completion")}
	}},
	Waives: map[string]string{"consensus": "it adds noise to what clients agree on"},
}

// dpFTRL keeps in State: rounds, how many were played; start, θ⁰; sum, Gᵗ/m; velocity, vᵗ, where
// there is momentum; level ℓ, the noise of the node of that level that was drawn last.
type dpFTRL struct {
	clippedSum
	beta, rate float64 // β, η_g
	restart    int     // r; 0: never
	completes  bool

	names [32]string // of the levels
	tree  *privacy.Tree
	rng   *rand.Rand // of this round
}

var _ fl.Aggregator = (*dpFTRL)(nil)

// Aggregate implements fl.Aggregator.
func (a *dpFTRL) Aggregate(r *fl.Round) (fl.Outcome, error) {
	m, err := a.denominator(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	dim := len(r.Global)
	start, sum := r.State.Vector("start", dim), r.State.Vector("sum", dim)
	rounds := r.State.Vector("rounds", 1)
	if rounds[0] == 0 {
		copy(start, r.Global)
	}
	next, _, within := a.mean(r, a.clip, m)
	for i, before := range r.Global {
		sum[i] += next[i] - before
	}
	// next has no more use: it takes the noise, and then θᵗ.
	played, scale := int(rounds[0]), a.clip/m
	if a.restart > 0 && played > 0 && played%a.restart == 0 {
		if err := a.end(r, next); err != nil {
			return fl.Outcome{}, err
		}
		sum.AddScaled(scale, next)
	}
	if a.restart > 0 {
		played %= a.restart
	}
	if err := a.draw(r, next, played); err != nil {
		return fl.Outcome{}, err
	}
	rounds[0]++
	a.move(r, next, scale)
	keepVariances(r, next)
	if n := len(r.Updates); n > 0 {
		r.Notes.Observe("share of updates clipped", 1-float64(within)/float64(n))
	}
	return fl.Outcome{Params: next}, nil
}

// move makes θᵗ of the noise of a prefix sum, in units of scale.
func (a *dpFTRL) move(r *fl.Round, next fl.Vector, scale float64) {
	dim := len(next)
	start, sum, trained := r.State.Vector("start", dim), r.State.Vector("sum", dim),
		r.Layout.Trained(dim)
	for i := trained; i < dim; i++ {
		next[i] = start[i] + (sum[i] + scale*next[i])
	}
	if a.beta == 0 {
		for i := range trained {
			next[i] = start[i] + a.rate*(sum[i]+scale*next[i])
		}
		return
	}
	v := r.State.Vector("velocity", dim)
	for i := range trained {
		v[i] = a.beta*v[i] + sum[i] + scale*next[i]
		next[i] = start[i] + a.rate*v[i]
	}
}

// draw writes the noise of the prefix sum that follows so many rounds of a tree to dst, in clipping
// radii.
func (a *dpFTRL) draw(r *fl.Round, dst fl.Vector, rounds int) error {
	if a.noise == 0 {
		clear(dst)
		return nil
	}
	if err := a.follow(r, rounds, len(dst)); err != nil {
		return err
	}
	return a.tree.Next(dst)
}

// end writes the noise that stays of a tree that ended to dst, in clipping radii.
func (a *dpFTRL) end(r *fl.Round, dst fl.Vector) error {
	clear(dst)
	switch {
	case a.noise == 0:
		return nil
	case a.completes && a.restart&(a.restart-1) != 0:
		dst.AddNoise(a.noise, r.RNG) // of the node that covers all rounds
		return nil
	}
	err := a.follow(r, a.restart, len(dst))
	if err == nil {
		a.tree.Noise(dst)
	}
	return err
}

// follow makes the tree the one of which so many rounds were played, with what State has of it.
func (a *dpFTRL) follow(r *fl.Round, rounds, dim int) (err error) {
	a.rng = r.RNG // the one node that is new is drawn in this round, and never again
	if a.tree == nil {
		a.tree, err = privacy.NewTree(dim, a.noise, func(int, int) *rand.Rand { return a.rng })
		if err != nil {
			return err
		}
	}
	a.tree.Continue(rounds, func(level int) fl.Vector {
		return r.State.Vector(a.names[level], dim)
	})
	return nil
}
