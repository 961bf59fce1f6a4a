package ot_test

import (
	"math"
	"math/bits"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// The reference code of this file follows the definitions: whole matrices, all subsets.

// fit runs Algorithm 1 of FedAVOT on a dense matrix as printed, beginning with a plan
// whose support is the mask: rows to p, columns to q, so many times.
func fit(m ot.Masked, plan tensor.Matrix, sweeps int) {
	for range sweeps {
		for i, p := range m.P {
			row := plan.Row(i)
			if s := row.Sum(); s > 0 {
				row.Scale(p / s)
			}
		}
		for j, q := range m.Q {
			var s float64
			for i := range m.P {
				s += plan.Row(i)[j]
			}
			for i := range m.P {
				if s > 0 {
					plan.Row(i)[j] *= q / s
				}
			}
		}
	}
}

// spread returns the plan diag(u)·mask·diag(q/|A|), a starting point of Algorithm 1.
func spread(m ot.Masked, u tensor.Vector) tensor.Matrix {
	plan := tensor.NewMatrix(len(m.P), len(m.Q))
	for j, set := range m.Sets {
		for _, i := range set {
			plan.Row(i)[j] = u[i] * m.Q[j] / float64(len(set))
		}
	}
	return plan
}

// reach returns f(I) for every subset I of the clients, indexed by its bits.
func reach(m ot.Masked) []float64 {
	f := make([]float64, 1<<len(m.P))
	for subset := range f {
		for j, set := range m.Sets {
			for _, i := range set {
				if subset>>i&1 == 1 {
					f[subset] += m.Q[j]
					break
				}
			}
		}
	}
	return f
}

// mass returns p(I).
func mass(p tensor.Vector, subset int) float64 {
	var sum float64
	for i := range p {
		if subset>>i&1 == 1 {
			sum += p[i]
		}
	}
	return sum
}

// hall returns max p(I) − f(I) over all I, with the smallest and the largest I that
// attain it. Both sides of Theorem 1 are looked at by way of all subsets.
func hall(m ot.Masked) (excess float64, smallest, largest int) {
	const tie = 1e-12
	smallest = 1<<len(m.P) - 1
	f := reach(m)
	for subset := range f {
		excess = math.Max(excess, mass(m.P, subset)-f[subset])
	}
	for subset := range f {
		if mass(m.P, subset)-f[subset] >= excess-tie {
			smallest &= subset
			largest |= subset
		}
	}
	return excess, smallest, largest
}

// slack returns min f(I) − p(I) over the proper non-empty subsets I.
func slack(m ot.Masked) float64 {
	f := reach(m)
	least := math.Inf(1)
	for subset := 1; subset < len(f)-1; subset++ {
		least = math.Min(least, f[subset]-mass(m.P, subset))
	}
	return least
}

// peel returns the lexicographically optimal base by listing all subsets: as long as
// clients with p > 0 are left, the largest set that minimises f(I | earlier)/p(I).
func peel(m ot.Masked) []ot.Tier {
	f := reach(m)
	left, done := 0, 0
	for i, p := range m.P {
		if p > 0 {
			left |= 1 << i
		}
	}
	var tiers []ot.Tier
	for left != 0 {
		lowest, tier := math.Inf(1), 0
		for subset := left; subset > 0; subset = (subset - 1) & left {
			switch r := (f[subset|done] - f[done]) / mass(m.P, subset); {
			case r < lowest-1e-10:
				lowest, tier = r, subset
			case r <= lowest+1e-10:
				tier |= subset
			}
		}
		tiers = append(tiers, ot.Tier{Clients: elements(tier), Ratio: lowest})
		done |= tier
		left &^= tier
	}
	return tiers
}

// elements lists the members of a subset, ascending; nil when there are none.
func elements(subset int) []int {
	var list []int
	for ; subset != 0; subset &= subset - 1 {
		list = append(list, bits.TrailingZeros(uint(subset)))
	}
	return list
}

// divergence returns KL(p‖x).
func divergence(p, x tensor.Vector) float64 {
	var sum float64
	for i := range p {
		if p[i] > 0 {
			sum += p[i] * math.Log(p[i]/x[i])
		}
	}
	return sum
}
