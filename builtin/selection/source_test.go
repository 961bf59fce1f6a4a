package selection_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// A sourceGolden is what the authors' code computed; see testdata/source.py.
type sourceGolden struct {
	Clustered []struct {
		Samples []int
		K       int
		Updates []fl.Vector
		R       []fl.Vector
	}
	DivFL []struct {
		K            int
		Updates      []fl.Vector
		Greedy, Lazy []int
	} `json:"divfl"`
	Oort []struct {
		Samples, Last, Clients []int
		K, Round               int
		Clip, Preferred        float64
		RMS, P                 fl.Vector
		Durations              []any
	}
	Choice struct {
		Samples, Counts []int
		Sets            [][]int
		Losses          fl.Vector
		D, K            int
	}
}

func readSource(t *testing.T) (g sourceGolden) {
	t.Helper()
	readTold(t, "source.json", &g)
	if len(g.Clustered) == 0 || len(g.DivFL) == 0 || len(g.Oort) == 0 || len(g.Choice.Sets) == 0 {
		t.Fatal("it is empty")
	}
	return g
}

// Accenture/Labs-Federated-Learning, py_func/clustering.py, has the same distributions, but for the
// ten digits to which it rounds.
//
//hansa:verifies source selection/clustered-similarity
func TestClustersAreTheAuthors(t *testing.T) {
	for _, c := range readSource(t).Clustered {
		n := len(c.Samples)
		s := build(t, selection.ClusteredSimilarity, map[string]any{"k": int64(c.K)}, n)
		d := newTelling(sized(c.Samples...))
		d.tell(0, everyone(n), nil, c.Updates)
		r := selection.DistributionsOf(s, d.open(1, everyone(n)))
		for k := range c.K {
			if r.Row(k).Distance(c.R[k]) > 1e-8 {
				t.Errorf("%d of %d: distribution %d is %v, want %v", c.K, n, k, r.Row(k), c.R[k])
			}
		}
	}
}

// melodi-lab/divfl, flearn/trainers/fedbase.py, has the same greedy cohorts. Those of its lazy
// variant, which are others in some cases, represent clients no better.
//
//hansa:verifies source selection/divfl
func TestGreedyIsTheAuthors(t *testing.T) {
	for _, c := range readSource(t).DivFL {
		n := len(c.Updates)
		s := build(t, selection.DivFL, map[string]any{"k": int64(c.K)}, n)
		d := newTelling(people(n))
		d.tell(0, everyone(n), nil, c.Updates)
		got := s.Select(d.open(1, everyone(n)))
		loss := func(set []int) (sum float64) {
			for _, a := range c.Updates {
				near := math.Inf(1)
				for _, j := range set {
					near = min(near, a.Distance(c.Updates[j]))
				}
				sum += near
			}
			return sum
		}
		if !slices.Equal(got, c.Greedy) || loss(c.Lazy) < loss(got)-1e-12 {
			t.Errorf("%d of %d: %v with L = %v, want %v; lazy %v with %v", c.K, n, got, loss(got),
				c.Greedy, c.Lazy, loss(c.Lazy))
		}
	}
}

// SymbioticLab/Oort, oort/oort.py: with utility = "normalised" clients that took part are drawn with
// the same probabilities, without durations and with, where T is a quantile of these.
//
//hansa:verifies source selection/oort
func TestUtilitiesAreTheAuthors(t *testing.T) {
	for _, c := range readSource(t).Oort {
		n := len(c.Samples)
		s := build(t, selection.Oort, map[string]any{"k": int64(c.K), "utility": "normalised",
			"clip": c.Clip, "durations": c.Durations, "pace": c.Preferred}, n)
		d := newTelling(sized(c.Samples...))
		for i, last := range c.Last {
			d.tell(last-1, []int{i}, fl.Vector{c.RMS[i]}, nil)
		}
		u := selection.UtilityOf(s, d.open(c.Round-1, everyone(n))).Of
		u.Scale(1 / u.Sum())
		for k, i := range c.Clients {
			if math.Abs(u[i]-c.P[k]) > 1e-12 {
				t.Errorf("%d clients: client %d has %v, want %v", n, i, u[i], c.P[k])
			}
		}
	}
}

// peng-ju/Power-of-Choice, dnn/utils.py, which grew from the authors' supplement: 40,000 cohorts that
// it selected have the distribution of ours, which is enumerated: candidates by share without
// replacement, and of these the largest losses.
//
//hansa:verifies source selection/power-of-choice
func TestChoicesAreTheAuthors(t *testing.T) {
	c, n := readSource(t).Choice, len(readSource(t).Choice.Samples)
	pop, q := sized(c.Samples...), make(fl.Vector, len(c.Sets))
	law := stats.SuccessiveLaw(pop.Importance, c.D)
	for j, candidates := range stats.Subsets(n, c.D) {
		slices.SortFunc(candidates, func(a, b int) int {
			return int(math.Copysign(1, c.Losses[b]-c.Losses[a]))
		})
		cohort := candidates[:c.K]
		slices.Sort(cohort)
		at := slices.IndexFunc(c.Sets, func(s []int) bool { return slices.Equal(s, cohort) })
		if at < 0 {
			t.Fatalf("%v is never selected", cohort)
		}
		q[at] += law[j]
	}
	s := build(t, selection.PowerOfChoice, map[string]any{"k": int64(c.K), "d": int64(c.D)}, n)
	in, _ := asking(pop, c.Losses)
	theirs, ours := stats.NewTally(c.Sets), stats.NewTally(c.Sets)
	round := 0
	for j, count := range c.Counts {
		for range count {
			theirs.Add(c.Sets[j])
			ours.Add(in.round(s, round))
			round++
		}
	}
	for name, tally := range map[string]*stats.Tally{"theirs": theirs, "ours": ours} {
		if a := tally.Against(q); a.P < 1e-4 {
			t.Errorf("%s: χ² = %v with %d degrees of freedom", name, a.Statistic, a.Degrees)
		}
	}
}

// SamuelHorvath/FL-optimal-client-sampling, simple_fedavg_tff.py, comes to the same probabilities
// by the messages of its clients. These begin with min(1, m·u/Σu). Then, four times in its
// experiments, each client sends its probability and 1, or 0 and 0 where that is 1, and multiplies
// it by (m − n + Σ of the second)/(Σ of the first), up to 1; after a factor of 1 or less there is no
// more.
//
//hansa:verifies source selection/aocs
func TestAOCSIsByTheAuthorsMessages(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := 2 + rng.IntN(8)
		m, u := 1+rng.IntN(n), make(fl.Vector, n)
		for i := range u {
			u[i] = math.Exp(2 * rng.NormFloat64())
		}
		p := u.Clone()
		p.Scale(float64(m) / u.Sum())
		p.Clamp(0, 1)
		for range 4 {
			first, second := 0.0, 0.0
			for _, x := range p {
				if x < 1 {
					first, second = first+x, second+1
				}
			}
			factor := (float64(m-n) + second) / first
			if second > 0 {
				p.Scale(factor)
				p.Clamp(0, 1)
			}
			if second == 0 || factor <= 1 {
				break
			}
		}
		s := build(t, selection.AOCS, map[string]any{"k": int64(m)}, n)
		d := answering(sized(slices.Repeat([]int{1}, n)...), u)
		for round := range 50 {
			for k, i := range d.round(s, round) {
				if math.Abs(d.draw.Expected[k]-p[i]) > 1e-12 {
					t.Fatalf("%d of %v: π%d = %v, want %v", m, u, i, d.draw.Expected[k], p[i])
				}
			}
		}
	}
}
