package fl

import "math/rand/v2"

// A Completion model says how long clients need in a round, from when they are asked until their
// updates have arrived: a stage of the environment. Time is virtual; no clock is read.
type Completion interface {
	// Finish sets f.After of every client that is asked. An asynchronous server asks several times
	// with the same T, but each client at most once.
	Finish(f *Finishing) error
	// Chances returns the probability of each client of f.Asked to need at most so many seconds,
	// or false when it has no closed form. Where it is known, clients and rounds are independent,
	// given what Fixed draws. Draw and State are nil.
	Chances(f *Finishing, seconds float64) (Vector, bool)
}

// A Finishing is what a Completion model is told in a round.
type Finishing struct {
	T      int     // of the model that the clients are sent
	Now    float64 // virtual seconds since the first round began
	Roster *Roster
	Asked  []int // ascending, read-only

	// By client of Asked: the local steps that it makes, and the bits of the model that it is sent
	// and of the update that it sends, without what is sent beside them. Up is after compression
	// by a Sized compressor, and before that by another one; Down is before.
	Steps    []int
	Down, Up []int64

	After Vector // by client of Asked, to be set: virtual seconds, finite and not below 0
	// Work is by client of Asked how many of the seconds of After local steps take, each as long as
	// every other. It is 0 unless it is set; CompletionTraits say where it is. Partial work
	// shortens it.
	Work Vector

	// Partial asks Chances for the probability that one step is made in so many seconds, of those
	// that it makes: After − Work + Work/Steps.
	Partial bool

	// Fixed returns the stream of what is drawn of a client once for all rounds, such as the speed
	// of its device, from its beginning at every call. Rounds that are simulated to learn the
	// cohort distribution have the same one. Draw returns the stream of a client in this round.
	// Either lives until the next call of the same one.
	Fixed, Draw func(client int) *rand.Rand

	State State // what this model keeps between rounds

	Folders []string // where files are looked for, in this order

	arena arena
}

// Scratch returns a zero vector of length n. It lives until the round ends.
func (f *Finishing) Scratch(n int) Vector { return f.arena.vector(n) }

// Recycle makes room for the next round; the engine calls it between rounds.
func (f *Finishing) Recycle() { f.arena.reset() }

// A RoundPolicy says when the server ends a round, in virtual time, and how often clients drop out.
//
// A server is synchronous unless it has Concurrency or Tiers. An asynchronous one does not discard
// the updates that have not arrived when a round ends: they count in the round in which they
// arrive, though they were made of an earlier model.
//
// Stragglers are those of the experiments of FedProx (T. Li et al., MLSys 2020, Section 5), in
// which a share of the cohort makes a uniform number of epochs. Here each client is one with that
// probability, independently, and makes a uniform number of steps.
type RoundPolicy struct {
	Deadline float64 // seconds; 0: none
	Take     int     // updates after which a round ends; 0: all
	Dropout  float64 // probability that a client that is asked does not finish

	Partial    bool    // a client that would be late makes as many steps as fit, if one does
	Stragglers float64 // probability that a client makes a random number of its steps

	Concurrency int // clients that train at once; 0: as many as are asked in a round
	Tiers       int // groups of clients of similar speed, each with rounds of its own; 0: none
}

// NewRoundPolicy declares the parameters that all completion models have.
func NewRoundPolicy(p *Params) RoundPolicy {
	r := RoundPolicy{
		Deadline: p.Float("deadline", 0, AtLeast(0), "virtual seconds after which a round ends: "+
			"updates that have not arrived are not aggregated; of an asynchronous server, after "+
			"which it waits no longer for a client; 0: none"),
		Take: p.Int("take", 0, AtLeast(0), "updates after whose arrival a round ends, where the "+
			"selection asks more clients than it needs, or the server is asynchronous; 0: all"),
		Dropout: p.Float("dropout", 0, RightOpen(0, 1), "probability that a client that is asked "+
			"drops out in a round, after a uniform share of the time that it needs"),
		Partial: p.Bool("partial", false, "whether a client that would be late makes as many "+
			"local steps as fit before the deadline, and sends what it has, if one fits"),
		Stragglers: p.Float("stragglers", 0, Closed(0, 1), "probability that a client that is "+
			"asked makes only some of its local steps in a round: a uniform number, from 1"),
		Concurrency: p.Int("concurrency", 0, AtLeast(0), "clients that train at once for an "+
			"asynchronous server, which aggregates whenever `take` updates have arrived; 0: it "+
			"is synchronous"),
		Tiers: p.Int("tiers", 0, AtLeast(0), "groups of clients of similar speed, each of which "+
			"has synchronous rounds of its own, for a server that aggregates whenever one of them "+
			"ends; 0: none"),
	}
	r.check(p)
	return r
}

// check refuses policies that contradict themselves.
func (r RoundPolicy) check(p *Params) {
	if r.Partial && r.Deadline == 0 {
		p.Clash("partial", "deadline", "no client is late: there is no deadline")
	}
	switch n := p.Setting().Clients; {
	case r.Tiers > 0 && r.Concurrency > 0:
		p.Fail("tiers", "of a server with tiers each tier waits for all that are asked: it has no "+
			"concurrency")
	case r.Tiers > 0 && r.Take > 0:
		p.Fail("tiers", "of a server with tiers each tier waits for all that are asked: leave "+
			"take out")
	case n > 0 && r.Tiers > n:
		p.Fail("tiers", "%d tiers of %d clients", r.Tiers, n)
	case r.Concurrency > 0 && r.Take == 0:
		p.Fail("take", "an asynchronous server aggregates after so many updates: 1 for each, "+
			"10 for a buffer of 10")
	}
}

// Waits reports whether a round ends when all clients that are asked have finished, and not
// before.
func (r RoundPolicy) Waits() bool { return r == RoundPolicy{} }

// Cuts reports whether clients may make fewer local steps than their rule has.
func (r RoundPolicy) Cuts() bool { return r.Partial || r.Stragglers > 0 }

// Asynchronous reports whether updates count in later rounds than that in which their clients were
// asked.
func (r RoundPolicy) Asynchronous() bool { return r.Concurrency > 0 || r.Tiers > 0 }

// Immediate is the Completion of clients that finish at once: no time passes.
type Immediate struct{}

var _ Completion = Immediate{}

// Finish implements Completion.
func (Immediate) Finish(f *Finishing) error {
	clear(f.After)
	return nil
}

// Chances implements Completion.
func (Immediate) Chances(f *Finishing, _ float64) (Vector, bool) {
	p := f.Scratch(len(f.Asked))
	p.Fill(1)
	return p, true
}
