package reports

import (
	"fmt"
	"slices"
	"sort"
)

// A Span says which evaluations a final value is the mean of: those in the rounds First to
// Last.
type Span struct {
	First       int `json:"first"`
	Last        int `json:"last"`
	Evaluations int `json:"evaluations"`
}

// mostEvaluations is how many evaluations a final value is the mean of at most, where a report
// does not say of how many rounds.
const mostEvaluations = 10

// A runsKey is what runs share that are measured in the same rounds: the point of the sweep and
// the last round.
type runsKey struct {
	at   string
	last int
}

// share finds the rounds in which all runs with as many rounds at the same point of the sweep
// were measured. There always is one: the last, after which every run is measured.
func (p *plan) share() {
	p.common, p.keys = map[runsKey][]int{}, make([]runsKey, len(p.in.Cells))
	for i := range p.in.Cells {
		rounds := p.evaluated(i)
		if len(rounds) == 0 {
			continue
		}
		s := runsKey{coordinates(p.in.Cells[i].Point).key(), rounds[len(rounds)-1]}
		p.keys[i] = s
		if all, known := p.common[s]; known {
			rounds = intersection(all, rounds)
		}
		p.common[s] = rounds
	}
}

// evaluated returns the rounds in which a cell was measured or, without a result, is to be.
func (p *plan) evaluated(i int) []int {
	if result := p.in.Results[p.in.IDs[i]]; result != nil {
		return result.Rounds
	}
	c := &p.in.Cells[i]
	if c.Rounds < 1 || c.Every < 1 {
		return nil
	}
	if p.planned == nil {
		p.planned = map[[2]int][]int{}
	}
	key := [2]int{c.Rounds, c.Every}
	if p.planned[key] == nil {
		var rounds []int
		for t := 0; t < c.Rounds; t += c.Every {
			rounds = append(rounds, t)
		}
		p.planned[key] = append(rounds, c.Rounds)
	}
	return p.planned[key]
}

// intersection returns what is in both of two ascending lists.
func intersection(a, b []int) []int {
	if slices.Equal(a, b) {
		return a
	}
	var both []int
	for _, x := range a {
		if _, ok := slices.BinarySearch(b, x); ok {
			both = append(both, x)
		}
	}
	return both
}

// rounds returns the rounds in which a cell and all that share its key were measured.
func (p *plan) rounds(i int) []int {
	if p.common == nil { // a plan of one cell
		return p.evaluated(i)
	}
	return p.common[p.keys[i]]
}

// window returns the rounds of which final values of a cell are means.
func (p *plan) window(i int) []int { return window(p.in.Report.Final, p.rounds(i)) }

// window returns those of ascending rounds that lie among the last: among the last final of
// them, or if final is 0 the last tenth, rounded up, of which mostEvaluations are enough. What
// was measured before the first round is in it only where there is nothing else.
func window(final int, rounds []int) []int {
	if len(rounds) == 0 {
		return nil
	}
	last, n := rounds[len(rounds)-1], final
	if n < 1 {
		n = (last + 9) / 10
	}
	from := sort.SearchInts(rounds, max(1, last-n+1))
	from = min(from, len(rounds)-1)
	if final < 1 {
		from = max(from, len(rounds)-mostEvaluations)
	}
	return rounds[from:]
}

// positions returns where rounds stand among all of a result, leaving out those that a series
// of n values does not have.
func positions(all, rounds []int, n int) []int {
	var list []int
	for _, t := range rounds {
		if k, ok := slices.BinarySearch(all, t); ok && k < n {
			list = append(list, k)
		}
	}
	return list
}

// spanOf summarises a window; nil for none.
func spanOf(rounds []int) *Span {
	if len(rounds) == 0 {
		return nil
	}
	return &Span{rounds[0], rounds[len(rounds)-1], len(rounds)}
}

// String names the rounds: "round 20", "rounds 91–100".
func (s *Span) String() string {
	switch {
	case s.Evaluations == 1:
		return fmt.Sprintf("round %d", s.Last)
	case s.Evaluations == 2 && s.Last > s.First+1:
		return fmt.Sprintf("rounds %d and %d", s.First, s.Last)
	}
	return fmt.Sprintf("rounds %d–%d", s.First, s.Last)
}

// dense reports whether every round was measured.
func (s *Span) dense() bool { return s.Last-s.First+1 == s.Evaluations }

// windows returns the different windows of the rows of a table that are compared.
func (d *draft) windows() []*Span {
	var list []*Span
	for r, m := range d.methods {
		for k, at := range d.block.points {
			first := k * len(d.metrics)
			if first < len(d.samples[r]) && d.samples[r][first].apart {
				continue
			}
			for _, i := range d.at(m, d.block, at) {
				if d.in.Results[d.in.IDs[i]] == nil {
					continue
				}
				s := spanOf(d.window(i))
				if s != nil && !slices.ContainsFunc(list, func(o *Span) bool { return *o == *s }) {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// thinned reports whether some run was measured in rounds that others, which are compared with
// it, were not: in the last rounds, of which final values are, or in any.
func (d *draft) thinned(any bool) bool {
	for _, m := range d.methods {
		for _, at := range d.block.points {
			for _, i := range d.at(m, d.block, at) {
				own, common := d.evaluated(i), d.rounds(i)
				if !any {
					own, common = window(d.in.Report.Final, own), d.window(i)
				}
				if !slices.Equal(own, common) {
					return true
				}
			}
		}
	}
	return false
}

// explainWindows says which rounds values are means of.
func (d *draft) explainWindows(list []*Span) {
	final, all := d.in.Report.Final, ""
	if d.thinned(false) {
		all = ", in which all methods were measured"
	}
	switch {
	case len(list) == 0:
	case len(list) == 1 && list[0].Evaluations == 1:
		d.explain("", "values are those of %s%s", list[0], all)
	case len(list) == 1 && (list[0].dense() || list[0].Evaluations == 2):
		d.explain("", "values are means of %s%s", list[0], all)
	case len(list) == 1:
		d.explain("", "values are means of %s, %s%s", list[0],
			counted(list[0].Evaluations, "evaluation"), all)
	case final < 1:
		d.explain("", "values are means of the last 10 %% of the rounds, of %d evaluations at most",
			mostEvaluations)
	case final == 1:
		d.explain("", "values are those of the last round")
	default:
		d.explain("", "values are means of the last %d rounds", final)
	}
}
