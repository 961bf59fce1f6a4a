package ot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// An Independent problem is Masked for cohorts that are too many to list: clients participate
// independently of each other, given that exactly Size of them do. Uniform subsets of K clients are
// equal probabilities and Size = K; conditional Poisson sampling, q(S) ∝ ∏_{i∈S} rᵢ, is the
// probabilities r/(1+r).
//
// The methods take a problem that passes Check and leave it as it is. Clients with pᵢ = 0 are
// treated as in Masked.
type Independent struct {
	P      tensor.Vector // importance, length N, ≥ 0, sums to 1
	Chance tensor.Vector // bᵢ, length N, in [0, 1], some of them > 0
	Size   int           // 0: given that the cohort is not empty
}

// Check reports what is wrong with the problem as it was stated.
func (s Independent) Check() error {
	return errors.Join(checkSum("p", s.P), s.checkChance())
}

func (s Independent) checkChance() error {
	if len(s.Chance) != len(s.P) {
		return fmt.Errorf("%d probabilities for the %d clients of p", len(s.Chance), len(s.P))
	}
	sure, possible := 0, 0
	for i, b := range s.Chance {
		if !(b >= 0 && b <= 1) {
			return fmt.Errorf("chance[%d] is %v, which is not a probability", i, b)
		}
		if b > 0 {
			possible++
		}
		if b == 1 {
			sure++
		}
	}
	switch {
	case possible == 0:
		return errors.New("chance: no client can participate")
	case s.Size < 0 || s.Size > possible || s.Size > 0 && s.Size < sure:
		return fmt.Errorf("size %d is outside [%d, %d]: %d clients always participate, %d can",
			s.Size, max(1, sure), possible, sure, possible)
	}
	return nil
}

// sameExcess is how far rounding may drive apart sets of equal excess.
const sameExcess = 1e-12

// affordable is the product of clients and size up to which a sweep takes tenths of a second.
const affordable = 100_000

// Affordable reports whether scaling takes seconds rather than hours. A sweep takes some 100·N
// exponentials and 400·N·max(Size, 1) multiplications, and there are tens to thousands of sweeps.
// Beyond N·max(Size, 1) = 100 000, learn the weights from the cohorts of the rounds, by Ascent.
func (s Independent) Affordable() bool {
	return len(s.P)*max(s.Size, 1) <= affordable
}

// Marginal sets dst to the importance that the weights of logU realise,
// p̃ᵢ = E[1{i∈S} uᵢ / Σ_{k∈S} uₖ]. It is right to 1e-13 of each p̃ᵢ, or to 1e-17.
func (s Independent) Marginal(dst, logU tensor.Vector) {
	var heavy, idle []int
	var a tensor.Vector
	for i, v := range logU {
		if math.IsInf(v, -1) {
			idle = append(idle, i)
		} else {
			heavy, a = append(heavy, i), append(a, v)
		}
	}
	c := s.crowd(heavy)
	shares := make(tensor.Vector, len(heavy))
	c.marginal(shares, a)
	scatter(dst, heavy, shares)
	scatter(dst, idle, s.leftovers(heavy, idle))
}

// scatter sets dst[ids[k]] = x[k].
func scatter(dst tensor.Vector, ids []int, x tensor.Vector) {
	for k, i := range ids {
		dst[i] = x[k]
	}
}

// Scale is Masked.Scale for this law.
func (s Independent) Scale(epsilon float64, maxSweeps int) Plan {
	return s.iterate(1, epsilon, maxSweeps)
}

// Soften is Masked.Soften for this law.
func (s Independent) Soften(kappa, epsilon float64, maxSweeps int) Plan {
	return s.iterate(kappa, epsilon, maxSweeps)
}

func (s Independent) iterate(kappa, epsilon float64, maxSweeps int) Plan {
	plan, heavy, idle := s.newPlan()
	c := s.crowd(heavy)
	var p tensor.Vector
	for _, i := range heavy {
		p = append(p, s.P[i])
	}
	stray := 0.0
	for _, i := range idle {
		stray += math.Abs(s.P[i] - plan.Marginal[i])
	}
	it := iteration{law: c, p: p, kappa: kappa, stray: stray}
	plan.Converged = it.solve(epsilon, maxSweeps, func() bool { return s.Feasibility().Feasible })
	plan.Sweeps = it.sweeps
	scatter(plan.LogU, heavy, it.here.a)
	scatter(plan.Marginal, heavy, it.here.marginal)
	return plan.finish(s.P)
}

