// SCAFFOLD — local steps that control variates correct: c, and the state cᵢ of each client.
//
//	S. P. Karimireddy et al., ICML 2020, Algorithm 1, option II. There x is the received model, y
//	the local one, η the rate of τ steps. Departures: none.
package controlvariates

import "github.com/hansa-fl/hansa/framework/fl"

var Client = fl.LocalRuleEntry{
	Name: "control-variates", Summary: "SCAFFOLD's local steps, which control variates correct",
	Paper: "S. P. Karimireddy et al., ICML 2020", Traits: fl.LocalTraits{Method: "SCAFFOLD"},
	New: func(p *fl.Params) (fl.LocalRule, error) {
		return &client{
			steps: p.Int("steps", 10, fl.AtLeast(1), "τ, gradient steps on all samples"),
			rate:  p.Float("lr", 0.1, fl.Above(0), "η, rate of the steps"),
			by:    p.Optimizer("optimizer", "sgd", "plain steps: another one breaks the method"),
		}, nil
	},
}

type client struct {
	steps int
	rate  float64
	by    fl.Optimizer
}

func (c *client) Run(t *fl.Task) (fl.Update, error) {
	own := t.State.Vector("control", len(t.Params)) // cᵢ: stays with the client, 0 at first
	d := t.Descent()
	d.Steps, d.Rate, d.Optimizer = t.Fit(c.steps), c.rate, c.by
	d.Shift, d.Unshift = t.Broadcast["control"].Data, own // each gradient + c − cᵢ
	t.Worker.Descend(d)
	change := t.Payload(1, len(own)) // cᵢ⁺ − cᵢ = (x − y)/(τη) − c
	next := fl.Vector(change.Data)
	next.AddScaled(1/(float64(d.Steps)*c.rate), t.Global)
	next.AddScaled(-1/(float64(d.Steps)*c.rate), t.Params)
	if sent, ok := t.Broadcast["control"]; ok {
		next.AddScaled(-1, sent.Data)
	}
	own.Add(next)
	return fl.Update{Steps: d.Steps, Params: t.Params, Payload: fl.Tensors{"control": change}}, nil
}

var Server = fl.AggregatorEntry{
	Name: "control-variates", Summary: "SCAFFOLD's mean of models, and of control variates",
	Paper: "S. P. Karimireddy et al., ICML 2020", Traits: fl.AggregatorTraits{Method: "SCAFFOLD"},
	New: func(*fl.Params) (fl.Aggregator, error) { return &server{}, nil },
}

type server struct{}

func (*server) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w, control := r.Scratch(len(r.Updates)), r.State.Vector("control", len(r.Global)) // c
	w.Fill(1 / float64(len(w)))
	for _, u := range r.Updates { // divided by all N clients, not by those that came
		control.AddScaled(1/float64(r.Roster.Enrolment()), u.Payload["control"].Data)
	}
	sent := fl.Tensors{"control": {Rows: 1, Cols: len(control), Data: control}}
	return fl.Outcome{Params: r.CombineDeltas(w), Broadcast: sent, Weights: w}, nil
}
