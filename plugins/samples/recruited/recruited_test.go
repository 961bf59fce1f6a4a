package recruited

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
)

// enrol returns which of n clients enrol, and the chances that are stated.
func enrol(t *testing.T, given trial.Values, n int, seed uint64) ([]bool, fl.Vector) {
	t.Helper()
	e := &fl.EnrollmentInput{Roster: &fl.Roster{N: n}, RNG: trial.Random(seed),
		Probability: make(fl.Vector, n)}
	return trial.Build(t, Recruited, given).Enroll(e), e.Probability
}

// byGraphs returns the chance that client 0 of m joins: over all sets of clients that would join alone and
// all graphs of invitations that would be followed, that its component has one of the former.
func byGraphs(m int, alone, invite float64) float64 {
	type edge struct{ i, j int }
	var edges []edge
	for i := range m {
		for j := range i {
			edges = append(edges, edge{i, j})
		}
	}
	sum := 0.0
	for first := range 1 << m {
		for graph := range 1 << len(edges) {
			chance, in := 1.0, first
			for i := range m {
				chance *= side(first>>i&1 == 1, alone)
			}
			for k := range edges {
				chance *= side(graph>>k&1 == 1, invite)
			}
			for range m { // a path is no longer
				for k, e := range edges {
					if graph>>k&1 == 1 && in>>e.i&1 != in>>e.j&1 {
						in |= 1<<e.i | 1<<e.j
					}
				}
			}
			if in&1 == 1 {
				sum += chance
			}
		}
	}
	return sum
}

func side(heads bool, p float64) float64 {
	if heads {
		return p
	}
	return 1 - p
}

// The chance of a client is what an enumeration of all invitations says; circles that are cut
// short have their own.
func TestBernoulliProbabilities(t *testing.T) {
	for m := 1; m <= 4; m++ {
		for _, alone := range []float64{0.05, 0.5, 1} {
			for _, invite := range []float64{0, 0.3, 1} {
				given := trial.Values{"circle": int64(4), "alone": alone, "invite": invite}
				_, e := enrol(t, given, 8+m, 1)
				for i, want := range map[int]float64{0: byGraphs(4, alone, invite),
					7: byGraphs(4, alone, invite), 7 + m: byGraphs(m, alone, invite)} {
					if math.Abs(e[i]-want) > 1e-14 {
						t.Errorf("a = %v, b = %v: client %d of %d enrols with %v, want %v",
							alone, invite, i, 8+m, e[i], want)
					}
				}
			}
		}
	}
}

// Large circles lose no digits: with b = 1 one that joins brings all, with b = 0 none.
func TestLargeCircles(t *testing.T) {
	for _, invite := range []float64{0, 1} {
		_, e := enrol(t, trial.Values{"circle": int64(100), "alone": 0.01, "invite": invite}, 100, 1)
		want := 0.01
		if invite == 1 {
			want = 1 - math.Pow(0.99, 100)
		}
		if math.Abs(e[0]-want) > 1e-13 {
			t.Errorf("b = %v: %v, want %v", invite, e[0], want)
		}
	}
}

// Two of a circle enrol together more often than by chance, by as much as enumeration says of a
// pair; two of different circles do not.
func TestCirclesJoinTogether(t *testing.T) {
	const a, b, draws = 0.2, 0.5, 20_000
	given := trial.Values{"circle": int64(2), "alone": a, "invite": b}
	both, across, e := 0.0, 0.0, byGraphs(2, a, b)
	for k := range draws {
		in, _ := enrol(t, given, 4, uint64(k))
		if in[0] && in[1] {
			both += 1. / draws
		}
		if in[0] && in[2] {
			across += 1. / draws
		}
	}
	want := a*a + 2*a*(1-a)*b
	if math.Abs(both-want) > 0.012 || math.Abs(across-e*e) > 0.012 { // 4 standard deviations
		t.Errorf("together %v, want %v; across %v, want %v", both, want, across, e*e)
	}
}
