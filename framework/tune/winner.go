package tune

import (
	"cmp"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
)

// Eta is the share of settings that goes on when a search halves: one in so many.
const Eta = 3

// Ranking returns the settings that did not diverge, the best one first, by their means over seeds:
// NaN or infinite of those that diverged. Of equal ones the one that comes first is better.
func Ranking(means []float64, higher bool) (order []int) {
	for i, m := range means {
		if !math.IsNaN(m) && !math.IsInf(m, 0) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		d := cmp.Compare(means[a], means[b])
		if higher {
			return -d
		}
		return d
	})
	return order
}

// Survivors returns which settings go on when the search halves: the better third of all, rounded
// up, but none that diverged; in ascending order.
func Survivors(means []float64, higher bool) []int {
	order := Ranking(means, higher)
	order = order[:min(len(order), (len(means)+Eta-1)/Eta)]
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
