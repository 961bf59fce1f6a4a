package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// center returns the geometric median of points.
func center(xs [][]float64, w tensor.Vector, epsilon float64, steps int) (tensor.Vector, Center) {
	d, lambda := tensor.NewMatrix(len(xs), len(xs)), make(tensor.Vector, len(xs))
	tensor.SquaredDistances(d, xs)
	c := GeometricMedian(lambda, w, d, epsilon, steps)
	y := make(tensor.Vector, len(xs[0]))
	y.AddWeighted(lambda, xs)
	return y, c
}

// cost returns Σ w‖x − y‖ / Σ w.
func cost(xs [][]float64, w, y tensor.Vector) float64 {
	sum := 0.0
	for k, x := range xs {
		sum += w[k] * y.Distance(x)
	}
	return sum / w.Sum()
}

func ones(n int) tensor.Vector {
	w := make(tensor.Vector, n)
	w.Fill(1)
	return w
}

func cloud(rng *rand.Rand, k, n int) [][]float64 {
	xs := make([][]float64, k)
	for i := range xs {
		v := make(tensor.Vector, n)
		v.AddNoise(1, rng)
		xs[i] = v
	}
	return xs
}

func TestGeometricMedianOfKnownPoints(t *testing.T) {
	r := math.Sqrt(3)
	for name, c := range map[string]struct {
		xs   [][]float64
		w    tensor.Vector
		want tensor.Vector
	}{
		"one point":                 {[][]float64{{2, 3}}, ones(1), tensor.Vector{2, 3}},
		"all in one":                {[][]float64{{2}, {2}, {2}}, ones(3), tensor.Vector{2}},
		"the median on a line":      {[][]float64{{9}, {1}, {-50}}, ones(3), tensor.Vector{1}},
		"more than half at a point": {[][]float64{{0, 0}, {5, 0}, {0, 5}}, tensor.Vector{2.1, 1, 1}, tensor.Vector{0, 0}},
		"half of them together":     {[][]float64{{0, 0}, {0, 0}, {5, 0}, {0, 5}}, ones(4), tensor.Vector{0, 0}},
		"an obtuse triangle":        {[][]float64{{0, 0}, {10, 1}, {-10, 1}}, ones(3), tensor.Vector{0, 0}},
		"an equilateral triangle":   {[][]float64{{0, 2}, {r, -1}, {-r, -1}}, ones(3), tensor.Vector{0, 0}},
		"a square":                  {[][]float64{{0, 0}, {1, 1}, {1, 0}, {0, 1}}, ones(4), tensor.Vector{.5, .5}},
		"a point without weight":    {[][]float64{{0}, {7}, {1}}, tensor.Vector{1, 0, 2}, tensor.Vector{1}},
		// Weiszfeld's own iteration stops at the point (0, 0), where it must not.
		"a point in the way": {[][]float64{{0, 0}, {0, 1}, {0, -1}, {3, 1}, {3, -1}, {3, 0}},
			tensor.Vector{1, 1, 1, 1, 1, 1}, nil},
	} {
		y, got := center(c.xs, c.w, 1e-10, 10_000)
		if !got.Converged || got.Residual < 0 || math.Abs(got.Distance-cost(c.xs, c.w, y)) > 1e-7 {
			t.Errorf("%s: %+v, cost %v", name, got, cost(c.xs, c.w, y))
		}
		if c.want != nil && y.Distance(c.want) > 1e-7 {
			t.Errorf("%s: %v, want %v: %+v", name, y, c.want, got)
		}
	}
}

// What the solver says of its residual is what the points themselves say.
func TestGeometricMedianIsAMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 1))
	for _, k := range []int{2, 3, 5, 10, 64, 65} {
		for _, n := range []int{1, 2, 30, 700} {
			xs, w := cloud(rng, k, n), make(tensor.Vector, k)
			for i := range w {
				w[i] = rng.Float64()
			}
			tensor.Vector(xs[0]).AddConst(1e4) // one is far away
			y, c := center(xs, w, 1e-8, 100_000)
			if !c.Converged {
				t.Errorf("%d points of %d: %+v", k, n, c)
				continue
			}
			pull, held, least := make(tensor.Vector, n), 0.0, cost(xs, w, y)
			for i, x := range xs {
				if far := y.Distance(x); far > 0 {
					pull.AddScaled(w[i]/far, x)
					pull.AddScaled(-w[i]/far, y)
				} else {
					held += w[i]
				}
				if at := cost(xs, w, x); at < least*(1-1e-12) {
					t.Errorf("%d points of %d: point %d is better", k, n, i)
				}
			}
			if residual := (pull.Norm() - held) / w.Sum(); residual > 1e-7 {
				t.Errorf("%d points of %d: residual %v, said %+v", k, n, residual, c)
			}
		}
	}
}

// Every step descends (Vardi, Zhang, Theorem), the first from the best point too.
func TestWeiszfeldDescends(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 3))
	for range 300 {
		k := 3 + rng.IntN(4)
		xs, w := cloud(rng, k, 1+rng.IntN(3)), make(tensor.Vector, k)
		for i := range w {
			w[i] = rng.Float64()
		}
		last := math.Inf(1)
		for steps := range 6 {
			_, c := center(xs, w, 1e-6, steps)
			if !(c.Distance <= last*(1+1e-12)) || !(c.Residual >= 0 && c.Residual <= 1) {
				t.Fatalf("%d points, weights %v: %+v after %v", k, w, c, last)
			}
			last = c.Distance
		}
	}
}

func TestGeometricMedianThatIsNotFound(t *testing.T) {
	xs := [][]float64{{0, 2}, {1.7, -1}, {-1.7, -1}}
	y, c := center(xs, ones(3), 1e-12, 0)
	if c.Converged || !(c.Residual > 1e-12) || c.Steps != 0 || y.Distance(xs[0]) != 0 && y.Distance(xs[1]) != 0 && y.Distance(xs[2]) != 0 {
		t.Errorf("without a step: %v, %+v", y, c)
	}
	if y, more := center(xs, ones(3), 1e-12, 3); more.Converged || !(more.Residual < c.Residual) ||
		!(cost(xs, ones(3), y) < c.Distance) || more.Steps != 3 {
		t.Errorf("after three steps: %+v", more)
	}
	for name, w := range map[string]tensor.Vector{"no weight": {0, 0, 0}, "NaN": {1, math.NaN(), 1},
		"infinite": {1, math.Inf(1), 0}} {
		if y, c := center(xs, w, 1e-9, 50); c.Converged || y[0] == y[0] || c.Residual == c.Residual {
			t.Errorf("%s: %v, %+v", name, y, c)
		}
	}
	xs[1][0] = math.NaN()
	if y, c := center(xs, ones(3), 1e-9, 50); c.Converged || y[0] == y[0] {
		t.Errorf("a point that is NaN: %v, %+v", y, c)
	}
	if c := GeometricMedian(nil, nil, tensor.Matrix{}, 1e-9, 50); c.Converged {
		t.Errorf("of no points: %+v", c)
	}
}

func TestGeometricMedianAllocatesNothing(t *testing.T) {
	xs := cloud(rand.New(rand.NewPCG(36, 2)), 64, 3)
	d, lambda, w := tensor.NewMatrix(64, 64), make(tensor.Vector, 64), ones(64)
	tensor.SquaredDistances(d, xs)
	if n := testing.AllocsPerRun(10, func() { GeometricMedian(lambda, w, d, 1e-9, 100) }); n != 0 {
		t.Errorf("%v allocations per run", n)
	}
}
