package audit_test

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// FedAVOT under enrolment is audited as it is: of every enrolment of four of six clients, whose
// estimated probability is 4/6, p̃ is that target over the enrolled, exactly, and the mean weights
// of a round, empty ones included, are p/ê over them; over all these enrolments they are p.
func TestTransportUnderEnrolmentIsAudited(t *testing.T) {
	mean, p, many := make(fl.Vector, 6), fl.Vector(nil), 0.0
	for mask := range 1 << 6 {
		in, n := make([]bool, 6), 0
		for i := range in {
			if in[i] = mask>>i&1 == 1; in[i] {
				n++
			}
		}
		if n != 4 {
			continue
		}
		c, s := compose(t, `dataset = { name = "population-logistic", samples_per_client = 9 }
model = "logistic"
disclosure = "full"
importance = "uniform"
availability = { name = "k-subset", k = 2, prior = "uniform" }
aggregator = { name = "fedavot", enrolment = "estimated", enrolment_covariates = [],
  normalisation = "ht", epsilon = 1e-13 }
`)
		s.Enrollment = chosen{in, make(fl.Vector, 6)}
		for i := range in {
			s.Enrollment.(chosen).chance[i] = 0.5
		}
		f, err := audit.Audit(c, s, audit.Options{Options: engine.Options{}})
		if err != nil || f.Effective == nil || !f.Effective.Exact {
			t.Fatal(err, f)
		}
		p = f.Importance
		sum := f.Effective.Total * (1 - f.Law.Empty)
		for i, share := range f.Effective.P {
			want := 0.0
			if in[i] {
				want = p[i] * 6 / 4
			}
			if math.Abs(sum*share-want) > 1e-10 {
				t.Errorf("%v: client %d has mean weight %v, want %v", in, i, sum*share, want)
			}
			mean[i] += sum * share
		}
		many++
	}
	mean.Scale(1 / many)
	if many != 15 || !within(mean, p, 1e-10) {
		t.Errorf("over %v enrolments: %v, want %v", many, mean, p)
	}
}
