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
// Departures: the paper leaves the form of e open; this is the usual one, and the one that it
// estimates.

package enrollment

import "github.com/hansa-fl/hansa/framework/fl"

// Logistic describes the enrolment to the registry.
var Logistic = fl.EnrollmentEntry{
	Name:       "logistic",
	Summary:    "covariates decide how likely a client enrols",
	Paper:      "fedipw",
	Deviations: "the paper leaves the form of e(X) open; this is the one that it estimates",
	New:        newLogistic,
	Example:    map[string]any{"intercept": 0.5, "coefficients": []any{1.0, -0.5}},
}

type logistic struct {
	intercept float64
	strength  float64 // κ
	score     Score
}

var _ fl.Enrollment = (*logistic)(nil)

func newLogistic(p *fl.Params) (fl.Enrollment, error) {
	return &logistic{
		intercept: p.Float("intercept", 0, fl.Anything(), "logit of a client whose "+
			"covariates are 0"),
		score: NewScore(p),
		strength: p.Float("strength", 1, fl.Anything(),
			"κ, by which all coefficients are multiplied"),
	}, nil
}

// Enroll implements fl.Enrollment. Every client costs one random number, for any probability: so
// enrolments of one seed are nested as long as probabilities only grow.
func (l *logistic) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	for i := range in {
		e.Probability[i] = Sigmoid(l.intercept + l.strength*l.score.Of(e.Roster.Covariates.Row(i)))
		in[i] = e.RNG.Float64() < e.Probability[i]
	}
	return in
}
