package stats

import (
	"math"
	"testing"
)

func TestChainAgainstItsTransitions(t *testing.T) {
	for _, c := range []Chain{{0.1, 0.2}, {0.9, 0.8}, {1, 1}, {0, 0.3}, {0.3, 0}, {0.5, 0.5}} {
		for _, start := range []float64{0, 0.25, 1} {
			on := start
			for round := range 30 {
				tolerance{1e-14, 0}.one(t, "on", c.After(start, round), on)
				on = on*(1-c.Fall) + (1-on)*c.Rise
			}
		}
		s := c.Stationary()
		tolerance{1e-15, 0}.one(t, "stationary", s*(1-c.Fall)+(1-s)*c.Rise, s)
		// Corr = (P(on, then on) − s²) / (s(1−s)) by definition.
		if s > 0 && s < 1 {
			corr := (s*c.After(1, 3) - s*s) / (s * (1 - s))
			tolerance{1e-14, 0}.one(t, "autocorrelation", c.Autocorrelation(3), corr)
		}
	}
	still := Chain{}
	if !math.IsNaN(still.Stationary()) || still.After(0.3, 1000) != 0.3 {
		t.Error("a client that never changes is on as at the start, and has no other share")
	}
}

func TestDiurnalIsCutOffAndPeriodic(t *testing.T) {
	d := Diurnal{Base: 0.5, Amplitude: 2, Period: 10}
	for round := range 10 {
		on := d.At(round, 3)
		if !(on >= 0 && on <= 1) {
			t.Errorf("probability %v in round %d", on, round)
		}
		if again := d.At(round+20, 3); math.Abs(again-on) > 1e-12 {
			t.Errorf("round %d has probability %v and two days later %v", round, on, again)
		}
	}
	if peak, trough := d.At(3, 3), d.At(8, 3); peak != 1 || trough != 0 {
		t.Errorf("probabilities at the peak and opposite are %v and %v, want 1 and 0", peak, trough)
	}
}
