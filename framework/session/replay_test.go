package session

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
)

// A training run that is run again must come to the numbers that it had; each round is told.
func TestReplayComparesNumbers(t *testing.T) {
	x, err := Read("../../experiments/quickstart.toml",
		&Overrides{Seeds: "1", Set: []string{"rounds=20", "clients=10"}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.Setup(1)
	if err != nil {
		t.Fatal(err)
	}
	before, err := engine.Run(t.Context(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	o := engine.Options{Record: func(r *engine.RoundRecord) error {
		rounds++
		if r.Round != rounds || len(r.Seen.Updates) == 0 || len(r.Outcome.Params) == 0 {
			t.Errorf("round %d is told as %d, with %d updates", rounds, r.Round,
				len(r.Seen.Updates))
		}
		return nil
	}}
	if err := x.Replay(t.Context(), 1, before, o); err != nil || rounds != s.Rounds {
		t.Errorf("%v after %d rounds of %d", err, rounds, s.Rounds)
	}
	values := before.Series[0].Values
	values[len(values)-1] *= 1 + 0x1p-52
	err = x.Replay(t.Context(), 1, before, engine.Options{})
	if err == nil || !strings.Contains(err.Error(), "comes to other numbers than the run has") {
		t.Errorf("a last bit that differs: %v", err)
	}
}
