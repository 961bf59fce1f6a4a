// Package fast holds rules of the literature without a loop over coordinates: loops are over
// clients, and what is done to every coordinate is a call. Each is compared with plain loops.
package fast

import "github.com/hansa-fl/hansa/framework/fl"

// step returns Δ = Σ nₖ(θₖ − θᵗ⁻¹)/Σ n, the step of FedAvg.
func step(r *fl.Round) fl.Vector {
	next := r.CombineDeltas(bySamples(r))
	next.Sub(r.Global)
	return next
}

// bySamples returns nₖ/n.
func bySamples(r *fl.Round) fl.Vector {
	w := r.Scratch(len(r.Updates))
	for k, u := range r.Updates {
		w[k] = float64(u.Samples)
	}
	w.Scale(1 / w.Sum())
	return w
}

// equal returns weights of sum 1 that are all the same.
func equal(r *fl.Round) fl.Vector {
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	return w
}

// received returns a copy of θᵗ⁻¹.
func received(r *fl.Round) fl.Vector {
	next := r.Scratch(len(r.Global))
	copy(next, r.Global)
	return next
}

// moved returns θᵗ⁻¹ + rate·step.
func moved(r *fl.Round, rate float64, step fl.Vector) fl.Vector {
	next := received(r)
	next.AddScaled(rate, step)
	return next
}

// update returns Δₖ = θₖ − θᵗ⁻¹ in a vector that is lent.
func update(r *fl.Round, k int, into fl.Vector) fl.Vector {
	copy(into, r.Updates[k].Params)
	into.Sub(r.Global)
	return into
}
