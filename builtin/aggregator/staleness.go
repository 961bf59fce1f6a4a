package aggregator

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// discount is how much an update counts that was made of an earlier model: s(τ) of a staleness τ,
// 1 where τ is 0.
type discount struct {
	form string
	a    float64 // decay
	b    float64 // staleness that costs nothing, of a hinge
}

// newDiscount declares it.
func newDiscount(p *fl.Params) discount {
	return discount{
		form: p.Choice("discount", "polynomial", "s(τ) by which an update counts that is τ "+
			"models old: (1+τ)^(−a) | 1 | 1 up to b, then 1/(a(τ−b)+1)", "polynomial", "constant",
			"hinge"),
		a: p.Float("discount_a", 0.5, fl.AtLeast(0), "a of the discount; Xie et al. have 10 for "+
			"the hinge"),
		b: p.Float("discount_b", 4, fl.AtLeast(0), "hinge: staleness that costs nothing"),
	}
}

// of returns s of the k-th update of a round.
func (d discount) of(r *fl.Round, k int) float64 {
	if r.Staleness == nil {
		return 1
	}
	tau := float64(r.Staleness[k])
	switch {
	case d.form == "polynomial":
		return math.Pow(1+tau, -d.a)
	case d.form == "hinge" && tau > d.b:
		return 1 / (d.a*(tau-d.b) + 1)
	}
	return 1
}

// synchronous is the remark of an asynchronous rule whose server is not.
const synchronous = "the server is synchronous, so that no update is stale: completion = { …, " +
	"concurrency = 20, take = 10 } makes it asynchronous"
