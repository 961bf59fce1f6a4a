package fl

import (
	"fmt"
	"math"
	"slices"
)

// Notes collect remarks about a cell that become footnotes of its table: "scaling
// stopped at residual 3e-4".
type Notes struct {
	list     []string
	observed []Observation
}

// Names of what aggregators observe of weights by inverse probabilities, which an audit reads.
const (
	ObservedFloored   = "share of probabilities raised to the floor"
	ObservedTruncated = "share of weights truncated"
)

// An Observation summarises a number that is measured repeatedly, such as an effective sample size:
// per round, or per client before the first round.
type Observation struct {
	Name   string  `json:"name"`
	Rounds int     `json:"rounds"` // number of measurements
	Mean   float64 `json:"mean"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// String returns the mean and the range: "cohort 4.5 (3 to 6)".
func (o Observation) String() string {
	text := fmt.Sprintf("%s %.3g", o.Name, o.Mean)
	if o.Least != o.Most {
		text += fmt.Sprintf(" (%.3g to %.3g)", o.Least, o.Most)
	}
	return text
}

// Add records a remark, once, however often it is added.
func (n *Notes) Add(remark string) {
	if !slices.Contains(n.list, remark) {
		n.list = append(n.list, remark)
	}
}

// Observe records a number; NaN and infinite ones are left out. It allocates
// nothing after the first time.
func (n *Notes) Observe(name string, x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	for k := range n.observed {
		if o := &n.observed[k]; o.Name == name {
			o.Rounds++
			o.Mean += (x - o.Mean) / float64(o.Rounds)
			o.Least, o.Most = min(o.Least, x), max(o.Most, x)
			return
		}
	}
	n.observed = append(n.observed, Observation{name, 1, x, x, x})
}

// Join adds what other notes hold, as if it had been recorded here.
func (n *Notes) Join(other *Notes) {
	for _, remark := range other.list {
		n.Add(remark)
	}
	for _, x := range other.observed {
		n.Include(x)
	}
}

// Include adds what was observed elsewhere, as if it had been observed here.
func (n *Notes) Include(x Observation) {
	for k := range n.observed {
		if o := &n.observed[k]; o.Name == x.Name {
			o.Rounds += x.Rounds
			o.Mean += (x.Mean - o.Mean) * float64(x.Rounds) / float64(o.Rounds)
			o.Least, o.Most = min(o.Least, x.Least), max(o.Most, x.Most)
			return
		}
	}
	n.observed = append(n.observed, x)
}

// List returns the remarks in the order in which they were first made.
func (n *Notes) List() []string { return slices.Clone(n.list) }

// Observations returns what was observed, in the order in which it first was.
func (n *Notes) Observations() []Observation { return slices.Clone(n.observed) }

// All returns the remarks, then the observations as text.
func (n *Notes) All() []string {
	all := n.List()
	for _, o := range n.observed {
		all = append(all, o.String())
	}
	return all
}

// Clone returns a deep copy.
func (n *Notes) Clone() *Notes {
	return &Notes{list: slices.Clone(n.list), observed: slices.Clone(n.observed)}
}
