package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// integers returns one client with features and targets that are small integers, so that residuals
// are zero together.
func integers(rng *rand.Rand, n, d int) *fl.Population {
	pop := &fl.Population{Start: []int{0, n}, Train: &fl.Dataset{Shape: fl.Shape{Features: d},
		X: fl.NewMatrix(n, d), Target: make(fl.Vector, n)}}
	for k := range pop.Train.X.Data {
		pop.Train.X.Data[k] = float64(rng.IntN(3) - 1)
	}
	for k := range pop.Train.Target {
		pop.Train.Target[k] = float64(rng.IntN(3))
	}
	return pop
}

// The median of 1, 2, 2, 3 is 2 and no other number, though one of the two rows has a multiplier at
// its bound; that of 1, 2, 2, 3, 3, 3 is any number from 2 to 3.
func TestQuantileOfTiesIsUnique(t *testing.T) {
	for _, c := range []struct {
		targets []float64
		level   float64
		unique  bool
		at      float64
	}{
		{[]float64{1, 2, 2, 3}, 0.5, true, 2},
		{[]float64{3, 2, 1, 2}, 0.5, true, 2},
		{[]float64{1, 2, 2, 3, 3, 3}, 0.5, false, 2},
		{[]float64{1, 1, 1, 1}, 0.25, true, 1},
		{[]float64{1, 1, 2, 2}, 0.25, true, 1},
		{[]float64{1, 2, 2, 2}, 0.25, false, 1},
		{[]float64{7}, 0.5, true, 7},
	} {
		pop := constants(c.targets...)
		pop.Start = []int{0, len(c.targets)}
		fl.Vector(pop.Train.X.Data).Fill(1)
		best := optimum(t, quantileModel(t, c.level, false, pop), pop, fl.Vector{1})
		if best.Unique != c.unique || c.unique && best.Params[0] != c.at {
			t.Errorf("%v at level %v: θ* = %v, unique = %t, want %v, %t", c.targets, c.level, best.Params,
				best.Unique, c.at, c.unique)
		}
	}
}

// Where the optimum claims to be unique, the objective grows in every direction; with one parameter
// it also is constant in one where it does not claim so.
func TestQuantileIsUniqueWhereItSaysSo(t *testing.T) {
	unique := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 11))
		d := 1 + int(seed%3)
		pop := integers(rng, 3+rng.IntN(10), d)
		m := quantileModel(t, []float64{0.5, 0.25}[seed%2], false, pop)
		best := optimum(t, m, pop, fl.Vector{1})
		if best.Unique {
			unique++
		}
		const step = 1e-4
		least := math.Inf(1)
		for k := range int(math.Pow(7, float64(d))) { // directions of integers from −3 to 3
			theta, zero := best.Params.Clone(), true
			for c := range theta {
				x := float64(k%7 - 3)
				theta[c] += step * x
				zero, k = zero && x == 0, k/7
			}
			if !zero {
				least = min(least, objective(m, pop, fl.Vector{1}, theta)-best.Value)
			}
		}
		if grows := least > 1e-9; best.Unique && !grows || d == 1 && best.Unique != grows {
			t.Errorf("seed %d, %d features: unique = %t, and the least change is %v", seed, d, best.Unique, least)
		}
	}
	if unique < 50 || unique > 250 {
		t.Errorf("%d of 300 optima are unique", unique)
	}
}

// At the edges of what may be asked the optimum is that of another solver, to the digits of its own
// size: levels near 0 and 1, features and targets of very different sizes, clients that hardly
// count, fewer rows than columns.
func TestQuantileAtItsEdges(t *testing.T) {
	scaled, unscaled := population(fl.Shape{Features: 3}, 9, 8), population(fl.Shape{Features: 3}, 9, 8)
	for r := range scaled.Train.X.Rows {
		scaled.Train.X.Row(r)[0] *= 1e6
		scaled.Train.X.Row(r)[2] *= 1e-6
	}
	large := population(fl.Shape{Features: 2}, 9, 8)
	large.Train.Target.Scale(1e8)
	offset := population(fl.Shape{Features: 2}, 9, 8)
	for k := range offset.Train.Target {
		offset.Train.Target[k] += 1e6
	}
	even := fl.Vector{.5, .5}
	for _, c := range []struct {
		name  string
		pop   *fl.Population
		level float64
		w     fl.Vector
	}{
		{"a level near 0", population(fl.Shape{Features: 3}, 12, 9), 1e-6, even},
		{"a level near 1", population(fl.Shape{Features: 3}, 12, 9), 1 - 1e-6, even},
		{"features of different sizes", scaled, 0.3, even},
		{"large targets", large, 0.7, even},
		{"targets far from 0", offset, 0.5, even},
		{"a client that hardly counts", population(fl.Shape{Features: 2}, 9, 8), 0.5, fl.Vector{1 - 1e-7, 1e-7}},
		{"one row", population(fl.Shape{Features: 1}, 1, 1), 0.5, fl.Vector{1, 0}},
	} {
		m := quantileModel(t, c.level, true, c.pop)
		best := optimum(t, m, c.pop, c.w)
		like := c.pop
		if c.pop == scaled {
			like = unscaled // the least value is the same, and the other solver has no digits left
		}
		want := leastByProgram(t, like, c.w, c.level, true)
		got := objective(m, c.pop, c.w, best.Params)
		size := 0.0 // of the objective at θ = 0: what rounding is relative to
		for _, y := range c.pop.Train.Target {
			size = max(size, math.Abs(y))
		}
		if tol := 1e-10*want + 1e-14*size; math.Abs(best.Value-want) > tol || math.Abs(got-want) > 10*tol {
			t.Errorf("%s: F* = %v, F(θ*) = %v, want %v", c.name, best.Value, got, want)
		}
	}
}

// Features or targets that are no finite numbers are an error.
func TestQuantileRefusesWhatIsNotFinite(t *testing.T) {
	for _, spoil := range []func(*fl.Dataset){
		func(d *fl.Dataset) { d.X.Data[1] = math.NaN() },
		func(d *fl.Dataset) { d.Target[2] = math.Inf(1) },
	} {
		pop := population(fl.Shape{Features: 2}, 5, 5)
		spoil(pop.Train)
		if best, err := quantileModel(t, 0.5, true, pop).Facts().Solve(pop, fl.Vector{.5, .5}); err == nil {
			t.Errorf("it is solved: %+v", best)
		}
	}
}
