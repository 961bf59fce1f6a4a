// Cyclic — blocks of clients are available in turns.
//
//	H. Eichner, T. Koren, B. McMahan, N. Srebro, K. Talwar. Semi-Cyclic Stochastic Gradient
//	Descent. ICML 2019: blocks that come one after another, as the sun rises on them.
//	Y. J. Cho, P. Sharma, G. Joshi, Z. Xu, S. Kale, T. Zhang. On the Convergence of Federated
//	Averaging with Cyclic Client Participation. ICML 2023: groups in turns.
//
// Notation: B blocks of clients, in their order and as equal as can be; a turn of L rounds, so a
// period of BL; duty d, for how many rounds of it a block is on. With a phase a, block b is on in
// round t iff (t + a − bL) mod BL < d.
//
// The phase is drawn once and is uniform over the whole period, so the law of the first round is
// that of all rounds of a period, and it is exact: the probability of every client is d/(BL).
// Oracles read it, too: given the phase nothing is random, and no weights compensate for clients
// that are absent.

package availability

import "github.com/hansa-fl/hansa/framework/fl"

// Cyclic describes the availability model to the registry.
var Cyclic = fl.AvailabilityEntry{
	Name:    "cyclic",
	Summary: "blocks of clients are available in turns",
	Paper:   "eichner2019",
	New:     newCyclic,
}

// cyclic keeps in State: phase, length 1, a + 1.
type cyclic struct {
	blocks int // B
	turn   int // L
	duty   int // d
}

var _ fl.Availability = (*cyclic)(nil)

func newCyclic(p *fl.Params) (fl.Availability, error) {
	c := &cyclic{
		blocks: p.Int("blocks", 4, fl.AtLeast(1), "B, into how many blocks clients are cut, in "+
			"their order"),
		turn: p.Int("turn", 1, fl.AtLeast(1), "L, rounds from the turn of a block to the next"),
		duty: p.Int("duty", 0, fl.AtLeast(0), "d, rounds of the B·L of a period that a block is "+
			"on; 0 for its turn"),
	}
	if n := p.Setting().Clients; n > 0 && c.blocks > n {
		p.Fail("blocks", "%d of %d clients", c.blocks, n)
	}
	if c.duty > c.period() {
		p.Fail("duty", "%d rounds of a period of %d", c.duty, c.period())
	}
	if c.duty == 0 {
		c.duty = c.turn
	}
	return c, nil
}

func (c *cyclic) period() int { return c.blocks * c.turn }

// Available implements fl.Availability.
func (c *cyclic) Available(r *fl.AvailabilityInput) []int {
	phase := r.State.Vector("phase", 1)
	if phase[0] == 0 {
		phase[0] = float64(1 + r.Fixed().IntN(c.period()))
	}
	last, count := c.on((r.T + int(phase[0]) - 1) % c.period())
	return c.clients(r.Room(r.Roster.N), last, count, r.Roster.N)
}

// on returns which blocks are on in a round of the period: count of them, of which the last is
// the one whose turn it is.
func (c *cyclic) on(round int) (last, count int) {
	return round / c.turn, max(0, (c.duty-round%c.turn+c.turn-1)/c.turn)
}

// clients appends those of n clients that are in so many blocks up to the last, ascending.
func (c *cyclic) clients(ids []int, last, count, n int) []int {
	first := last - count + 1
	ids = c.between(ids, max(0, first), last+1, n)
	if first < 0 { // the rest stands at the end
		ids = c.between(ids, c.blocks+first, c.blocks, n)
	}
	return ids
}

// between appends those of n clients that are in blocks lo to hi.
func (c *cyclic) between(ids []int, lo, hi, n int) []int {
	for i := lo * n / c.blocks; i < hi*n/c.blocks; i++ {
		ids = append(ids, i)
	}
	return ids
}

// Law implements fl.Availability.
func (c *cyclic) Law(pop *fl.Roster) (fl.Law, bool) {
	if c.duty == c.period() {
		return fl.Law{Everyone: true, Exact: true, Memoryless: true}, true
	}
	share := float64(c.duty) / float64(c.period())
	law := fl.Law{Exact: true, Inclusion: constant(pop.N, share)}
	if c.period() > mostListed || share*float64(c.blocks*pop.N) > mostMembers {
		return law, true
	}
	at, here := map[[2]int]int{}, 0
	for round := range c.period() {
		last, count := c.on(round)
		switch count {
		case 0:
			continue
		case c.blocks:
			last = c.blocks - 1 // all clients: the same cohort at every turn
		}
		j, seen := at[[2]int{last, count}]
		if !seen {
			j = len(law.Sets)
			at[[2]int{last, count}] = j
			law.Sets, law.Q = append(law.Sets, c.clients(nil, last, count, pop.N)), append(law.Q, 0)
		}
		law.Q[j]++
		here++
	}
	law.Q.Scale(1 / float64(here))
	law.Empty = 1 - float64(here)/float64(c.period())
	return law, true
}
