package privacy

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// nodes returns generators by level and index, and counts how often each was asked for.
func nodes(seed uint64, asked map[[2]int]int) func(level, index int) *rand.Rand {
	return func(level, index int) *rand.Rand {
		if asked != nil {
			asked[[2]int{level, index}]++
		}
		return rand.New(rand.NewPCG(seed, uint64(level)<<32+uint64(index)))
	}
}

// The noise of a prefix is the sum of the noise of its nodes, each of which is drawn once; and a
// tree that starts in the middle goes on with the same bits.
func TestTreeNoise(t *testing.T) {
	const dim, rounds, sigma = 3, 70, 2.5
	asked, elsewhere := map[[2]int]int{}, map[int]tensor.Vector{}
	tree, err := NewTree(dim, sigma, nodes(1, asked))
	if err != nil {
		t.Fatal(err)
	}
	for round := 1; round <= rounds; round++ {
		got := make(tensor.Vector, dim)
		if err := tree.Next(got); err != nil || tree.Round() != round {
			t.Fatalf("round %d: %v", tree.Round(), err)
		}
		want, end := make(tensor.Vector, dim), 0
		for level := bits.Len(uint(round)) - 1; level >= 0; level-- {
			if round>>level&1 == 0 {
				continue
			}
			rng := nodes(1, nil)(level, end>>level)
			end += 1 << level
			for i := range want {
				want[i] += sigma * rng.NormFloat64()
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: %v, want %v", round, got, want)
		}
		resumed, err := NewTree(dim, sigma, nodes(1, nil))
		if err != nil || resumed.Seek(round-1) != nil || resumed.Next(want) != nil {
			t.Fatal("a tree does not start in the middle")
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d after a resume: %v, want %v", round, want, got)
		}
		continued, err := NewTree(dim, sigma, nodes(1, nil)) // with nodes that are kept elsewhere
		if err != nil {
			t.Fatal(err)
		}
		continued.Continue(round-1, func(level int) tensor.Vector {
			if elsewhere[level] == nil {
				elsewhere[level] = make(tensor.Vector, dim)
			}
			return elsewhere[level]
		})
		if err := continued.Next(want); err != nil || !slices.Equal(got, want) {
			t.Fatalf("round %d continued: %v, want %v: %v", round, want, got, err)
		}
	}
	for node, n := range asked {
		if n != 1 {
			t.Errorf("node %v was drawn %d times", node, n)
		}
	}
	if len(asked) != rounds || len(tree.live) != bits.Len(rounds) {
		t.Errorf("%d nodes were drawn, and %d are kept", len(asked), len(tree.live))
	}
	dst := make(tensor.Vector, dim)
	if n := testing.AllocsPerRun(20, func() { _ = tree.Next(dst) }); n > 4 {
		t.Errorf("%v allocations in a round: only the test's generator may allocate", n)
	}
}

// Source: google-research/DP-FTRL, ftrl_noise.py: with noise 1 in every node, the noise of round t
// is the number of bits of t. Here it is the variance, over many trees.
func TestTreeVariance(t *testing.T) {
	const trees, rounds = 4000, 31
	squares := make([]float64, rounds+1)
	for seed := range uint64(trees) {
		tree, err := NewTree(1, 1, nodes(seed, nil))
		if err != nil {
			t.Fatal(err)
		}
		x := make(tensor.Vector, 1)
		for round := 1; round <= rounds; round++ {
			if err := tree.Next(x); err != nil {
				t.Fatal(err)
			}
			squares[round] += x[0] * x[0] / trees
		}
	}
	for round := 1; round <= rounds; round++ {
		want := float64(bits.OnesCount(uint(round)))
		if TreeVariance(round) != int(want) {
			t.Errorf("round %d: variance %d, want %v", round, TreeVariance(round), want)
		}
		if z := (squares[round]/want - 1) / math.Sqrt(2.0/trees); math.Abs(z) > 4.5 {
			t.Errorf("round %d: a variance of %v, want %v", round, squares[round], want)
		}
	}
}

func squaresOf(t *testing.T, rounds, most, separation int) int {
	t.Helper()
	squares, exact, err := TreeSensitivity(rounds, most, separation)
	if err != nil || !exact {
		t.Fatalf("%d rounds, %d times, %d apart: exact is %t (%v)", rounds, most, separation, exact, err)
	}
	return squares
}

// Source: tensorflow/privacy, tree_aggregation_accountant_test.py, where a separation counts the
// rounds between, one less than here.
func TestSourceTreeSensitivity(t *testing.T) {
	for _, c := range []struct{ rounds, most, between, want int }{
		{8, 1, 7, 4}, {9, 3, 3, 11}, {7, 3, 2, 9},
		{24, 8, 2, 88}, // more than greedy placement gives
		{8, 11, 0, 120}, {8, 200, 0, 120},
	} {
		if got := squaresOf(t, c.rounds, c.most, c.between+1); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for _, rounds := range []int{3, 8, 11, 19} {
		every := 0
		for level := range bits.Len(uint(rounds)) {
			if rounds>>level&1 == 1 {
				every += 1 << level * (2<<level - 1)
			}
		}
		if got := squaresOf(t, rounds, rounds, 1); got != every {
			t.Errorf("%d rounds, all: %d, want %d", rounds, got, every)
		}
		if got, want := squaresOf(t, rounds, 2, 1), 4*bits.Len(uint(rounds))-2; got != want {
			t.Errorf("%d rounds, two of them: %d, want %d", rounds, got, want)
		}
	}
	// 1600 rounds without a restart, δ = 1e-6: the paper's StackOverflow setting.
	orders := upTo(tens(), 12, 64)
	for _, c := range []struct{ noise, epsilon float64 }{{1.13, 19.74}, {8.83, 2.04}} {
		m := TreeMechanism(c.noise, RestartedSensitivity(1600))
		got := epsilonRDP(t, orders, 1e-6, m, 1).Epsilon
		if got >= c.epsilon || got < 0.8*c.epsilon {
			t.Errorf("noise %v: ε = %v, at most %v", c.noise, got, c.epsilon)
		}
	}
	if RestartedSensitivity(400, 400, 400, 400) != 4*9 || RestartedSensitivity(1, 1, 1) != 3 {
		t.Error("trees that restart")
	}
}

// The exact search equals the largest over all sets of rounds, by enumeration, and the bound of the
// levels is not below it.
func TestTreeSensitivityByEnumeration(t *testing.T) {
	for rounds := 1; rounds <= 13; rounds++ {
		for separation := 1; separation <= 6; separation++ {
			for most := 1; most <= 5; most++ {
				best := 0
				for set := range 1 << rounds {
					if bits.OnesCount(uint(set)) <= most && apart(set, separation) {
						best = max(best, movedBy(set, rounds))
					}
				}
				if got := squaresOf(t, rounds, most, separation); got != best {
					t.Errorf("%d rounds, %d times, %d apart: %d, by enumeration %d",
						rounds, most, separation, got, best)
				}
				if bound := levelBound(rounds, most, separation); bound < best {
					t.Errorf("%d rounds, %d times, %d apart: a bound of %d, less than %d",
						rounds, most, separation, bound, best)
				}
			}
		}
	}
}

// apart reports whether the rounds of a set are separated.
func apart(set, separation int) bool {
	last := -separation
	for round := 0; set>>round != 0; round++ {
		if set>>round&1 == 1 {
			if round-last < separation {
				return false
			}
			last = round
		}
	}
	return true
}

// movedBy returns the sum of the squares of a set's numbers of rounds below every complete node.
func movedBy(set, rounds int) int {
	squares := 0
	for level := 0; 1<<level <= rounds; level++ {
		for end := 1 << level; end <= rounds; end += 1 << level {
			c := bits.OnesCount(uint(set >> (end - 1<<level) & (1<<(1<<level) - 1)))
			squares += c * c
		}
	}
	return squares
}

// Large questions are answered with a bound, and say so.
func TestTreeSensitivityAtScale(t *testing.T) {
	for _, c := range []struct{ rounds, most, separation int }{
		{2048, 6, 342}, {2048, 20, 100}, {100_000, 50, 1000}, {1 << 20, 1 << 10, 1}, {1000, 1, 1},
	} {
		squares, exact, err := TreeSensitivity(c.rounds, c.most, c.separation)
		t.Logf("%+v: %d, exact %t", c, squares, exact)
		levels := bits.Len(uint(c.rounds))
		if err != nil || squares < c.most*levels/2 || squares > c.most*c.most*levels {
			t.Errorf("%+v: %d, exact is %t (%v)", c, squares, exact, err)
		}
		if c.most == 1 && squares != levels || c.rounds <= 2048 && !exact {
			t.Errorf("%+v: %d, exact is %t", c, squares, exact)
		}
	}
	for _, bad := range [][3]int{{-1, 1, 1}, {1, -1, 1}, {1, 1, 0}} {
		if _, _, err := TreeSensitivity(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

func TestTreeRefusals(t *testing.T) {
	for k, err := range []error{
		func() error { _, err := NewTree(-1, 1, nodes(1, nil)); return err }(),
		func() error { _, err := NewTree(1, -1, nodes(1, nil)); return err }(),
		func() error { _, err := NewTree(1, 1, nil); return err }(),
		func() error {
			tree, err := NewTree(2, 1, nodes(1, nil))
			if err != nil {
				return fmt.Errorf("a good tree was refused: %w", err)
			}
			if tree.Seek(-1) == nil {
				return nil
			}
			return tree.Next(make(tensor.Vector, 3))
		}(),
	} {
		if err == nil {
			t.Errorf("case %d was accepted", k)
		}
	}
}
