// Logistic availability — covariates of a client and its context in the round decide whether it is
// available.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Equation 5: the propensity sᵢᵗ = P(Sᵢᵗ = 1 | Rᵢ = 1, Xᵢ, Zᵢᵗ), by which FedIPW
//	divides.
//
// Notation: Xᵢ the covariates of client i, β their coefficients, Zᵢᵗ its context, c that of the
// context, φ the persistence, and
//
//	logit sᵢᵗ = intercept + ⟨β, Xᵢ⟩ + c·Zᵢᵗ,   Zᵢᵗ = φZᵢᵗ⁻¹ + √(1−φ²)·εᵢᵗ,
//
// with standard normal εᵢᵗ and Zᵢ⁰, so that Z is standard normal in every round and correlated by
// φˡᵃᵍ. The server sees Z of the enrolled before the round, unless c = 0: then there is none.
// Oracles read s given X and Z. The law is that of one round of which Z is not known: clients are
// available independently with probabilities E s over Z; from round to round they are not
// independent.
//
// Departures: the paper leaves the forms of s and Z open. Of clients that are not enrolled Z is not
// drawn; their probability is the mean over it.

package availability

import (
	"math"

	"github.com/hansa-fl/hansa/builtin/enrollment"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Logistic describes the availability model to the registry.
var Logistic = fl.AvailabilityEntry{
	Name:       "logistic",
	Summary:    "covariates and a context that drifts decide how likely a client is available",
	Paper:      "fedipw",
	Deviations: "the paper leaves the forms of s(X, Z) and Z open; these are the simplest",
	New:        newLogistic,
	Example:    map[string]any{"intercept": -0.5, "coefficients": []any{0.8, -0.4}},
}

// logistic keeps in State, beside the members: score, intercept + ⟨β, X⟩ of each member; context,
// N×1, Z; inclusion, length N, s.
type logistic struct {
	intercept   float64
	score       enrollment.Score
	context     float64 // c
	persistence float64 // φ
}

var _ fl.Availability = (*logistic)(nil)

func newLogistic(p *fl.Params) (fl.Availability, error) {
	return &logistic{
		intercept: p.Float("intercept", 0, fl.Anything(), "logit of a client whose "+
			"covariates and context are 0"),
		score: enrollment.NewScore(p),
		context: p.Float("context", 0.8, fl.Closed(-100, 100), "coefficient of the context Z; "+
			"where it is 0 there is none"),
		persistence: p.Float("persistence", 0.8, fl.RightOpen(0, 1),
			"correlation of the contexts of a client in two rounds that follow each other"),
	}, nil
}

// Available implements fl.Availability.
func (l *logistic) Available(r *fl.AvailabilityInput) []int {
	ids, first := members(r)
	score := r.State.Vector("score", len(ids))
	chance := r.State.Vector("inclusion", r.Roster.N)
	if first {
		l.begin(r.Roster, chance)
		for k, id := range ids {
			score[k] = l.intercept + l.score.Of(r.Roster.Covariates.Row(int(id)))
		}
	}
	r.Inclusion = chance
	if l.context != 0 {
		l.drift(r, ids, first)
		for k, id := range ids {
			chance[int(id)] = enrollment.Sigmoid(score[k] + l.context*r.Context.Data[int(id)])
		}
	}
	here := r.Room(len(ids))
	for _, id := range ids {
		if r.RNG.Float64() < chance[int(id)] {
			here = append(here, int(id))
		}
	}
	return here
}

// begin sets the probabilities of all clients, as far as they are known before Z.
func (l *logistic) begin(pop *fl.Roster, chance fl.Vector) {
	if l.context == 0 || pop.Enrolled != nil { // else Z is drawn for all clients
		copy(chance, l.chances(pop))
	}
}

// drift takes Z of the members one round on.
func (l *logistic) drift(r *fl.AvailabilityInput, ids fl.Vector, first bool) {
	r.Context = r.State.Matrix("context", r.Roster.N, 1)
	keep, fresh := l.persistence, math.Sqrt(1-l.persistence*l.persistence)
	if first {
		keep, fresh = 0, 1
	}
	z := r.Context.Data
	for _, id := range ids {
		z[int(id)] = keep*z[int(id)] + fresh*r.RNG.NormFloat64()
	}
}

// Law implements fl.Availability.
func (l *logistic) Law(pop *fl.Roster) (fl.Law, bool) {
	if !l.score.Knows(pop) {
		return fl.Law{}, false
	}
	law := independent(l.chances(pop))
	law.Memoryless = l.context == 0 || l.persistence == 0
	return law, true
}

// chances returns E σ(intercept + ⟨β, Xᵢ⟩ + c·Z), by client.
func (l *logistic) chances(pop *fl.Roster) fl.Vector {
	rule := stats.NewLogisticNormal(l.context)
	chance := make(fl.Vector, pop.N)
	for i := range chance {
		score := l.intercept + l.score.Of(pop.Covariates.Row(i))
		if chance[i] = rule.Mean(score); l.context == 0 {
			chance[i] = enrollment.Sigmoid(score)
		}
	}
	return chance
}
