package selection_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/framework/fl"
)

// people returns a roster of n clients with different samples and importance.
func people(n int) *fl.Roster {
	r := &fl.Roster{N: n, Importance: make(fl.Vector, n)}
	for i := range n {
		r.Samples = append(r.Samples, 10+i*i)
		r.Importance[i] = float64(2*n - i)
	}
	r.Importance.Scale(1 / r.Importance.Sum())
	return r
}

// server builds FedAvg with these weights.
func server(t *testing.T, weights string, n int) fl.Weigher {
	t.Helper()
	p := fl.NewParams(map[string]any{"weights": weights},
		fl.Setting{Clients: n, Law: true, Expected: true}, nil)
	a, err := aggregator.FedAvg.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return a.(*fl.WeightedSum).Weigher
}

// weightsOf returns the weight that a round gives every client of the roster.
func weightsOf(t *testing.T, w fl.Weigher, r *fl.Round, cohort []int) fl.Vector {
	t.Helper()
	r.T, r.Updates, r.Notes = 1, nil, new(fl.Notes)
	for _, i := range cohort {
		r.Updates = append(r.Updates, fl.Update{Client: i, Samples: r.Roster.Samples[i]})
	}
	got, err := w.Weights(r)
	if err != nil {
		t.Fatal(err)
	}
	all := make(fl.Vector, r.Roster.N)
	for k, i := range cohort {
		all[i] = got.By[k]
	}
	return all
}

// Theorem (Scheme I): the mean of K draws with replacement is unbiased for Σ qᵢθᵢ; so are weights
// by inverse expected counts for Σ pᵢθᵢ. All multisets are enumerated.
//
//hansa:verifies unbiased selection/md
func TestDrawsWithReplacementAreUnbiased(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for k := 1; k <= 4; k++ {
			pop := people(n)
			given := map[string]any{"k": int64(k)}
			s := build(t, selection.MD, given, n)
			law, ok := s.Law(pop, everyone(n))
			if !ok || law.Repeats == nil {
				t.Fatalf("%d of %d: no list", k, n)
			}
			q := make(fl.Vector, n)
			for i, m := range pop.Samples {
				q[i] = float64(m)
			}
			q.Scale(1 / q.Sum())
			for weights, want := range map[string]fl.Vector{
				"uniform": q, "ht": pop.Importance, "stated": pop.Importance,
			} {
				mean, total := make(fl.Vector, n), 0.0
				for j, cohort := range law.Sets {
					expected := make(fl.Vector, len(cohort))
					for c, i := range cohort {
						expected[c] = law.Expected[i]
					}
					for _, repeat := range law.Repeats[j] {
						r := &fl.Round{Roster: pop, Law: &law, Times: repeat.Times,
							Expected: expected}
						chance := law.Q[j] * repeat.Q
						mean.AddScaled(chance, weightsOf(t, server(t, weights, n), r, cohort))
						total += chance
					}
				}
				if mean.Distance(want) > 1e-14 || math.Abs(total-1) > 1e-14 {
					t.Errorf("%d of %d, %s: %v, want %v; total %v", k, n, weights, mean, want, total)
				}
			}
		}
	}
}

// Draws are among the available clients, and set what the law says.
func TestMDAmongSome(t *testing.T) {
	s := build(t, selection.MD, map[string]any{"k": int64(5), "by": "importance"}, 6)
	d := newDrawing(6, []int{1, 4, 5})
	d.draw.Roster = people(6)
	law := lawOf2(t, s, d.draw.Roster, d.draw.Available)
	for round := range 200 {
		cohort := d.round(s, round)
		drawn := 0
		for k, i := range cohort {
			drawn += d.draw.Times[k]
			if math.Abs(d.draw.Expected[k]-law.Expected[i]) > 1e-15 {
				t.Errorf("client %d: %v draws expected, want %v", i, d.draw.Expected[k],
					law.Expected[i])
			}
		}
		if drawn != 5 || !slices.IsSorted(cohort) {
			t.Errorf("%v, %v times", cohort, d.draw.Times)
		}
	}
	if len(law.Sets) != 7 || math.Abs(law.Expected.Sum()-5) > 1e-14 || law.Inclusion[0] != 0 {
		t.Errorf("%d cohorts, E m = %v", len(law.Sets), law.Expected)
	}
	d.draw.Roster.Importance.Fill(0)
	if cohort := d.round(s, 1); len(cohort) > 0 {
		t.Errorf("%v are drawn, none of which counts", cohort)
	}
	none, ok := s.Law(d.draw.Roster, d.draw.Available)
	if !ok || none.Empty != 1 {
		t.Errorf("where none counts: %+v", none)
	}
}

func lawOf2(t *testing.T, s fl.Selection, pop *fl.Roster, available []int) fl.Law {
	t.Helper()
	law, ok := s.Law(pop, available)
	if !ok || !law.Exact {
		t.Fatalf("law = %t, exact = %t", ok, law.Exact)
	}
	return law
}

