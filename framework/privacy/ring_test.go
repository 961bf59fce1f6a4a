package privacy

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Three rings: a power of two, a Mersenne prime, and a small prime.
var moduli = []uint64{1 << 32, 1<<61 - 1, 10007}

func mustRing(t *testing.T, modulus uint64, bound, scale float64, clients int) *Ring {
	t.Helper()
	r, err := NewRing(modulus, bound, scale, clients)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The decoded sum is the sum of the clipped numbers within the stated error, with masks or without,
// by the nearest integer or at random; the largest scale that fits reaches the ends of the ring.
func TestRingSum(t *testing.T) {
	const clients, dim, bound = 7, 40, 1.5
	for _, modulus := range moduli {
		r := mustRing(t, modulus, bound, LargestScale(modulus, bound, clients), clients)
		if _, err := NewRing(modulus, bound, r.Scale*1.01, clients); err == nil && r.Scale < 1e14 {
			t.Errorf("modulus %d: a scale above the largest was accepted", modulus)
		}
		for _, stochastic := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(modulus, 1))
			var rounding *rand.Rand
			if stochastic {
				rounding = rand.New(rand.NewPCG(3, 4))
			}
			sum, masked := r.NewSum(dim), make([]uint64, dim)
			exact, all := make(tensor.Vector, dim), []int{2, 3, 5, 8, 13, 21, 34}
			for c := range clients {
				x, k := make(tensor.Vector, dim), make([]int64, dim)
				beyond := 0
				for i := range x {
					x[i] = 1.2 * rng.NormFloat64()
					if i == 0 {
						x[i] = 9 // always clipped: the sum reaches its largest value
					}
					if math.Abs(x[i]) > bound {
						beyond++
					}
					exact[i] += min(max(x[i], -bound), bound)
				}
				clipped, err := r.Quantise(k, x, rounding)
				if err != nil || clipped != beyond {
					t.Fatalf("%d clipped, want %d (%v)", clipped, beyond, err)
				}
				if err := sum.Add(k); err != nil {
					t.Fatal(err)
				}
				message := make([]uint64, dim)
				if err := r.Wrap(message, k); err != nil {
					t.Fatal(err)
				}
				if err := r.Mask(message, all[c], all, nodes(9, nil)); err != nil {
					t.Fatal(err)
				}
				if err := r.Add(masked, message); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(masked, sum.Elements()) {
				t.Errorf("modulus %d: masks do not cancel", modulus)
			}
			got := make(tensor.Vector, dim)
			if err := r.Decode(got, masked); err != nil || sum.Wrapped() != 0 {
				t.Fatalf("%d coordinates wrapped around (%v)", sum.Wrapped(), err)
			}
			worst := 0.0
			for i := range got {
				worst = max(worst, math.Abs(got[i]-exact[i]))
			}
			if most := r.Error(clients, stochastic); worst > most+1e-12 || worst == 0 && modulus < 1<<33 {
				t.Errorf("modulus %d, stochastic %t: an error of %v, at most %v",
					modulus, stochastic, worst, most)
			}
			if err := sum.Add(make([]int64, dim)); !errors.Is(err, ErrTooMany) {
				t.Errorf("one client too many: %v", err)
			}
		}
	}
}

// The bound of the error is reached: n halves, all rounded down.
func TestRingErrorIsSharp(t *testing.T) {
	r := mustRing(t, 1<<20, 10, 1, 5)
	sum, k := r.NewSum(1), make([]int64, 1)
	for range 5 {
		if _, err := r.Quantise(k, tensor.Vector{2.5}, nil); err != nil {
			t.Fatal(err)
		}
		if err := sum.Add(k); err != nil {
			t.Fatal(err)
		}
	}
	got := make(tensor.Vector, 1)
	if err := r.Decode(got, sum.Elements()); err != nil || 12.5-got[0] != r.Error(5, false) {
		t.Errorf("the sum is %v (%v)", got[0], err)
	}
}

// Rounding at random has the mean of the number.
func TestQuantiseIsUnbiased(t *testing.T) {
	r := mustRing(t, 1<<20, 2, 3, 1)
	rng := rand.New(rand.NewPCG(8, 8))
	x := tensor.Vector{0.1, -0.77, 1.9, -2, 0, 2.0 / 3}
	mean, k := make([]float64, len(x)), make([]int64, len(x))
	const draws = 20_000
	for range draws {
		if _, err := r.Quantise(k, x, rng); err != nil {
			t.Fatal(err)
		}
		for i, v := range k {
			mean[i] += float64(v) / r.Scale / draws
		}
	}
	for i := range x {
		if math.Abs(mean[i]-x[i]) > 4.5*0.5/r.Scale/math.Sqrt(draws) {
			t.Errorf("%v: a mean of %v", x[i], mean[i])
		}
	}
}

