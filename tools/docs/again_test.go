package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// again are the experiments with claims whose whole run takes seconds, with those that it took on
// one core. They run again in every test.
var again = []struct {
	file    string
	seconds float64
}{
	{"fedipw/sharpness.toml", 0.1},
	{"fedipw/floor-mu.toml", 0.1},
	{"fedipw/floor-g.toml", 0.2},
	{"fedavot/fairness.toml", 0.7},
	{"code-fusion/theorem2.toml", 5},
	{"fedipw/estimators.toml", 5.4},
	{"fedavot/feasible.toml", 5.5},
	{"fedipw/fig2a.toml", 7.4},
	{"fedipw/fig2c.toml", 7.4},
}

// mostSeconds is how long a test may run experiments again, on one core.
const mostSeconds = 40

// Verdicts that are kept are those that the files give: experiments whose runs take seconds run
// again, and their claims have the same verdicts and the same numbers, bit for bit. On another
// architecture than theirs logarithms and the like may differ in the last bits.
func TestVerdictsAreWhatTheFilesGive(t *testing.T) {
	kept, err := readVerdicts(top)
	if err != nil {
		t.Fatal(err)
	}
	c, total := consoleOf(t), 0.0
	for _, one := range again {
		total += one.seconds
		spec, err := study.Read(filepath.Join(top, "experiments", one.file), study.Overrides{})
		if err != nil {
			t.Fatal(err)
		}
		runs, err := judged(kept, spec)
		if err != nil || len(runs) == 0 || runs[0].Part != "" {
			t.Errorf("%s: no verdicts of all of it are kept: %v", one.file, err)
			continue
		}
		was := runs[0]
		if len(was.Claims) != len(spec.Claims) {
			t.Errorf("%s: %d claims, and verdicts on %d", one.file, len(spec.Claims), len(was.Claims))
		}
		if _, err := c.run(was.Command[len("hansa "):]); err != nil {
			t.Fatal(err)
		}
		printed, err := c.run("claims --format json experiments/" + one.file)
		if err != nil {
			t.Fatal(err)
		}
		var now []judgedRun
		if err := json.Unmarshal([]byte(printed), &now); err != nil || len(now) != 1 {
			t.Fatalf("%s: %v: %s", one.file, err, printed)
		}
		if now[0].Hash != was.Hash || now[0].Missing > 0 {
			t.Errorf("%s: run %s, %d cells missing; kept: %s", one.file, now[0].Hash, now[0].Missing,
				was.Hash)
		}
		for i := range spec.Claims {
			sameJudgement(t, one.file, was.of(&spec.Claims[i]), now[0].of(&spec.Claims[i]))
		}
	}
	if total > mostSeconds {
		t.Errorf("%v seconds of experiments run again: more than %v", total, mostSeconds)
	}
}

// sameJudgement checks that a verdict that is kept is the one of now.
func sameJudgement(t *testing.T, file string, was, now *judgement) {
	t.Helper()
	if was == nil || now == nil {
		t.Errorf("%s: a claim has no verdict: kept %v, now %v", file, was, now)
		return
	}
	same := was.Verdict == now.Verdict && was.Seeds == now.Seeds
	numbers := func(j *judgement) []*float64 { return []*float64{j.P, j.Estimate, j.Low, j.High} }
	close := slices.EqualFunc(numbers(was), numbers(now), func(a, b *float64) bool {
		switch {
		case a == nil || b == nil:
			return a == nil && b == nil
		case runtime.GOARCH == "amd64":
			return *a == *b
		}
		return math.Abs(*a-*b) <= 1e-9*max(1, math.Abs(*b))
	})
	if !same || !close {
		t.Errorf("%s: %s\nkept: %s, %s\n now: %s, %s", file, was.Holds, was.Verdict, was.Why,
			now.Verdict, now.Why)
	}
}
