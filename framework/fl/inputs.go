package fl

import "math/rand/v2"

// A LoadInput is what a Source is told.
type LoadInput struct {
	RNG     *rand.Rand
	Clients int      // N
	Folders []string // where files are looked for, in this order
	Notes   *Notes   // remarks on the data, which become footnotes; nil: none are kept
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

	// Loss returns the loss of the global model on the samples of an available client, NaN for
	// any other. The client is sent the model and answers with one number, which is counted.
	// It is nil where rounds are simulated to learn the cohort distribution: there is no model.
	Loss func(client int) float64

	arena arena
}

// Room returns an empty slice with room for n clients. It lives until the round ends.
func (d *SelectionInput) Room(n int) []int { return d.arena.ints(n)[:0] }

// Recycle makes room for the next round; the engine calls it between rounds.
func (d *SelectionInput) Recycle() { d.arena.reset() }
