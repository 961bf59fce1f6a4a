package fl

import "slices"

// An Optimum is a minimiser of the objective Σ wᵢ fᵢ.
type Optimum struct {
	Params Vector  // θ*
	Value  float64 // the objective there
	Unique bool    // false when there may be others: distances to it mean nothing
	// Gap returns the objective at θ minus Value without the cancellation of a difference of two
	// large numbers; nil: subtract.
	Gap func(params Vector) float64
}

// A Solver computes the minimiser of Σ wᵢ fᵢ over the training data of a population,
// for weights w that are non-negative and sum to 1.
type Solver func(pop *Population, w Vector) (Optimum, error)

// ModelFacts are what is known of a model's loss beyond its gradient.
type ModelFacts struct {
	Solve   Solver // computes the optimum; nil where nothing can
	Single  bool   // it computes in float32: 7 digits are right, not 16
	Moments bool   // the loss and its gradient depend on regression data through their moments only
	// Nonsmooth says that Gradient is a subgradient, which need not be 0 at the optimum.
	Nonsmooth bool

	// Packed says that its workers read packed rows: each is a PackedWorker.
	Packed bool

	// Variants are models for the same data of which every client is assigned one; nil: all clients
	// train this one.
	Variants []Model
}

// Mixed reports whether clients train models with different layouts.
func (t ModelFacts) Mixed() bool {
	for k := 1; k < len(t.Variants); k++ {
		a, b := t.Variants[k-1].Layout().Blocks, t.Variants[k].Layout().Blocks
		if !slices.Equal(a, b) {
			return true
		}
	}
	return false
}

// What is sent is counted in bytes: Bytes is the unit of such a metric, and each number takes
// BytesPerNumber, as in single precision.
const (
	Bytes          = "B"
	BytesPerNumber = 4
)

// Privacy is the unit of what is spent of differential privacy, and Hours that of virtual time,
// which is the same in every run; that of a clock is "s".
const (
	Privacy = "ε"
	Hours   = "h"
)

// Cumulative reports whether a metric with the given unit counts up over the rounds: bytes sent,
// seconds or virtual hours gone, ε spent. Its final value is the last one. Such a cost is shown and
// not ranked.
func Cumulative(unit string) bool {
	return unit == Bytes || unit == "s" || unit == Privacy || unit == Hours
}

// A Snapshot is a cell at the end of a round, ready to be measured.
type Snapshot struct {
	T          int
	Params     Vector // the last iterate θᵗ, or the mean of θ¹ … θᵗ where a metric asks for it
	Model      Model
	Worker     Worker // scratch space to evaluate Model with
	Roster     *Roster
	Population *Population
	Pooled     *Dataset                 // Σ pᵢ Dᵢ, the training data as moments; may be nil
	Optimal    func() (*Optimum, error) // of Σ pᵢ fᵢ, computed once; nil: nothing can
	Uploaded   int64                    // numbers sent by clients so far
	Coded      int64                    // bits that they sent besides: of compressed updates
	Downloaded int64                    // numbers sent to clients so far
	CodedDown  int64                    // bits that they were sent besides: of compressed models
	Seconds    float64                  // since the cell began; differs from run to run
	Time       float64                  // virtual seconds of all rounds so far

	// Residual is ρᵢ = πᵢωᵢ/pᵢ of every client that participated, averaged over its rounds, and NaN
	// of others: πᵢ is the true inclusion probability, enrolment included, and ωᵢ the client's
	// weight in the aggregate. It is 1 where weights correct participation. It is nil where πᵢ has
	// no closed form, or the aggregate is no weighted mean; Untold says which.
	Residual Vector
	Untold   string

	// Exposure is what a private aggregator released so far; nil unless MetricTraits ask.
	Exposure *Exposure

	// PerSample is the noise on what each client sent in each of the T rounds, as LocalTraits have
	// it; nil unless MetricTraits ask.
	PerSample *float64

	// Notes are those of the cell so far: what components observed is in them.
	Notes *Notes

	Own ClientModels // models of clients; nil: there are none

	losses   Vector
	own      Vector // of the client that was asked for last
	measured map[ClientMeasure]Vector
}

// Objective returns F(θ) = Σ pᵢ fᵢ(θ), the training objective.
func (s *Snapshot) Objective() float64 {
	if s.Pooled != nil {
		return s.Worker.Loss(s.Params, s.Pooled)
	}
	return s.Roster.Importance.Dot(s.ClientLosses())
}

// ClientLosses returns fᵢ(θ), the mean loss of every client on its training data, by
// client. It lives until the next snapshot and is computed once.
func (s *Snapshot) ClientLosses() Vector {
	if len(s.losses) != s.Population.N() {
		s.losses = s.losses[:0]
		for i := range s.Population.N() {
			c := s.Population.Client(i)
			s.losses = append(s.losses, s.Worker.Loss(s.Params, &c.Data))
		}
	}
	return s.losses
}

// An ObjectiveMetric is a metric of an objective other than F(θ) = Σ pᵢ fᵢ(θ), such as the mean of
// the worst clients. An audit says of methods how far they end above its minimum.
type ObjectiveMetric interface {
	Metric
	// Value returns the objective at s.Params.
	Value(s *Snapshot) (float64, error)
	// Least returns its minimiser over the model and the population of s.
	Least(s *Snapshot) (*Optimum, error)
}

// Reset forgets what was computed for other parameters; the engine calls it between
// measurements.
func (s *Snapshot) Reset() {
	s.losses = s.losses[:0]
	clear(s.measured)
}
