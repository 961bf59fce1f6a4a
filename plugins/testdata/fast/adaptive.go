package fast

import (
	"github.com/hansa-fl/hansa/framework/fl"
)

// FedAdagrad, FedAdam and FedYogi differ in their second moment. There is no bias correction, and
// v begins at τ².
var (
	FedAdagrad = adaptiveEntry("fedadagrad", "the server's step is scaled by all steps so far")
	FedAdam    = adaptiveEntry("fedadam", "the server's step is scaled by recent steps")
	FedYogi    = adaptiveEntry("fedyogi", "as FedAdam, with a second moment that moves slowly")
)

func adaptiveEntry(name, summary string) fl.AggregatorEntry {
	return fl.AggregatorEntry{Name: name, Summary: summary,
		Paper: "S. J. Reddi et al., ICLR 2021, Algorithm 2",
		New: func(p *fl.Params) (fl.Aggregator, error) {
			a := &adaptive{
				name:  name,
				beta1: p.Float("beta1", 0.9, fl.RightOpen(0, 1), "β₁, share of the momentum that stays"),
				beta2: p.Float("beta2", 0.99, fl.RightOpen(0, 1), "β₂, share of v that stays"),
				tau:   p.Float("tau", 1e-3, fl.Above(0), "τ, least root of v"),
				rate:  p.Float("server_lr", 0.1, fl.Above(0), "η, rate of the server"),
			}
			return fl.WeighThen(a, a), nil
		}}
}

// adaptive keeps in State: m and v, as long as the model, and whether v has begun.
type adaptive struct {
	name                    string
	beta1, beta2, tau, rate float64
}

// Weights returns nₖ/n, of steps.
func (a *adaptive) Weights(r *fl.Round) (fl.Weights, error) {
	return fl.Weights{By: bySamples(r), Deltas: true}, nil
}

// Step makes m ← β₁m + (1−β₁)Δ, moves v, and returns θᵗ⁻¹ + ηm/(√v + τ); delta is θᵗ⁻¹ + Δ.
func (a *adaptive) Step(r *fl.Round, delta fl.Vector) (fl.Outcome, error) {
	d := len(r.Global)
	m, v, begun := r.State.Vector("m", d), r.State.Vector("v", d), r.State.Vector("begun", 1)
	if begun[0] == 0 {
		begun[0] = 1
		v.Fill(a.tau * a.tau)
	}
	square, sign := r.Scratch(d), r.Scratch(d)
	delta.Sub(r.Global)
	m.Scale(a.beta1)
	m.AddScaled(1-a.beta1, delta)
	square.AddProduct(1, delta, delta)
	switch a.name {
	case "fedadagrad":
		v.Add(square)
	case "fedadam":
		v.Scale(a.beta2)
		v.AddScaled(1-a.beta2, square)
	default:
		copy(sign, v)
		sign.Sub(square)
		sign.Sign()
		v.AddProduct(a.beta2-1, square, sign)
	}
	root := sign
	copy(root, v)
	root.Sqrt()
	root.AddConst(a.tau)
	copy(delta, m)
	delta.Div(root)
	return fl.Outcome{Params: moved(r, a.rate, delta)}, nil
}
