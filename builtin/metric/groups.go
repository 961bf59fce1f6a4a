// Groups — what one number over all clients hides, by groups of them: those with the smaller and
// the larger values of a covariate, or those that never enrolled and those that did.
//
//	S. Sagawa, P. W. Koh, T. Hashimoto, P. Liang. Distributionally Robust Neural Networks for
//	Group Shifts. ICLR 2020, Equation 2: the loss of the worst group.
//
// Clients are sorted by the covariate and cut into groups of nearly equal importance, always
// between two different values: a covariate that is 0 or 1 is cut there. Where values are too
// few there are fewer groups. The measurement of a group is the mean over its clients, by
// importance; a client that counts nothing, or has no test samples, counts nowhere, and a group
// without others is left out.
//
// Departures: the paper has one sample a group label each, which are clients here.

package metric

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Groups describes the metric to the registry.
var Groups = fl.MetricEntry{
	Name:       "groups",
	Summary:    "loss or accuracy by group of clients: worst, best, spread, or one of them",
	Paper:      "sagawa2020",
	Deviations: "groups are of clients, by what is known of them, and not of samples",
	New:        newGroups,
	Traits: fl.MetricTraits{Packed: true,
		Range: rangeOfClients, Reads: func(params map[string]any) []fl.Reading {
			list := append(readsPart(params), fl.ReadsImportance)
			if params["by"] == enrolled {
				return append(list, fl.ReadsEnrollment)
			}
			return append(list, fl.ReadsTraining) // covariates are means over training rows
		}},
}

type groups struct {
	by        string // enrolled, or a covariate
	column    int    // of the covariates; −1 for enrolled, or where it is not known yet
	bins      int    // groups, at most
	statistic string
	part      part
}

// enrolled is what groups are by that are of no covariate.
const enrolled = "enrolled"

var _ fl.Metric = (*groups)(nil)

func newGroups(p *fl.Params) (fl.Metric, error) {
	m := newGroupsBy(p)
	m.statistic = p.Choice("statistic", "worst", "of the groups: the worst or the best; spread, "+
		"the largest less the smallest; low or high, the group with the smallest or the "+
		"largest values, or of those that never enrolled or did; variance or Jain's index "+
		"over groups, each counting the same, as the metric clients has them",
		"worst", "best", "spread", "low", "high", "variance", "jain")
	m.part = newPart(p)
	return &m, nil
}

// newGroupsBy declares what clients are grouped by.
func newGroupsBy(p *fl.Params) groups {
	m := groups{
		by: p.Text("by", enrolled, "a covariate; or enrolled, for those that never enrolled "+
			"and those that did"),
		bins: p.Int("bins", 2, fl.AtLeast(2), "groups that a covariate cuts clients into"),
	}
	s := p.Setting()
	if m.column = slices.Index(s.Shape.Covariates, m.by); s.Known() && m.column < 0 &&
		m.by != enrolled {
		have := "these data have none"
		if len(s.Shape.Covariates) > 0 {
			have = "there are " + strings.Join(s.Shape.Covariates, ", ")
		}
		p.Fail("by", "there is no covariate %q; %s", m.by, have)
	}
	return m
}

// Measure implements fl.Metric.
func (m *groups) Measure(s *fl.Snapshot) (float64, error) {
	x, err := m.part.byClient(s)
	if err != nil {
		return 0, err
	}
	of := m.members(s, x)
	if of == nil {
		return 0, errors.New("no client that counts has samples to measure")
	}
	var means fl.Vector
	for _, clients := range of {
		sum, weight := 0.0, 0.0
		for _, i := range clients {
			sum += s.Roster.Importance[i] * x[i]
			weight += s.Roster.Importance[i]
		}
		means = append(means, sum/weight)
	}
	return m.summary(means), nil
}

// members returns the clients of each group; nil where none counts. Clients with the same value and
// importance are in the order of x, which may be nil.
func (m *groups) members(s *fl.Snapshot, x fl.Vector) (of [][]int) {
	value := m.values(s.Roster)
	order := make([]int, 0, s.Roster.N) // of those that count, sorted
	for i, p := range s.Roster.Importance {
		if p > 0 && m.part.samples(s.Population, i) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if c := slices.Compare([]float64{value[i], s.Roster.Importance[i]},
			[]float64{value[j], s.Roster.Importance[j]}); c != 0 || x == nil {
			return c
		}
		return cmp.Compare(x[i], x[j])
	})
	if len(order) == 0 {
		return nil
	}
	lo := 0
	for _, hi := range append(cuts(order, value, s.Roster.Importance, m.bins), len(order)) {
		of, lo = append(of, order[lo:hi]), hi
	}
	return of
}

// values returns what clients are sorted by.
func (m *groups) values(pop *fl.Roster) fl.Vector {
	v := make(fl.Vector, pop.N)
	for i := range v {
		switch {
		case m.column >= 0:
			v[i] = pop.Covariates.Row(i)[m.column]
		case pop.Reaches(i):
			v[i] = 1
		}
	}
	return v
}

// cuts returns where sorted clients are cut into bins: each time between different values,
// and there where the importance before is nearest to its share; of two that are equally near,
// before the second.
func cuts(order []int, value, p fl.Vector, bins int) (at []int) {
	before, total := make(fl.Vector, len(order)), 0.0
	for k, i := range order {
		before[k] = total
		total += p[i]
	}
	for b := 1; b < bins; b++ {
		best, nearest := 0, math.Inf(1)
		for k := 1; k < len(order); k++ {
			off := math.Abs(before[k]/total - float64(b)/float64(bins))
			if value[order[k]] != value[order[k-1]] && off < nearest-1e-12 {
				best, nearest = k, off
			}
		}
		if best > 0 && !slices.Contains(at, best) {
			at = append(at, best)
		}
	}
	return at
}

// summary returns the statistic of the means of groups, which are in their order.
func (m *groups) summary(means fl.Vector) float64 {
	least, most := slices.Min(means), slices.Max(means)
	switch m.statistic {
	case "spread":
		return most - least
	case "low":
		return means[0]
	case "high":
		return means[len(means)-1]
	case "variance":
		return variance(means, ones(len(means)))
	case "jain":
		return jain(means, ones(len(means)))
	}
	if (m.statistic == "worst") == (m.part.of == "accuracy") {
		return least
	}
	return most
}

// ones returns n ones.
func ones(n int) fl.Vector {
	v := make(fl.Vector, n)
	v.Fill(1)
	return v
}

// Unit implements fl.Metric.
func (m *groups) Unit() string { return m.part.unitOf(m.statistic) }

// Higher implements fl.Metric.
func (m *groups) Higher() bool { return m.part.higher(m.statistic) }
