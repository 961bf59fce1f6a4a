package engine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

func lawOf(t *testing.T, a fl.Availability, s fl.Selection) fl.Law {
	t.Helper()
	setup := toy()
	setup.Availability, setup.Selection = a, s
	law, err := engine.CohortLaw(setup, engine.Open(&fl.Roster{N: setup.Clients}))
	if err != nil {
		t.Fatal(err)
	}
	if sum := law.Q.Sum(); math.Abs(sum-1) > 1e-12 {
		t.Errorf("the law sums to %v", sum)
	}
	return law
}

// probability returns the probability of a cohort.
func probability(law fl.Law, cohort ...int) float64 {
	sum := 0.0
	for j, set := range law.Sets {
		if slices.Equal(set, cohort) {
			sum += law.Q[j]
		}
	}
	return sum
}

func TestLawsCompose(t *testing.T) {
	sets := listed{{0, 1}, {0, 2, 3}, {4}}
	for _, c := range []struct {
		name   string
		law    fl.Law
		cohort []int
		q, pi0 float64
	}{
		{"everyone, all", lawOf(t, everyone{}, takeAll{}), []int{0, 1, 2, 3, 4, 5}, 1, 1},
		{"everyone, one", lawOf(t, everyone{}, takeOne{}), []int{3}, 1. / 6, 1. / 6},
		{"listed, all", lawOf(t, sets, takeAll{}), []int{0, 2, 3}, 1. / 3, 2. / 3},
		{"listed, one", lawOf(t, sets, takeOne{}), []int{0}, 1./6 + 1./9, 1./6 + 1./9},
	} {
		if got := probability(c.law, c.cohort...); math.Abs(got-c.q) > 1e-15 || !c.law.Exact {
			t.Errorf("%s: q%v = %v, want %v; exact = %t", c.name, c.cohort, got, c.q, c.law.Exact)
		}
		if got := c.law.Inclusion[0]; math.Abs(got-c.pi0) > 1e-15 {
			t.Errorf("%s: π₀ = %v, want %v", c.name, got, c.pi0)
		}
	}
}

// A law that is not stated is estimated, and says so.
func TestLawIsSimulatedWhereItIsNotStated(t *testing.T) {
	law := lawOf(t, coin{}, takeAll{})
	if law.Exact || law.Draws == 0 || law.Sets == nil {
		t.Fatalf("exact = %t, draws = %d, %d cohorts", law.Exact, law.Draws, len(law.Sets))
	}
	se := 0.5 / math.Sqrt(float64(law.Draws))
	for i, pi := range law.Inclusion {
		if math.Abs(pi-0.5) > 5*se {
			t.Errorf("π%d = %v, want ½ ± %v", i, pi, se)
		}
	}
	if want := math.Pow(0.5, 6); math.Abs(law.Empty-want) > 5*math.Sqrt(want/float64(law.Draws)) {
		t.Errorf("P(empty) = %v, want %v", law.Empty, want)
	}
}

// Asking for the law disturbs no draw of the run.
func TestLawDisturbsNothing(t *testing.T) {
	known, unknown := toy(), toy()
	known.Law = true
	a, b := run(t, known, engine.Options{}), run(t, unknown, engine.Options{})
	if a.Series[0].Values[3] != b.Series[0].Values[3] {
		t.Error("the run differs when its law is computed")
	}
}

// Whether subsets that finish are too many to list is known before any is listed: of 10 of 20
// clients there are 184,756 × 2¹⁰, equal ones each time.
func TestSubsetsAreCountedBeforeTheyAreListed(t *testing.T) {
	for _, c := range []struct {
		sets, size int
		ok         bool
	}{{1, 12, true}, {1, 13, false}, {184_756, 10, false}, {2, 3, true}} {
		asked := fl.Law{Sets: make([][]int, c.sets), Q: make(fl.Vector, c.sets)}
		for j := range asked.Sets {
			for i := range c.size {
				asked.Sets[j] = append(asked.Sets[j], i)
			}
			asked.Q[j] = 1 / float64(c.sets)
		}
		half := make(fl.Vector, c.size)
		half.Fill(0.5)
		allocated := testing.AllocsPerRun(1, func() {
			if _, ok := engine.ListSubsets(&asked, half); ok != c.ok {
				t.Errorf("%d cohorts of %d: %t", c.sets, c.size, ok)
			}
		})
		if !c.ok && allocated > 0 {
			t.Errorf("%d cohorts of %d that are too many: %v allocations", c.sets, c.size, allocated)
		}
	}
}
