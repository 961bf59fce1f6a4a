package availability_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/builtin/importance"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// separated are the parameters of minimum-separation with a listed prior.
func separated(k, separation int, prior fl.Vector) map[string]any {
	return map[string]any{"k": int64(k), "separation": int64(separation), "prior": listed(prior)}
}

// The stated law is the stationary one of the chain, whose transitions NumPy lists and solves.
//
//hansa:verifies golden availability/minimum-separation
func TestGoldenSeparation(t *testing.T) {
	var file struct {
		Cases []struct {
			R, Q, Inclusion fl.Vector
			K, Separation   int
			Sets            [][]int
		}
	}
	text, err := os.ReadFile("testdata/separation.json")
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		given := separated(c.K, c.Separation, c.R)
		law := open(t, availability.MinimumSeparation, given, len(c.R)).law(t)
		if !reflect.DeepEqual(law.Sets, c.Sets) || !near(law.Q, c.Q, 1e-12) ||
			!near(law.Inclusion, c.Inclusion, 1e-12) || law.Memoryless != (c.Separation == 0) {
			t.Errorf("%v: law %+v, want %+v", given, law, c)
		}
	}
}

// Without a separation the law and every cohort are those of k-subset with design = "distinct".
//
//hansa:verifies equivalence availability/minimum-separation
func TestWithoutSeparationIsKSubset(t *testing.T) {
	for _, r := range priors() {
		for k := 1; k <= 3; k++ {
			x := open(t, availability.MinimumSeparation, separated(k, 0, r), 6)
			y := open(t, availability.KSubset, subset("distinct", k, r), 6)
			got, ok := x.Law(x.reach.Roster)
			want, known := y.Law(y.reach.Roster)
			if ok != known || !near(got.Inclusion, want.Inclusion, 1e-12) || !near(got.Q, want.Q, 1e-12) {
				t.Errorf("k = %d, r = %v: law %+v, want %+v", k, r, got, want)
			}
			for round := range 50 {
				if a, b := x.round(round), y.round(round); !equalWeights(r) && !slices.Equal(a, b) {
					t.Fatalf("k = %d, r = %v: %v in round %d, want %v", k, r, a, round, b)
				}
			}
		}
	}
}

func equalWeights(r fl.Vector) bool { return slices.Min(r) == slices.Max(r) }

// In long runs no client is available within R rounds of its last one, and clients are available as
// often as the law says, from the first round on.
//
//hansa:verifies theorem availability/minimum-separation
func TestSeparatedRunsFollowTheLaw(t *testing.T) {
	for _, c := range []struct {
		k, separation int
		prior         fl.Vector
	}{
		{1, 1, fl.Vector{1, 2, 3, 4, 5, 6}},
		{1, 3, fl.Vector{1, 2, 3, 4, 5, 6}},
		{2, 1, fl.Vector{1, 2, 3, 4, 5, 30}},
		{2, 2, fl.Vector{1, 2, 3, 4, 5, 6, 7, 8}},
		{10, 2, slices.Repeat(fl.Vector{1, 9, 3, 5}, 9)}, // 30 of 36: draws that seldom all differ
	} {
		n := len(c.prior)
		x := open(t, availability.MinimumSeparation, separated(c.k, c.separation, c.prior), n)
		law := x.law(t)
		const rounds = 60_000
		last, came := slices.Repeat([]int{-n}, n), make(fl.Vector, n)
		for round := range rounds {
			cohort := x.round(round)
			if len(cohort) != c.k || !slices.IsSorted(cohort) {
				t.Fatalf("%+v: cohort %v", c, cohort)
			}
			for _, i := range cohort {
				if round-last[i] <= c.separation {
					t.Fatalf("%+v: client %d in rounds %d and %d", c, i, last[i], round)
				}
				last[i] = round
				came[i]++
			}
		}
		for i, pi := range law.Inclusion {
			// Rounds repel a client, so that its number of rounds varies less than that of a coin.
			if off := math.Abs(came[i] - rounds*pi); off > 4.5*math.Sqrt(rounds*pi*(1-pi)) {
				t.Errorf("%+v: client %d came %v times, want %v", c, i, came[i], rounds*pi)
			}
		}
	}
}

// Theorem: a longer separation makes inclusion probabilities more even, and with k(R + 1) = N they
// are all K/N. With one client in a round and R = 1, πᵢ ∝ rᵢ(1 − rᵢ).
//
//hansa:verifies theorem availability/minimum-separation
func TestSeparationEvensInclusion(t *testing.T) {
	prior := fl.Vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 15}
	for _, k := range []int{1, 2} {
		before := math.Inf(1)
		for separation := 0; k*(separation+1) <= 10; separation++ {
			pi := open(t, availability.MinimumSeparation, separated(k, separation, prior), 10).law(t).Inclusion
			spread := slices.Max(pi) - slices.Min(pi)
			if !(spread < before) || math.Abs(pi.Sum()-float64(k)) > 1e-12 {
				t.Errorf("k = %d, R = %d: π = %v, spread %v after %v", k, separation, pi, spread, before)
			}
			before = spread
		}
		if before > 1e-12 {
			t.Errorf("k = %d: in turns π differs by %v", k, before)
		}
	}
	r := prior.Clone()
	r.Scale(1 / r.Sum())
	want := make(fl.Vector, len(r))
	for i, x := range r {
		want[i] = x * (1 - x)
	}
	want.Scale(1 / want.Sum())
	if pi := open(t, availability.MinimumSeparation, separated(1, 1, prior), 10).law(t).Inclusion; !near(pi,
		want, 1e-12) {
		t.Errorf("π = %v, want %v", pi, want)
	}
}

// Clients in turns: with k(R + 1) = N every client is available once in R + 1 rounds, in the same
// order for ever.
func TestFullSeparationIsCyclic(t *testing.T) {
	x := open(t, availability.MinimumSeparation, separated(2, 2, fl.Vector{1, 2, 3, 4, 5, 6}), 6)
	var first []string
	for round := range 30 {
		got := fmt.Sprint(x.round(round))
		if round < 3 {
			first = append(first, got)
		}
		if got != first[round%3] {
			t.Fatalf("round %d: %s, and %v before", round, got, first)
		}
	}
}

// Where clients are too few for R + 1 cohorts there is one clear error: in the file where their
// number decides, and before the first round where the prior leaves too few.
func TestTooFewForTheSeparation(t *testing.T) {
	var r registry.Registry
	if err := r.Importances.Add(importance.Uniform); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ n, k, separation int }{{5, 2, 2}, {3, 4, 0}, {4, 1, 4}} {
		p := r.Params(map[string]any{"k": int64(c.k), "separation": int64(c.separation)},
			fl.Setting{Clients: c.n})
		_, err := availability.MinimumSeparation.New(p)
		problems := p.Finish()
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, "fewer than") {
			t.Errorf("%+v: %v, %v", c, err, problems)
		}
	}
	x := open(t, availability.MinimumSeparation, separated(2, 1, fl.Vector{0, 1, 2, 3, 0}), 5)
	if got := x.round(0); got != nil || x.reach.Failure() == nil {
		t.Errorf("%v came, and the error is %v", got, x.reach.Failure())
	}
	if _, ok := x.Law(x.reach.Roster); ok {
		t.Error("it states a cohort distribution that does not exist")
	}
}
