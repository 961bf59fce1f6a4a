package selection

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A pacer is the system part of Oort: durations of clients, and how long a round may take. It keeps
// in State: pacer, T and the number of rounds whose utility is known; achieved, the statistical
// utility of participants in each of the last 2W rounds.
type pacer struct {
	durations fl.Vector // tᵢ, as they are stated; nil: they are not
	measured  bool      // tᵢ of clients that took part are their own
	alpha     float64   // α
	step      float64   // Δ
	window    int       // W
}

// newPacer reads the parameters of the system part. It is nil where durations are neither stated
// nor measured.
func newPacer(p *fl.Params) *pacer {
	c := &pacer{
		durations: p.FloatsOr("durations", nil, fl.Above(0), "tᵢ, how long each client takes "+
			"for a round, in seconds of virtual time; none: they are not known, and there is no "+
			"system part unless they are measured"),
		measured: p.Bool("measured", false, "whether tᵢ of a client that took part is what it "+
			"needed in its last round, by the completion model; that of others is as stated"),
		alpha: p.Float("penalty", 2, fl.AtLeast(0), "α, exponent of T/tᵢ of clients that take "+
			"longer than T"),
		step: p.Float("pace", 0, fl.AtLeast(0), "Δ, what T begins with and grows by, in seconds; "+
			"above 0 where durations are stated or measured"),
		window: p.Int("window", 20, fl.AtLeast(1), "W, rounds whose utility is compared with that "+
			"of as many before"),
	}
	if c.durations == nil && !c.measured {
		return nil
	}
	if n := p.Setting().Clients; n > 0 && c.durations != nil && len(c.durations) != n {
		p.Fail("durations", "%d numbers for %d clients", len(c.durations), n)
	}
	if c.step == 0 {
		p.Fail("pace", "0, but durations are stated or measured: T begins with it")
	}
	return c
}

// speed returns what the probability to explore a client is proportional to.
func (c *pacer) speed(client int) float64 {
	if c == nil || c.durations == nil {
		return 1
	}
	return 1 / c.durations[client]
}

// penalty returns the factor by which a client that took part loses utility where it takes longer
// than preferred; 1 where its duration is not known.
func (c *pacer) penalty(d *fl.SelectionInput, client int, preferred float64) float64 {
	if c == nil {
		return 1
	}
	slow := math.NaN()
	if c.durations != nil {
		slow = c.durations[client]
	}
	if c.measured {
		if own := d.Told(client).Seconds; !math.IsNaN(own) {
			slow = own
		}
	}
	if !(slow > preferred) {
		return 1
	}
	return math.Pow(preferred/slow, c.alpha)
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
