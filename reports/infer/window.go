package infer

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

// MostEvaluations is how many evaluations a final value is the mean of at most, where a report
// does not say of how many rounds.
const MostEvaluations = 10

// A roundsKey is what runs share that are measured in the same rounds: the point of the sweep and
// the last round.
type roundsKey struct {
	at   string
	last int
}

// findCommonRounds finds the rounds in which all runs with as many rounds at the same point of the
// sweep were measured. There always is one: the last, after which every run is measured.
func (p *Plan) findCommonRounds() {
	p.CommonRounds, p.keys = map[roundsKey][]int{}, make([]roundsKey, len(p.In.Cells))
	for i := range p.In.Cells {
		rounds := p.Evaluated(i)
		if len(rounds) == 0 {
			continue
		}
		s := roundsKey{PointOf(p.In.Cells[i].Point).key(), rounds[len(rounds)-1]}
		p.keys[i] = s
		if all, known := p.CommonRounds[s]; known {
			rounds = Intersection(all, rounds)
		}
		p.CommonRounds[s] = rounds
	}
}

// Evaluated returns the rounds in which a cell was measured or, without a result, is to be.
func (p *Plan) Evaluated(i int) []int {
	if result := p.In.Results[p.In.IDs[i]]; result != nil {
		return result.Rounds
	}
	c := &p.In.Cells[i]
	played := c.Played()
	if played < 1 || c.Every < 1 {
		return nil
	}
	if p.planned == nil {
		p.planned = map[[2]int][]int{}
	}
	key := [2]int{played, c.Every}
	if p.planned[key] == nil {
		var rounds []int
		for t := 0; t < played; t += c.Every {
			rounds = append(rounds, t)
		}
		p.planned[key] = append(rounds, played)
	}
	return p.planned[key]
}

// Intersection returns what is in both of two ascending lists.
func Intersection(a, b []int) []int {
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

// Rounds returns the rounds in which a cell and all that share its key were measured.
func (p *Plan) Rounds(i int) []int {
	if p.CommonRounds == nil { // a plan of one cell
		return p.Evaluated(i)
	}
	return p.CommonRounds[p.keys[i]]
}

// Window returns the rounds of which final values of a cell are means.
func (p *Plan) Window(i int) []int { return Window(p.In.Report.Final, p.Rounds(i)) }

// Window returns those of ascending rounds that lie among the last: among the last final of
// them, or if final is 0 the last tenth, rounded up, of which MostEvaluations are enough. What
// was measured before the first round is in it only where there is nothing else.
func Window(final int, rounds []int) []int {
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
		from = max(from, len(rounds)-MostEvaluations)
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

// SpanOf summarises a window; nil for none.
func SpanOf(rounds []int) *Span {
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

// Dense reports whether every round was measured.
func (s *Span) Dense() bool { return s.Last-s.First+1 == s.Evaluations }
