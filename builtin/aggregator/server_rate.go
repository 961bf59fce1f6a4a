package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// serverRate is η_g, how far to go along the update, round by round.
type serverRate struct {
	fl.Schedule
	epsilon float64 // ε of the rate of FedExP
}

var _ fl.ServerOptimizer = (*serverRate)(nil)

// newServerRate declares it.
func newServerRate(p *fl.Params) *serverRate { return rateOf(p) }

// newMeanRate declares that of a server whose step is η_g times a plain mean of the cohort's
// deltas: it may be the rate of FedExP.
func newMeanRate(p *fl.Params) *serverRate {
	s := rateOf(p, "fedexp")
	s.epsilon = newFedExPEpsilon(p, "server_epsilon")
	p.Later("server_epsilon")
	if s.extrapolates() && p.Given("server_rate") {
		p.Clash("server_rate", "server_schedule", "the schedule \"fedexp\" chooses η_g by itself")
	}
	return s
}

// rateOf declares the rate with further schedules.
func rateOf(p *fl.Params, more ...string) *serverRate {
	doc := "how η_g falls from round to round"
	if more != nil {
		doc += "; fedexp: max{1, mean ‖Δᵢ‖²/2(‖Δ̄‖² + ε)}, chosen by how much updates differ"
	}
	s := &serverRate{Schedule: fl.Schedule{
		First: p.Float("server_rate", 1, fl.Above(0), "η_g, how far to go along the update"),
		Form: p.Choice("server_schedule", "constant", doc,
			append([]string{"constant", "step", "cosine"}, more...)...),
		Gamma: p.Float("server_gamma", 0.1, fl.LeftOpen(0, 1),
			"step: multiplies η_g every period"),
		Period: p.Int("server_period", 100, fl.AtLeast(1), "step: so many rounds"),
		End:    p.Float("server_rate_end", 0, fl.AtLeast(0), "cosine: what η_g falls to"),
		Rounds: p.Setting().Rounds,
	}}
	for _, name := range []string{"schedule", "gamma", "period", "rate_end"} {
		p.Later("server_" + name)
	}
	return s
}

// extrapolates reports whether it is the rate of FedExP, which the updates of a round decide.
func (s *serverRate) extrapolates() bool { return s.Form == "fedexp" }

// of returns η_g of a round.
func (s *serverRate) of(r *fl.Round) float64 { return s.At(r.T) }

// Step returns θᵗ⁻¹ + η_g(θ − θᵗ⁻¹).
func (s *serverRate) Step(r *fl.Round, theta fl.Vector) (fl.Outcome, error) {
	if rate := s.of(r); rate != 1 {
		n := r.Layout.Trained(len(theta))
		theta[:n].Scale(rate)
		theta[:n].AddScaled(1-rate, r.Global[:n])
	}
	return fl.Outcome{Params: theta}, nil
}

// localRate declares lr, a learning rate that is that of the local rule where it is not given.
func localRate(p *fl.Params, meaning string) *fl.Schedule {
	rate := p.Float("lr", 0, fl.AtLeast(0), meaning)
	s := p.Setting()
	if rate == 0 && s.Rate != nil {
		return s.Rate
	}
	if rate == 0 && s.Known() {
		p.Fail("lr", "0 stands for the learning rate of the local rule, which has none; give η")
	}
	return &fl.Schedule{First: rate}
}
