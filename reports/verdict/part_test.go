package verdict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// part returns the input of the cells that filters keep, as a part of the world.
func (w *world) part(t *testing.T, filters ...string) *infer.Input {
	t.Helper()
	kept, err := study.Kept(w.Cells, filters)
	if err != nil {
		t.Fatal(err)
	}
	in := w.Input
	in.Cells, in.IDs, in.Whole = nil, nil, w.Cells
	for i, k := range kept {
		if k {
			in.Cells, in.IDs = append(in.Cells, w.Cells[i]), append(in.IDs, w.IDs[i])
		}
	}
	return &in
}

// inParts are claims about parts of knownStudy.
var inParts = []struct {
	only, holds, at string
	want            verdict.Outcome
}{
	{"k=2", "better(good, bad, loss)", "", verdict.Holds},
	{"k=2", "better(good, bad, loss)", "k = 2", verdict.Holds},
	{"k=2", "better(good, bad, loss)", "k = 1", verdict.NotJudged},
	{"k=2", "better(good, bad, loss)", "k = 1|k = 2", verdict.NotJudged},
	{"k=2", "better(good, bad, loss)", "k = 16", verdict.CannotRun},
	{"k=2", "better(absent, bad, loss)", "", verdict.CannotRun},
	{"k=2", "worse(good, bad, loss)", "", verdict.Refuted},
	{"k=2", "worse(good, bad, loss)", "k = 4", verdict.NotJudged},
	{"k=2|k=1", "order(exact > good > noisy, loss)", "k = 2", verdict.Undecided},
	{"method=good|method=bad", "order(exact > good > bad, loss)", "", verdict.NotJudged},
	{"k=8", "equivalent(like good, good, loss, within = 10 %)", "k = 1", verdict.NotJudged},
	{"k=1|k=8", "increases(loss, over = k, of = growing)", "", verdict.NotJudged},
	{"k=1|k=8", "increases(loss, over = k, of = growing)", "k = 1|k = 8", verdict.Holds},
	{"method=good|method=bad", "increases(loss, over = k)", "", verdict.NotJudged},
	{"method=growing", "increases(loss, over = k, of = growing)", "", verdict.Holds},
	{"method=growing", "increases(loss, over = k, of = growing - good)", "", verdict.NotJudged},
	{"k=1", "decreases(loss, over = k, of = root)", "", verdict.NotJudged},
	{"k=1|k=2|k=4", "constant(loss, over = k, within = 10 %, of = good)", "", verdict.NotJudged},
	{"k=4", "reaches(good, loss, <= 5.5, by = round 20)", "k = 2", verdict.NotJudged},
	{"k=4", "reaches(good, loss, <= 5.5, by = round 20)", "", verdict.Holds},
	{"k=4", "value(good, loss, = 5 ± 0.3) and value(good, loss, <= 6)", "", verdict.Holds},
	{"method=good", "value(good, loss, = 5 ± 0.3) and value(bad, loss, <= 6)", "", verdict.NotJudged},
	{"k=4", "value(bad - good, loss, >= 1)", "", verdict.Holds},
	{"method=bad", "value(bad - good, loss, >= 1)", "", verdict.NotJudged},
	{"k=1", "better(good - bad, exact - exact too, loss)", "", verdict.Holds},
	{"method=good|method=bad|method=exact", "better(good - bad, exact - growing, loss)", "",
		verdict.NotJudged},
	{"k=4", "exponent(root, loss, over = k, <= -0.4)", "", verdict.NotJudged},
	{"seed=0|seed=1", "better(good, bad, loss)", "", verdict.Undecided},
	{"seed=0|seed=1|seed=2", "better(good, bad, loss)", "k = 1", verdict.Holds},
}

// What is judged of a part is what an experiment of these cells alone gives, to the last bit; what
// is not judged has no numbers.
func TestAPartIsJudgedAsIfItWereAll(t *testing.T) {
	w := knownStudy()
	for _, only := range []string{"k=1", "k=2|k=4|k=8", "seed=0|seed=2|seed=4", "method=*o*",
		"method=good|method=bad|k=1|k=8|seed=1|seed=2|seed=3"} {
		in := w.part(t, strings.Split(only, "|")...)
		alone := *in
		alone.Whole = nil
		var claims []study.Claim
		for _, c := range knownVerdicts {
			claims = append(claims, claimed(t, w, c.holds, split(c.at)...))
		}
		var judged []study.Claim
		var got []verdict.Verdict
		for i, v := range verdict.Judge(in, claims) {
			if v.Verdict == verdict.NotJudged {
				if v.Statements > 0 || v.Test != "" || v.Estimate == v.Estimate || v.P == v.P {
					t.Errorf("%s: %s is not judged: %+v", only, v.Claim.Holds, v)
				}
				continue
			}
			judged, got = append(judged, claims[i]), append(got, v)
		}
		want := verdict.Judge(&alone, judged)
		if seeds := strings.HasPrefix(only, "seed"); len(judged) == 0 || len(judged) == len(claims) != seeds {
			t.Errorf("%s: %d of %d claims are judged", only, len(judged), len(claims))
		}
		for i := range want {
			if fmt.Sprintf("%+v", got[i]) != fmt.Sprintf("%+v", want[i]) {
				t.Errorf("%s: got\n%+v, want\n%+v", only, got[i], want[i])
			}
		}
	}
}

