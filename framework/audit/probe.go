package audit

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// mostProbed is the largest cohort that is probed by unit vectors: that takes its square in
// floats. An aggregator that only weighs is asked for its weights, however many.
const mostProbed = 4096

// A probe reads the weights off an aggregator. The aggregator sees a model with a
// coordinate for each member of the cohort, in which only that member's update is 1, and
// three more: one in which only θᵗ⁻¹ is 1, and two of arbitrary numbers to check that
// what it computes is a linear function of what it sees. One that only weighs says its weights
// when it combines: then a single coordinate, in which every update is 1, tells what it makes of
// their sum.
type probe struct {
	aggregator fl.Aggregator
	weighs     bool
	round      fl.Round
	params     []fl.Vector
	views      [][]float64 // of params, one per member of the cohort
	global     fl.Vector
	weights    fl.Vector
}

// reading is what one cohort was given.
type reading struct {
	weights fl.Vector // by position in the cohort
	global  float64   // weight of θᵗ⁻¹
	linear  bool
}

func newProbe(s *engine.Setup, pop *fl.Roster, law *fl.Law) *probe {
	p := &probe{aggregator: s.Aggregator, weighs: s.Weighs, round: fl.Round{
		Roster: pop, Law: law, Model: s.Model, State: fl.NewStore(), Broadcast: fl.Tensors{},
		Notes: new(fl.Notes), RNG: fl.NewStream(0, "audit").Rand(),
	}}
	if p.weighs {
		p.round.Fold = func(w, sum fl.Vector) { sum.AddWeighted(w, p.views) }
	}
	return p
}

// most returns the largest cohort that can be probed.
func (p *probe) most() int {
	if p.weighs {
		return math.MaxInt
	}
	return mostProbed
}

// see shows the probe what else the server sees of a round.
func (p *probe) see(turn engine.SimulatedRound) {
	p.round.Context, p.round.Oracle = turn.Context, turn.Oracle
}

// read returns the weights that the aggregator gives a cohort in round t. They live until
// the next call.
func (p *probe) read(t int, cohort []int) (reading, error) {
	if most := p.most(); len(cohort) > most {
		return reading{}, fmt.Errorf("cohorts of %d clients are too large to probe: at most %d",
			len(cohort), most)
	}
	units := len(cohort)
	if p.weighs {
		units = 1
	}
	d := units + 3
	p.open(cohort, units)
	next, err := p.aggregator.Aggregate(&p.round)
	if err != nil {
		return reading{}, err
	}
	if len(next) != d {
		return reading{}, fmt.Errorf("the aggregator returned %d parameters of %d", len(next), d)
	}
	got := reading{weights: next[:units], global: next[units], linear: true}
	if p.weighs {
		got.weights = p.said(next[0])
	}
	for c := units + 1; c < d; c++ {
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

// said returns the weights that the aggregator combined with, times what it made of their sum.
func (p *probe) said(total float64) fl.Vector {
	p.weights = append(p.weights[:0], p.round.Given()...)
	if len(p.weights) == 0 { // it kept θᵗ⁻¹
		p.weights = append(p.weights, make(fl.Vector, len(p.round.Updates))...)
	}
	if sum := p.weights.Sum(); sum != 0 && sum != total {
		p.weights.Scale(total / sum)
	}
	return p.weights
}

// open fills the round for a cohort: so many coordinates to read weights off, and three more.
func (p *probe) open(cohort []int, units int) {
	d := units + 3
	if len(p.global) != d {
		p.global = make(fl.Vector, d)
		p.params = nil
	}
	for len(p.params) < len(cohort) {
		p.params = append(p.params, make(fl.Vector, d))
	}
	clear(p.global)
	p.global[units] = 1
	arbitrary(p.global[units+1:], -1)
	r := &p.round
	r.Recycle()
	r.Global = p.global
	r.Layout = fl.Layout{Blocks: []fl.Block{{Name: "probe", Rows: 1, Cols: d}}}
	r.Updates, p.views = r.Updates[:0], p.views[:0]
	for j, i := range cohort {
		clear(p.params[j])
		p.params[j][min(j, units-1)] = 1
		arbitrary(p.params[j][units+1:], j)
		u := fl.Update{Client: i, Samples: r.Roster.Samples[i]}
		if p.weighs {
			p.views = append(p.views, p.params[j])
		} else {
			u.Params, u.Steps = p.params[j], 1
		}
		r.Updates = append(r.Updates, u)
	}
}

// arbitrary fills dst with numbers that no rule will meet by chance.
func arbitrary(dst fl.Vector, j int) {
	for c := range dst {
		dst[c] = math.Sin(float64(7*j+3*c) + 10)
	}
}
