package fl

import "math/rand/v2"

// A Loading is what a Source is told.
type Loading struct {
	RNG     *rand.Rand
	Clients int      // N
	Folders []string // where files are looked for, in this order
}

// A Reach is what an Availability model is told in a round: nature's move.
type Reach struct {
	T      int
	Roster *Roster
	RNG    *rand.Rand // the stream of this round
	State  State      // what this model keeps between rounds

	everyone []int
	arena    arena
}

// Everyone returns all clients, ascending. It must not be written to.
func (r *Reach) Everyone() []int {
	if len(r.everyone) != r.Roster.N {
		r.everyone = make([]int, r.Roster.N)
		for i := range r.everyone {
			r.everyone[i] = i
		}
	}
	return r.everyone
}

// Room returns an empty slice with room for n clients. It lives until the round ends.
func (r *Reach) Room(n int) []int { return r.arena.ints(n)[:0] }

// Recycle makes room for the next round; the engine calls it between rounds.
func (r *Reach) Recycle() { r.arena.reset() }

// A Draw is what a Selection mechanism is told in a round: the server's move.
type Draw struct {
	T         int
	Roster    *Roster
	Available []int      // ascending, read-only
	RNG       *rand.Rand // the stream of this round
	State     State      // what this mechanism keeps between rounds

	// Loss returns the loss of the global model on the samples of an available client, NaN for
	// any other. The client is sent the model and answers with one number, which is counted.
	// It is nil where rounds are simulated to learn the law of cohorts: there is no model then.
	Loss func(client int) float64

	arena arena
}

// Room returns an empty slice with room for n clients. It lives until the round ends.
func (d *Draw) Room(n int) []int { return d.arena.ints(n)[:0] }

// Recycle makes room for the next round; the engine calls it between rounds.
func (d *Draw) Recycle() { d.arena.reset() }
