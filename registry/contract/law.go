package contract

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

const (
	// draws is how often a law is tried.
	draws = 10_000
	// doubt is the p-value below which draws contradict a law. Draws are the same for the
	// same Options.Seed, so a true law does not fail now and then: it fails, always, for
	// one seed in ten thousand. A law whose probabilities are off by a tenth makes χ² larger
	// by about 10,000·0.1² = 100, and fails for every seed.
	doubt = 1e-4
	// slack is what rounding may add to a probability.
	slack = 1e-9
)

// A listing gives the probability of every subset of the toy's clients, the empty one included.
type listing struct {
	sets [][]int
	q    fl.Vector
}

// list lists a law for those available, or returns false when the law says no more than
// inclusion probabilities.
func list(l *fl.Law, available []int) (listing, bool) {
	all := listing{sets: [][]int{nil}, q: fl.Vector{l.Empty}}
	switch {
	case l.Everyone:
		all.sets, all.q = append(all.sets, available), append(all.q, 1-l.Empty)
	case l.Sets != nil:
		for j, set := range l.Sets {
			all.sets, all.q = append(all.sets, set), append(all.q, l.Q[j]*(1-l.Empty))
		}
	case l.Chance != nil:
		for k := 1; k <= clients; k++ {
			if l.Size > 0 && k != l.Size {
				continue
			}
			for _, set := range stats.Subsets(clients, k) {
				all.sets, all.q = append(all.sets, set), append(all.q, exactly(l.Chance, set))
			}
		}
		nonEmpty := all.q[1:]
		nonEmpty.Scale((1 - l.Empty) / nonEmpty.Sum())
	default:
		return all, false
	}
	return all, true
}

// exactly returns the probability that of independent clients exactly those of set come.
func exactly(chance fl.Vector, set []int) float64 {
	product := 1.0
	for i, b := range chance {
		if slices.Contains(set, i) {
			product *= b
		} else {
			product *= 1 - b
		}
	}
	return product
}

// malformed says what is wrong with a cohort distribution of those available, by itself.
func malformed(l *fl.Law, available []int) string {
	if !(l.Empty >= 0 && l.Empty <= 1) {
		return fmt.Sprintf("Empty is %v", l.Empty)
	}
	if !l.Exact && l.Draws == 0 {
		return "it is neither exact nor estimated from draws"
	}
	if broken := malformedSets(l, available); broken != "" {
		return broken
	}
	broken := cmp.Or(malformedChance(l), malformedRepeats(l), malformedPhases(l, available))
	if broken != "" {
		return broken
	}
	if l.Inclusion == nil {
		if l.Everyone || l.Sets != nil {
			return "" // they say it
		}
		return "there are no inclusion probabilities"
	}
	if len(l.Inclusion) != clients {
		return fmt.Sprintf("%d inclusion probabilities for %d clients", len(l.Inclusion), clients)
	}
	for i, pi := range l.Inclusion {
		if !(pi >= 0 && pi <= 1+slack) || pi > slack && !slices.Contains(available, i) {
			return fmt.Sprintf("the inclusion probability of client %d is %v; available are %v",
				i, pi, available)
		}
	}
	if all, ok := list(l, available); ok {
		return at("inclusion probabilities, and those of the cohorts",
			apart(l.Inclusion, stats.Inclusion(all.sets, all.q, clients), slack))
	}
	return ""
}

func malformedSets(l *fl.Law, available []int) string {
	if len(l.Q) != len(l.Sets) {
		return fmt.Sprintf("%d probabilities for %d cohorts", len(l.Q), len(l.Sets))
	}
	seen := map[string]bool{}
	for j, set := range l.Sets {
		key := fmt.Sprint(set)
		switch {
		case len(set) == 0:
			return "a cohort is empty"
		case outOfOrder(set) != "":
			return outOfOrder(set)
		case !within(set, available):
			return fmt.Sprintf("cohort %v is not part of those available, %v", set, available)
		case seen[key]:
			return fmt.Sprintf("cohort %v is listed twice", set)
		case !(l.Q[j] >= 0):
			return fmt.Sprintf("cohort %v has probability %v", set, l.Q[j])
		}
		seen[key] = true
	}
	if sum := floats.SumCompensated(l.Q); len(l.Sets) > 0 && !(math.Abs(sum-1) <= slack) {
		return fmt.Sprintf("the probabilities of cohorts sum to %v", sum)
	}
	return ""
}

