package ot

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Masked problem asks for a plan T ≥ 0 (N×M) with row sums p, column sums q and
// T[i, j] = 0 unless i ∈ Sets[j]. T[i, j] / q[j] is the weight of client i in cohort j.
//
// The methods take a problem that passes Check and leave it as it is. A client with pᵢ = 0 gets
// weight 0 beside clients with p > 0, and a cohort of such clients alone has equal weights. A
// cohort with q[j] = 0 imposes nothing.
type Masked struct {
	P    tensor.Vector // importance, length N, ≥ 0, sums to 1
	Q    tensor.Vector // probability of each of Sets, length M, ≥ 0, sums to 1
	Sets [][]int       // the cohorts: clients in [0, N), strictly ascending, at least one
}

// sumTolerance is how far from 1 the sum of a distribution may lie.
const sumTolerance = 1e-9

// Check reports what is wrong with the problem as it was stated: the first mistake in
// p, in q and in the sets. Whether the problem can be solved is for Feasibility.
func (m Masked) Check() error {
	return errors.Join(checkSum("p", m.P), checkSum("q", m.Q), m.checkSets())
}

// checkSum reports why x, called name, is not a probability distribution.
func checkSum(name string, x tensor.Vector) error {
	for i, v := range x {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s[%d] is %v, which is not a probability", name, i, v)
		}
	}
	if s := x.Sum(); math.Abs(s-1) > sumTolerance {
		return fmt.Errorf("%s sums to %v, not to 1", name, s)
	}
	return nil
}

func (m Masked) checkSets() error {
	if len(m.Sets) != len(m.Q) {
		return fmt.Errorf("%d sets for the %d probabilities in q", len(m.Sets), len(m.Q))
	}
	for j, set := range m.Sets {
		if len(set) == 0 {
			return fmt.Errorf("set %d is empty", j)
		}
		last := -1
		for _, i := range set {
			if i < 0 || i >= len(m.P) {
				return fmt.Errorf("set %d: client %d is outside [0, %d)", j, i, len(m.P))
			}
			if i <= last {
				return fmt.Errorf("set %d: client %d after client %d, not ascending", j, i, last)
			}
			last = i
		}
	}
	return nil
}
