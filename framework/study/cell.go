package study

import (
	"slices"
	"strings"
)

// SourceKey stands for the code of a user's component among its resolved parameters. No
// parameter can be called so.
const SourceKey = "<source>"

// Sources lists the user's components of a resolved cell, those within others too, as "name
// digest", sorted.
func (c Cell) Sources() []string {
	var list []string
	for _, p := range c.Picks {
		list = sources(list, p.Name, p.Params)
	}
	for _, p := range c.Preprocess {
		list = sources(list, p.Name, p.Params)
	}
	for _, m := range c.Measures {
		list = sources(list, m.Name, m.Params)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func sources(list []string, name string, params map[string]any) []string {
	if digest, ok := params[SourceKey].(string); ok {
		list = append(list, name+" "+digest)
	}
	for _, v := range params {
		if inner, ok := Within(v); ok {
			list = sources(list, inner.Name, inner.Params)
		}
		for _, one := range Members(v) {
			list = sources(list, one.Name, one.Params)
		}
	}
	return list
}

// A Pick is a component as an experiment names it, with the parameters given to it.
type Pick struct {
	Name string
	// Params are int64, float64, bool, string, []any and map[string]any, as they are
	// written. In a resolved cell, to which a component has added its defaults, a list of
	// numbers may be []float64.
	Params map[string]any
}

// A Measure is a metric to be taken while a cell runs.
type Measure struct {
	Pick
	Key     string // what its series is called: its label, or else its name
	Average bool   // of the mean of θ¹ … θᵗ instead of the last iterate θᵗ
	Best    bool   `json:",omitempty"` // the best of all evaluations so far instead of the last one
}

// A Coordinate is where a cell lies on one axis of the sweep.
type Coordinate struct {
	Axis  string `json:"axis"`
	Label string `json:"label"`
}

// Filter returns the short form of the filter that asks for the coordinate: "k=2" for the label
// "k = 2" on availability.k.
func (c Coordinate) Filter() string {
	last := LastPart(c.Axis)
	return last + "=" + strings.TrimPrefix(c.Label, last+" = ")
}

// LastPart returns "alpha" of "partition.alpha".
func LastPart(axis string) string { return axis[strings.LastIndexByte(axis, '.')+1:] }

// A Cell is one method in one setting with one seed.
type Cell struct {
	Method   string // label of the method or ablation
	Role     string // "" when it is ranked, else "upper-bound", "lower-bound" or "literature"
	Parent   string // of an ablation: the label of the method it changes
	Point    []Coordinate
	Seed     uint64
	DataSeed uint64          // seed of the data and of their partition; Seed unless it is set
	SameData bool            // it is set: all seeds of the experiment share the data
	Clients  int             // N
	Rounds   int             // T
	Every    int             // metrics are taken before round 1 and after every Every-th round
	Law      bool            // the server knows the cohort distribution
	Initial  string          // parameters of clients: shared, independent
	Held     float64         // share of the training samples that the server holds
	Oracle   bool            // aggregators are told the true participation probabilities
	Disclose string          // of the covariates of clients not enrolled: none, aggregate, full
	Picks    map[string]Pick // by slot
	Measures []Measure

	Preprocess []Pick `json:",omitempty"` // in a row, before the first round

	// InitialFile says which file holds the parameters that training starts from: file and, where
	// they are given, names and sha256. Nil: the model draws them.
	InitialFile map[string]any `json:",omitempty"`

	// TestByClient says that test samples are partitioned among clients as training samples are;
	// HeldOut is the share of each client's training samples that it tests on instead, in [0, 1).
	TestByClient bool    `json:",omitempty"`
	HeldOut      float64 `json:",omitempty"`

	// Validated is of a trial of [tune], in (0, 1): this share of each client's training samples
	// takes the place of all test data. 0: the cell is tested.
	Validated float64 `json:",omitempty"`
	// Stop is of a trial that ends early: after so many of its Rounds, which are what components
	// are built for. 0: it ends after all of them.
	Stop int `json:",omitempty"`

	// A resolved pick of a user's component has the digest of its code among its parameters,
	// at SourceKey.
	//
	// Origins say where everything was written: the values by their paths in the cell
	// ("rounds", "aggregator.name", "availability.k", "preprocess[0].by",
	// "metrics[1].weighting"), the label at "method", the seeds at "seed" and the coordinate on
	// an axis at "sweep." and its name. They are not stored with a cell.
	Origins map[string]Span `json:"-"`
}

// Played returns how many rounds of the cell are played: all, unless it stops early.
func (c *Cell) Played() int {
	if c.Stop > 0 {
		return c.Stop
	}
	return c.Rounds
}
