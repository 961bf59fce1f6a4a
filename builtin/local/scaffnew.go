// Scaffnew, the client's half — local steps corrected by a control variate, any number of them.
//
//	K. Mishchenko, G. Malinovsky, S. Stich, P. Richtárik. ProxSkip: Yes! Local Gradient Steps
//	Provably Lead to Communication Acceleration! Finally! ICML 2022, Algorithm 2 (Scaffnew).
//
// Notation: xᵢ the local model, hᵢ the control variate, γ the rate, p the probability to
// communicate after a step. A step is x̂ᵢ = xᵢ − γ(∇fᵢ(xᵢ) − hᵢ). With probability p, by a coin
// that all clients share, xᵢ becomes the mean x̄ of all x̂ᵢ, and else x̂ᵢ; then
//
//	hᵢ ← hᵢ + p/γ·(xᵢ − x̂ᵢ),
//
// which changes it only after communication. So a round has L steps, P(L = l) = p(1 − p)^(l−1),
// the same for all clients, and a client renews hᵢ when it receives x̄. The parameter steps is 1/p.
//
// Departures: the coin is a number u in [0, 1) that the server broadcasts, from the second round
// on, and L the least l with 1 − (1 − p)^l > u; the first round has 1/p steps.

package local

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Scaffnew describes the local rule to the registry.
var Scaffnew = fl.LocalRuleEntry{
	Name:       "scaffnew",
	Summary:    "a random number of gradient steps, corrected by a control variate",
	Paper:      "mishchenko2022",
	Deviations: "the first round has 1/p steps, as no coin was sent before",
	New:        newScaffnew,
	Traits: fl.LocalTraits{Packed: true, Method: "Scaffnew", Whole: true, Drift: fl.Drift{
		Handling: fl.DriftCorrected, Beyond: "partial participation",
		Theory: "proven for full participation and strongly convex losses"}},
}

// scaffnew keeps hᵢ and the x̂ᵢ that it sent last in the client's state.
type scaffnew struct {
	steps, batch int
	rate         float64 // γ
	fixed        bool
}

var _ fl.LocalRule = (*scaffnew)(nil)

func newScaffnew(p *fl.Params) (fl.LocalRule, error) {
	return &scaffnew{
		steps: p.Int("steps", 10, fl.AtLeast(1), "1/p, the mean number of steps of a round; the "+
			"paper has the root of the condition number"),
		batch: p.Int("batch", 0, fl.AtLeast(0),
			"samples per step, drawn without replacement; 0: all of them"),
		rate: p.Float("lr", 0.1, fl.AtLeast(0), "learning rate γ"),
		fixed: p.Choice("rounds", "random", "whether the number of steps is drawn in each round "+
			"or is always 1/p", "random", "fixed") == "fixed",
	}, nil
}

// Run implements fl.LocalRule.
func (s *scaffnew) Run(t *fl.Task) (fl.Update, error) {
	n := len(t.Params)
	control, sent := t.State.Vector("control", n), t.State.Vector("sent", n)
	began := t.State.Vector("began", 1) // 1 once something was sent
	if began[0] == 1 && s.rate > 0 {
		share := 1 / (float64(s.steps) * s.rate) // p/γ
		control.AddScaled(share, t.Global)
		control.AddScaled(-share, sent)
	}
	d := t.Descent()
	d.Optimizer, d.Rate, d.Unshift = plain{}, s.rate, control
	d.Batches, d.Steps = t.Batches(s.batch), s.length(t)
	t.Worker.Descend(d)
	copy(sent, t.Params)
	began[0] = 1
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}

// length returns L.
func (s *scaffnew) length(t *fl.Task) int {
	coin := t.Broadcast["coin"].Data
	if s.fixed || s.steps == 1 || len(coin) != 1 {
		return s.steps
	}
	stay := math.Log1p(-1 / float64(s.steps)) // log(1 − p)
	return 1 + int(math.Log1p(-coin[0])/stay)
}
