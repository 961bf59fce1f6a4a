// Noise that clients add to integers, each its share.
//
// Kairouz, Liu, Steinke (2021) "The Distributed Discrete Gaussian Mechanism for Federated Learning
// with Secure Aggregation", ICML: Algorithms 1 and 2, Theorem 1, Propositions 14 and 22, Section
// 4.4. Agarwal, Kairouz, Liu (2021) "The Skellam Mechanism for Differentially Private Federated
// Learning", NeurIPS, Corollary 3.6. Checked against copies of accounting_utils.py of
// google-research/federated.
//
// Notation: lengths are in clipping radii; s integers to a radius, n clients at most, d
// coordinates, z the noise on the sum, b bits to an element, k how many standard deviations of a
// coordinate of the sum the ring holds, β ∈ [0, 1):
//
//	s = √(4ᵇ − nk²)/(2k√(n²/d + z²))
//	Δ₂ = min{s + √d, √(s² + d/4 + √(2 log(1/β))·(s + √d/2))},    Δ₁ = Δ₂·min{√d, Δ₂}
//
// bound the norms of what a client rounds, which it does again until they hold. A round of m ≤ n
// clients has noise of variance (sz)²/m from each. Where a sum moves by r radii, hence by rΔ₂ and
// rΔ₁, and τ = 10·Σ_{k<n} exp(−2π²(sz)²/n·k/(k + 1)), μ = rΔ₂/sz, discrete Gaussians have
//
//	D_α ≤ min{αμ²/2 + τd, α(μ² + 2τrΔ₁/sz + τ²d)/2, α(μ + τ√d)²/2},
//
// which grows with n, and Skellam noise has what AddSkellam adds, for the variance (sz)². Both hold
// for cohorts of any size up to n, if it does not depend on data.
//
// Under sampling without replacement it is Theorem 9 of Wang, Balle, Kasiviswanathan (2019), with
// ε(j) = D_j for r of the two clients, and never more than without sampling:
//
//	(α − 1) ε'(α) ≤ log(1 + γ² C(α, 2) min{4(e^ε(2) − 1), 2e^ε(2)}
//	              + Σ_{j=3}^α γʲ C(α, j) 2e^((j−1)ε(j)))
//
// Departures: the papers amplify by Poisson sampling, under which the number of those that add
// noise would show. Cohorts here have a size that is known.
package privacy

import (
	"fmt"
	"math"
)

// A Distributed says how clients share the noise of a sum modulo 2^Bits.
type Distributed struct {
	Skellam bool    // shares are Skellam variables, not discrete Gaussians
	Noise   float64 // z
	Clients int     // n
	Dim     int     // d
	Bits    int     // b
	Range   float64 // k
	Bias    float64 // β
}

// mostBits keeps the integers of a client where float64 has their neighbours.
const mostBits = 40

// Check says what is wrong with it.
func (d Distributed) Check() error {
	if err := checkNoise(d.Noise, 1); err != nil {
		return err
	}
	switch {
	case d.Clients < 1 || d.Dim < 1:
		return fmt.Errorf("%d clients and %d coordinates: there must be at least 1 of both",
			d.Clients, d.Dim)
	case d.Bits < 2 || d.Bits > mostBits:
		return fmt.Errorf("%d bits: there must be 2 to %d", d.Bits, mostBits)
	case !(d.Range > 0) || math.IsInf(d.Range, 1):
		return fmt.Errorf("the range is %v: it must be positive and finite", d.Range)
	case !(d.Bias >= 0 && d.Bias < 1):
		return fmt.Errorf("β is %v: it must lie between 0 and 1", d.Bias)
	case !(float64(d.Clients)*d.Range*d.Range < math.Exp2(float64(2*d.Bits))):
		return fmt.Errorf("%d bits are too few for the rounding of %d clients", d.Bits, d.Clients)
	}
	return nil
}

// Scale returns s, how many integers a clipping radius is.
func (d Distributed) Scale() float64 {
	n, k := float64(d.Clients), d.Range
	room := math.Exp2(float64(2*d.Bits)) - n*k*k
	return math.Sqrt(room/(n*n/float64(d.Dim)+d.Noise*d.Noise)) / (2 * k)
}

