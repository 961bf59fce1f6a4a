package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// random returns n normal numbers.
func random(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// A maker makes random arguments of kernels, and keeps them to be compared.
type maker[T float] struct {
	*rand.Rand
	wild bool  // among the numbers are NaN, infinities, −0, denormals and huge ones
	all  [][]T // all that was made, with the elements before and after it
}

// slice returns n random numbers at a random alignment.
func (m *maker[T]) slice(n int) []T {
	before, after := m.IntN(4), 1+m.IntN(40)
	room := make([]T, before+n+after)
	for i := range room {
		room[i] = m.number()
	}
	m.all = append(m.all, room)
	return room[before : before+n : before+n]
}

// number returns a random number.
func (m *maker[T]) number() T {
	if m.wild && m.IntN(4) == 0 {
		special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1),
			1, -1, 5e-324, -5e-324, 1e-310, 1e-45, -1e-40, 1e-30, 3e38, -1e300, 100, -104, 750}
		return T(special[m.IntN(len(special))])
	}
	return T(m.NormFloat64())
}

// length returns a random length, often short.
func (m *maker[T]) length() int { return m.IntN([]int{3, 20, 70, 300}[m.IntN(4)]) }

// samePaths runs a kernel on all paths with the same random arguments, and compares all
// bits of what it leaves behind, within its slices and around them, and of what it returns.
func samePaths[T float](t *testing.T, times int, run func(p path, m *maker[T]) []T) {
	t.Helper()
	for seed := range uint64(times) {
		var want [][]T
		for _, p := range usable() {
			m := &maker[T]{Rand: rand.New(rand.NewPCG(seed, 7)), wild: seed%2 == 1}
			got := append([][]T{run(p, m)}, m.all...)
			if p == generic {
				want = got
			}
			for i := range want {
				if err := sameBits(got[i], want[i]); err != nil {
					t.Fatalf("seed %d, slice %d: %v and generic differ: %v", seed, i, p, err)
				}
			}
		}
	}
}

// sameBits compares the bits of numbers; all NaNs are one.
func sameBits[T float](a, b []T) error {
	for i := range b {
		same := a[i] == b[i] && math.Signbit(float64(a[i])) == math.Signbit(float64(b[i]))
		if !same && (a[i] == a[i] || b[i] == b[i]) {
			return fmt.Errorf("element %d of %d is %v and %v", i, len(b), a[i], b[i])
		}
	}
	return nil
}

// samePathsOfBoth does samePaths for both types of elements.
func samePathsOfBoth(t *testing.T, times int, run32 func(p path, m *maker[float32]) []float32,
	run64 func(p path, m *maker[float64]) []float64) {
	t.Helper()
	samePaths(t, times, run32)
	samePaths(t, times, run64)
}

// near compares with a reference.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12*(1+math.Abs(want[i])) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// close32 compares with a reference in float64.
func close32(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if math.Abs(float64(got[i])-want[i]) > tolerance*(1+math.Abs(want[i])) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func widen(x []float32) []float64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}
