package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"github.com/hansa-fl/hansa/framework/fl"
)

// quantileModel builds quantile regression for a population.
func quantileModel(t *testing.T, level float64, intercept bool, pop *fl.Population) fl.Model {
	t.Helper()
	return build(t, Quantile, map[string]any{"level": level, "intercept": intercept}, pop.Train.Shape)
}

// whole rounds targets and features of a population, so that several residuals are zero at once.
func whole(pop *fl.Population) *fl.Population {
	for k, x := range pop.Train.X.Data {
		pop.Train.X.Data[k] = math.Round(x)
	}
	for k, y := range pop.Train.Target {
		pop.Train.Target[k] = math.Round(y)
	}
	return pop
}

// leastByProgram returns the least objective by another solver: min Σ sⱼ(τpⱼ + (1−τ)qⱼ) with
// ⟨aⱼ, θ⁺ − θ⁻⟩ + pⱼ − qⱼ = yⱼ and nothing below 0, by the simplex method of gonum.
func leastByProgram(t *testing.T, pop *fl.Population, w fl.Vector, level float64, intercept bool) float64 {
	t.Helper()
	d, share := pop.Train, pop.Shares(w)
	var rows []int
	for r, s := range share {
		if s > 0 {
			rows = append(rows, r)
		}
	}
	n := len(rows)
	var columns [][]float64
	for k := range d.X.Cols {
		column := make([]float64, n)
		for i, r := range rows {
			column[i] = d.X.Row(r)[k]
		}
		if fl.Vector(column).Norm() > 0 { // others matter to no row, and gonum refuses them
			columns = append(columns, column)
		}
	}
	if intercept {
		columns = append(columns, slices.Repeat([]float64{1}, n))
	}
	cols := len(columns)
	a, c, b := mat.NewDense(n, 2*cols+2*n, nil), make([]float64, 2*cols+2*n), make([]float64, n)
	for i, r := range rows {
		for k, column := range columns {
			a.Set(i, k, column[i])
			a.Set(i, cols+k, -column[i])
		}
		a.Set(i, 2*cols+i, 1)
		a.Set(i, 2*cols+n+i, -1)
		c[2*cols+i], c[2*cols+n+i] = share[r]*level, share[r]*(1-level)
		b[i] = d.Target[r]
	}
	basis := make([]int, n) // residuals alone
	for i := range basis {
		basis[i] = 2*cols + i
		if b[i] < 0 {
			basis[i] += n
		}
	}
	least, _, err := lp.Simplex(c, a, b, 1e-12, basis)
	if err != nil {
		t.Fatal(err)
	}
	return least
}

// Theorem: the optimum is that of the linear program, as another solver finds it; the value is that
// of the objective there.
//
//hansa:verifies theorem model/quantile
func TestQuantileOptimumIsThatOfTheLinearProgram(t *testing.T) {
	for _, level := range []float64{0.5, 0.1, 0.75} {
		for _, intercept := range []bool{false, true} {
			for name, pop := range map[string]*fl.Population{
				"numbers":     population(fl.Shape{Features: 3}, 7, 1, 12, 5),
				"integers":    whole(population(fl.Shape{Features: 2}, 7, 1, 12, 5)),
				"one feature": whole(population(fl.Shape{Features: 1}, 9, 3, 8, 6)),
				"many":        population(fl.Shape{Features: 6}, 20, 11, 30, 19),
			} {
				m := quantileModel(t, level, intercept, pop)
				for _, w := range []fl.Vector{{.25, .25, .25, .25}, {.7, .1, .15, .05}, {0, .4, .6, 0}} {
					best := optimum(t, m, pop, w)
					want := leastByProgram(t, pop, w, level, intercept)
					if !within(best.Value, want, 1e-10) || !within(objective(m, pop, w, best.Params), want, 1e-10) {
						t.Errorf("%s, level %v, intercept %t, w = %v: F* = %.15g, F(θ*) = %.15g, want %.15g", name, level,
							intercept, w, best.Value, objective(m, pop, w, best.Params), want)
					}
				}
			}
		}
	}
}

// Theorem: with a constant alone the optimum is the weighted quantile of the targets; of client
// targets 1 … 5 that count 0.1, 0.1, 0.1, 0.3, 0.4, the median is 4, and 80 % lie below 5.
//
//hansa:verifies theorem model/quantile
func TestQuantileIsTheWeightedQuantile(t *testing.T) {
	for _, c := range []struct{ level, want, value float64 }{
		{0.5, 4, 0.5 * (0.3 + 0.2 + 0.1 + 0.4)}, {0.8, 5, 0.2 * (0.4 + 0.3 + 0.2 + 0.3)}, {0.05, 1, 0.05 * (0.1 + 0.2 + 0.9 + 1.6)},
	} {
		pop := &fl.Population{Start: []int{0, 1, 2, 3, 4, 5}, Train: &fl.Dataset{Shape: fl.Shape{Features: 1},
			X: fl.NewMatrix(5, 1), Target: fl.Vector{1, 2, 3, 4, 5}}}
		fl.Vector(pop.Train.X.Data).Fill(1)
		m := quantileModel(t, c.level, false, pop)
		best := optimum(t, m, pop, fl.Vector{.1, .1, .1, .3, .4})
		if !best.Unique || !within(best.Params[0], c.want, 1e-12) || !within(best.Value, c.value, 1e-12) {
			t.Errorf("level %v: θ* = %v, F* = %v, unique = %t, want %v and %v", c.level, best.Params, best.Value, best.Unique,
				c.want, c.value)
		}
	}
}

