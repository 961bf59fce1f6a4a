package audit

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// mostProbed is the largest cohort that is probed: a probe takes its square in floats.
const mostProbed = 4096

// A probe reads the weights off an aggregator. The aggregator sees a model with a
// coordinate for each member of the cohort, in which only that member's update is 1, and
// three more: one in which only θᵗ⁻¹ is 1, and two of arbitrary numbers to check that
// what it computes is a linear function of what it sees.
type probe struct {
	aggregator fl.Aggregator
	round      fl.Round
	params     []fl.Vector
	global     fl.Vector
}

// reading is what one cohort was given.
type reading struct {
	weights fl.Vector // by position in the cohort
	global  float64   // weight of θᵗ⁻¹
	linear  bool
}

func newProbe(a fl.Aggregator, model fl.Model, pop *fl.Roster, law *fl.Law) *probe {
	return &probe{aggregator: a, round: fl.Round{
		Roster: pop, Law: law, Model: model, State: fl.NewStore(), Broadcast: fl.Tensors{},
		Notes: new(fl.Notes), RNG: fl.NewStream(0, "audit").Rand(),
	}}
}

// read returns the weights that the aggregator gives a cohort in round t. They live until
// the next call.
func (p *probe) read(t int, cohort []int) (reading, error) {
	k := len(cohort)
	d := k + 3
	p.open(cohort, d)
	next, err := p.aggregator.Aggregate(&p.round)
	if err != nil {
		return reading{}, err
	}
	if len(next) != d {
		return reading{}, fmt.Errorf("the aggregator returned %d parameters of %d", len(next), d)
	}
	got := reading{weights: next[:k], global: next[k], linear: true}
	for c := k + 1; c < d; c++ {
		want := got.global * p.global[c]
		size := math.Abs(want)
		for j, w := range got.weights {
			want += w * p.params[j][c]
			size += math.Abs(w * p.params[j][c])
		}
		got.linear = got.linear && math.Abs(next[c]-want) <= 1e-9*(size+1)
	}
	p.round.T = t + 1
	return got, nil
}

// open fills the round for a cohort.
func (p *probe) open(cohort []int, d int) {
	k := len(cohort)
	if len(p.global) != d {
		p.global = make(fl.Vector, d)
		p.params = nil
	}
	for len(p.params) < k {
		p.params = append(p.params, make(fl.Vector, d))
	}
	clear(p.global)
	p.global[k] = 1
	arbitrary(p.global[k+1:], -1)
	r := &p.round
	r.Recycle()
	r.Global = p.global
	r.Layout = fl.Layout{Blocks: []fl.Block{{Name: "probe", Rows: 1, Cols: d}}}
	r.Updates = r.Updates[:0]
	for j, i := range cohort {
		clear(p.params[j])
		p.params[j][j] = 1
		arbitrary(p.params[j][k+1:], j)
		r.Updates = append(r.Updates, fl.Update{
			Client: i, Samples: r.Roster.Samples[i], Steps: 1, Params: p.params[j],
		})
	}
}

// arbitrary fills dst with numbers that no rule will meet by chance.
func arbitrary(dst fl.Vector, j int) {
	for c := range dst {
		dst[c] = math.Sin(float64(7*j+3*c) + 10)
	}
}
