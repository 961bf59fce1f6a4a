package infer_test

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/reports/infer"
)

// p of the sign test is a tail of the binomial distribution, counted by hand.
func TestSigns(t *testing.T) {
	for _, c := range []struct {
		above, below, n int
		p, opposite     float64
	}{
		{6, 0, 6, 1. / 64, 1},
		{0, 3, 3, 1, 1. / 8},
		{5, 1, 8, (56 + 28 + 8 + 1) / 256., 255. / 256},
		{2, 2, 4, 11. / 16, 11. / 16},
		{0, 0, 5, 1, 1},
	} {
		p, opposite := infer.Signs(c.above, c.below, c.n)
		if math.Abs(p-c.p) > 1e-12 || math.Abs(opposite-c.opposite) > 1e-12 {
			t.Errorf("%d above, %d below of %d: %v, %v; want %v, %v", c.above, c.below, c.n, p,
				opposite, c.p, c.opposite)
		}
	}
}

// The seeds that are told suffice, and fewer by so many that the critical count is one less do not.
func TestSignSeeds(t *testing.T) {
	for _, c := range []struct {
		share, alpha, power float64
		want                int
	}{
		{1, 0.025, 0.8, 6}, {1, 0.05, 0.99, 5}, {1, 0.2, 0.8, 3}, {0.5, 0.025, 0.8, 0},
		{0.2, 0.025, 0.8, 0}, {0.501, 0.025, 0.8, 0},
		{0.8, 0.05, 0.8, 18}, // 13 of 18: 1 − Σ (18 over k) / 2¹⁸ to 12 is 0.0481, found with 0.867
	} {
		if got := infer.SignSeeds(c.share, c.alpha, c.power); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
