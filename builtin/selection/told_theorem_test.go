package selection_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// directions returns n updates of few clusters. Of every third client there is none.
func directions(rng *rand.Rand, n int, sparse bool) (cohort []int, updates []fl.Vector) {
	for i := range n {
		if sparse && i%3 == 1 {
			continue
		}
		u := fl.Vector{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		u[i%2] += 4
		cohort, updates = append(cohort, i), append(updates, u)
	}
	return cohort, updates
}

// Enumeration of all draws, whatever the updates and the tree are, among all and some clients: each
// is drawn K·q times in the mean, so that the mean of the draws is unbiased for Σ qᵢθᵢ. The count of
// a client has no more variance than with md.
//
//hansa:verifies unbiased selection/clustered-similarity
//hansa:verifies theorem selection/clustered-similarity
func TestClustersAreUnbiasedAndCalm(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := 1; n <= 6; n++ {
		for k := 1; k <= 4; k++ {
			for _, tree := range []string{"rows", "angles"} {
				for _, sparse := range []bool{false, true} {
					pop := people(n)
					s := build(t, selection.ClusteredSimilarity, map[string]any{"k": int64(k),
						"tree": tree}, n)
					d := newTelling(pop)
					cohort, updates := directions(rng, n, sparse)
					d.tell(0, cohort, nil, updates)
					available := everyone(n)[n/4:]
					r := selection.DistributionsOf(s, d.open(1, available))
					q := make(fl.Vector, len(available))
					for j, i := range available {
						q[j] = float64(pop.Samples[i])
					}
					q.Scale(1 / q.Sum())
					checkDraws(t, fmt.Sprint(k, " of ", available, tree, sparse), r, q)
				}
			}
		}
	}
}

// checkDraws enumerates one draw from each of some distributions.
func checkDraws(t *testing.T, name string, r fl.Matrix, q fl.Vector) {
	t.Helper()
	n, k := len(q), float64(r.Rows)
	mean, square, total := make(fl.Vector, n), make(fl.Vector, n), 0.0
	times := make(fl.Vector, n)
	var visit func(urn int, chance float64)
	visit = func(urn int, chance float64) {
		if urn == r.Rows {
			total += chance
			for j, m := range times {
				mean[j] += chance * m
				square[j] += chance * m * m
			}
			return
		}
		for j, x := range r.Row(urn) {
			if x > 0 {
				times[j]++
				visit(urn+1, chance*x)
				times[j]--
			}
		}
	}
	visit(0, 1)
	if math.Abs(total-1) > 1e-11 {
		t.Errorf("%s: probabilities sum to %v", name, total)
	}
	for j := range q {
		v := square[j] - mean[j]*mean[j]
		if math.Abs(mean[j]-k*q[j]) > 1e-11 || v > k*q[j]*(1-q[j])+1e-11 {
			t.Errorf("%s: E m = %v, want %v; Var m = %v, of md %v", name, mean[j], k*q[j], v,
				k*q[j]*(1-q[j]))
		}
	}
}

// Where updates are alike, or there are none, a cluster is as good as another; with one draw there
// is one distribution, and this is md.
//
//hansa:verifies equivalence selection/clustered-similarity
func TestOneClusterIsMD(t *testing.T) {
	pop := people(6)
	for round, updates := range [][]fl.Vector{nil, slices.Repeat([]fl.Vector{{1, 2}}, 6)} {
		for k := 1; k <= 4; k++ {
			s := build(t, selection.ClusteredSimilarity, map[string]any{"k": int64(k)}, 6)
			d := newTelling(pop)
			if updates != nil {
				d.tell(0, everyone(6), nil, updates)
			}
			r := selection.DistributionsOf(s, d.open(1, everyone(6)))
			q := make(fl.Vector, 6)
			for i, m := range pop.Samples {
				q[i] = float64(m)
			}
			q.Scale(1 / q.Sum())
			checkDraws(t, fmt.Sprint(k, " draws, case ", round), r, q)
			if k == 1 && r.Row(0).Distance(q) > 1e-15 {
				t.Errorf("one draw is from %v, want %v", r.Row(0), q)
			}
		}
	}
}

// Clients whose updates point in as many directions as there are draws, with the same shares: one of
// each group is drawn in every round.
//
//hansa:verifies theorem selection/clustered-similarity
func TestOneOfEveryClusterIsDrawn(t *testing.T) {
	for _, tree := range []string{"rows", "angles"} {
		s := build(t, selection.ClusteredSimilarity, map[string]any{"k": int64(3), "tree": tree}, 9)
		d := newTelling(sized(slices.Repeat([]int{4}, 9)...))
		updates := make([]fl.Vector, 9)
		for i := range updates {
			updates[i] = fl.Vector{0.01 * float64(i), 0, 0}
			updates[i][i%3] += float64(1 + i)
		}
		d.tell(0, everyone(9), nil, updates)
		for round := range 200 {
			groups := map[int]bool{}
			for _, i := range s.Select(d.open(round+1, everyone(9))) {
				groups[i%3] = true
			}
			if len(groups) != 3 {
				t.Fatalf("%s: round %d draws from %v", tree, round, groups)
			}
		}
	}
}

// Draws follow the distributions, and what is told of them is how often each is to be expected.
func TestClusteredDrawsFollowDistributions(t *testing.T) {
	s := build(t, selection.ClusteredSimilarity, map[string]any{"k": int64(3)}, 7)
	pop, rng := people(7), rand.New(rand.NewPCG(1, 1))
	d := newTelling(pop)
	cohort, updates := directions(rng, 7, false)
	d.tell(0, cohort, nil, updates)
	r := selection.DistributionsOf(s, d.open(1, everyone(7)))
	want := make(fl.Vector, 7)
	for k := range r.Rows {
		want.Add(r.Row(k))
	}
	mean := make(fl.Vector, 7)
	const rounds = 20_000
	for round := range rounds {
		drawn := 0
		for k, i := range s.Select(d.open(1+round, everyone(7))) {
			m := d.draw.Times[k]
			mean[i] += float64(m) / rounds
			drawn += m
			if math.Abs(d.draw.Expected[k]-want[i]) > 1e-12 {
				t.Fatalf("client %d is told as %v, want %v", i, d.draw.Expected[k], want[i])
			}
		}
		if drawn != 3 {
			t.Fatalf("%d draws", drawn)
		}
	}
	if mean.Distance(want) > 0.02 {
		t.Errorf("E m = %v, want %v", mean, want)
	}
}

// Theorem (Nemhauser, Wolsey, Fisher 1978): M·|V| − L of the greedy cohort is 1 − 1/e of the largest
// or more, which is found among all cohorts.
//
//hansa:verifies theorem selection/divfl
func TestGreedyIsNearTheBest(t *testing.T) {
	rng, worst := rand.New(rand.NewPCG(8, 8)), 1.0
	for range 150 {
		for n := 2; n <= 8; n++ {
			cohort, updates := directions(rng, n, false)
			value := func(set []int) (sum float64) {
				most := 0.0
				for _, a := range updates {
					for _, b := range updates {
						most = max(most, a.Distance(b))
					}
				}
				for _, a := range updates {
					near := math.Inf(1)
					for _, j := range set {
						near = min(near, a.Distance(updates[j]))
					}
					sum += most - near
				}
				return sum
			}
			for k := 1; k <= n; k++ {
				s, d := build(t, selection.DivFL, map[string]any{"k": int64(k)}, n), newTelling(people(n))
				d.tell(0, cohort, nil, updates)
				got, best := value(s.Select(d.open(1, everyone(n)))), 0.0
				for _, set := range stats.Subsets(n, k) {
					best = max(best, value(set))
				}
				worst = min(worst, got/best)
				if got < (1-1/math.E)*best-1e-12 {
					t.Errorf("%d of %d: %v, the best cohort has %v", k, n, got, best)
				}
				if k == 1 && got < best-1e-9 {
					t.Errorf("1 of %d: %v, the best client has %v", n, got, best)
				}
			}
		}
	}
	t.Logf("the worst cohort has %.4f of the best one", worst)
}

// With K = N this is all, in every round; so it is in a first round, unless clients without update
// come K at a time.
//
//hansa:verifies equivalence selection/divfl
func TestDivFLOfAllIsAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	available := []int{1, 2, 4, 5}
	for _, unseen := range []string{"all", "k"} {
		s := build(t, selection.DivFL, map[string]any{"k": int64(6), "unseen": unseen}, 6)
		few := build(t, selection.DivFL, map[string]any{"k": int64(2), "unseen": unseen}, 6)
		d := newTelling(people(6))
		for round := range 5 {
			if got := s.Select(d.open(round, available)); !slices.Equal(got, available) {
				t.Errorf("round %d: %v", round, got)
			}
			want := 2
			if round == 0 && unseen == "all" {
				want = 4
			}
			if got := few.Select(d.open(round, available)); len(got) != want {
				t.Errorf("round %d, %s: %v", round, unseen, got)
			}
			cohort, updates := directions(rng, 6, false)
			d.tell(round, cohort, nil, updates)
		}
	}
}

