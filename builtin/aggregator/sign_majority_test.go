package aggregator

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// voted returns what a rule makes of updates.
func voted(t *testing.T, c fl.Aggregator, global fl.Vector, deltas []fl.Vector) fl.Vector {
	t.Helper()
	r := &fl.Round{Global: global, State: fl.NewStore(), Notes: new(fl.Notes)}
	for k, d := range deltas {
		params := d.Clone()
		params.Add(global)
		r.Updates = append(r.Updates, fl.Update{Client: k, Samples: 1, Params: params})
	}
	out, err := c.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	return out.Params
}

// Five rounds agree with the formula as NumPy computes it, to 1e-12, with ties and updates of zero,
// and in any order of clients.
//
//hansa:verifies golden aggregator/sign-majority
//hansa:verifies invariance aggregator/sign-majority
func TestGoldenSignMajority(t *testing.T) {
	var v struct {
		Start  fl.Vector
		Step   float64
		Deltas [][]fl.Vector
		Models []fl.Vector
	}
	text, err := os.ReadFile("testdata/sign_majority.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil || len(v.Deltas) != 5 {
		t.Fatal(err, len(v.Deltas))
	}
	c, theta := built(t, SignMajority, map[string]any{"step": v.Step}), v.Start
	for k, deltas := range v.Deltas {
		next := voted(t, c, theta, deltas)
		if d := next.Distance(v.Models[k]); !(d <= 1e-12) {
			t.Errorf("round %d is %v away", k, d)
		}
		if !slices.Equal(next, voted(t, c, theta, reversed(deltas))) {
			t.Errorf("round %d: clients in another order make another model", k)
		}
		theta = v.Models[k]
	}
}

// With one client it is signSGD of its update.
//
//hansa:verifies equivalence aggregator/sign-majority
func TestOneVoteIsSignSGD(t *testing.T) {
	got := voted(t, built(t, SignMajority, map[string]any{"step": 0.5}), fl.Vector{1, 2, 3},
		[]fl.Vector{{7, 0, -1e-9}})
	if !slices.Equal(got, fl.Vector{1.5, 2, 2.5}) {
		t.Errorf("θ = %v", got)
	}
}

// Of eleven clients, of which the honest ones agree in sign, five faulty ones change nothing, whatever
// they send, and six turn every coordinate round.
//
//hansa:verifies breakdown aggregator/sign-majority
func TestAMinorityOfVotesChangesNothing(t *testing.T) {
	c, honest := built(t, SignMajority, map[string]any{"step": 0.5}), fl.Vector{1e-6, -3}
	for faulty, want := range []fl.Vector{5: {0.5, -0.5}, 6: {-0.5, 0.5}} {
		if want == nil {
			continue
		}
		var deltas []fl.Vector
		for k := range 11 {
			if k < faulty {
				deltas = append(deltas, fl.Vector{-1e9, 1e9})
			} else {
				deltas = append(deltas, honest)
			}
		}
		if got := voted(t, c, make(fl.Vector, 2), deltas); !slices.Equal(got, want) {
			t.Errorf("%d faulty: θ = %v, want %v", faulty, got, want)
		}
	}
}
