// q-FedAvg — clients count the more the worse the model serves them: the server's half.
//
//	T. Li, M. Sanjabi, A. Beirami, V. Smith. Fair Resource Allocation in Federated Learning.
//	ICLR 2020, Algorithm 2.
//
// Notation: Fₖ the loss of client k at θᵗ⁻¹, q how much fairness counts, L = 1/η for the rate
// η of the clients, Δₖ = L(θᵗ⁻¹ − θₖ), hₖ = q Fₖ^(q−1) ‖Δₖ‖² + L Fₖ^q.
//
// Departures: clients send θₖ and Fₖ, of which the server computes what the paper's clients
// send, Fₖ^q Δₖ and hₖ. As in the authors' code, 1e-10 is added to a loss, so that one of zero
// has powers.

// Package lossweights is a strategy of two halves, each in a file: an aggregator, and a local rule
// that sends it what it needs.
package lossweights

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Server describes the aggregator.
var Server = fl.AggregatorEntry{
	Name:    "loss-weights",
	Summary: "weights that grow with the loss of a client; wants local = \"loss-weights\"",
	Paper:   "T. Li, M. Sanjabi, A. Beirami, V. Smith, ICLR 2020, Algorithm 2",
	Example: map[string]any{"lr": 0.1},
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &server{
			q:    p.Float("q", 1, fl.AtLeast(0), "q, how much fairness counts; 0: FedAvg"),
			rate: p.Float("lr", math.NaN(), fl.Above(0), "η, the rate of the local rule; L = 1/η"),
		}, nil
	},
}

// server keeps nothing in State.
type server struct {
	q    float64 // q
	rate float64 // η
}

// lossName is what the loss is called in the payload of an update.
const lossName = "loss"

// Aggregate returns θᵗ⁻¹ − Σ Fₖ^q Δₖ / Σ hₖ (Alg. 2, line 8), which is a mean of steps with
// weights L Fₖ^q / Σ hₖ.
func (s *server) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	losses, q := r.Scratch(len(r.Updates)), s.q
	if !readLosses(losses, r.Updates) {
		r.Notes.Add("clients send no losses, so that all count alike: " +
			"local = \"loss-weights\" does")
		q = 0
	}
	w, sum := r.Scratch(len(r.Updates)), 0.0
	for k, u := range r.Updates {
		w[k] = math.Pow(losses[k], q) / s.rate
		step := u.Params.Distance(r.Global) / s.rate
		sum += q*math.Pow(losses[k], q-1)*step*step + w[k]
	}
	w.Scale(1 / sum)
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// readLosses sets losses[k] = Fₖ + 1e-10, or to ones when a client sends none.
func readLosses(losses fl.Vector, updates []fl.Update) bool {
	for k, u := range updates {
		loss, sent := u.Payload[lossName]
		if !sent {
			losses.Fill(1)
			return false
		}
		losses[k] = loss.Data[0] + 1e-10
	}
	return true
}