// Where all updates are equal, and where rounds are simulated, cohorts are uniform.
//
//hansa:verifies equivalence selection/divfl
func TestEqualUpdatesAreUniform(t *testing.T) {
	for _, updates := range [][]fl.Vector{nil, slices.Repeat([]fl.Vector{{1, 2}}, 5)} {
		s, d := build(t, selection.DivFL, map[string]any{"k": int64(2)}, 5), newTelling(people(5))
		d.tell(0, everyone(5), nil, updates)
		law, _ := uniform(t, 2, 5).Law(people(5), everyone(5))
		tally := stats.NewTally(law.Sets)
		for round := range 20_000 {
			tally.Add(s.Select(d.open(round, everyone(5))))
		}
		if a := tally.Against(law.Q); a.P < 1e-4 {
			t.Errorf("χ² = %v with %d degrees of freedom", a.Statistic, a.Degrees)
		}
	}
}

// Clients in another order: DivFL selects the same ones, and Oort has the same utilities.
//
//hansa:verifies invariance selection/divfl selection/oort
func TestNumbersOfClientsDoNotMatter(t *testing.T) {
	const n = 9
	rng := rand.New(rand.NewPCG(9, 9))
	_, updates := directions(rng, n, false)
	rms, samples, order := make(fl.Vector, n), make([]int, n), rng.Perm(n)
	for i := range rms {
		rms[i], samples[i] = rng.ExpFloat64(), 5+rng.IntN(40)
	}
	play := func(order []int) (cohort []int, u fl.Vector) {
		own, count := make([]fl.Vector, n), make([]int, n)
		told := make(fl.Vector, n)
		for at, i := range order {
			own[at], told[at], count[at] = updates[i], rms[i], samples[i]
		}
		d := newTelling(sized(count...))
		d.tell(0, everyone(n), told, own)
		s := build(t, selection.DivFL, map[string]any{"k": int64(4)}, n)
		for _, at := range s.Select(d.open(1, everyone(n))) {
			cohort = append(cohort, order[at])
		}
		slices.Sort(cohort)
		s = build(t, selection.Oort, map[string]any{"k": int64(4)}, n)
		u = make(fl.Vector, n)
		for at, x := range selection.UtilityOf(s, d.open(1, everyone(n))).Of {
			u[order[at]] = x
		}
		return cohort, u
	}
	one, first := play(everyone(n))
	other, second := play(order)
	if !slices.Equal(one, other) || !slices.Equal(first, second) {
		t.Errorf("%v with %v, and in the order %v: %v with %v", one, first, order, other, second)
	}
}
