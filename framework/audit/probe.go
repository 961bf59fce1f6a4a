package audit

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// mostProbed is the largest cohort that is probed by unit vectors: that takes its square in
// floats. A weighted sum says its weights, however many.
const mostProbed = 4096

// A probe reads the weights off an aggregator. The aggregator sees a model with a
// coordinate for each member of the cohort, in which only that member's update is 1, and
// three more: one in which only θᵗ⁻¹ is 1, and two of arbitrary numbers to check that
// what it computes is a linear function of what it sees. A weighted sum says its weights: then a
// single coordinate, in which every update is 1, tells what the server makes of their sum.
type probe struct {
	aggregator fl.Aggregator
	sums       bool // it is a weighted sum
	round      fl.Round
	params     []fl.Vector
	global     fl.Vector
	weights    fl.Vector
	broadcast  bool     // clients are sent more than the model
	beside     []string // vectors as long as the model that clients send beside it: 0 here
}

// reading is the weights of one cohort.
type reading struct {
	weights fl.Vector // by position in the cohort
	global  float64   // weight of θᵗ⁻¹
	linear  bool
}

func newProbe(s *engine.Setup, pop *fl.Roster, law *fl.Law) *probe {
	return &probe{aggregator: s.Aggregator, sums: s.WeightedSum() != nil, round: fl.Round{
		Roster: pop, Law: law, Model: s.Model, State: fl.NewStore(), Shared: fl.NewStore(),
		Notes: new(fl.Notes),
		RNG:   fl.NewStream(0, "audit").Rand(),
	}}
}

// most returns the largest cohort that can be probed.
func (p *probe) most() int {
	if p.sums {
		return math.MaxInt
	}
	return mostProbed
}

// see shows the probe what else the server sees of a round, with its cohort.
func (p *probe) see(turn engine.SimulatedRound) {
	p.round.Context, p.round.Oracle = turn.Context, turn.Oracle
	p.round.Phase, p.round.Phases = turn.Phase, turn.Phases
	p.round.Times, p.round.Expected = turn.Times, turn.Expects
	p.round.Staleness, p.round.Tier, p.round.Tiers = turn.Staleness, turn.Tier, turn.Tiers
}

// read returns the weights that the aggregator gives a cohort in round t. They live until
// the next call.
func (p *probe) read(t int, cohort []int) (reading, error) {
	if most := p.most(); len(cohort) > most {
		return reading{}, fmt.Errorf("cohorts of %d clients are too large to probe: at most %d",
			len(cohort), most)
	}
	units := len(cohort)
	if p.sums {
		units = 1
	}
	d := units + 3
	p.open(cohort, units)
	out, err := p.aggregator.Aggregate(&p.round)
	if err != nil {
		return reading{}, err
	}
	next := out.Params
	if len(next) != d {
		return reading{}, fmt.Errorf("the aggregator returned %d parameters of %d", len(next), d)
	}
	got := reading{weights: next[:units], global: next[units], linear: true}
	if p.sums {
		got.weights = p.said(out.Weights, next[0])
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
	p.round.T, p.broadcast = t+1, out.Broadcast.Floats() > 0 || len(out.Mail) > 0
	return got, nil
}

// said returns the weights of a sum, times what the server made of it.
func (p *probe) said(weights fl.Vector, total float64) fl.Vector {
	p.weights = append(p.weights[:0], weights...)
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
	r.Updates = r.Updates[:0]
	for j, i := range cohort {
		clear(p.params[j])
		p.params[j][min(j, units-1)] = 1
		arbitrary(p.params[j][units+1:], j)
		u := fl.Update{Client: i, Samples: r.Roster.Samples[i], Params: p.params[j], Steps: 1}
		if p.beside != nil {
			u.Payload = fl.Tensors{}
		}
		for _, name := range p.beside {
			u.Payload[name] = fl.NewMatrix(1, d)
		}
		r.Updates = append(r.Updates, u)
	}
}

// arbitrary fills dst with numbers that no rule attains by coincidence.
func arbitrary(dst fl.Vector, j int) {
	for c := range dst {
		dst[c] = math.Sin(float64(7*j+3*c) + 10)
	}
}

// sent returns the names of what clients send beside models, where their rule and the aggregator
// are halves of one method: one client trains once to show it. It is known what an aggregator makes
// of vectors that are as long as the model, when these are 0; of anything else it is not.
func sent(s *engine.Setup, w *engine.World) ([]string, error) {
	if s.Method == "" || s.WeightedSum() != nil {
		return nil, nil
	}
	c := linearised{setup: s, world: w}
	d := s.Model.Layout().Len()
	start := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	c.task = fl.Task{Client: &c.client, Model: s.Model, Worker: s.Model.Worker(),
		Params: make(fl.Vector, d)}
	c.run(make(fl.Vector, d), 0, 0, start)
	if c.err != nil {
		return nil, c.err
	}
	names := slices.Sorted(maps.Keys(c.beside))
	for _, name := range names {
		if c.beside[name] != d {
			return nil, fmt.Errorf("clients send %q beside models, which the audit does not "+
				"simulate: it has no p̃", name)
		}
	}
	return names, nil
}
