package fl

import (
	"math"
	"math/rand/v2"
)

// A LoadInput is what a Source is told.
type LoadInput struct {
	RNG     *rand.Rand
	Clients int      // N
	Folders []string // where files are looked for, in this order
	Notes   *Notes   // remarks on the data, which become footnotes; nil: none are kept

	Alphabet *[]rune // where to write the characters that tokens stand for; nil: nowhere

	// Packed says that rows may be returned as they are stored, see Dataset.Packed.
	Packed bool

	// Decoded keeps the content of files that take long to decode; nil: nothing does.
	Decoded Decoded
}

// A Decoded keeps the content of files from one run of a program to the next. Several goroutines
// may use it at once.
type Decoded interface {
	// Recall returns what decode returned when it was first called for a key, or returns now. The
	// key tells the files by their content, and says all else that the result depends on. Nothing
	// may be written to the result.
	Recall(key string, decode func() ([]byte, error)) ([]byte, error)
}

// Note records a remark on the data, where remarks are kept.
func (l *LoadInput) Note(remark string) {
	if l.Notes != nil {
		l.Notes.Add(remark)
	}
}

// An EnrollmentInput is what an Enrollment is told, once before the first round.
type EnrollmentInput struct {
	Roster      *Roster
	RNG         *rand.Rand
	Probability Vector // eᵢ, length N, for the model to fill where it knows; NaN before
}

// An AvailabilityInput is what an Availability model is told in a round.
type AvailabilityInput struct {
	T      int
	Roster *Roster
	RNG    *rand.Rand // the stream of this round
	State  State      // what this model keeps between rounds

	// Fixed returns the stream of what is drawn once for all rounds, such as a phase, from its
	// beginning at every call. Rounds that are simulated to learn the law have the same one.
	Fixed func() *rand.Rand

	Folders []string // where files are looked for, in this order

	// A model may set more than the available clients. Both live until the next round and are empty
	// before Available is called.
	Context   Matrix // Z, N×k: what the server sees of the enrolled before they are asked
	Inclusion Vector // P(client i is available | Z), length N, for oracles

	// Phase is, where the server sees which of so many Phases the round is in, from 1, that one; a
	// model sets both in every round, or in none. They are 0 before Available is called.
	Phase, Phases int

	everyone []int
	failure  error
	arena    arena
}

// Everyone returns all clients, ascending. It must not be written to.
func (r *AvailabilityInput) Everyone() []int {
	if len(r.everyone) != r.Roster.N {
		r.everyone = make([]int, r.Roster.N)
		for i := range r.everyone {
			r.everyone[i] = i
		}
	}
	return r.everyone
}

// Room returns an empty slice with room for n clients. It lives until the round ends.
func (r *AvailabilityInput) Room(n int) []int { return r.arena.ints(n)[:0] }

// Fail says why availability is unknown, such as a missing file. It ends the cell, for any result
// of Available.
func (r *AvailabilityInput) Fail(err error) { r.failure = err }

// Failure returns the error of Fail in this round, for the engine.
func (r *AvailabilityInput) Failure() error { return r.failure }

// Recycle makes room for the next round; the engine calls it between rounds.
func (r *AvailabilityInput) Recycle() {
	r.arena.reset()
	r.failure = nil
}

// A SelectionInput is what a Selection mechanism is told in a round.
type SelectionInput struct {
	T         int
	Roster    *Roster
	Available []int      // ascending, read-only
	RNG       *rand.Rand // the stream of this round
	State     State      // what this mechanism keeps between rounds
	Shared    State      // what it and the aggregator both read and write, see Round

	// Select may set these two, by client of the cohort. Both live until the next round, and are
	// nil before Select is called.
	Times    []int  // how often each is counted, ≥ 1; see SelectionTraits.Repeats; nil: once
	Expected Vector // E Times, given all that Select knew when it drew: > 0; nil: not stated

	// Told returns what clients told before this round, by SelectionTraits.
	Told func(client int) Report

	// Loss returns the loss of the global model on the samples of an available client, NaN for
	// any other. The client is sent the model and answers with 8 bytes; both are counted, once a
	// round. Loss is nil where rounds are simulated to learn the cohort distribution: there is no
	// model.
	Loss func(client int) float64

	// LossAt is Loss of other parameters, as many as the model has. The client is sent them; they
	// and the answer are counted in every call. It is nil where Loss is.
	LossAt func(client int, params Vector) float64

	// Norms sets dst to ‖θᵢ − θᵗ⁻¹‖ of the updates that available clients would upload in this
	// round, NaN for any others. A client is sent for that what it is sent to train, trains, and
	// answers with 8 bytes; all of it is counted, once a round. If it is selected it is not
	// sent that again, and uploads that update; if it is not, its state stays as it was, and its
	// mail goes on waiting. Norms is nil where Loss is.
	Norms func(dst Vector, clients []int)

	arena arena
}

// A Report is what a selection was told of a client in the last round in which it took part.
type Report struct {
	Round int     // that round as T; -1: it took part in none, or SelectionTraits do not ask
	Loss  float64 // of the model that it was sent, on its samples; NaN: it was not asked
	Norm  float64 // ‖θᵢ − θᵗ⁻¹‖ of its update; NaN: it was not asked

	// Root mean square of the losses of its samples under the model that it was sent, √(Σ ℓ²/n);
	// NaN: it was not asked.
	RMS float64

	// Virtual seconds from when it was asked until its update arrived; NaN: it was not asked, or
	// there is no completion model.
	Seconds float64

	// θᵢ − θᵗ⁻¹ as the server got it, 0 in parameters that stay at clients; read-only. It lives
	// until the client takes part again. Nil: SelectionTraits do not ask, or the client took part
	// in no round.
	Update Vector
}

// Unreported is the Report of a client that has taken part in no round.
func Unreported() Report {
	return Report{Round: -1, Loss: math.NaN(), Norm: math.NaN(), RMS: math.NaN(),
		Seconds: math.NaN()}
}

// Room returns an empty slice with room for n clients. It lives until the round ends.
func (d *SelectionInput) Room(n int) []int { return d.arena.ints(n)[:0] }

// Scratch returns a zero vector of length n. It lives until the round ends.
func (d *SelectionInput) Scratch(n int) Vector { return d.arena.vector(n) }

// Recycle makes room for the next round; the engine calls it between rounds.
func (d *SelectionInput) Recycle() {
	d.arena.reset()
	d.Times, d.Expected = nil, nil
}
