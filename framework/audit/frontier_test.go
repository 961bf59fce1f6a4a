package audit_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
)

// bounded audits base with some lines, and its frontier.
func bounded(t testing.TB, lines string, all *audit.Frontiers) *audit.Finding {
	t.Helper()
	c, s := compose(t, lines)
	f, err := audit.Audit(c, s, audit.Options{Frontiers: all, Options: engine.Options{}})
	if err != nil {
		t.Fatalf("%s\n%v", lines, err)
	}
	if f.Frontier == nil {
		t.Fatalf("%s\nhas no frontier", lines)
	}
	return f
}

// convex are methods whose weights are positive and sum to 1; equal ones begin the frontier.
var convex = []string{
	`aggregator = { name = "fedavg", weights = "uniform" }`,
	`aggregator = { name = "fedavg", weights = "self-normalised" }`,
	`aggregator = { name = "fedavg", weights = "hajek" }`,
	`aggregator = "fedavot"`,
	`aggregator = { name = "fedavot", on_infeasible = "soft" }`,
	`aggregator = "minimum-variance"`,
	`aggregator = { name = "minimum-variance", on_infeasible = "least-variance" }`,
	`aggregator = { name = "minimum-variance", bias = 0.05 }`,
	`aggregator = { name = "minimum-variance", learn = true }`,
}

// No method lies below its frontier, by more than simulation may err: convex ones are above that of
// convex weights, all of them above that of any weights. Plans of least variance are on it, and equal
// weights where it begins; Horvitz–Thompson weights are where that of any weights ends.
func TestMethodsAreAboveTheFrontier(t *testing.T) {
	const tol = 1e-6
	for _, setting := range []string{
		"availability = { name = \"k-subset\", k = 2, prior = { name = \"linear\", direction = \"increasing\" } }\n",
		"availability = { name = \"k-subset\", k = 3, prior = \"uniform\" }\n",
		"availability = { name = \"bernoulli\", rate = 0.5, prior = { name = \"linear\" } }\n",
	} {
		all := new(audit.Frontiers)
		for k, lines := range convex {
			f := bounded(t, setting+lines+"\n", all)
			e, on := f.Effective, f.Frontier
			slack := tol + on.Convex.Error + e.Margin
			if k == len(convex)-1 {
				slack += 0.01 // its variance is a mean over rounds
			}
			least, ok := on.Convex.Least(e.Variance)
			if lowest, any := on.Any.Least(e.Variance); !ok || !any || f.TV < least-slack ||
				f.TV < lowest-slack || least < lowest-on.Any.Error-tol {
				t.Errorf("%s%s: TV %v, the frontiers have %v and %v", setting, lines, f.TV, least, lowest)
			}
			if k >= 6 && k <= 7 && f.TV > least+slack {
				t.Errorf("%s%s: TV %v, the frontier has %v", setting, lines, f.TV, least)
			}
			if first := on.Convex.Points[0]; k == 0 && math.Abs(first.TV-f.TV)+
				math.Abs(first.Variance-e.Variance) > tol {
				t.Errorf("%s%s: TV %v, variance %v, the frontier begins at %+v", setting, lines, f.TV,
					e.Variance, first)
			}
		}
		f := bounded(t, setting+`aggregator = { name = "fedavg", weights = "ht" }`+"\n", all)
		last := f.Frontier.Any.Points[len(f.Frontier.Any.Points)-1]
		if math.Abs(last.Variance-f.Effective.Variance) > tol+0.05*f.Effective.Margin || last.TV > tol {
			t.Errorf("%s: variance %v, the frontier of any weights ends at %+v", setting,
				f.Effective.Variance, last)
		}
	}
}

// A frontier is computed once for methods that share cohorts and importance, and for those alone.
func TestFrontiersAreShared(t *testing.T) {
	all := new(audit.Frontiers)
	const pairs = "availability = { name = \"k-subset\", k = 2, prior = \"uniform\" }\n"
	a := bounded(t, pairs+convex[0]+"\n", all)
	b := bounded(t, pairs+convex[3]+"\n", all)
	c := bounded(t, pairs+"importance = \"uniform\"\n"+convex[0]+"\n", all)
	d := bounded(t, "availability = { name = \"k-subset\", k = 3, prior = \"uniform\" }\n"+convex[0]+"\n", all)
	if a.Frontier != b.Frontier || a.Frontier == c.Frontier || a.Frontier == d.Frontier {
		t.Error("frontiers of other cohorts are shared, or of the same ones are not")
	}
	if f := examine(t, pairs+convex[0]+"\n"); f.Frontier != nil {
		t.Error("a frontier that was not asked for")
	}
}

// A frontier of simulated cohorts is near that of all of them: 3 of 12 clients, as a list and drawn.
func TestFrontierOfSimulatedCohorts(t *testing.T) {
	listed := bounded(t, "clients = 12\navailability = { name = \"k-subset\", k = 3, prior = \"uniform\" }\n"+
		convex[0]+"\n", new(audit.Frontiers))
	drawn := bounded(t, "clients = 60\navailability = \"always\"\nselection = { name = \"uniform-k\", k = 15 }\n"+
		convex[0]+"\n", new(audit.Frontiers))
	if listed.Frontier.Cohorts != 0 || drawn.Frontier.Cohorts == 0 {
		t.Fatalf("%d and %d simulated cohorts", listed.Frontier.Cohorts, drawn.Frontier.Cohorts)
	}
	// All weights of any sum that are on the frontier nearly sum to 1 in cohorts of fifteen.
	on := drawn.Frontier
	for _, pt := range on.Any.Points {
		if tv, ok := on.Convex.Least(pt.Variance * 1.1); !ok || tv > pt.TV+0.01 || tv < 0 {
			t.Errorf("least TV %v, of any weights %v at variance %v", tv, pt.TV, pt.Variance)
		}
	}
}

// BenchmarkFrontier audits a hundred of ten thousand clients in a round, with the frontier and
// without.
func BenchmarkFrontier(b *testing.B) {
	const lines = "clients = 10000\navailability = \"always\"\n" +
		"selection = { name = \"uniform-k\", k = 100 }\n" +
		"aggregator = { name = \"fedavg\", weights = \"self-normalised\" }\n"
	for _, with := range []bool{false, true} {
		b.Run(fmt.Sprintf("frontier=%v", with), func(b *testing.B) {
			for b.Loop() {
				var all *audit.Frontiers
				if with {
					all = new(audit.Frontiers)
				}
				c, s := compose(b, lines)
				begun := time.Now()
				f, err := audit.Audit(c, s, audit.Options{Frontiers: all})
				if err != nil {
					b.Fatal(err)
				}
				if with {
					b.ReportMetric(float64(f.Frontier.Cohorts), "cohorts")
					b.ReportMetric(f.Frontier.Convex.Error, "error")
				}
				b.ReportMetric(time.Since(begun).Seconds(), "s/audit")
			}
		})
	}
}
