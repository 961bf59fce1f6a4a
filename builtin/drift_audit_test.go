package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// What local rules say of client drift is what heterogeneous quadratics show under full
// participation: a rule that corrects it ends at the optimum, one that bounds it nearer than FedAvg
// with the same steps, and any other one beside it.
func TestRulesSayWhatBecomesOfDrift(t *testing.T) {
	r, plain := menu(t), pick("fedavg", "weights", "uniform")
	runs := map[string]study.Cell{}
	for name, server := range map[string]study.Pick{"sgd": plain, "fedsam": plain, "fednova": pick(
		"fednova", "weights", "uniform"), "fedprox": plain, "scaffold": pick("scaffold"),
		"feddyn": pick("feddyn"), "scaffnew": pick("scaffnew")} {
		given := map[string][]any{"fedprox": {"mu", 40.0}, "feddyn": {"alpha", 0.5}}[name]
		runs[name] = stepping(6000, descending(name, given...), server, pick("all"))
	}
	runs["drfa"] = robust(stepping(6000, descending("sgd"), plain, pick("all")), "k", int64(6))
	_, _, off := ends(t, runs["sgd"])
	for _, name := range r.LocalRules.Names() {
		e, _ := r.LocalRules.Get(name)
		handling := fl.TraitsOf[fl.LocalTraits](e).Drift.Handling
		c, run := runs[name]
		if run != (handling != "") {
			t.Errorf("%s: says %q of client drift, and is run: %t", name, handling, run)
		}
		if !run {
			continue
		}
		_, _, d := ends(t, c)
		right := map[fl.DriftHandling]bool{fl.DriftCorrected: d[0] < 1e-10,
			fl.DriftBounded: d[0] > 1e-6 && d[0] < off[0]/2, fl.DriftRemains: d[0] > 1e-6}
		if !right[handling] {
			t.Errorf("%s: says %q, and ends %v from the optimum, FedAvg %v", name, handling, d[0],
				off[0])
		}
	}
}

// The audit says it of methods in an experiment, with where theory does not reach, and knows the
// importance that SCAFFOLD and FedDyn optimise: that of their server's plain mean. It has no level
// of what depends on the clients' memory.
func TestAuditSpeaksOfDrift(t *testing.T) {
	plain, rare := pick("fedavg", "weights", "uniform"), pick("k-subset", "k", int64(2))
	find := func(local, server study.Pick) *audit.Finding {
		c := stepping(60, local, server, pick("all"))
		c.Picks["availability"] = rare
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		f, err := audit.Audit(c, &s, audit.Options{})
		if err != nil || f.Effective == nil || f.Prediction == nil {
			t.Fatalf("%v: %s %v %+v", err, f.Why, f.Prediction, f.Effective)
		}
		return f
	}
	says := func(f *audit.Finding, part string) bool {
		return slices.ContainsFunc(f.Notes, func(n string) bool { return strings.Contains(n, part) })
	}
	want := find(descending("sgd"), plain)
	if !says(want, "client drift is not corrected") || want.Prediction.Level.Drift == 0 {
		t.Errorf("FedAvg: %q, %+v", want.Notes, want.Prediction.Level)
	}
	one := find(pick("sgd", "steps", int64(1), "lr", 0.02), plain)
	if says(one, "drift") || one.Prediction.Level.Drift != 0 {
		t.Errorf("one step: %q, %+v", one.Notes, one.Prediction.Level)
	}
	if f := find(descending("fedprox", "mu", 1.0), plain); !says(f, "bounded, not corrected") {
		t.Errorf("FedProx: %q", f.Notes)
	}
	for local, server := range map[string]string{"scaffold": "scaffold", "feddyn": "feddyn"} {
		f := find(descending(local), pick(server))
		if !says(f, "client drift is corrected: proven for") || !says(f, "; not covered: ") ||
			f.Drift != "corrected" {
			t.Errorf("%s: %q", local, f.Notes)
		}
		exact := local == "scaffold" // FedDyn's server also weighs what it remembers
		if off := f.Effective.P.Distance(want.Effective.P); off > 0.02 || exact &&
			(off > 1e-15 || !f.Effective.Exact || f.Effective.Total != want.Effective.Total) {
			t.Errorf("%s: p̃ = %v, of its server's mean %v", local, f.Effective.P,
				want.Effective.P)
		}
		if f.Prediction.Level != nil || f.Prediction.Unknown == "" {
			t.Errorf("%s: %+v", local, f.Prediction)
		}
	}
}
