// Noise of prefix sums by a binary tree.
//
// Kairouz, McMahan, Song, Thakkar, Thakurta, Xu (2021) "Practical and Private (Deep) Learning
// without Sampling or Shuffling", ICML: DP-FTRL, Appendix D for its privacy. Dwork et al. (2010),
// Chan, Shi, Song (2011): the tree. Exactness for adaptive releases: Denisov et al. (2022)
// "Improved Differential Privacy for SGD via Optimal Private Linear Operators", NeurIPS. Checked
// against tree_aggregation_accountant.py of tensorflow/privacy and ftrl_noise.py of
// google-research/DP-FTRL.
//
// Notation: rounds 1, …, T are the leaves of complete binary trees; the node (ℓ, i) covers the
// rounds i·2^ℓ + 1, …, (i + 1)·2^ℓ and has noise N(0, σ²) of its own. The prefix sum of round t has
// the noise of the nodes in the binary expansion of t: one for every bit that is set.
//
// A client that takes part in several rounds moves node v by at most c_v clipping radii, the number
// of its rounds below v. All nodes together are one Gaussian mechanism with sensitivity √Σ c_v²:
// ρ-zCDP with ρ = Σ c_v²/2σ².
//
// Trees may follow one another (Restarts). What a tree released is then in all later sums, with the
// noise of its last prefix, or of its root, where the tree is completed by rounds without clients:
// one node, which is one more that is released.
//
// Departures: the estimator of Honaker (2015), which averages over descriptions of the same sum,
// is not here. It is post-processing: the accounting is the same.
package privacy

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Tree draws the noise of prefix sums. It holds a vector for every level below log₂ of the round.
type Tree struct {
	sigma float64
	dim   int
	round int
	node  func(level, index int) *rand.Rand
	live  []tensor.Vector // by level: the noise of the node in use, which round says
}

// NewTree returns a tree before its first round. Every node has noise of standard deviation sigma
// in dim coordinates, drawn from the generator that node returns for its level and index, so that
// the noise of a round is the same whatever was drawn before.
func NewTree(dim int, sigma float64, node func(level, index int) *rand.Rand) (*Tree, error) {
	switch {
	case dim < 0:
		return nil, fmt.Errorf("%d coordinates: there must be at least 0", dim)
	case node == nil:
		return nil, errors.New("a tree needs generators for its nodes")
	}
	if err := checkNoise(sigma, 0); err != nil {
		return nil, err
	}
	return &Tree{sigma: sigma, dim: dim, node: node}, nil
}

// Round returns the round whose noise Next wrote last, 0 before the first.
func (t *Tree) Round() int { return t.round }

// Next moves on by a round and writes the noise of its prefix sum to dst. It draws one node, and
// allocates only when the tree grows by a level.
func (t *Tree) Next(dst tensor.Vector) error {
	if len(dst) != t.dim {
		return fmt.Errorf("%d coordinates for the noise of %d", len(dst), t.dim)
	}
	t.round++
	t.draw(bits.TrailingZeros(uint(t.round)))
	t.sum(dst)
	return nil
}

// Seek makes round the last one: the next is the one after it. It draws the nodes that are in use.
func (t *Tree) Seek(round int) error {
	if round < 0 {
		return fmt.Errorf("round %d: it must be at least 0", round)
	}
	t.round = round
	for rest := uint(round); rest != 0; rest &= rest - 1 {
		t.draw(bits.TrailingZeros(rest))
	}
	return nil
}

// Continue makes round the last one, with the nodes in use where the caller keeps them: the memory
// that kept returns for their levels, and for that of the node that Next will draw. Nothing is
// drawn, so that generators of rounds gone by are not needed.
func (t *Tree) Continue(round int, kept func(level int) tensor.Vector) {
	t.round = round
	used := uint(round) | uint(round+1)
	for len(t.live) < bits.Len(used) {
		t.live = append(t.live, nil)
	}
	for ; used != 0; used &= used - 1 {
		level := bits.TrailingZeros(used)
		t.live[level] = kept(level)
	}
}

// draw draws the node of a level that covers what comes last before the end of the round.
func (t *Tree) draw(level int) {
	for len(t.live) <= level {
		t.live = append(t.live, make(tensor.Vector, t.dim))
	}
	rng := t.node(level, t.round>>level-1)
	for i := range t.live[level] {
		t.live[level][i] = t.sigma * rng.NormFloat64()
	}
}

// Noise writes the noise of the last round's prefix sum to dst.
func (t *Tree) Noise(dst tensor.Vector) { t.sum(dst) }

// sum adds the nodes in use, the largest first, whatever was drawn when.
func (t *Tree) sum(dst tensor.Vector) {
	clear(dst)
	for level := bits.Len(uint(t.round)) - 1; level >= 0; level-- {
		if t.round>>level&1 == 1 {
			for i, x := range t.live[level] {
				dst[i] += x
			}
		}
	}
}

// TreeVariance returns the variance of the noise of round's prefix sum, in variances of a node.
func TreeVariance(round int) int { return bits.OnesCount(uint(max(round, 0))) }

// TreeMechanism returns the Gaussian mechanism that a whole tree is: nodes have noise of sigma
// clipping radii, and the client that moves them most has the sum of squares of TreeSensitivity or
// RestartedSensitivity.
func TreeMechanism(sigma float64, squares int) Mechanism {
	if squares == 0 {
		return Mechanism{Sigma: sigma, Sampling: Independently} // no client takes part
	}
	return Mechanism{Sigma: sigma / math.Sqrt(float64(squares)), Rate: 1}
}

// RestartedSensitivity returns Σ c_v² of a client that takes part once in every tree, for trees of
// the given numbers of rounds: one node on every level.
func RestartedSensitivity(rounds ...int) int {
	squares := 0
	for _, n := range rounds {
		squares += bits.Len(uint(max(n, 0)))
	}
	return squares
}