// Noise that takes a sum out of the ring is seen, exactly where it happened; a sum that only just
// fits is not.
func TestWrapAround(t *testing.T) {
	for _, modulus := range moduli {
		r := mustRing(t, modulus, 1, 10, 3)
		half := int64((modulus - 1) / 2)
		sum := r.NewSum(4)
		for _, k := range [][]int64{{half - 1, -half, half, 5}, {1, 0, 1, -9}} {
			if err := sum.Add(k); err != nil {
				t.Fatal(err)
			}
		}
		want := 1
		if modulus%2 == 0 {
			want = 0 // half is R/2 − 1, and R/2 stands for itself
		}
		if sum.Wrapped() != want {
			t.Errorf("modulus %d: %d coordinates wrapped around, want %d", modulus, sum.Wrapped(), want)
		}
		if err := sum.Add([]int64{0, 0, int64(modulus % 2), 0}); err != nil {
			t.Fatal(err)
		}
		if err := r.NewSum(1).Add([]int64{math.MaxInt64}); err == nil {
			t.Error("an integer that cannot be added was accepted")
		}
	}
}

// A mask alone hides the message: masked zeros are uniform; and without one client of the list the
// others' masks do not cancel.
func TestMasks(t *testing.T) {
	r := mustRing(t, 10007, 1, 100, 3)
	const dim = 20_000
	clients := []int{4, 0, 9}
	sum := make([]uint64, dim)
	for _, c := range clients {
		m := make([]uint64, dim)
		if err := r.Mask(m, c, clients, nodes(77, nil)); err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, e := range m {
			mean += float64(e) / 10006 / dim
		}
		if math.Abs(mean-0.5) > 4.5/math.Sqrt(12*dim) {
			t.Errorf("client %d: masks with the mean %v", c, mean)
		}
		if err := r.Add(sum, m); err != nil {
			t.Fatal(err)
		}
		if c == 0 {
			zero := 0
			for _, e := range sum {
				if e == 0 {
					zero++
				}
			}
			if zero > 20 {
				t.Errorf("%d of %d coordinates are free of masks with a client missing", zero, dim)
			}
		}
	}
	if slices.Max(sum) != 0 {
		t.Error("masks do not cancel")
	}
}

func TestRingRefusals(t *testing.T) {
	for want, c := range map[string]struct {
		modulus      uint64
		bound, scale float64
		clients      int
	}{
		"modulus":      {2, 1, 1, 1},
		"2^62":         {1 << 63, 1, 1, 1},
		"bound":        {101, 0, 1, 1},
		"scale":        {101, 1, math.NaN(), 1},
		"clients":      {101, 1, 1, 0},
		"wraps around": {101, 5, 2, 6},
		"float64":      {1 << 62, 1, 1 << 51, 1},
	} {
		if _, err := NewRing(c.modulus, c.bound, c.scale, c.clients); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	r := mustRing(t, 101, 5, 2, 5) // 5 · 10 < 50.5: just fits
	quantise := func(x tensor.Vector) error {
		_, err := r.Quantise(make([]int64, 1), x, nil)
		return err
	}
	for k, err := range []error{
		quantise(make(tensor.Vector, 2)),
		quantise(tensor.Vector{math.NaN()}),
		r.Wrap(make([]uint64, 1), make([]int64, 2)),
		r.Add(make([]uint64, 1), make([]uint64, 2)),
		r.Add(make([]uint64, 1), []uint64{101}),
		r.Decode(make(tensor.Vector, 1), make([]uint64, 2)),
		r.Mask([]uint64{101}, 0, []int{0}, nodes(1, nil)),
	} {
		if err == nil {
			t.Errorf("case %d was accepted", k)
		}
	}
	infinite := tensor.Vector{math.Inf(1), math.Inf(-1)}
	if clipped, err := r.Quantise(make([]int64, 2), infinite, nil); err != nil || clipped != 2 {
		t.Errorf("infinite coordinates: %d clipped (%v)", clipped, err)
	}
	if LargestScale(0, 1, 1) != 0 || LargestScale(101, 5, 1000) != 0 {
		t.Error("a scale where none fits")
	}
}
