package loops

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/plugins/trial"
)

// byColumn returns a number for every coordinate of some models, given in ascending order.
func byColumn(xs [][]float64, of func(column []float64) float64) []float64 {
	next := make([]float64, len(xs[0]))
	for i := range next {
		var column []float64
		for _, x := range xs {
			column = append(column, x[i])
		}
		slices.Sort(column)
		next[i] = of(column)
	}
	return next
}

func mean(column []float64) float64 {
	sum := 0.0
	for _, x := range column {
		sum += x
	}
	return sum / float64(len(column))
}

func middle(column []float64) float64 {
	n := len(column)
	return (column[n/2] + column[(n-1)/2]) / 2
}

// nearestMean returns the mean of the count numbers nearest to c, the smaller of two as near.
func nearestMean(column []float64, c float64, count int) float64 {
	near := slices.Clone(column)
	slices.SortStableFunc(near, func(a, b float64) int {
		return compareNumbers(math.Abs(a-c), math.Abs(b-c))
	})
	return mean(near[:count])
}

func around(trims bool) Rule {
	return func(r *fl.Round, _ Tables) []float64 {
		return byColumn(r.Models(), func(column []float64) float64 {
			c := middle(column)
			if trims {
				c = mean(column[1 : len(column)-1])
			}
			return nearestMean(column, c, len(column)-1)
		})
	}
}

// square returns ‖x − y‖².
func square(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return sum
}

