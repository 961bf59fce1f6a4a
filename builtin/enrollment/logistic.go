// Logistic enrolment — what is known of a client decides how likely it ever takes part.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Equation 4: the propensity e(Xᵢ) = P(Rᵢ = 1 | Xᵢ), by which FedIPW divides.
//
// Notation: Xᵢ the covariates of client i, β the coefficients, κ the strength, and
//
//	logit eᵢ = intercept + κ⟨β, Xᵢ⟩.
//
// Clients enrol independently, once per seed; κ = 0 enrols all clients with the same probability,
// and a sweep of κ is one of enrolment bias.
//
// Hidden selection of strength Γ ≥ 1 depends on one more covariate z, which β leaves out:
//
//	logit e*ᵢ = logit eᵢ + log Γ where uᵢ = 1, and − log Γ elsewhere,
//	uᵢ = 1 where the share of clients with less than zᵢ is above 1 − qᵢ,
//	qᵢ = (1 + (Γ − 1)eᵢ)/(1 + Γ).
//
// Ties count half, and so does the client itself. Where z is independent of the other covariates
// P(uᵢ = 1 | Xᵢ) = qᵢ, and the mean of e*ᵢ is q·e¹ + (1 − q)·e⁰ = eᵢ, up to 1/N: without z
// enrolment is logistic with eᵢ, and with z its odds are Γ times those, or 1/Γ. That is the
// marginal sensitivity model of Z. Tan (JASA 101, 2006) at Γ, and at no less; see stats.Selected.
//
// Departures: the paper leaves the form of e open; this is the usual one, and the one that it
// estimates. Hidden selection is ours.

package enrollment

import (
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Logistic describes the enrolment to the registry.
var Logistic = fl.EnrollmentEntry{
	Name:    "logistic",
	Summary: "covariates decide how likely a client enrols",
	Paper:   "fedipw",
	Deviations: "the paper leaves the form of e(X) open; this is the one that it estimates; " +
		"hidden selection is ours",
	New:     newLogistic,
	Example: map[string]any{"intercept": 0.5, "coefficients": []any{1.0, -0.5}},
}

// none is the name of no covariate.
const none = "none"

type logistic struct {
	intercept float64
	strength  float64 // κ
	score     Score
	gamma     float64 // Γ
	hidden    int     // column of z; −1: none
}

var _ fl.Enrollment = (*logistic)(nil)

func newLogistic(p *fl.Params) (fl.Enrollment, error) {
	l := &logistic{
		intercept: p.Float("intercept", 0, fl.Anything(), "logit of a client whose "+
			"covariates are 0"),
		score: NewScore(p),
		strength: p.Float("strength", 1, fl.Anything(),
			"κ, by which all coefficients are multiplied"),
		gamma: p.Float("hidden", 1, fl.Closed(1, 1e6), "Γ, the strength of hidden selection: the "+
			"ratio of the true odds to those by β is Γ or 1/Γ; 1: there is none"),
	}
	p.Later("hidden")
	name := p.Text("hidden_covariate", none, "the covariate that hidden selection depends "+
		"on: clients with large values enrol more; its coefficient is 0")
	p.Later("hidden_covariate")
	names := p.Setting().Shape.Covariates
	l.hidden = slices.Index(names, name)
	switch {
	case l.gamma > 1 && name == none:
		p.Fail("hidden_covariate", "is required where hidden is above 1")
	case name == none || !p.Setting().Known():
	case l.hidden < 0 && len(names) == 0:
		p.Fail("hidden_covariate", "there is no covariate %q; these data have none", name)
	case l.hidden < 0:
		p.Fail("hidden_covariate", "there is no covariate %q; there are %s", name,
			strings.Join(names, ", "))
	case l.score.Uses(l.hidden):
		p.Fail("hidden_covariate", "%s has a coefficient; want 0, or covariates without it", name)
	}
	return l, nil
}

// Enroll implements fl.Enrollment. Every client costs one random number, for any probability: so
// enrolments of one seed are nested as long as probabilities only grow.
func (l *logistic) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	var below fl.Vector
	if l.gamma > 1 {
		below = ranks(e.Roster.Covariates, l.hidden)
	}
	for i := range in {
		logit := l.intercept + l.strength*l.score.Of(e.Roster.Covariates.Row(i))
		if below != nil {
			q := (1 + (l.gamma-1)*Sigmoid(logit)) / (1 + l.gamma)
			if below[i] > 1-q {
				logit += math.Log(l.gamma)
			} else {
				logit -= math.Log(l.gamma)
			}
		}
		e.Probability[i] = Sigmoid(logit)
		in[i] = e.RNG.Float64() < e.Probability[i]
	}
	return in
}

// ranks returns of each client the share of clients with less of a covariate. Those with as much,
// itself included, count half.
func ranks(x fl.Matrix, column int) fl.Vector {
	order := make(fl.Vector, x.Rows)
	for i := range order {
		order[i] = x.Row(i)[column]
	}
	slices.Sort(order)
	below := make(fl.Vector, x.Rows)
	for i := range below {
		first, _ := slices.BinarySearch(order, x.Row(i)[column])
		end := first
		for end < len(order) && order[end] == order[first] {
			end++
		}
		below[i] = float64(first+end) / float64(2*len(order))
	}
	return below
}
