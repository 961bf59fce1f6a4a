package contract

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// countsRepeated asks an aggregator about rounds in which clients are counted several times.
func countsRepeated(s *subject[fl.Aggregator]) string {
	counts := fl.TraitsOf[fl.AggregatorTraits](s.entry).Repeats
	return onScenes(func(build fresh, g *stage) string {
		once, ones, twice := g.round(), g.round(), g.round()
		ones.Times = slices.Repeat([]int{1}, len(ones.Updates))
		first, err := build().Aggregate(once)
		if err != nil {
			return "error: " + err.Error()
		}
		same, err := build().Aggregate(ones)
		if err != nil {
			return "with Times of 1: error: " + err.Error()
		}
		if d := apart(first.Params, same.Params, 0); d != "" {
			return at("with Times of 1", d)
		}
		if !counts || len(twice.Updates) < 2 {
			return ""
		}
		twice.Times = slices.Clone(ones.Times)
		twice.Times[1] = 2
		other, err := build().Aggregate(twice)
		if err != nil {
			return "with a client counted twice: error: " + err.Error()
		}
		if slices.Equal(other.Params, first.Params) {
			return "a client that is counted twice makes no difference"
		}
		return ""
	})(s)
}

// selectsSaid says what is wrong with Times and Expected of the cohorts of a selection.
func selectsSaid(s *subject[fl.Selection]) string {
	traits := fl.TraitsOf[fl.SelectionTraits](s.entry)
	c, v := s.build(), newServer(s, s.stream("selection"))
	for t, available := range crowds() {
		cohort := v.play(c, t, available)
		if broken := said(&v.draw, len(cohort), traits); broken != "" {
			return at(fmt.Sprintf("of %v", available), broken)
		}
	}
	return ""
}

// said says what is wrong with what a selection set beside a cohort of so many clients.
func said(d *fl.SelectionInput, cohort int, traits fl.SelectionTraits) string {
	switch {
	case d.Times != nil && len(d.Times) != cohort:
		return fmt.Sprintf("%d Times for %d clients", len(d.Times), cohort)
	case d.Expected != nil && len(d.Expected) != cohort:
		return fmt.Sprintf("%d Expected for %d clients", len(d.Expected), cohort)
	case traits.Expected && d.Expected == nil && cohort > 0:
		return "it sets no Expected, and its traits say that it does"
	case slices.ContainsFunc(d.Times, func(m int) bool { return m < 1 }):
		return fmt.Sprintf("Times are %v", d.Times)
	case !traits.Repeats && slices.ContainsFunc(d.Times, func(m int) bool { return m > 1 }):
		return fmt.Sprintf("Times are %v, and its traits do not say Repeats", d.Times)
	}
	for _, x := range d.Expected {
		if !(x > 0) || math.IsInf(x, 0) {
			return fmt.Sprintf("Expected are %v", d.Expected)
		}
	}
	return ""
}

// deviations is by how many standard errors a mean of draws may miss what is stated.
const deviations = 5

// A tallied number is one of each draw, of a client.
type tallied struct{ sum, square float64 }

func (n *tallied) add(x float64) {
	n.sum += x
	n.square += x * x
}

// misses reports whether the mean over the draws is another than stated.
func (n *tallied) misses(stated float64) bool {
	mean := n.sum / draws
	deviation := math.Sqrt(max(0, n.square/draws-mean*mean) / draws)
	return math.Abs(mean-stated) > deviations*deviation+slack
}

// countsAsStated compares how often clients are counted with what a selection says of it: Times
// over Expected of a client have mean 1, and Times that of the law.
func countsAsStated(s *subject[fl.Selection]) string {
	c := s.build()
	for _, available := range [][]int{upTo(clients), {0, 2, 3, 5}, {1, 4}} {
		law, ok := c.Law(cloneRoster(s.toy.roster), slices.Clone(available))
		var times, shares [clients]tallied
		states := false
		for k := range draws {
			v := newServer(s, s.stream("selection").At(k, 2))
			for j, i := range v.play(c, 0, available) {
				m := 1.0
				if v.draw.Times != nil {
					m = float64(v.draw.Times[j])
				}
				times[i].add(m)
				if v.draw.Expected != nil {
					states = true
					shares[i].add(m / v.draw.Expected[j])
				}
			}
		}
		for _, i := range available {
			if states && times[i].sum > 0 && shares[i].misses(1) {
				return fmt.Sprintf("of %v: Times over Expected of client %d are %.4f in the mean "+
					"of %d draws, not 1", available, i, shares[i].sum/draws, draws)
			}
			if ok && law.Expected != nil && times[i].misses(law.Expected[i]) {
				return fmt.Sprintf("of %v: client %d is counted %.4f times in the mean of draws, "+
					"the law expects %.4f", available, i, times[i].sum/draws, law.Expected[i])
			}
		}
	}
	return ""
}

// malformedRepeats says what is wrong with how often a law says that clients are counted.
func malformedRepeats(l *fl.Law) string {
	if l.Repeats != nil && (len(l.Repeats) != len(l.Sets) || l.Expected == nil) {
		return fmt.Sprintf("Repeats of %d cohorts and Expected of %d clients; %d cohorts are "+
			"listed", len(l.Repeats), len(l.Expected), len(l.Sets))
	}
	if l.Expected == nil {
		return ""
	}
	if len(l.Expected) != clients || len(l.Inclusion) != clients {
		return fmt.Sprintf("Expected of %d and Inclusion of %d clients", len(l.Expected),
			len(l.Inclusion))
	}
	counts := make(fl.Vector, clients)
	for j, list := range l.Repeats {
		sum := 0.0
		for _, r := range list {
			if len(r.Times) != len(l.Sets[j]) || slices.Min(r.Times) < 1 || !(r.Q >= 0) {
				return fmt.Sprintf("cohort %v is counted %v times with probability %v", l.Sets[j],
					r.Times, r.Q)
			}
			sum += r.Q
			for k, m := range r.Times {
				counts[l.Sets[j][k]] += float64(m) * r.Q * l.Q[j] * (1 - l.Empty)
			}
		}
		if math.Abs(sum-1) > slack {
			return fmt.Sprintf("the probabilities of Repeats of cohort %v sum to %v", l.Sets[j],
				sum)
		}
	}
	for i, x := range l.Expected {
		if !(x >= l.Inclusion[i]-slack) || l.Repeats != nil && math.Abs(x-counts[i]) > slack {
			return fmt.Sprintf("client %d is expected to be counted %v times; it is included "+
				"with probability %v, and Repeats count it %v times", i, x, l.Inclusion[i],
				counts[i])
		}
	}
	return ""
}
