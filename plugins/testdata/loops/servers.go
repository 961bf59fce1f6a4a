// Package loops computes the rules of testdata/fast by plain loops over coordinates, from their
// formulas: it shares no code with them.
package loops

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Rule computes a round of a rule. What it keeps lasts from round to round.
type Rule func(r *fl.Round, keep Tables) []float64

// Tables are rows of numbers by name.
type Tables map[string]map[int][]float64

// row returns a row of d numbers, which are zeros at first.
func (k Tables) row(name string, i, d int) []float64 {
	if k[name] == nil {
		k[name] = map[int][]float64{}
	}
	if k[name][i] == nil {
		k[name][i] = make([]float64, d)
	}
	return k[name][i]
}

// deltas returns θₖ − θᵗ⁻¹.
func deltas(r *fl.Round) (all [][]float64) {
	for _, u := range r.Updates {
		d := make([]float64, len(r.Global))
		for i := range d {
			d[i] = u.Params[i] - r.Global[i]
		}
		all = append(all, d)
	}
	return all
}

// weighted returns Σ w[k]·xs[k].
func weighted(w []float64, xs [][]float64) []float64 {
	sum := make([]float64, len(xs[0]))
	for k, x := range xs {
		for i, v := range x {
			sum[i] += w[k] * v
		}
	}
	return sum
}

// same weights, and weights by samples, both of sum 1.
func shares(r *fl.Round, bySamples bool) []float64 {
	w, sum := make([]float64, len(r.Updates)), 0.0
	for k, u := range r.Updates {
		w[k] = 1
		if bySamples {
			w[k] = float64(u.Samples)
		}
		sum += w[k]
	}
	for k := range w {
		w[k] /= sum
	}
	return w
}

// plus returns θᵗ⁻¹ + rate·x.
func plus(r *fl.Round, rate float64, x []float64) []float64 {
	next := make([]float64, len(x))
	for i, v := range x {
		next[i] = r.Global[i] + rate*v
	}
	return next
}

// Rules returns all rules of testdata/fast, by name.
func Rules() map[string]Rule {
	return map[string]Rule{
		"fedadagrad": adaptive("adagrad"), "fedadam": adaptive("adam"), "fedyogi": adaptive("yogi"),
		"fedgma": agreement, "fedexp": extrapolation,
		"mifa": latest(false), "fedvarp": latest(true),
		"meamed": around(false), "phocas": around(true), "bulyan": bulyan,
		"majority-vote": votes(false), "robust-learning-rate": votes(true),
		"centered-clipping": clipping, "fltrust": trust, "foolsgold": foolsGold,
		"nearest-mixing": neighbors, "bucketing": buckets, "dnc": divide,
		"alie": little, "min-max": farthest, "sparse": largestOnly,
	}
}

func adaptive(kind string) Rule {
	return func(r *fl.Round, keep Tables) []float64 {
		const beta1, beta2, tau, rate = 0.9, 0.99, 1e-3, 0.1
		d := len(r.Global)
		m, v := keep.row("m", 0, d), keep.row("v", 0, d)
		next := make([]float64, d)
		for i, x := range weighted(shares(r, true), deltas(r)) {
			if r.T == 0 {
				v[i] = tau * tau
			}
			m[i] = beta1*m[i] + (1-beta1)*x
			switch kind {
			case "adagrad":
				v[i] += x * x
			case "adam":
				v[i] = beta2*v[i] + (1-beta2)*x*x
			case "yogi":
				if v[i] > x*x {
					v[i] -= (1 - beta2) * x * x
				} else {
					v[i] += (1 - beta2) * x * x
				}
			}
			next[i] = r.Global[i] + rate*m[i]/(math.Sqrt(v[i])+tau)
		}
		return next
	}
}

// balance returns by how many more updates are positive than negative.
func balance(r *fl.Round) []float64 {
	sum := make([]float64, len(r.Global))
	for _, x := range deltas(r) {
		for i, v := range x {
			switch {
			case v > 0:
				sum[i]++
			case v < 0:
				sum[i]--
			}
		}
	}
	return sum
}

func agreement(r *fl.Round, _ Tables) []float64 {
	mean, votes := weighted(shares(r, true), deltas(r)), balance(r)
	for i := range mean {
		// 10 shares of a tenth need not be 1: a vote on the edge is decided as weights add up.
		if a := math.Abs(votes[i]) / float64(len(r.Updates)); a < 0.4-1e-12 {
			mean[i] *= a
		}
	}
	return plus(r, 1, mean)
}

func extrapolation(r *fl.Round, _ Tables) []float64 {
	all := deltas(r)
	mean, squares, square := weighted(shares(r, false), all), 0.0, 0.0
	for i, m := range mean {
		square += m * m
		for _, x := range all {
			squares += x[i] * x[i]
		}
	}
	return plus(r, max(1, squares/(2*float64(len(all))*(square+1e-3))), mean)
}

func latest(varies bool) Rule {
	return func(r *fl.Round, keep Tables) []float64 {
		all, d := deltas(r), len(r.Global)
		step := make([]float64, d)
		sum := func() {
			for i := range r.Roster.N {
				for j, y := range keep.row("y", i, d) {
					step[j] += y / float64(r.Roster.N)
				}
			}
		}
		if varies {
			sum()
		}
		for k, u := range r.Updates {
			y := keep.row("y", u.Client, d)
			for j := range y {
				if varies {
					step[j] += (all[k][j] - y[j]) / float64(len(all))
				}
				y[j] = all[k][j]
			}
		}
		if !varies {
			sum()
		}
		return plus(r, 1, step)
	}
}

func votes(threshold bool) Rule {
	return func(r *fl.Round, _ Tables) []float64 {
		mean := weighted(shares(r, true), deltas(r))
		for i, v := range balance(r) {
			switch {
			case !threshold && v == 0:
				mean[i] = 0
			case !threshold:
				mean[i] = math.Copysign(0.01, v)
			case math.Abs(v) < 4:
				mean[i] = -mean[i]
			}
		}
		return plus(r, 1, mean)
	}
}

func largestOnly(r *fl.Round, keep Tables) []float64 {
	d := len(r.Global)
	step := make([]float64, d)
	for k, x := range deltas(r) {
		left := keep.row("left", r.Updates[k].Client, d)
		order := make([]int, d)
		for i := range x {
			left[i] += x[i]
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			return -compareNumbers(math.Abs(left[i]), math.Abs(left[j]))
		})
		for _, i := range order[:d/10] {
			step[i] += left[i] / float64(len(r.Updates))
			left[i] = 0
		}
	}
	return plus(r, 1, step)
}

func compareNumbers(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
