package fl

import (
	"fmt"
	"math/rand/v2"
)

// A Guard changes the updates of a cohort before they are aggregated: a pre-aggregation, such as
// clipping or bucketing, which any aggregator may follow.
//
// Apply writes to the elements of g.Updates, or leaves fewer of them where GuardTraits say so. The
// Params that it was given are read-only: others take their place. Nothing lasts outside g.State.
type Guard interface {
	Apply(g *Guarding) error
}

// A NoGuard is the Guard of a method without one.
type NoGuard struct{}

var _ Guard = NoGuard{}

// Apply implements Guard: updates stay as they are.
func (NoGuard) Apply(*Guarding) error { return nil }

// GuardTraits are those of guards.
type GuardTraits struct {
	// Merges says that it makes one update of several. Then aggregators that tell clients apart are
	// refused: those that remember updates or ask for losses, halves of methods, and weights that
	// are neither uniform nor by samples.
	Merges bool
}

// Of implements Traits.
func (GuardTraits) Of(Guard) {}

// A Guarding is everything a guard may look at in one round.
type Guarding struct {
	T      int
	Global Vector // θᵗ⁻¹, read-only

	// Updates are those of the cohort, by ascending client, never empty, and what the aggregator
	// gets afterwards. An update that is made of several bears the number of the lowest client.
	Updates []Update

	Layout Layout
	State  State // what this guard keeps between rounds
	RNG    *rand.Rand
	Notes  *Notes // remarks that become footnotes of the table

	arena arena
	views [][]float64
}

// Scratch returns a zero vector of length n. It lives until the round has been aggregated; Params
// of Updates may be one.
func (g *Guarding) Scratch(n int) Vector { return g.arena.vector(n) }

// Room returns an empty slice with room for n ints. It lives as long as Scratch.
func (g *Guarding) Room(n int) []int { return g.arena.ints(n)[:0] }

// Recycle makes room for the next round; the engine calls it between rounds.
func (g *Guarding) Recycle() { g.arena.reset() }

// Models returns the parameters of Updates as they are, as tensor and stats take them. The list is
// made anew by the next call.
func (g *Guarding) Models() [][]float64 {
	g.views = g.views[:0]
	for k := range g.Updates {
		g.views = append(g.views, g.Updates[k].Params)
	}
	return g.views
}

// Norms returns ‖θₖ − θᵗ⁻¹‖ by update.
func (g *Guarding) Norms() Vector {
	norms := g.Scratch(len(g.Updates))
	for k := range norms {
		norms[k] = g.Updates[k].Params.Distance(g.Global)
	}
	return norms
}

// Clip makes every update whose norm is above a radius one of that norm and the same direction.
// Norms are those of Norms. An update that is within the radius stays as it is, to the bit.
func (g *Guarding) Clip(norms Vector, radius float64) {
	for k, norm := range norms {
		if norm > radius {
			p := g.Scratch(len(g.Global))
			copy(p, g.Global)
			p.Scale(1 - radius/norm)
			p.AddScaled(radius/norm, g.Updates[k].Params)
			g.Updates[k].Params, g.Updates[k].Returned = p, false
		}
	}
}

// A GuardChain is guards that follow one another. Each has a state of its own.
type GuardChain struct {
	links []Guard
	below []below
}

var _ Guard = (*GuardChain)(nil)

// NewGuardChain returns a chain of guards in this order.
func NewGuardChain(links ...Guard) *GuardChain {
	c := &GuardChain{links: links, below: make([]below, len(links))}
	for k := range c.below {
		c.below[k] = newBelow(fmt.Sprintf("%d ", k))
	}
	return c
}

// Apply implements Guard.
func (c *GuardChain) Apply(g *Guarding) error {
	whole := g.State
	defer func() { g.State = whole }()
	for k, link := range c.links {
		c.below[k].of = whole
		g.State = &c.below[k]
		if err := link.Apply(g); err != nil {
			return err
		}
	}
	return nil
}

// below is a part of a state, with names of its own.
type below struct {
	of    State
	at    string
	names map[string]string // which are not put together in every round
}

var _ State = (*below)(nil)

// newBelow returns the part whose names begin with a text.
func newBelow(at string) below { return below{at: at, names: map[string]string{}} }

func (b *below) name(of string) string {
	name, ok := b.names[of]
	if !ok {
		name = b.at + of
		b.names[of] = name
	}
	return name
}

// Vector implements State.
func (b *below) Vector(name string, n int) Vector { return b.of.Vector(b.name(name), n) }

// Matrix implements State.
func (b *below) Matrix(name string, rows, cols int) Matrix {
	return b.of.Matrix(b.name(name), rows, cols)
}
