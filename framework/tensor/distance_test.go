package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// within fails when numbers are farther apart than a share of what they are.
func within(t *testing.T, what string, got, want tensor.Vector) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 1e-12*(1+math.Abs(w))) {
			t.Fatalf("%s: number %d of %d is %v, want %v", what, i, len(want), got[i], w)
		}
	}
}

func TestPairsAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for _, k := range []int{0, 1, 2, 3, 10, 65} {
		for _, n := range append(sizes, 511, 512, 513) {
			xs := models(rng, k, n)
			d, g := tensor.NewMatrix(k, k), tensor.NewMatrix(k, k)
			tensor.Vector(d.Data).Fill(math.NaN())
			tensor.Vector(g.Data).Fill(7)
			tensor.SquaredDistances(d, xs)
			tensor.Gram(g, xs)
			wantD, wantG := tensor.NewMatrix(k, k), tensor.NewMatrix(k, k)
			for i := range k {
				for j := range k {
					for c, x := range xs[i] {
						y := xs[j][c]
						wantD.Row(i)[j] += (x - y) * (x - y)
						wantG.Row(i)[j] += x * y
					}
				}
			}
			// Sums of small integers are exact, in any order.
			same(t, "SquaredDistances", d.Data, wantD.Data)
			same(t, "Gram", g.Data, wantG.Data)
		}
	}
}

// Models that differ in their last digits have a positive distance, and a distance is that of two
// vectors, whatever the others are.
func TestDistancesAreThoseOfTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 2))
	const k, n = 6, 3000
	far, xs := make([]float64, n), make([][]float64, k)
	for i := range far {
		far[i] = 1e6 * (1 + rng.Float64())
	}
	for i := range xs {
		xs[i] = tensor.Vector(far).Clone()
		for j := range xs[i] {
			xs[i][j] += math.Ldexp(float64(rng.IntN(9)), -30)
		}
	}
	all, two := tensor.NewMatrix(k, k), tensor.NewMatrix(2, 2)
	tensor.SquaredDistances(all, xs)
	for i := range xs {
		for j := range i {
			tensor.SquaredDistances(two, [][]float64{xs[j], xs[i]})
			same(t, "a pair", two.Data, tensor.Vector{0, all.Row(i)[j], all.Row(j)[i], 0})
			want := 0.0
			for c := range xs[i] {
				want += math.Pow(xs[i][c]-xs[j][c], 2)
			}
			if math.Abs(all.Row(i)[j]-want) > 1e-12*want {
				t.Errorf("%v apart, want %v", all.Row(i)[j], want)
			}
		}
	}
}

func TestDistancesFromWhatIsNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	d := tensor.NewMatrix(4, 4)
	tensor.SquaredDistances(d, [][]float64{{1, 2}, {nan, 2}, {inf, 2}, {inf, 1e200}})
	same(t, "distances", d.Data, tensor.Vector{0, nan, inf, inf, nan, 0, nan, nan,
		inf, nan, 0, nan, inf, nan, nan, 0})
}

func TestNorms(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		v             tensor.Vector
		one, two, max float64
	}{
		{nil, 0, 0, 0},
		{tensor.Vector{math.Copysign(0, -1)}, 0, 0, 0},
		{tensor.Vector{3, -4}, 7, 5, 4},
		{tensor.Vector{3e200, -4e200}, 7e200, 5e200, 4e200},
		{tensor.Vector{3e-200, -4e-200}, 7e-200, 5e-200, 4e-200},
		{tensor.Vector{3e-160, -4e-160}, 7e-160, 5e-160, 4e-160},
		{tensor.Vector{5e-324}, 5e-324, 5e-324, 5e-324},
		{tensor.Vector{1, -inf}, inf, inf, inf},
		{tensor.Vector{nan, inf}, nan, nan, nan},
		{tensor.Vector{-inf, nan}, nan, nan, nan},
		{tensor.Vector{1, nan, 2}, nan, nan, nan},
	} {
		checkNorms(t, c.v, tensor.Vector{c.one, c.two, c.max})
		// Zeros add nothing, but make it long enough for the kernels.
		checkNorms(t, append(c.v, make(tensor.Vector, 300)...), tensor.Vector{c.one, c.two, c.max})
	}
}

// checkNorms compares the norms of v, and its distance from zero.
func checkNorms(t *testing.T, v, want tensor.Vector) {
	t.Helper()
	got := tensor.Vector{v.Norm1(), v.Norm(), v.NormInf(), v.Distance(make(tensor.Vector, len(v)))}
	for i, want := range append(want, want[1]) {
		ok := math.Abs(got[i]-want) <= 1e-15*want || got[i] == want || got[i] != got[i] && want != want
		if !ok {
			t.Errorf("%d elements, %v: norm %d is %v, want %v", len(v), v[:min(len(v), 3)], i, got[i], want)
		}
	}
}

func TestPairsWantWhatFits(t *testing.T) {
	d, xs := tensor.NewMatrix(2, 2), [][]float64{{1, 2}, {3, 4}}
	kerneltest.Panics(t, map[string]func(){
		"SquaredDistances, matrix":  func() { tensor.SquaredDistances(tensor.NewMatrix(2, 3), xs) },
		"SquaredDistances, vectors": func() { tensor.SquaredDistances(d, [][]float64{{1, 2}, {3}}) },
		"Gram":                      func() { tensor.Gram(d, xs[:1]) },
		"Distance":                  func() { tensor.Vector{1}.Distance(xs[0]) },
	})
	kerneltest.None(t, func() {
		tensor.SquaredDistances(d, xs)
		tensor.Gram(d, xs)
		tensor.Vector(xs[0]).Distance(xs[1])
	})
}
