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
		"feddyn": pick("feddyn"), "scaffnew": pick("scaffnew"), "fedcm": pick("fedcm"),
		"mimelite": pick("mimelite"), "worker-momentum": plain, "propfair": plain,
		"fedlaavg": pick("fedlaavg"), "fedawe": pick("fedawe")} {
		given := map[string][]any{"fedprox": {"mu", 40.0}, "feddyn": {"alpha", 0.5},
			"propfair": {"maximum", 50.0}}[name]
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

// audited returns what the audit finds of a method with an availability.
func audited(t *testing.T, local, server, availability study.Pick) *audit.Finding {
	t.Helper()
	c := stepping(60, local, server, pick("all"))
	c.Picks["availability"] = availability
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	f, err := audit.Audit(c, &s, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The audit says it of methods in an experiment, with where theory does not reach, and knows the
// importance that SCAFFOLD optimises: that of its server's plain mean. It has no level of what
// depends on the clients' memory, and no weights of FedDyn, whose server counts earlier rounds.
func TestAuditSpeaksOfDrift(t *testing.T) {
	plain, rare := pick("fedavg", "weights", "uniform"), pick("k-subset", "k", int64(2))
	says := func(f *audit.Finding, part string) bool {
		return slices.ContainsFunc(f.Notes, func(n string) bool { return strings.Contains(n, part) })
	}
	want := audited(t, descending("sgd"), plain, rare)
	if !says(want, "client drift is not corrected") || want.Prediction.Level.Drift == 0 {
		t.Errorf("FedAvg: %q, %+v", want.Notes, want.Prediction.Level)
	}
	one := audited(t, pick("sgd", "steps", int64(1), "lr", 0.02), plain, rare)
	if says(one, "drift") || one.Prediction.Level.Drift != 0 {
		t.Errorf("one step: %q, %+v", one.Notes, one.Prediction.Level)
	}
	if f := audited(t, descending("fedprox", "mu", 1.0), plain, rare); !says(f, "bounded, not corrected") {
		t.Errorf("FedProx: %q", f.Notes)
	}
	for local, server := range map[string]string{"scaffold": "scaffold", "feddyn": "feddyn"} {
		f := audited(t, descending(local), pick(server), rare)
		if !says(f, "client drift is corrected: proven for") || !says(f, "; not covered: ") ||
			f.Drift != "corrected" {
			t.Errorf("%s: %q", local, f.Notes)
		}
		if local == "feddyn" { // its server adds what it remembers
			if f.Effective != nil || !strings.Contains(f.Why, "updates of earlier rounds") {
				t.Errorf("FedDyn: %+v, why: %q", f.Effective, f.Why)
			}
			continue
		}
		if off := f.Effective.P.Distance(want.Effective.P); off > 1e-15 || !f.Effective.Exact ||
			f.Effective.Total != want.Effective.Total {
			t.Errorf("%s: p̃ = %v, of its server's mean %v", local, f.Effective.P,
				want.Effective.P)
		}
		if f.Prediction.Level != nil || f.Prediction.Unknown == "" {
			t.Errorf("%s: %+v", local, f.Prediction)
		}
	}
}

// FedCM settles where FedAvg does whose local rate is α times as large: its momentum is 0 there.
//
//hansa:verifies fixed-point local/fedcm aggregator/fedcm
func TestFedCMSettlesWhereSlowFedAvgDoes(t *testing.T) {
	const alpha, lr = 0.3, 0.02
	at := func(local, server study.Pick) fl.Vector {
		p, _, _ := ends(t, stepping(6000, local, server, pick("all")))
		return p.Global
	}
	slow := at(pick("sgd", "steps", int64(5), "lr", alpha*lr), pick("fedavg", "weights", "uniform"))
	got := at(pick("fedcm", "steps", int64(5), "lr", lr, "alpha", alpha), pick("fedcm"))
	fast := at(pick("sgd", "steps", int64(5), "lr", lr), pick("fedavg", "weights", "uniform"))
	if d := got.Distance(slow); d > 1e-9 || fast.Distance(slow) < 1e-4 {
		t.Errorf("%v from FedAvg of rate αη, which is %v from that of rate η", d,
			fast.Distance(slow))
	}
}