// Between two targets that count the same every constant is a median: the optimum is not unique.
func TestQuantileKnowsOtherOptima(t *testing.T) {
	for _, c := range append(degenerates(), degenerate{"two targets, one constant", true, constants(1, 2)}) {
		m := quantileModel(t, 0.5, c.intercept, c.pop)
		w := fl.Vector{.5, .5}
		best := optimum(t, m, c.pop, w)
		if best.Unique {
			t.Errorf("%s: the optimum claims to be unique", c.name)
		}
		if want := leastByProgram(t, c.pop, w, 0.5, c.intercept); !within(best.Value, want, 1e-10) ||
			!within(objective(m, c.pop, w, best.Params), want, 1e-10) {
			t.Errorf("%s: F* = %v, F(θ*) = %v, want %v", c.name, best.Value, objective(m, c.pop, w, best.Params), want)
		}
	}
}

// constants returns clients with one target each and a feature that is zero.
func constants(targets ...float64) *fl.Population {
	pop := &fl.Population{Start: []int{0}, Train: &fl.Dataset{Shape: fl.Shape{Features: 1},
		X: fl.NewMatrix(len(targets), 1), Target: targets}}
	for i := range targets {
		pop.Start = append(pop.Start, i+1)
	}
	return pop
}

// Gap is F(θ) − F(θ*), never below 0, and close to the optimum right to all digits that the
// parameters leave: there it grows in proportion to the distance.
func TestQuantileGapIsTheObjectiveAboveItsMinimum(t *testing.T) {
	pop := population(fl.Shape{Features: 4}, 7, 3, 12)
	w := fl.Vector{.2, .5, .3}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, level := range []float64{0.5, 0.2} {
		m := quantileModel(t, level, true, pop)
		best := optimum(t, m, pop, w)
		if gap := best.Gap(best.Params); gap < 0 || gap > 1e-14 {
			t.Errorf("level %v: gap %v at the optimum", level, gap)
		}
		for range 100 {
			direction := normals(len(best.Params), rng)
			near := math.NaN()
			for _, away := range []float64{1e-6, 1e-9, 1e-3, 1, 1e6} {
				theta := best.Params.Clone()
				theta.AddScaled(away, direction)
				gap := best.Gap(theta)
				if want := objective(m, pop, w, theta) - best.Value; gap < 0 || !within(gap, want, 1e-12) {
					t.Fatalf("level %v, %v away: gap %v, F(θ) − F* = %v", level, away, gap, want)
				}
				if away == 1e-6 {
					near = gap
				} else if away == 1e-9 && math.Abs(gap/near*1e3-1) > 1e-4 {
					t.Fatalf("level %v: gaps %v and %v at distances 1e-6 and 1e-9", level, near, gap)
				}
			}
		}
	}
}

// Theorem (subgradient inequality): F(φ) ≥ F(θ) + ⟨g, φ − θ⟩ for each φ, also where residuals are
// zero.
func TestQuantileGradientIsASubgradient(t *testing.T) {
	pop := whole(population(fl.Shape{Features: 2}, 10, 8))
	rng := rand.New(rand.NewPCG(7, 8))
	for _, level := range []float64{0.5, 0.9} {
		m := quantileModel(t, level, true, pop)
		k := m.Worker()
		for range 200 {
			theta, phi := normals(3, rng), normals(3, rng)
			for i := range theta {
				theta[i] = math.Round(theta[i]) // where there are kinks
			}
			g := make(fl.Vector, 3)
			k.Gradient(g, theta, pop.Train, nil)
			bound := k.Loss(theta, pop.Train) + g.Dot(phi) - g.Dot(theta)
			if value := k.Loss(phi, pop.Train); value < bound-1e-12 {
				t.Fatalf("level %v: F(φ) = %v is below %v", level, value, bound)
			}
		}
	}
}

// The solver ends at vertices where many residuals are zero, and gives the same bits again.
func TestQuantileOptimumOfManyTies(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n, d := 3+rng.IntN(12), 1+rng.IntN(3)
		pop := integers(rng, n, d)
		level := []float64{0.5, 0.25, 0.9}[seed%3]
		m := quantileModel(t, level, seed%2 == 0, pop)
		best, again := optimum(t, m, pop, fl.Vector{1}), optimum(t, m, pop, fl.Vector{1})
		if !slices.Equal(best.Params, again.Params) {
			t.Errorf("seed %d: %v, then %v", seed, best.Params, again.Params)
		}
		want := leastByProgram(t, pop, fl.Vector{1}, level, seed%2 == 0)
		if !within(best.Value, want, 1e-10) {
			t.Errorf("seed %d: F* = %v, want %v", seed, best.Value, want)
		}
	}
}
