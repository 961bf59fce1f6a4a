// Markov — clients come and stay for a while.
//
//	E. N. Gilbert. Capacity of a Burst-Noise Channel. Bell System Technical Journal 39, 1960.
//	S. Wang, M. Ji. A Lightweight Method for Tackling Unknown Participation Statistics in
//	Federated Averaging. ICLR 2024: availability as Markov chains of given rates.
//
// Notation: bᵢ the share of rounds that client i is on, rate their mean before any is limited to 1,
// r the prior, m the mean number of rounds that a client stays. bᵢ = min(1, rate·N·rᵢ), and in
// every round client i
//
//	leaves with probability pᵒᶠᶠ = 1/m,   returns with probability pᵒⁿ = bᵢ / (m(1 − bᵢ)).
//
// It starts from stationarity: in every round it is on with probability bᵢ, and its presence in two
// rounds is correlated by (1 − pᵒⁿ − pᵒᶠᶠ)ˡᵃᵍ.
//
// The law is that of one round: clients are available independently with probabilities bᵢ. Oracles
// read the same bᵢ, and not the probability given the round before. That is how the papers define a
// propensity: given covariates and context, of which there are none here, and not given the past of
// participation itself. It is what makes the mean over rounds right, which is where small steps
// lead, and it has the lesser variance: given the past, a client that returns would weigh m(1 −
// bᵢ)/bᵢ and one that stays m/(m−1). The cost is that the weight of a single round depends on the
// rounds before, so what it sums to is right in the mean only.
//
// Departures: a pair of a rate and a stay with pᵒⁿ > 1 does not exist, and is refused; Wang and Ji
// cap pᵒⁿ at 0.05 and change the stay instead.

package availability

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Markov describes the availability model to the registry.
var Markov = fl.AvailabilityEntry{
	Name:    "markov",
	Summary: "clients are available at rates of their own, and stay so for a while",
	Paper:   "wang2024",
	Deviations: "rates and stays that no chain has are refused; the paper caps the probability " +
		"to return at 0.05 and changes the stay instead",
	New: newMarkov,
}

// markov keeps in State, beside the members, of each of them: return, pᵒⁿ; on, whether it is.
type markov struct {
	spread
	stay float64 // m
}

var _ fl.Availability = (*markov)(nil)

func newMarkov(p *fl.Params) (fl.Availability, error) {
	m := &markov{spread: newSpread(p, fl.Open(0, 1)), stay: p.Float("stay", 5, fl.AtLeast(1),
		"m, for how many rounds a client stays, in the mean")}
	if err := m.possible(m.rate); err != nil {
		p.Fail("rate", "%v", err)
	}
	return m, nil
}

// chain returns the chain of a client that is on in a share b of rounds.
func (m *markov) chain(b float64) stats.Chain {
	return stats.Chain{Rise: b / (1 - b) / m.stay, Fall: 1 / m.stay}
}

// possible says why there is no such chain. What rounding does to the end of the range is let
// pass.
func (m *markov) possible(b float64) error {
	rise := m.chain(b).Rise
	if rise <= 1+1e-12 {
		return nil
	}
	remedy := "rates of 1 are not meant here"
	if b < 1 {
		remedy = fmt.Sprintf("raise stay to %.5g", math.Ceil(1000*b/(1-b)-1e-6)/1000)
	}
	return fmt.Errorf("a client that is on in %.4g of all rounds and stays for %.4g would have "+
		"to return with a probability of %.3g: %s", b, m.stay, rise, remedy)
}

// refuse returns what is impossible about these rates.
func (m *markov) refuse(rates fl.Vector) error {
	for i, b := range rates {
		if err := m.possible(b); err != nil {
			return fmt.Errorf("client %d: %w", i, err)
		}
	}
	return nil
}

// Available implements fl.Availability.
func (m *markov) Available(r *fl.AvailabilityInput) []int {
	ids, first := members(r)
	rise, on := r.State.Vector("return", len(ids)), r.State.Vector("on", len(ids))
	var rates fl.Vector
	if first {
		rates = m.chances(r.Roster)
		if err := m.refuse(rates); err != nil {
			r.Fail(err)
			return nil
		}
	}
	leave := 1 / m.stay
	here := r.Room(len(ids))
	for k, id := range ids {
		chance := rise[k]
		switch {
		case first:
			chance = rates[int(id)]
			rise[k] = m.chain(chance).Rise
		case on[k] == 1:
			chance = 1 - leave
		}
		if on[k] = 0; r.RNG.Float64() < chance {
			on[k] = 1
			here = append(here, int(id))
		}
	}
	return here
}

// Law implements fl.Availability.
func (m *markov) Law(pop *fl.Roster) (fl.Law, bool) {
	rates := m.chances(pop)
	if m.refuse(rates) != nil {
		return fl.Law{}, false // Available says why
	}
	return independent(rates), true
}
