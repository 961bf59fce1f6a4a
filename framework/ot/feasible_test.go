package ot_test

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestRoundingJoinsNoHallSet: 0.1 + 0.2 is more than 0.3 in floating point. Clients with p of the
// one and cohorts of the other have an excess of 0 but for rounding: they belong to the largest
// certificate and not to the smallest.
func TestRoundingJoinsNoHallSet(t *testing.T) {
	asks := ot.Masked{
		P: tensor.Vector{0.6, 0.1, 0.2, 0.1}, Q: tensor.Vector{0.5, 0.3, 0.2},
		Sets: [][]int{{0}, {1, 2}, {3}},
	}
	gets := ot.Masked{
		P: tensor.Vector{0.6, 0.3, 0.1}, Q: tensor.Vector{0.5, 0.1, 0.2, 0.2},
		Sets: [][]int{{0}, {1}, {1}, {2}},
	}
	for _, c := range []struct {
		m       ot.Masked
		maximal []int
	}{{asks, []int{0, 1, 2}}, {gets, []int{0, 1}}} {
		mustCheck(t, c.m)
		f := c.m.Feasibility()
		if !slices.Equal(f.Minimal, []int{0}) || !slices.Equal(f.Maximal, c.maximal) {
			t.Errorf("%+v: %+v", c.m, f)
		}
		if tiers := c.m.Tiers(); len(tiers) != 3 || !slices.Equal(tiers[0].Clients, []int{0}) {
			t.Errorf("%+v: tiers %v", c.m, tiers)
		}
	}
}

// TestSmallExcess: an excess of 1e-8 is found, one of 1e-10 counts as none.
func TestSmallExcess(t *testing.T) {
	for excess, want := range map[float64]bool{1e-8: false, 1e-10: true} {
		m := ot.Masked{
			P: tensor.Vector{0.5 + excess, 0.5 - excess}, Q: even(2), Sets: [][]int{{0}, {1}},
		}
		mustCheck(t, m)
		if c := m.Feasibility(); c.Feasible != want || want != (c.Minimal == nil) {
			t.Errorf("an excess of %g: %+v", excess, c)
		}
	}
}
