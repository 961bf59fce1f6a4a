package aggregator

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A cohort of clients that do not count (p = 0) leaves the model as it is, and says so: by every
// rule whose weights are made to sum to 1, of deltas and of parameters.
func TestClientsThatDoNotCountMoveNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	pop := &fl.Roster{N: 4, Importance: fl.Vector{0.5, 0, 0, 0.5}, Samples: []int{3, 2, 1, 4}}
	params := []fl.Vector{normal(rng, 5), normal(rng, 5), normal(rng, 5), normal(rng, 5)}
	global := normal(rng, 5)
	truth := &fl.Oracle{Enrollment: fl.Vector{1, 1, 1, 1}, Inclusion: fl.Vector{.5, .5, .5, .5}}
	for name, a := range map[string]fl.Aggregator{
		"hajek": build(t, FedAvg, map[string]any{"weights": "hajek"}),
		"hajek of parameters": build(t, FedAvg, map[string]any{"weights": "hajek",
			"of": "params"}),
		"self-normalised": build(t, FedAvg, map[string]any{"weights": "self-normalised"}),
		"oracle":          build(t, OracleIPW, map[string]any{"normalisation": "hajek"}),
	} {
		r := roundOf(pop, pairs(4), global, params, []int{1, 2})
		r.Oracle = truth
		next, err := paramsOf(a, r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if next.Distance(global) > 0 {
			t.Errorf("%s: the model moves by %v", name, next.Distance(global))
		}
		if !slices.Contains(r.Notes.List(), uncounted) {
			t.Errorf("%s: notes %q", name, r.Notes.List())
		}
		r = roundOf(pop, pairs(4), global, params, []int{1, 3})
		r.Oracle = truth
		if next, err = paramsOf(a, r); err != nil || next.Distance(params[3]) > 1e-12 {
			t.Errorf("%s: of one client that counts, %v away, %v", name, next.Distance(params[3]), err)
		}
	}
}
