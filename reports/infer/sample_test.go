package infer

import (
	"math"
	"slices"
	"testing"
)

func TestSampleSD(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, nan}, {[]float64{3}, nan}, {[]float64{1, 2, 3, 4}, math.Sqrt(5.0 / 3)},
		{[]float64{0.3, 0.30000000000000004, 0.3}, 0}, {slices.Repeat([]float64{1.1}, 7), 0}, {slices.Repeat([]float64{0}, 3), 0},
		{[]float64{1e300, 2e300, 3e300}, 1e300}, {[]float64{1e-300, 2e-300, 3e-300}, 1e-300},
	} {
		s := samples(c.values)[0]
		got := s.SD()
		if math.IsNaN(got) != math.IsNaN(c.want) || math.Abs(got-c.want) > 1e-15*c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}

func TestSpread(t *testing.T) {
	near(t, "sd", Spread("sd", 2, 5), 2)
	near(t, "sem", Spread("sem", 2, 5), 2/math.Sqrt(5))
	near(t, "ci", Spread("ci", 2, 5), 2.7764451051977987*2/math.Sqrt(5)) // SciPy
	for _, kind := range []string{"sd", "sem", "ci"} {
		if got := Spread(kind, nan, 1); !math.IsNaN(got) {
			t.Errorf("%s of one value: %v", kind, got)
		}
	}
}