// chances asks optimal about every client by the frequency with which it is selected: that is 1
// over what it states, or 0.
func chances(t *testing.T, m int, p, norms fl.Vector) fl.Vector {
	t.Helper()
	s := build(t, selection.Optimal, map[string]any{"k": int64(m)}, len(p))
	d := newDrawing(len(p), everyone(len(p)))
	d.draw.Roster = &fl.Roster{N: len(p), Importance: p}
	d.draw.Norms = func(dst fl.Vector, clients []int) {
		for k, i := range clients {
			dst[k] = norms[i]
		}
	}
	pi := make(fl.Vector, len(p))
	for round := range 20_000 {
		for k, i := range d.round(s, round) {
			pi[i] = d.draw.Expected[k]
		}
	}
	return pi
}

// published returns the probabilities of eq. (7) as it stands, for lengths above 0.
func published(u fl.Vector, m int) fl.Vector {
	n, pi := len(u), make(fl.Vector, len(u))
	order := everyone(n)
	slices.SortFunc(order, func(i, j int) int {
		if u[i] < u[j] {
			return -1
		}
		return 1
	})
	for l := n; l > 0; l-- { // the largest l that does
		sum := 0.0
		for _, i := range order[:l] {
			sum += u[i]
		}
		if m+l-n > 0 && float64(m+l-n) <= sum/u[order[l-1]] {
			for k, i := range order {
				if pi[i] = 1; k < l {
					pi[i] = float64(m+l-n) * u[i] / sum
				}
			}
			return pi
		}
	}
	return pi
}

// The probabilities are those of the paper, sum to m, give an unbiased aggregate, enumerated over
// all cohorts, and the least variance: any shift between two clients makes it larger.
//
//hansa:verifies unbiased selection/optimal
func TestOptimalSampling(t *testing.T) {
	p := fl.Vector{0.1, 0.2, 0.15, 0.05, 0.3, 0.2}
	for _, norms := range []fl.Vector{
		{1, 1, 1, 1, 1, 1}, {9, 0.1, 3, 0.7, 2, 1}, {5, 80, 1, 2, 300, 1}, {1, 2, 3, 4, 5, 6},
	} {
		u := p.Clone()
		for i := range u {
			u[i] *= norms[i]
		}
		for m := 1; m <= 6; m++ {
			pi := chances(t, m, p, norms)
			if want := published(u, m); pi.Distance(want) > 1e-14 ||
				math.Abs(pi.Sum()-float64(m)) > 1e-12 {
				t.Errorf("norms %v, m = %d: %v, want %v", norms, m, pi, want)
			}
			mean := make(fl.Vector, 6)
			for bits := range 1 << 6 {
				chance, cohort, expected := 1.0, []int{}, fl.Vector{}
				for i := range 6 {
					if bits>>i&1 == 1 {
						chance *= pi[i]
						cohort, expected = append(cohort, i), append(expected, pi[i])
					} else {
						chance *= 1 - pi[i]
					}
				}
				if len(cohort) > 0 && chance > 0 {
					r := &fl.Round{Roster: &fl.Roster{N: 6, Importance: p, Samples: everyone(6)},
						Expected: expected}
					mean.AddScaled(chance, weightsOf(t, server(t, "stated", 6), r, cohort))
				}
			}
			if mean.Distance(p) > 1e-14 {
				t.Errorf("norms %v, m = %d: the mean weights are %v", norms, m, mean)
			}
			least := varianceOf(pi, u)
			for i := range 6 {
				for j := range 6 {
					for _, shift := range []float64{1e-3, 0.05} {
						other := pi.Clone()
						other[i], other[j] = pi[i]+shift, pi[j]-shift
						if i != j && other[i] <= 1 && other[j] > 0 &&
							varianceOf(other, u) < least*(1-1e-12) {
							t.Errorf("norms %v, m = %d: %v has less variance than %v", norms, m,
								other, pi)
						}
					}
				}
			}
		}
	}
}

// varianceOf returns Σ (1 − πᵢ)/πᵢ·uᵢ², that of independent sampling.
func varianceOf(pi, u fl.Vector) (v float64) {
	for i, x := range u {
		v += (1 - pi[i]) / pi[i] * x * x
	}
	return v
}

// Clients that would upload what they were sent need not participate.
func TestOptimalSamplingOfShortUpdates(t *testing.T) {
	p := fl.Vector{0.25, 0.25, 0.25, 0.25}
	for m, want := range map[int]fl.Vector{1: {0, 0.25, 0, 0.75}, 2: {0, 1, 0, 1}, 3: {0, 1, 0, 1}} {
		if pi := chances(t, m, p, fl.Vector{0, 1, 0, 3}); pi.Distance(want) > 1e-15 {
			t.Errorf("m = %d: %v, want %v", m, pi, want)
		}
	}
	if pi := chances(t, 2, p, make(fl.Vector, 4)); pi.Sum() != 0 {
		t.Errorf("of updates of length 0: %v", pi)
	}
}

// Neither allocates once it has room.
func TestFeedbackAllocatesNothing(t *testing.T) {
	for _, e := range []fl.SelectionEntry{selection.MD, selection.Optimal} {
		const n = 5000
		s := build(t, e, map[string]any{"k": int64(50)}, n)
		d := newDrawing(n, everyone(n))
		d.draw.Roster = people(n)
		d.draw.Norms = func(dst fl.Vector, _ []int) {
			for k := range dst {
				dst[k] = float64(1 + k%7)
			}
		}
		round := 0
		play := func() { d.round(s, round); round++ }
		play()
		play()
		if a := testing.AllocsPerRun(20, play); a != 0 {
			t.Errorf("%s: %v allocations a round", e.Name, a)
		}
	}
}
