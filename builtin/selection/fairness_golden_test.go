package selection_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/framework/fl"
)

// played is a selection input of n clients, all of them available, with importance p.
func played(p fl.Vector, seed uint64) *fl.SelectionInput {
	d := &fl.SelectionInput{Roster: &fl.Roster{N: len(p), Importance: p}, State: fl.NewStore(),
		Shared: fl.NewStore(), RNG: fl.NewStream(seed, "selection").Rand()}
	for i := range p {
		d.Available = append(d.Available, i)
	}
	return d
}

// take makes a snapshot of one parameter, as the server's half does after so many steps.
func take(d *fl.SelectionInput, steps float64) {
	d.Shared.Vector("snapshot", 1)[0] = 7
	copy(d.Shared.Vector("taken", 2), []float64{1, steps})
}

// The mixture of DRFA over five rounds agrees with NumPy, which projects by enumeration, to 1e-12.
//
//hansa:verifies golden selection/drfa
func TestGoldenMixture(t *testing.T) {
	var want struct {
		Rate              float64
		Importance, Steps fl.Vector
		Losses, Mixtures  []fl.Vector
	}
	text, err := os.ReadFile("testdata/fairness.json")
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := build(t, selection.DRFA, map[string]any{"k": int64(5), "ascent": want.Rate}, 5)
	d, asked := played(want.Importance, 1), 0
	s.Select(d)
	for round, steps := range want.Steps {
		d.Recycle()
		take(d, steps)
		d.LossAt = func(client int, params fl.Vector) float64 {
			asked++
			if !slices.Equal(params, fl.Vector{7}) {
				t.Errorf("it asks for the loss at %v", params)
			}
			return want.Losses[round][client]
		}
		s.Select(d)
		if off := d.Shared.Vector("mixture", 5).Distance(want.Mixtures[round]); off > 1e-12 {
			t.Errorf("round %d: the mixture is %v away", round, off)
		}
		if slices.Max(want.Mixtures[round]) == 1 && round < 4 {
			t.Error("the vectors show nothing: one client is all of the mixture")
		}
	}
	s.Select(d) // of a snapshot that it knows
	if asked != 25 {
		t.Errorf("%d clients were asked in five rounds", asked)
	}
}

// In the mean over the clients that it asks the mixture ascends as if all were asked: over all of
// the equally likely sets, which many draws have.
//
//hansa:verifies unbiased selection/drfa
func TestMixtureAscendsUnbiased(t *testing.T) {
	p := fl.Vector{0.25, 0.25, 0.25, 0.25}
	losses := fl.Vector{0.3, 0.1, 0.6, 0.2}
	ascent := func(k int64, seed uint64) (mixture fl.Vector, asked [4]bool) {
		s := build(t, selection.DRFA, map[string]any{"k": k, "ascent": 0.01}, 4)
		d := played(p, seed)
		take(d, 3)
		d.LossAt = func(i int, _ fl.Vector) float64 { asked[i] = true; return losses[i] }
		s.Select(d)
		return d.Shared.Vector("mixture", 4), asked
	}
	want, _ := ascent(4, 0)
	for k, sets := range map[int64]int{1: 4, 2: 6, 3: 4} {
		found := map[[4]bool]fl.Vector{} // by clients that are asked: no share is cut at 0 here
		for seed := range uint64(400) {
			mixture, asked := ascent(k, seed)
			found[asked] = mixture
		}
		mean := make(fl.Vector, 4)
		for _, mixture := range found {
			mean.AddScaled(1/float64(sets), mixture)
		}
		if d := mean.Distance(want); len(found) != sets || d > 1e-14 {
			t.Errorf("k = %d: of %d sets the mean is %v away", k, len(found), d)
		}
	}
}
