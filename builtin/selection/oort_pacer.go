package selection

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A pacer is the system part of Oort: durations of clients, and how long a round may take. It keeps
// in State: pacer, T and the number of rounds whose utility is known; achieved, the statistical
// utility of participants in each of the last 2W rounds.
type pacer struct {
	durations fl.Vector // tᵢ
	alpha     float64   // α
	step      float64   // Δ
	window    int       // W
}

// newPacer reads the parameters of the system part. It is nil where no durations are stated.
func newPacer(p *fl.Params) *pacer {
	c := &pacer{
		durations: p.FloatsOr("durations", nil, fl.Above(0), "tᵢ, how long each client takes "+
			"for a round, in seconds of virtual time; none: there is no system part"),
		alpha: p.Float("penalty", 2, fl.AtLeast(0), "α, exponent of T/tᵢ of clients that take "+
			"longer than T"),
		step: p.Float("pace", 0, fl.AtLeast(0), "Δ, what T begins with and grows by, in seconds; "+
			"above 0 where durations are stated"),
		window: p.Int("window", 20, fl.AtLeast(1), "W, rounds whose utility is compared with that "+
			"of as many before"),
	}
	if c.durations == nil {
		return nil
	}
	if n := p.Setting().Clients; n > 0 && len(c.durations) != n {
		p.Fail("durations", "%d numbers for %d clients", len(c.durations), n)
	}
	if c.step == 0 {
		p.Fail("pace", "0, but durations are stated: T begins with it")
	}
	return c
}

// speed returns what the probability to explore a client is proportional to.
func (c *pacer) speed(client int) float64 {
	if c == nil {
		return 1
	}
	return 1 / c.durations[client]
}

// penalty returns the factor by which a client loses utility where it takes longer than preferred.
func (c *pacer) penalty(client int, preferred float64) float64 {
	if c == nil || c.durations[client] <= preferred {
		return 1
	}
	return math.Pow(preferred/c.durations[client], c.alpha)
}

// preferred returns T in this round.
func (c *pacer) preferred(d *fl.SelectionInput) float64 {
	state := d.State.Vector("pacer", 2)
	achieved := d.State.Vector("achieved", 2*c.window)
	if state[0] == 0 {
		state[0] = c.step
	}
	for t := int(state[1]); t < d.T; t++ { // but for the last, these were empty
		achieved[t%len(achieved)] = 0
		if t < d.T-1 {
			c.compare(state, achieved, t+1)
			continue
		}
		for i := range d.Roster.N {
			if d.Told(i).Round == t {
				achieved[t%len(achieved)] += statistical(d, i)
			}
		}
		c.compare(state, achieved, t+1)
	}
	state[1] = float64(d.T)
	return state[0]
}

// compare relaxes T after so many rounds, where the utility of the last window is lower than that
// of the one before.
func (c *pacer) compare(state, achieved fl.Vector, rounds int) {
	if rounds < 2*c.window || rounds%c.window != 0 {
		return
	}
	before, last := 0.0, 0.0
	for k := range c.window {
		last += achieved[(rounds-1-k)%len(achieved)]
		before += achieved[(rounds-1-k-c.window)%len(achieved)]
	}
	if before > last {
		state[0] += c.step
	}
}