// Norm returns Δ₂, the largest norm of what a client rounds.
func (d Distributed) Norm() float64 {
	s, root := d.Scale(), math.Sqrt(float64(d.Dim))
	if d.Bias == 0 {
		return s + root
	}
	square := s*s + root*root/4 + math.Sqrt(-2*math.Log(d.Bias))*(s+root/2)
	return min(s+root, math.Sqrt(square))
}

// Variance returns (sz)², the variance of the noise on a sum of integers.
func (d Distributed) Variance() float64 {
	sigma := d.Scale() * d.Noise
	return sigma * sigma
}

// AddDistributed composes count releases of sums with distributed noise, which move by radii
// clipping radii. A rate below 1 is that of cohorts of one size, drawn uniformly, and radii is then
// how far the contributions of two clients lie apart.
func (r *RDP) AddDistributed(d Distributed, radii, rate float64, count int) error {
	if err := d.Check(); err != nil {
		return err
	}
	switch {
	case !(radii >= 0) || math.IsInf(radii, 1):
		return fmt.Errorf("the sum moves by %v radii: it must be a number of at least 0", radii)
	case !(rate >= 0 && rate <= 1):
		return fmt.Errorf("the rate is %v: it must lie between 0 and 1", rate)
	case count < 0:
		return fmt.Errorf("%d releases: there must be at least 0", count)
	}
	if count == 0 || rate == 0 || radii == 0 {
		return nil
	}
	if rate < 1 {
		if err := oneAdjacency(&r.sampling, Replacing); err != nil {
			return err
		}
	}
	divergence := d.divergence(radii)
	if d.Noise == 0 {
		divergence = func(float64) float64 { return math.Inf(1) }
	}
	whole := divergence
	if rate < 1 {
		divergence = sampledDivergence(rate, whole)
	}
	for k, order := range r.orders {
		r.divergence[k] += float64(count) * min(divergence(order), whole(order))
	}
	return nil
}

// divergence returns D_α as a function of α > 1.
func (d Distributed) divergence(radii float64) func(order float64) float64 {
	root, norm, lambda := math.Sqrt(float64(d.Dim)), d.Norm(), d.Variance()
	two, one := radii*norm, radii*norm*min(root, norm)
	if d.Skellam {
		return func(order float64) float64 { return skellamDivergence(lambda, one, two, order) }
	}
	sigma := math.Sqrt(lambda)
	tau, mu := d.excess(), two/sigma
	far := min(mu*mu+2*tau*one/sigma+tau*tau*float64(d.Dim), (mu+tau*root)*(mu+tau*root))
	return func(order float64) float64 {
		return min(order*mu*mu/2+tau*float64(d.Dim), order*far/2)
	}
}

// excess returns τ, how far a sum of discrete Gaussians is from one.
func (d Distributed) excess() (tau float64) {
	share := d.Variance() / float64(d.Clients)
	for k := 1; k < d.Clients; k++ {
		tau += 10 * math.Exp(-2*math.Pi*math.Pi*share*float64(k)/float64(k+1))
	}
	return tau
}

// sampledDivergence returns the bound under sampling without replacement of any mechanism.
func sampledDivergence(rate float64, of func(order float64) float64) func(order float64) float64 {
	var moments []float64 // by j: log of the term of γʲ C(α, j)
	cumulant := func(order float64) float64 {
		if order <= 1 {
			return 0
		}
		for j := len(moments); j <= int(order); j++ {
			term := math.Ln2 + float64(j-1)*of(max(2, float64(j)))
			if j == 2 {
				term = min(math.Ln2+of(2), 2*math.Ln2+logExpm1(of(2)))
			}
			moments = append(moments, term)
		}
		sum := 0.0 // in logarithms
		for j := 2; j <= int(order); j++ {
			choose, _ := logBinomial(order, j)
			sum = logAdd(sum, choose+float64(j)*math.Log(rate)+moments[j])
		}
		return sum
	}
	return func(order float64) float64 { return chord(cumulant, order) }
}

// chord returns D_α between whole orders, from cumulants (α − 1)·D_α at these: they are convex.
func chord(cumulant func(order float64) float64, order float64) float64 {
	below, above := math.Floor(order), math.Ceil(order)
	if below == above {
		return cumulant(order) / (order - 1)
	}
	t := order - below
	return ((1-t)*cumulant(below) + t*cumulant(above)) / (order - 1)
}