// newPlan returns a plan of log u = −Inf, the clients with p > 0 that can participate, and the
// others, whose marginal already is their share of the cohorts without any of the former.
func (s Independent) newPlan() (plan Plan, heavy, idle []int) {
	plan = Plan{LogU: make(tensor.Vector, len(s.P)), Marginal: make(tensor.Vector, len(s.P))}
	floats.AddConst(math.Inf(-1), plan.LogU)
	reached := s.reached()
	for i, x := range s.P {
		if x > 0 && reached[i] {
			heavy = append(heavy, i)
		} else {
			idle = append(idle, i)
		}
	}
	scatter(plan.Marginal, idle, s.leftovers(heavy, idle))
	return plan, heavy, idle
}

// leftovers returns p̃ of the clients in idle, whose weight is 0: they share evenly when none of
// those in ids participates.
func (s Independent) leftovers(ids, idle []int) tensor.Vector {
	c := s.crowd(idle)
	c.absent = ids
	shares := make(tensor.Vector, len(idle))
	c.marginal(shares, make(tensor.Vector, len(idle)))
	return shares
}

// reached says which clients belong to a cohort that can occur: when Size clients always
// participate, no others do.
func (s Independent) reached() []bool {
	sure := 0
	for _, b := range s.Chance {
		if b == 1 {
			sure++
		}
	}
	reached := make([]bool, len(s.Chance))
	for i, b := range s.Chance {
		reached[i] = b == 1 || b > 0 && (s.Size == 0 || sure < s.Size)
	}
	return reached
}

// Feasibility finds the sets I of clients with the largest excess p(I) − f(I): see Certificate. It
// is exact, whatever the chances, without a flow: I consists of the clients of largest p relative
// to their odds xᵢ = bᵢ/(1−bᵢ), in O(N log N + N·Size) steps.
//
// For with E(S) the total over the sets of K−1 clients in S of the products of their odds
// (of sets of any size if Size = 0), a client i of a set of largest excess has
//
//	pᵢ ≥ P(i participates and no other of I) = c·xᵢE(Iᶜ),
//
// because I is no better without i, and by the same argument j outside of I has
// pⱼ ≤ c·xⱼE(Iᶜ∖j) ≤ c·xⱼE(Iᶜ), for the same c.
func (s Independent) Feasibility() Certificate {
	order := s.byGreed()
	reach := s.crowd(nil).reach(order)
	mass, excess := 0.0, 0.0
	small, large := 0, 0
	for m, i := range order {
		mass += s.P[i]
		switch e := mass - reach[m+1]; {
		case e > excess+sameExcess:
			excess, small, large = e, m+1, m+1
		case e >= excess-sameExcess:
			large = m + 1
		}
	}
	if excess <= feasibleTolerance {
		return Certificate{Feasible: true, Flow: 1}
	}
	hall := Certificate{
		Flow: 1 - excess, Deficiency: excess, Mass: reach[small] + excess,
		Reach:   max(0, reach[small]), // a sum of rounded terms
		Maximal: slices.Sorted(slices.Values(order[:large])),
	}
	for _, i := range order[:small] {
		if s.P[i] > 0 {
			hall.Minimal = append(hall.Minimal, i)
		}
	}
	slices.Sort(hall.Minimal)
	return hall
}

// byGreed returns all clients, by descending p relative to their odds.
func (s Independent) byGreed() []int {
	order, greed, reached := make([]int, len(s.P)), make(tensor.Vector, len(s.P)), s.reached()
	for i, b := range s.Chance {
		order[i] = i
		greed[i] = math.Inf(1)
		if reached[i] {
			greed[i] = s.P[i] * (1 - b) / b
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(greed[j], greed[i]), i-j)
	})
	return order
}

// reach returns f of the first m clients of order, for every m from 0 on.
func (c *independentChoice) reach(order []int) tensor.Vector {
	f := make(tensor.Vector, len(order)+1)
	if c.any {
		empty := 0.0
		for m, i := range order {
			empty += math.Log1p(-c.on[i])
			f[m+1] = -math.Expm1(empty) / c.total
		}
		return f
	}
	// A cohort misses the first m when all of it are others.
	size := len(c.outside)
	others := make(tensor.Vector, size+1)
	others[0] = 1
	for m := len(order); m > 0; m-- {
		f[m] = others[size]
		kernel.MulLinear(others, others, c.off[order[m-1]], c.on[order[m-1]])
	}
	away := 1 / c.total
	for m, i := range order {
		away *= c.off[i]
		f[m+1] = 1 - away*f[m+1]
	}
	return f
}
