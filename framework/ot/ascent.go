package ot

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// An Ascent learns log u from the cohorts of the rounds, without their distribution: with w the
// softmax of a over the cohort S, it moves
//
//	a ← (1 − η·leak)·a + η·(p − 1_S w)
//
// which is stochastic ascent on the dual −Φ(a), since E[p − 1_S w] = p − P(a). It is deficit
// round-robin, too: without a leak a = η Σ_t (p − 1_S w) exactly, so that the total weight of a
// client differs from its target T·pᵢ by |aᵢ|/η, however the cohorts arise (independent, Markov,
// cyclic). As long as a stays bounded, that is where p is strictly feasible, the mean weight of
// every client tends to p like 1/T. The weights depend on past cohorts, so they are unbiased in the
// long run only.
//
// Where p is not feasible some entries of a would grow for ever. A positive leak keeps
// them finite, at pᵢ − Pᵢ(a) = leak·aᵢ in the mean. Without one a is clipped to [−20, 20],
// and what is clipped is lost to the sum above.
//
// The state is a vector of two numbers per client, zero at first, which the caller owns: state[2i]
// is aᵢ as of state[2i+1] cohorts. Between two cohorts of client i only p moves aᵢ, in closed form,
// so a cohort costs O(|S|) for any number of clients. Clients with p = 0 have aᵢ = −Inf in any
// state.
//
// With Sparse the weights are Sparsemax of a, and the same ascent finds λ of MinimumVariance: its
// dual has the gradient p − P(λ), too, and the sum of what was missed is as telescopic. λ is of the
// size of weights, not of their logarithms, so that η is the part of a weight by which a
// participation moves it: about 1/η participations of a client are remembered.
type Ascent struct {
	Step   float64 // η > 0; 1 tracks well, less estimates u better; less than 1 where Sparse
	Leak   float64 // [0, 1/Step); 0 is none
	Sparse bool    // learn λ of the plan of least variance in place of log u
}

// clip bounds |a| where there is no leak.
const clip = 20

// Observe takes the cohort set, the one after round others (0 for the first). It sets w
// to the weights of the cohort, length len(set), and moves the state. It allocates nothing.
func (s Ascent) Observe(w, p, state tensor.Vector, round int, set []int) {
	for k, i := range set {
		w[k] = s.at(p, state, i, round)
		if p[i] > 0 {
			state[2*i] = w[k]
		}
	}
	if s.Sparse {
		sparsemax(w[:len(set)])
	} else {
		softmax(w[:len(set)])
	}
	for k, i := range set {
		if p[i] > 0 {
			state[2*i] = s.bound((1-s.Step*s.Leak)*state[2*i] + s.Step*(p[i]-w[k]))
			state[2*i+1] = float64(round + 1)
		}
	}
}

// LogU sets dst to a after round cohorts, for all clients. Unlike the vector of a Plan it is not
// shifted to have largest entry 0.
func (s Ascent) LogU(dst, p, state tensor.Vector, round int) {
	for i := range dst {
		dst[i] = s.at(p, state, i, round)
	}
}

// at returns aᵢ after round cohorts: over n rounds without client i, its entry goes from
// a to dⁿa + (1 − dⁿ) p/leak with d = 1 − η·leak, and from a to a + nηp for no leak.
func (s Ascent) at(p, state tensor.Vector, i, round int) float64 {
	if p[i] == 0 {
		return math.Inf(-1)
	}
	a, idle := state[2*i], float64(round)-state[2*i+1]
	if s.Leak == 0 {
		return s.bound(a + idle*s.Step*p[i])
	}
	fade := math.Expm1(idle * math.Log1p(-s.Step*s.Leak))
	return a + fade*(a-p[i]/s.Leak)
}

// bound clips a where there is no leak.
func (s Ascent) bound(a float64) float64 {
	if s.Leak > 0 {
		return a
	}
	return math.Max(-clip, math.Min(clip, a))
}