func bulyan(r *fl.Round, _ Tables) []float64 {
	left, f := slices.Clone(r.Models()), 1
	n := len(left)
	if n < 7 {
		f = 0
	}
	var chosen [][]float64
	for len(chosen) < n-2*f {
		best, least := 0, math.Inf(1)
		for k, x := range left {
			var near []float64
			for j, y := range left {
				if j != k {
					near = append(near, square(x, y))
				}
			}
			slices.Sort(near)
			score := 0.0
			for _, d := range near[:min(len(near), max(1, len(left)-f-2))] {
				score += d
			}
			if score < least {
				best, least = k, score
			}
		}
		chosen = append(chosen, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return byColumn(chosen, func(column []float64) float64 {
		return nearestMean(column, middle(column), n-4*f)
	})
}

func clipping(r *fl.Round, keep Tables) []float64 {
	d := len(r.Global)
	v, sum := keep.row("v", 0, d), make([]float64, d)
	for _, x := range deltas(r) {
		scale := min(1, 10/math.Sqrt(square(x, v)))
		for i := range x {
			sum[i] += scale * (x[i] - v[i]) / float64(len(r.Updates))
		}
	}
	for i := range v {
		v[i] += sum[i]
	}
	return plus(r, 1, v)
}

// cosine returns that of the angle between two vectors.
func cosine(x, y []float64) float64 {
	dot, zero := 0.0, make([]float64, len(x))
	for i := range x {
		dot += x[i] * y[i]
	}
	return dot / math.Sqrt(square(x, zero)*square(y, zero))
}

func trust(r *fl.Round, _ Tables) []float64 {
	all := deltas(r)
	zero, w, total := make([]float64, len(r.Global)), make([]float64, len(all)), 0.0
	for k, x := range all {
		score := max(0, cosine(x, all[0]))
		w[k] = score * math.Sqrt(square(all[0], zero)/square(x, zero))
		total += score
	}
	return plus(r, 1/total, weighted(w, all))
}

func foolsGold(r *fl.Round, keep Tables) []float64 {
	all, n, d := deltas(r), len(r.Updates), len(r.Global)
	history := make([][]float64, n)
	for k, u := range r.Updates {
		history[k] = keep.row("history", u.Client, d)
		for i := range d {
			history[k][i] += all[k][i]
		}
	}
	alike, largest := make([][]float64, n), make([]float64, n)
	for i := range n {
		alike[i] = make([]float64, n)
		for j := range n {
			if i != j {
				alike[i][j] = cosine(history[i], history[j])
				largest[i] = max(largest[i], alike[i][j])
			}
		}
	}
	w, top := make([]float64, n), 1e-12
	for i := range n {
		most := 0.0
		for j := range n {
			if largest[j] > largest[i] && largest[i] > 0 {
				alike[i][j] *= largest[i] / largest[j]
			}
			most = max(most, alike[i][j])
		}
		w[i] = 1 - most
		top = max(top, w[i])
	}
	total := 0.0
	for i, x := range w {
		x = min(max(x/top, 1e-6), 0.99)
		w[i] = min(max(math.Log(x/(1-x))+0.5, 0), 1)
		total += w[i]
	}
	if total == 0 {
		total = 1
	}
	return plus(r, 1/total, weighted(w, all))
}

func neighbors(r *fl.Round, _ Tables) []float64 {
	models := r.Models()
	near := len(models) - 1
	var mixed [][]float64
	for _, x := range models {
		others := slices.Clone(models)
		slices.SortStableFunc(others, func(a, b []float64) int {
			return compareNumbers(square(x, a), square(x, b))
		})
		w := make([]float64, near)
		for k := range w {
			w[k] = 1 / float64(near)
		}
		mixed = append(mixed, weighted(w, others[:near]))
	}
	return byColumn(mixed, middle)
}

func buckets(r *fl.Round, _ Tables) []float64 {
	order, models := r.RNG.Perm(len(r.Updates)), r.Models()
	var means [][]float64
	for from := 0; from < len(order); from += 2 {
		bucket := [][]float64{models[order[from]]}
		if from+1 < len(order) {
			bucket = append(bucket, models[order[from+1]])
		}
		means = append(means, byColumn(bucket, mean))
	}
	return byColumn(means, middle)
}

// divide leaves out the one model that is farthest along the direction of most variance, which is
// found by powers of the covariance of the coordinates.
func divide(r *fl.Round, _ Tables) []float64 {
	d := len(r.Global)
	some := stats.DrawUniform(nil, d, d, r.RNG)
	var rows [][]float64
	for _, u := range r.Updates {
		var row []float64
		for _, i := range some {
			row = append(row, u.Params[i])
		}
		rows = append(rows, row)
	}
	center := weighted(shares(r, false), rows)
	v, zero := trial.Point(trial.Random(9), make(fl.Vector, d), 1), make([]float64, d)
	along := make([]float64, len(rows))
	for range 2000 {
		for k, row := range rows {
			along[k] = 0
			for i := range v {
				along[k] += (row[i] - center[i]) * v[i]
			}
		}
		next := make([]float64, d)
		for k, row := range rows {
			for i := range v {
				next[i] += along[k] * (row[i] - center[i])
			}
		}
		size := math.Sqrt(square(next, zero))
		for i := range v {
			v[i] = next[i] / size
		}
	}
	farthest := 0
	for k, x := range along {
		if math.Abs(x) > math.Abs(along[farthest]) {
			farthest = k
		}
	}
	left := slices.Delete(slices.Clone(r.Models()), farthest, farthest+1)
	return byColumn(left, mean)
}

// spread returns the mean and the standard deviation of every coordinate.
func spread(r *fl.Round) (center, deviation []float64) {
	center = byColumn(r.Models(), mean)
	return center, byColumn(r.Models(), func(column []float64) float64 {
		m, sum := mean(column), 0.0
		for _, x := range column {
			sum += (x - m) * (x - m)
		}
		return math.Sqrt(sum / float64(len(column)))
	})
}

func little(r *fl.Round, _ Tables) []float64 {
	center, deviation := spread(r)
	for i := range center {
		center[i] -= 1.5 * deviation[i]
	}
	return center
}

// farthest solves for every model which z takes it to the limit: a quadratic equation.
func farthest(r *fl.Round, _ Tables) []float64 {
	center, deviation := spread(r)
	limit := 0.0
	for _, x := range r.Models() {
		for _, y := range r.Models() {
			limit = max(limit, square(x, y))
		}
	}
	z, a := 100.0, square(deviation, make([]float64, len(deviation)))
	for _, x := range r.Models() {
		b := 0.0 // ‖center − zσ − x‖² = az² − 2bz + c
		for i := range x {
			b += deviation[i] * (center[i] - x[i])
		}
		z = min(z, (b+math.Sqrt(b*b-a*(square(center, x)-limit)))/a)
	}
	for i := range center {
		center[i] -= z * deviation[i]
	}
	return center
}
