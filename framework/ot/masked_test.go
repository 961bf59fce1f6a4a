package ot_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

func TestCheckNamesTheMistake(t *testing.T) {
	half := tensor.Vector{0.5, 0.5}
	both := [][]int{{0}, {0, 1}}
	inf := math.Inf(1)
	for want, m := range map[string]ot.Masked{
		"":                                  {P: half, Q: half, Sets: both},
		"p[1] is NaN":                       {P: tensor.Vector{1, math.NaN()}, Q: half, Sets: both},
		"p[0] is -0.5":                      {P: tensor.Vector{-0.5, 1.5}, Q: half, Sets: both},
		"q[0] is +Inf":                      {P: half, Q: tensor.Vector{inf, 0}, Sets: both},
		"q sums to 0.75":                    {P: half, Q: tensor.Vector{0.5, 0.25}, Sets: both},
		"p sums to 0,":                      {Q: half, Sets: both},
		"1 sets for the 2 probabilities":    {P: half, Q: half, Sets: both[:1]},
		"set 0 is empty":                    {P: half, Q: half, Sets: [][]int{{}, {0}}},
		"set 1: client 2 is outside [0, 2)": {P: half, Q: half, Sets: [][]int{{0}, {0, 2}}},
		"set 0: client -1 is outside":       {P: half, Q: half, Sets: [][]int{{-1}, {0}}},
		"set 1: client 0 after client 1":    {P: half, Q: half, Sets: [][]int{{0}, {1, 0}}},
		"set 0: client 1 after client 1":    {P: half, Q: half, Sets: [][]int{{1, 1}, {0}}},
	} {
		err := m.Check()
		if want == "" {
			if err != nil {
				t.Errorf("a proper problem: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the mistake is %v, want %q", err, want)
		}
	}
	all := ot.Masked{P: tensor.Vector{2}, Q: tensor.Vector{3}, Sets: [][]int{{1}}}.Check()
	if all == nil || strings.Count(all.Error(), "\n") != 2 {
		t.Errorf("three mistakes give %v", all)
	}
}
