package fl

import (
	"fmt"
	"slices"
)

// Notes collect remarks about a cell that become footnotes of its table: "scaling
// stopped at residual 3e-4".
type Notes struct {
	list     []string
	observed []observation
}

// An observation is a number that every round has one of.
type observation struct {
	name              string
	rounds            int
	mean, least, most float64
}

// Add records a remark, once however often it is made.
func (n *Notes) Add(remark string) {
	if !slices.Contains(n.list, remark) {
		n.list = append(n.list, remark)
	}
}

// Observe records a number of this round, such as an effective sample size. The footnote says
// its mean over the rounds, and between what it lay.
func (n *Notes) Observe(name string, x float64) {
	for k := range n.observed {
		if o := &n.observed[k]; o.name == name {
			o.rounds++
			o.mean += (x - o.mean) / float64(o.rounds)
			o.least, o.most = min(o.least, x), max(o.most, x)
			return
		}
	}
	n.observed = append(n.observed, observation{name, 1, x, x, x})
}

// List returns the remarks in the order in which they were first made, then what was observed.
func (n *Notes) List() []string {
	all := slices.Clone(n.list)
	for _, o := range n.observed {
		remark := fmt.Sprintf("%s: %.3g", o.name, o.mean)
		if o.least != o.most {
			remark += fmt.Sprintf(" (%.3g to %.3g over rounds)", o.least, o.most)
		}
		all = append(all, remark)
	}
	return all
}

// Clone returns a deep copy.
func (n *Notes) Clone() *Notes {
	return &Notes{list: slices.Clone(n.list), observed: slices.Clone(n.observed)}
}
