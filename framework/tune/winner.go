package tune

import (
	"cmp"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
)

// Eta is the share of settings that goes on when a search halves: one in so many.
const Eta = 3

// A Score is what a setting is worth: values by seed, NaN where it diverged.
type Score []float64

// Mean returns the mean over seeds, NaN where one diverged.
func (s Score) Mean() float64 {
	sum := 0.0
	for _, x := range s {
		sum += x
	}
	return sum / float64(len(s))
}

// SD returns the standard deviation over seeds, with n − 1; NaN of one seed.
func (s Score) SD() float64 {
	mean, square := s.Mean(), 0.0
	for _, x := range s {
		square += (x - mean) * (x - mean)
	}
	return math.Sqrt(square / float64(len(s)-1))
}

// Lost reports whether the setting diverged with some seed: it cannot win.
func (s Score) Lost() bool {
	return len(s) == 0 || slices.ContainsFunc(s, func(x float64) bool {
		return math.IsNaN(x) || math.IsInf(x, 0)
	})
}

// Ranking returns the settings that did not diverge, the best mean first; of equal ones the one
// that comes first.
func Ranking(scores []Score, higher bool) (order []int) {
	for i := range scores {
		if !scores[i].Lost() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		d := cmp.Compare(scores[a].Mean(), scores[b].Mean())
		if higher {
			return -d
		}
		return d
	})
	return order
}

// Survivors returns which settings go on when the search halves: the better third of all, rounded
// up, but none that diverged; in ascending order.
func Survivors(scores []Score, higher bool) []int {
	order := Ranking(scores, higher)
	order = order[:min(len(order), (len(scores)+Eta-1)/Eta)]
	slices.Sort(order)
	return order
}

// Stops returns after which rounds settings are compared when a search halves, the last of which is
// the number of rounds: T/Eta^k, rounded up to a round that is measured, for as many k as leave a
// setting; none twice.
func Stops(settings, rounds, every int) (stops []int) {
	levels := 0
	for n := settings; n >= Eta; n /= Eta {
		levels++
	}
	for k := levels; k > 0; k-- {
		part := int(math.Ceil(float64(rounds) / math.Pow(Eta, float64(k))))
		stop := (part + every - 1) / every * every
		if stop < rounds && !slices.Contains(stops, stop) {
			stops = append(stops, stop)
		}
	}
	return append(stops, rounds)
}

// Edges returns the paths of the ranges of which the winner has the least or the largest of the
// values that were tried, where these are numbers: better ones may lie beyond.
func Edges(ranges []study.Range, tried []Setting, winner Setting) (paths []string) {
	for i := range ranges {
		own, ok := number(winner[i])
		least, most := math.Inf(1), math.Inf(-1)
		for _, s := range tried {
			x, number := number(s[i])
			ok = ok && number
			least, most = min(least, x), max(most, x)
		}
		if ok && (own == least || own == most) {
			paths = append(paths, ranges[i].Path)
		}
	}
	return paths
}

// number returns a value that is a number.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
