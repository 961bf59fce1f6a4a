package main

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

const (
	members    = 10 // of a cohort
	parameters = 400_000
	trimmed    = 2 // at either end
)

// rules measures what rules of aggregation are made of, on one cohort's models, beside loops
// over coordinates and over pairs as they are written without hansa.
func rules() [][]benchmark {
	const unit, size = "rounds/s", "/10x400k"
	return [][]benchmark{
		{
			{"rule/median" + size, unit,
				combine(func(c *cohort) { tensor.Median(c.next, c.models) })},
			{"rule/median" + size + "/naive", unit, combine(func(c *cohort) { c.sorted(4, 6) })},
		}, {
			{"rule/trimmed-mean" + size, unit,
				combine(func(c *cohort) { tensor.TrimmedMean(c.next, c.models, trimmed) })},
			{"rule/trimmed-mean" + size + "/naive", unit,
				combine(func(c *cohort) { c.sorted(trimmed, members-trimmed) })},
		}, {
			{"rule/krum" + size, unit,
				combine(func(c *cohort) { tensor.SquaredDistances(c.apart, c.models) })},
			{"rule/krum" + size + "/naive", unit, combine((*cohort).pairs)},
		}, {
			{"rule/geometric-median" + size, unit, combine((*cohort).center)},
		}, {
			{"rule/mean" + size, unit, combine(func(c *cohort) {
				clear(c.next)
				c.next.AddWeighted(c.weights, c.models)
			})},
		},
	}
}

// A cohort is what a rule is given, and room for what it makes of that.
type cohort struct {
	models        [][]float64
	weights, next tensor.Vector
	apart         tensor.Matrix
}

// combine applies a rule to models of normal numbers.
func combine(rule func(c *cohort)) func() (task, error) {
	return func() (task, error) {
		c := newCohort(members, parameters)
		return repeat(func() error { rule(c); return nil }), nil
	}
}

// center finds the geometric median and forms it.
func (c *cohort) center() {
	lambda := make(tensor.Vector, members)
	tensor.SquaredDistances(c.apart, c.models)
	stats.GeometricMedian(lambda, c.weights, c.apart, 1e-9, 1000)
	clear(c.next)
	c.next.AddWeighted(lambda, c.models)
}

// sorted averages the numbers of rank lo to hi, coordinate by coordinate.
func (c *cohort) sorted(lo, hi int) { c.byColumn(len(c.next), meanOf(lo, hi)) }

// byColumn sorts n coordinates one by one, and sets the next model to what a rule makes of each.
func (c *cohort) byColumn(n int, rule func(column []float64) float64) {
	column := make([]float64, len(c.models))
	for i := range n {
		for k, model := range c.models {
			column[k] = model[i]
		}
		slices.Sort(column)
		c.next[i] = rule(column)
	}
}

// meanOf averages the numbers of rank lo to hi.
func meanOf(lo, hi int) func(column []float64) float64 {
	return func(column []float64) float64 {
		sum := 0.0
		for _, x := range column[lo:hi] {
			sum += x
		}
		return sum / float64(hi-lo)
	}
}

// pairs measures how far models are apart, pair by pair.
func (c *cohort) pairs() { c.pairsOf(len(c.models)) }

// pairsOf measures how far the first n models are from each other.
func (c *cohort) pairsOf(n int) {
	for i, x := range c.models[:n] {
		for j, y := range c.models[:i] {
			sum := 0.0
			for n := range x {
				sum += (x[n] - y[n]) * (x[n] - y[n])
			}
			c.apart.Row(i)[j], c.apart.Row(j)[i] = sum, sum
		}
	}
}
