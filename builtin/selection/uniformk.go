// UniformK — the server picks K of those available, all subsets equally likely.
//
//	B. McMahan et al. Communication-Efficient Learning of Deep Networks from
//	Decentralized Data. AISTATS 2017, Algorithm 1: "random set of m clients".
//
// Methods of one seed have the same cohorts, so that they are compared in pairs. With draw = d > 0
// the cohort is the one after d others that are drawn in the same round and discarded: as likely,
// and independent of that with another d. It shows what a comparison without pairs costs.
//
// Departures: when fewer than K are available, all of them train.

package selection

import (
	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// UniformK describes the selection mechanism to the registry.
var UniformK = fl.SelectionEntry{
	Name:       "uniform-k",
	Summary:    "K of those available, all subsets equally likely",
	Paper:      "mcmahan2017",
	Deviations: "when fewer than K are available, all of them train",
	New:        newUniformK,
	Example:    map[string]any{"k": int64(2)},
}

type uniformK struct {
	k    int // K, ≥ 1
	draw int // d, ≥ 0
}

var _ fl.Selection = (*uniformK)(nil)

func newUniformK(p *fl.Params) (fl.Selection, error) {
	s := &uniformK{k: p.Int("k", 10, fl.AtLeast(1), "clients that train in a round"),
		draw: p.Int("draw", 0, fl.Closed(0, 1000), "cohorts that are drawn and discarded first: "+
			"methods with different numbers have independent cohorts, not the same ones")}
	p.Later("draw")
	if setting := p.Setting(); setting.Known() && s.k > setting.Clients {
		p.Fail("k", "%d of %d clients", s.k, setting.Clients)
	}
	return s, nil
}

// Select implements fl.Selection.
func (s *uniformK) Select(d *fl.SelectionInput) []int {
	if len(d.Available) <= s.k {
		return d.Available
	}
	room := d.Room(s.k)
	for range s.draw {
		stats.DrawUniform(room, len(d.Available), s.k, d.RNG)
	}
	picked := stats.DrawUniform(room, len(d.Available), s.k, d.RNG)
	for j, at := range picked {
		picked[j] = d.Available[at]
	}
	return picked
}

// Law implements fl.Selection.
func (s *uniformK) Law(pop *fl.Roster, available []int) (fl.Law, bool) {
	n := len(available)
	if n <= s.k {
		only := fl.Law{Sets: [][]int{available}, Q: fl.Vector{1}, Exact: true, Memoryless: true}
		return only, true
	}
	law := availability.UniformSubsets(n, s.k)
	if n == pop.N {
		return law, true
	}
	if law.Sets == nil { // too many to list, but each is as likely to be among them
		law = fl.Law{Exact: true, Memoryless: true, Inclusion: make(fl.Vector, pop.N)}
		for _, i := range available {
			law.Inclusion[i] = float64(s.k) / float64(n)
		}
		return law, true
	}
	for _, set := range law.Sets {
		for j, at := range set {
			set[j] = available[at]
		}
	}
	return fl.Law{Sets: law.Sets, Q: law.Q, Exact: true, Memoryless: true}, true
}
