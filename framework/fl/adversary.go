package fl

import (
	"cmp"
	"errors"
	"math/rand/v2"
)

// An Adversary says what faulty clients send instead of what they trained. Which clients are faulty
// is none of its business: the setting says so, so that all adversaries and methods of a seed face
// the same ones.
//
// Corrupt changes the Params of a.Updates, whose elements it may write, and nothing else that it
// can reach but State. It is called after the faulty clients have trained as all others do.
type Adversary interface {
	Corrupt(a *Attack) error
}

// A Poisoner says what faulty clients train on instead of their data: DataAttack makes an Adversary
// of it.
//
// Poison changes p.Data. It is called for every faulty client before it trains, by several
// goroutines at once, and keeps nothing.
type Poisoner interface {
	Poison(p *Poisoning) error
}

// A PoisonedData is the Adversary that DataAttack returns. The engine knows it, and has data
// changed instead of updates.
type PoisonedData struct{ Poisoner Poisoner }

var _ Adversary = (*PoisonedData)(nil)

// DataAttack returns an adversary whose faulty clients follow the method on poisoned data.
func DataAttack(p Poisoner) Adversary { return &PoisonedData{p} }

// Corrupt implements Adversary: updates stay as they are.
func (*PoisonedData) Corrupt(*Attack) error { return nil }

// A Poisoning is what a data attack is shown: one faulty client.
type Poisoning struct {
	T      int
	Client int
	Data   *Dataset   // a copy of the client's training samples, to be changed in place
	RNG    *rand.Rand // begins anew in every round: the same draws change the same samples
}

// Knowledge is what an adversary knows beside the model that clients are sent.
type Knowledge string

// What can be known. Each includes those before it.
const (
	KnowsOwn    Knowledge = "own data"             // one faulty client at a time, by itself
	KnowsCohort Knowledge = "the cohort's updates" // faulty clients collude and see all updates
	KnowsRule   Knowledge = "the rule"             // and can try what the server makes of them
)

// AdversaryTraits are those of adversaries.
type AdversaryTraits struct {
	// Knows says what it knows. Empty: KnowsOwn. It is shown no more.
	Knows Knowledge

	// Tries says, by the resolved parameters, that it tries the rule of the server, which it knows
	// then. Nil: it does not, unless it knows the rule anyway.
	Tries func(params map[string]any) bool
}

// Of implements Traits.
func (AdversaryTraits) Of(Adversary) {}

// KnowledgeOf returns what an adversary of these traits knows.
func (t AdversaryTraits) KnowledgeOf(params map[string]any) Knowledge {
	if t.Tries != nil && t.Tries(params) {
		return KnowsRule
	}
	return cmp.Or(t.Knows, KnowsOwn)
}

// An Attack is everything an adversary may look at when it corrupts updates. What is not in an
// Attack is not known to it.
type Attack struct {
	T      int
	Global Vector // θᵗ⁻¹, which every client was sent; read-only

	// Updates are those of faulty clients after honest training, by ascending client: one at a time
	// with KnowsOwn, else all of the cohort. Params are to be overwritten in place; Payload is sent
	// as it is, and so are Steps and Samples.
	Updates []Update

	// Honest are the updates of the other clients of the cohort, by ascending client and read-only.
	// Nil with KnowsOwn.
	Honest []Update

	Layout Layout
	State  State // kept from round to round; nil with KnowsOwn
	RNG    *rand.Rand

	rule  func() (Vector, error)
	arena arena
	views [][]float64
}

// Allow sets what Try computes. The engine calls it where the adversary knows the rule.
func (a *Attack) Allow(rule func() (Vector, error)) { a.rule = rule }

var errUnknownRule = errors.New("an adversary that tries the server's rule says so by its " +
	"traits: Knows: fl.KnowsRule")

// Try returns θᵗ as the server would make it of Honest and of Updates as they are now; nothing of
// it is kept. It lives until the next call. An error says that this adversary does not know the
// rule, or that of the rule itself.
func (a *Attack) Try() (Vector, error) {
	if a.rule == nil {
		return nil, errUnknownRule
	}
	return a.rule()
}

// Scratch returns a zero vector of length n. It lives until Corrupt returns.
func (a *Attack) Scratch(n int) Vector { return a.arena.vector(n) }

// Recycle makes room for the next attack; the engine calls it between attacks.
func (a *Attack) Recycle() { a.arena.reset() }

// Seen returns the updates that an attack reckons with: those of honest clients, or where it sees
// none of these what the faulty clients trained themselves.
func (a *Attack) Seen() []Update {
	if len(a.Honest) == 0 {
		return a.Updates
	}
	return a.Honest
}

// Models returns the parameters of Seen, in their order, as tensor and stats take them. They are
// read-only, and live until Corrupt returns.
func (a *Attack) Models() [][]float64 {
	a.views = a.views[:0]
	for _, u := range a.Seen() {
		a.views = append(a.views, u.Params)
	}
	return a.views
}

// Moments returns the mean μ of the updates θₖ − θᵗ⁻¹ of Seen and their standard deviation σ by
// coordinate, that of the population. They live until Corrupt returns, and may be written to.
func (a *Attack) Moments() (mean, deviation Vector) {
	models := a.Models()
	w := a.Scratch(len(models))
	w.Fill(1 / float64(len(w)))
	mean, deviation = a.Scratch(len(a.Global)), a.Scratch(len(a.Global))
	mean.AddWeighted(w, models)
	deviation.AddSquares(w, models, mean)
	deviation.Sqrt()
	mean.Sub(a.Global)
	return mean, deviation
}

// Send has every faulty client of Updates send θᵗ⁻¹ + update.
func (a *Attack) Send(update Vector) {
	for k := range a.Updates {
		p := a.Updates[k].Params
		copy(p, a.Global)
		p.Add(update)
	}
}
