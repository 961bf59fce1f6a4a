package tune

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Setting is one value for each of some ranges.
type Setting = study.Values

// Settings returns the settings that a search tries: at most as many as its budget, all different,
// in the order in which the first of several equally good ones wins. A grid whose ranges have no
// two points each within the budget is an error.
func Settings(search string, budget int, ranges []study.Range) ([]Setting, error) {
	switch all, finite := combinations(ranges, budget); {
	case len(ranges) == 0:
		return nil, nil
	case search == study.SearchGrid:
		return grid(ranges, budget)
	case finite && all <= budget:
		return product(ranges, counts(ranges)), nil
	}
	return random(ranges, budget), nil
}

// combinations returns how many settings there are in all, where they are finitely many; more than
// most are not counted.
func combinations(ranges []study.Range, most int) (n int, finite bool) {
	n = 1
	for i := range ranges {
		own := count(&ranges[i])
		if own == 0 {
			return 0, false
		}
		if n <= most {
			n *= min(own, most+1)
		}
	}
	return n, true
}

// count returns how many values a range has; 0: more than can be counted.
func count(r *study.Range) int {
	switch r.Scale {
	case study.ListScale:
		return len(r.Values)
	case study.IntegerScale:
		return int(r.High-r.Low) + 1
	}
	return 0
}

func counts(ranges []study.Range) (n []int) {
	for i := range ranges {
		n = append(n, count(&ranges[i]))
	}
	return n
}

// grid returns the product of the values of all ranges. Every range has two points at least; those
// that the budget leaves go to the ranges one after another, in their order.
func grid(ranges []study.Range, budget int) ([]Setting, error) {
	points, size := make([]int, len(ranges)), 1
	for i := range ranges {
		points[i] = 2
		if ranges[i].Scale == study.ListScale {
			points[i] = len(ranges[i].Values)
		}
		if size *= points[i]; size > study.MostBudget {
			break
		}
	}
	if size > budget {
		return nil, fmt.Errorf("a grid of so many parameters (%d) has %d settings at least, more "+
			"than the budget of %d", len(ranges), size, budget)
	}
	for grown := true; grown; {
		grown = false
		for i := range ranges {
			r := &ranges[i]
			more := size / points[i] * (points[i] + 1)
			full := r.Scale == study.ListScale ||
				r.Scale == study.IntegerScale && points[i] >= count(r)
			if !full && more <= budget {
				points[i]++
				size, grown = more, true
			}
		}
	}
	return product(ranges, points), nil
}

// product returns the product of so many values of each range, the last one changing fastest.
func product(ranges []study.Range, points []int) (all []Setting) {
	index := make([]int, len(ranges))
	for {
		s := make(Setting, len(ranges))
		for i := range ranges {
			s[i] = at(&ranges[i], index[i], points[i])
		}
		all = append(all, s)
		k := len(index) - 1
		for ; k >= 0; k-- {
			if index[k]++; index[k] < points[k] {
				break
			}
			index[k] = 0
		}
		if k < 0 {
			return all
		}
	}
}

// at returns value k of n equidistant ones of a range, which include its ends.
func at(r *study.Range, k, n int) any {
	if r.Scale == study.ListScale {
		return r.Values[k]
	}
	u := float64(k) / float64(n-1)
	switch r.Scale {
	case study.IntegerScale:
		return int64(math.Round(r.Low + u*(r.High-r.Low)))
	case study.LogScale:
		return rounded(r, r.Low*math.Pow(r.High/r.Low, u))
	}
	return rounded(r, r.Low+u*(r.High-r.Low))
}

// rounded returns a value with four significant digits, within the range.
func rounded(r *study.Range, x float64) float64 {
	const digits = 4
	if short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64); err == nil {
		x = short
	}
	return min(max(x, r.Low), r.High)
}

// random returns the settings of the first points of a rotated Halton sequence, those that differ.
func random(ranges []study.Range, budget int) (all []Setting) {
	return Further(ranges, nil, budget, func(Setting) bool { return true })
}

// Further returns n settings within their ranges beside those that are known, all different: the
// next points of a random search that fit. Where few combinations are left there are fewer.
func Further(ranges []study.Range, known []Setting, n int, fit func(Setting) bool) (all []Setting) {
	shift, bases := shifts(ranges), primes(len(ranges))
	seen := map[string]bool{}
	for _, s := range known {
		seen[key(s)] = true
	}
	// Where nearly all of few settings are wanted, many points fall upon settings that are there.
	most := 1000 * (n + len(known))
	for i := 0; len(all) < n && i < most; i++ {
		s := make(Setting, len(ranges))
		for j := range ranges {
			s[j] = drawn(&ranges[j], math.Mod(radicalInverse(i, bases[j])+shift[j], 1))
		}
		if k := key(s); !seen[k] {
			seen[k] = true
			if fit(s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// key tells settings apart. A whole number is the same as an integer: a plan stores both alike.
func key(s Setting) string {
	var b strings.Builder
	for _, v := range s {
		if x, ok := number(v); ok {
			v = x
		}
		fmt.Fprintf(&b, "%#v,", v)
	}
	return b.String()
}

// drawn returns the value of a range at u in [0, 1).
func drawn(r *study.Range, u float64) any {
	switch r.Scale {
	case study.ListScale:
		return r.Values[int(u*float64(len(r.Values)))]
	case study.IntegerScale:
		return min(int64(r.Low)+int64(u*(r.High-r.Low+1)), int64(r.High))
	case study.LogScale:
		return rounded(r, r.Low*math.Pow(r.High/r.Low, u))
	}
	return rounded(r, r.Low+u*(r.High-r.Low))
}

// radicalInverse returns the digits of i in a base, mirrored at the point: the i-th number of van
// der Corput's sequence, i ≥ 0.
func radicalInverse(i, base int) float64 {
	x, part := 0.0, 1.0
	for ; i > 0; i /= base {
		part /= float64(base)
		x += part * float64(i%base)
	}
	return x
}

// shifts returns by how much each coordinate is rotated, in [0, 1): a digest of the ranges decides.
func shifts(ranges []study.Range) []float64 {
	shift := make([]float64, len(ranges))
	var all []any
	for _, r := range ranges {
		all = append(all, []any{r.Path, r.Scale, r.Low, r.High, r.Values})
	}
	text, err := json.Marshal(all)
	if err != nil { // values are what a TOML file can hold
		text = fmt.Append(nil, all...)
	}
	for j := range shift {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", j, text))
		shift[j] = float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
	}
	return shift
}

// primes returns the first n primes.
func primes(n int) (list []int) {
	for p := 2; len(list) < n; p++ {
		prime := true
		for _, q := range list {
			prime = prime && p%q != 0
		}
		if prime {
			list = append(list, p)
		}
	}
	return list
}
