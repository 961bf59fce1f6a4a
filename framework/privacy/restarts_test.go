package privacy

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// How far a client moves the nodes of trees that restart, completed and not, is what enumeration
// finds, and ε that of the Gaussian mechanism that they are together, to 1e-9.
func TestGoldenRestarts(t *testing.T) {
	text, err := os.ReadFile("testdata/restarts.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Noise, Delta float64
		Cases        []struct {
			Rounds, Every, Most, Separation, Squares int
			Completes                                bool
			Epsilon                                  float64
		}
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all.Cases) == 0 {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		r := Restarts{Every: c.Every, Completes: c.Completes}
		got, exact, err := r.Sensitivity(c.Rounds, c.Most, c.Separation)
		if err != nil || !exact || got != c.Squares {
			t.Errorf("%+v: %d, exact is %t (%v)", c, got, exact, err)
		}
		l, err := NewLedger(ReplaceOne, 3)
		if err == nil {
			err = l.AddTrees(all.Noise, r, c.Rounds, c.Most, c.Separation)
		}
		var g Gaussian
		if err == nil {
			err = g.Add(1/math.Sqrt(l.common), 1)
		}
		if e := g.Epsilon(all.Delta); err != nil || math.Abs(e/c.Epsilon-1) > 1e-9 {
			t.Errorf("%+v: ε = %v (%v)", c, e, err)
		}
	}
}

// Trees that last as long as the run are one tree; a client that takes part once in each moves what
// RestartedSensitivity says; and a search that would take long gives a bound instead.
func TestRestartsReduce(t *testing.T) {
	for _, every := range []int{0, 20, 50} {
		for _, completes := range []bool{false, true} {
			got, exact, err := Restarts{every, completes}.Sensitivity(20, 5, 3)
			if want := squaresOf(t, 20, 5, 3); err != nil || !exact || got != want {
				t.Errorf("restart %d: %d, want %d (%v)", every, got, want, err)
			}
		}
	}
	got, _, err := Restarts{Every: 400}.Sensitivity(1600, 4, 400)
	if want := RestartedSensitivity(400, 400, 400, 400); err != nil || got != want {
		t.Errorf("%d, want %d (%v)", got, want, err)
	}
	bound, exact, err := Restarts{Every: 1000, Completes: true}.Sensitivity(20_000, 5000, 4)
	if err != nil || exact || bound < 20*levelBound(1000, 250, 4) {
		t.Errorf("a bound of %d, exact is %t (%v)", bound, exact, err)
	}
	if _, _, err := (Restarts{Every: -1}).Sensitivity(3, 1, 1); err == nil {
		t.Error("a restart every −1 rounds was accepted")
	}
}
