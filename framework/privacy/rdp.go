// Rényi differential privacy.
//
// Mironov (2017) "Rényi Differential Privacy", CSF: definition, composition, Gaussian. To (ε, δ):
// Canonne, Kamath, Steinke (2020) "The Discrete Gaussian for Differential Privacy", NeurIPS,
// Proposition 12; the same bound is Balle et al. (2020) "Hypothesis Testing Interpretations and
// Rényi Differential Privacy", AISTATS, Theorem 21. For large δ: Bretagnolle, Huber (1979).
//
// Notation: D_α(P‖Q) = log E_Q (dP/dQ)^α / (α − 1); r = Σ D_α, the sum over releases.
//
//	ε = r + log(1 − 1/α) − (log δ + log α)/(α − 1), at the best α
//	δ = exp((α − 1)(r − ε)) · (1 − 1/α)^(α−1) / α
//	δ ≤ √(1 − e^(−r)) for every ε ≥ 0
package privacy

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Orders returns the orders that NewRDP searches: 1.01, 1.02, 1.05, steps of a tenth to 11, of one
// to 64, and a few to 1024.
func Orders() []float64 {
	orders := []float64{1.01, 1.02, 1.05}
	for x := 1; x < 100; x++ {
		orders = append(orders, 1+float64(x)/10)
	}
	for x := 11; x <= 64; x++ {
		orders = append(orders, float64(x))
	}
	return append(orders, 72, 80, 96, 112, 128, 160, 192, 256, 384, 512, 768, 1024)
}

// An RDP accumulates the Rényi divergence of releases at a list of orders.
type RDP struct {
	orders, divergence []float64
	sampling           Sampling // the first that is not Everyone
}

// NewRDP returns an accountant that has released nothing. Without orders it searches Orders().
func NewRDP(orders ...float64) (*RDP, error) {
	if len(orders) == 0 {
		orders = Orders()
	}
	for k, a := range orders {
		if !(a > 1) || math.IsInf(a, 1) {
			return nil, fmt.Errorf("order %v: it must be greater than 1 and finite", a)
		}
		if k > 0 && a <= orders[k-1] {
			return nil, fmt.Errorf("order %v follows %v: they must ascend", a, orders[k-1])
		}
	}
	return &RDP{orders: slices.Clone(orders), divergence: make([]float64, len(orders))}, nil
}

// Add composes count releases of a mechanism.
func (r *RDP) Add(m Mechanism, count int) error {
	if err := m.check(count); err != nil {
		return err
	}
	if count == 0 || m.silent() {
		return nil
	}
	m = m.reduced()
	if err := oneAdjacency(&r.sampling, m.Sampling); err != nil {
		return err
	}
	var bound replacement
	if m.Sampling == Replacing && m.Sigma > 0 {
		bound = newReplacement(m.Rate, m.Sigma, r.orders)
	}
	for k, order := range r.orders {
		var d float64
		switch {
		case m.Sigma == 0:
			d = math.Inf(1)
		case m.Sampling == Independently:
			d = logMoment(m.Rate, m.Sigma, order) / (order - 1)
		case m.Sampling == Replacing:
			d = bound.divergence(order)
		default:
			d = order / (2 * m.Sigma * m.Sigma)
		}
		r.divergence[k] += float64(count) * d
	}
	return nil
}

// oneAdjacency refuses releases under two kinds of adjacency: no ε is true of both.
func oneAdjacency(first *Sampling, s Sampling) error {
	if *first == Everyone {
		*first = s
	}
	if s != Everyone && s != *first {
		return errors.New("releases under add-or-remove-one and replace-one adjacency: " +
			"there is no epsilon of both")
	}
	return nil
}

// Divergence returns the orders and the Rényi divergence at each.
func (r *RDP) Divergence() (orders, divergence []float64) {
	return slices.Clone(r.orders), slices.Clone(r.divergence)
}

// A Converted is an (ε, δ) that follows from the divergence at one order.
type Converted struct {
	Epsilon, Delta, Order float64
	// AtEnd says that the order is the first or the last of the list: another list may give less.
	AtEnd bool
}

// Epsilon returns the least ε ≥ 0 that the orders give for δ, +Inf when none does.
func (r *RDP) Epsilon(delta float64) (Converted, error) {
	if err := checkDelta(delta); err != nil {
		return Converted{}, err
	}
	best := Converted{Epsilon: math.Inf(1), Delta: delta}
	for k, a := range r.orders {
		d := r.divergence[k]
		epsilon := d + math.Log1p(-1/a) - (math.Log(delta)+math.Log(a))/(a-1)
		if delta*delta+math.Expm1(-d) >= 0 {
			epsilon = 0
		}
		if epsilon = max(epsilon, 0); epsilon < best.Epsilon {
			best.Epsilon, best.Order = epsilon, a
			best.AtEnd = epsilon > 0 && (k == 0 || k == len(r.orders)-1)
		}
	}
	return best, nil
}

// Delta returns the least δ that the orders give for ε ≥ 0.
func (r *RDP) Delta(epsilon float64) (Converted, error) {
	if err := checkEpsilon(epsilon); err != nil {
		return Converted{}, err
	}
	best := Converted{Epsilon: epsilon, Delta: 1}
	for k, a := range r.orders {
		d := r.divergence[k]
		delta := math.Sqrt(-math.Expm1(-d))
		if !math.IsInf(d, 1) {
			delta = min(delta, math.Exp((a-1)*(d-epsilon+math.Log1p(-1/a))-math.Log(a)))
		}
		if delta < best.Delta {
			best.Delta, best.Order = delta, a
			best.AtEnd = delta > 0 && (k == 0 || k == len(r.orders)-1)
		}
	}
	return best, nil
}
