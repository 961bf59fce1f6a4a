package registry

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Compressors are the kind of compressors. Clients of a method that names none send updates in
// full.
func Compressors() KindOf[fl.Compressor] {
	return KindOf[fl.Compressor]{
		Kind: Kind{Name: "compressor",
			Meaning: "in how many bits clients send their updates"},
		table:    func(r *Registry) *Table[fl.Compressor] { return &r.Compressors },
		says:     guarantees,
		declare:  func(p *fl.Params) { fl.NewFeedback(p) },
		place:    func(s *engine.Setup, c fl.Compressor) { s.Compressor.Component = c },
		optional: true, common: firstRound}
}

// guaranteed is the number of parameters for which a guarantee is described.
const guaranteed = 10_000

// guarantees says what a compressor loses, by its defaults.
func guarantees(_ fl.Entry[fl.Compressor], c fl.Compressor) []string {
	if _, none := c.(fl.NoCompressor); none || c == nil {
		return nil
	}
	says := "Updates are counted in the bits of their code; what is sent beside them in full."
	g, known := c.Guarantee(guaranteed)
	switch {
	case !known:
		return []string{says, "No bound of what is lost holds of all updates."}
	case g.Unbiased:
		return []string{says, fmt.Sprintf("Unbiased: E‖C(x) − x‖² ≤ ω‖x‖², with ω = %.3g for "+
			"10,000 parameters.", g.Omega)}
	}
	return []string{says, fmt.Sprintf("Biased: E‖C(x) − x‖² ≤ (1 − δ)‖x‖², with δ = %.3g for "+
		"10,000 parameters; feedback makes up for it.", 1-g.Omega)}
}

// compressor says what clients do about what is lost, and refuses a compressor of what is no
// update.
func (b *builder) compressor(s *engine.Setup) {
	kind := Compressors().Name
	pick, named := b.resolved.Picks[kind]
	c := &s.Compressor
	if !named || c.Component == nil {
		*c = engine.Compressor{}
		return
	}
	complain := func(param, format string, args ...any) {
		b.report(kind, []fl.Problem{{Param: param,
			Message: fmt.Sprintf("compressor %s: ", pick.Name) + fmt.Sprintf(format, args...)}})
	}
	c.Name = pick.Name
	c.Feedback = fl.NewFeedback(fl.NewParams(pick.Params, b.setting, nil))
	if _, none := c.Component.(fl.NoCompressor); none {
		if c.Feedback != fl.FeedbackNone {
			complain("feedback", "feedback = %q, and nothing is lost", c.Feedback)
		}
		*c = engine.Compressor{}
		return
	}
	switch {
	case s.Statistics != "":
		complain("name", "compresses updates of models, and local %s sends %s",
			b.cell.Picks["local"].Name, s.Statistics)
	case s.NoModel:
		complain("name", "compresses updates of models, and local %s is sent none",
			b.cell.Picks["local"].Name)
	case s.Model != nil && s.Model.Facts().Mixed():
		complain("name", "clients train models with different layouts")
	case s.Apart:
		complain("name", "sends the difference to the model that a client was sent, and with "+
			"initial = \"independent\" clients are sent none")
	}
}