func malformedChance(l *fl.Law) string {
	if l.Chance == nil {
		return ""
	}
	if len(l.Chance) != clients {
		return fmt.Sprintf("%d chances for %d clients", len(l.Chance), clients)
	}
	certain, possible := 0, 0
	for i, b := range l.Chance {
		switch {
		case !(b >= 0 && b <= 1):
			return fmt.Sprintf("the chance of client %d is %v", i, b)
		case b == 1:
			certain++
		}
		if b > 0 {
			possible++
		}
	}
	if l.Size < 0 || l.Size > 0 && (l.Size < certain || l.Size > possible) || possible == 0 {
		return fmt.Sprintf("cohorts of %d clients cannot come with chances %v", l.Size, l.Chance)
	}
	return ""
}

// malformedPhases says why the laws of phases are no laws, or their mixture is not the law.
func malformedPhases(l *fl.Law, available []int) string {
	if len(l.Phases) != len(l.Shares) {
		return fmt.Sprintf("%d shares of %d phases", len(l.Shares), len(l.Phases))
	}
	if len(l.Phases) == 0 {
		return ""
	}
	empty, mixed, all := 0.0, make(fl.Vector, clients), 0.0
	for k := range l.Phases {
		phase, share := &l.Phases[k], l.Shares[k]
		if broken := malformed(phase, available); broken != "" {
			return at(fmt.Sprintf("phase %d", k+1), broken)
		}
		if phase.Phases != nil || phase.Inclusion == nil || !(share >= 0) {
			return fmt.Sprintf("phase %d has phases, no inclusion probabilities or the share %v",
				k+1, share)
		}
		empty, all = empty+share*phase.Empty, all+share
		mixed.AddScaled(share, phase.Inclusion)
	}
	if !(math.Abs(all-1) <= slack) || l.Inclusion == nil {
		return fmt.Sprintf("the shares of phases sum to %v, or the law has no Inclusion", all)
	}
	if known := l.Sets != nil || l.Empty > 0; known && !(math.Abs(empty-l.Empty) <= slack) {
		return fmt.Sprintf("Empty is %v, of the mixture of phases %v", l.Empty, empty)
	}
	return at("inclusion probabilities, and those of the phases", apart(l.Inclusion, mixed, slack))
}

// disagree says whether draws contradict a law. Where the law lists cohorts, that is χ²
// over them; else every inclusion probability is tried, at a level shared by all.
func disagree(l *fl.Law, available []int, draw func(k int) []int) string {
	all, listed := list(l, available)
	if !listed {
		return disagreeOnInclusion(l, draw)
	}
	tally := stats.NewTally(all.sets)
	for k := range draws {
		tally.Add(draw(k))
	}
	if a := tally.Against(all.q); a.P < doubt {
		return fmt.Sprintf("χ² is %.4g with %d degrees of freedom, p = %.2g",
			a.Statistic, a.Degrees, a.P)
	}
	return ""
}

func disagreeOnInclusion(l *fl.Law, draw func(k int) []int) string {
	came := make(fl.Vector, clients)
	for k := range draws {
		for _, i := range draw(k) {
			came[i]++
		}
	}
	for i, pi := range l.Inclusion {
		law := distuv.Binomial{N: draws, P: math.Min(pi, 1)}
		p := 2 * math.Min(law.CDF(came[i]), 1-law.CDF(came[i]-1))
		if p < doubt/clients {
			return fmt.Sprintf("client %d came in a share %.4f of the draws, "+
				"its inclusion probability is %.4f", i, came[i]/draws, pi)
		}
	}
	return ""
}

// outOfOrder says why ids are not ascending clients.
func outOfOrder(ids []int) string {
	if err := fl.CheckClients(ids, clients); err != nil {
		return fmt.Sprintf("%v are not ascending clients of 0 to %d", ids, clients-1)
	}
	return ""
}

func within(ids, available []int) bool {
	return !slices.ContainsFunc(ids, func(i int) bool { return !slices.Contains(available, i) })
}

// knows digests what a component says of its law.
func knows(l fl.Law, ok bool) string {
	if !ok {
		return "unknown"
	}
	d := newDigest()
	d.law(&l)
	return d.sum()
}