// A run with results at some points is judged as that part, as long as it has none elsewhere.
func TestPointsWithoutResults(t *testing.T) {
	w := knownStudy()
	claims := []study.Claim{claimed(t, w, "better(good, bad, loss)"),
		claimed(t, w, "increases(loss, over = k, of = growing)")}
	part := w.part(t, "k=1", "k=2")
	results := map[string]*engine.Result{}
	for _, id := range part.IDs {
		if r := w.Results[id]; r != nil {
			results[id] = r
		}
	}
	run := w.Input
	run.Results, run.Failures = results, nil
	said := func(in *infer.Input) (list []verdict.Outcome) {
		for _, v := range verdict.Judge(in, claims) {
			list = append(list, v.Verdict)
		}
		return list
	}
	begun := run.Begun()
	if got, want := said(begun), said(part); fmt.Sprint(got) != fmt.Sprint(want) ||
		fmt.Sprint(want) != "[holds not judged]" {
		t.Errorf("%v, want %v", got, want)
	}
	if name := begun.PartName(); name != "k = 1 or 2" || begun.Begun() != begun {
		t.Errorf("the part is %q", name)
	}
	last := w.IDs[len(w.IDs)-1] // at k = 8
	run.Failures = map[string]string{last: "no memory"}
	if name := run.Begun().PartName(); name != "k = 1 or 2 or 8" {
		t.Errorf("the part is %q", name)
	}
	if in := w.Begun(); in != &w.Input || in.PartName() != "" {
		t.Errorf("all of it is the part %q", in.PartName())
	}
	run.Failures, run.IDs = nil, slices.Clone(w.IDs)
	same := map[string]string{} // "exact" is one experiment at all points
	for i, c := range run.Cells {
		if c.Method == "exact" {
			key := fmt.Sprint(c.Seed)
			if same[key] == "" {
				same[key] = run.IDs[i]
			}
			run.IDs[i] = same[key]
		}
	}
	if name := run.Begun().PartName(); name != "k = 1 or 2" {
		t.Errorf("with an experiment that is at all points, the part is %q", name)
	}
	run.Results = nil
	if run.Begun() != &run {
		t.Error("nothing is a part")
	}
}

// What a part lacks is named by its own label where a claim is at a place on each of two axes, and
// as a pair where the part has both, but not together.
func TestWhatAPartLacksIsNamed(t *testing.T) {
	w := newWorld("availability.k", "k = 1", "k = 2")
	size := func(label string) study.Coordinate { return study.Coordinate{Axis: "size", Label: label} }
	for _, label := range []string{"quick", "paper"} {
		begun := len(w.Cells)
		for name, mean := range map[string]float64{"good": 5, "bad": 7} {
			w.add(name, "", [][][]engine.Series{around(uint64(begun), 5, mean, 0.1),
				around(uint64(begun+1), 5, mean, 0.1)})
		}
		for i := begun; i < len(w.Cells); i++ {
			w.Cells[i].Point = append(w.Cells[i].Point, size(label))
			id := w.IDs[i] + label
			w.Results[id], w.IDs[i] = w.Results[w.IDs[i]], id
		}
	}
	for _, c := range []struct{ only, at, lacks string }{
		{"size=quick", "k = 1|paper", "size = paper"},
		{"size=quick", "paper|k = 2", "size = paper"},
		{"size=quick|k=1", "k = 2|quick", "k = 2"},
		{"size=quick|k=1", "k = 2|paper", "k = 2"},
		{"size=quick", "k = 1|k = 2|paper", "size = paper"},
		{"size=quick", "k = 1|k = 2|quick", ""},
		{"size=paper", "k = 1|quick|paper", "size = quick"},
		{"size=quick", "k = 1", ""},
	} {
		in := w.part(t, strings.Split(c.only, "|")...)
		v := verdict.Judge(in, []study.Claim{claimed(t, w, "better(good, bad, loss)",
			split(c.at)...)})[0]
		want, ok := "has no "+c.lacks, v.Verdict == verdict.NotJudged
		if ok != (c.lacks != "") || ok && !strings.HasSuffix(v.Why, want) {
			t.Errorf("%s, at %s: %s, %s; want %q", c.only, c.at, v.Verdict, v.Why, c.lacks)
		}
	}
	in := w.part(t, "size=quick", "size=paper")
	keep := in.Cells[:0:0] // quick at k = 1, and the paper's size at k = 2
	var ids []string
	for i, c := range in.Cells {
		if (c.Point[0].Label == "k = 1") == (c.Point[1].Label == "quick") {
			keep, ids = append(keep, c), append(ids, in.IDs[i])
		}
	}
	in.Cells, in.IDs = keep, ids
	v := verdict.Judge(in, []study.Claim{claimed(t, w, "better(good, bad, loss)", "k = 1", "paper")})[0]
	if v.Verdict != verdict.NotJudged || !strings.HasSuffix(v.Why, "has no k = 1 with size = paper") {
		t.Errorf("a pair: %s, %s", v.Verdict, v.Why)
	}
}
