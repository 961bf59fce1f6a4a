package aggregator

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/ot"
)

// A fusion is what layer-wise transport of networks has for parameters.
type fusion struct {
	solver  string
	entropy ot.Entropic // settings only
	root    bool        // costs are distances, not their squares
	bare    bool        // biases do not count in them
	output  bool        // neurons of the output layer are transported, too
	acts    bool        // neurons are compared by their activations
	options fusionOptions
}

// newFusion declares the parameters that CODE and LMF share, given how plans are found by default.
func newFusion(p *fl.Params, solver string) fusion {
	var f fusion
	f.solver = p.Choice("solver", solver, "how plans are found: ε-OT, by way of larger λ; ε-OT "+
		"from f = g = 0 at λ, as Algorithm 2 of CODE; that to the letter, which makes no step; or "+
		"the cheapest plan", "entropic", "cold", "printed", "exact")
	f.entropy.Lambda = p.Float("lambda", 0.01, fl.Above(0), "λ of the entropic plan, in units of "+
		"lambda_unit; towards 0 it is the exact one")
	f.entropy.Epsilon = p.Float("epsilon", 1e-7, fl.Above(0),
		"ε: stop when marginals are off by so much, in total (27)")
	f.entropy.MaxSweeps = p.Int("max_sweeps", 10_000, fl.AtLeast(1),
		"stop after so many sweeps, with a note")
	f.entropy.Unit = ot.Unit(p.Choice("lambda_unit", "none",
		"what λ is measured in: 1, or the largest, mean or median cost of the layer",
		"none", "max", "mean", "median"))
	f.root = p.Int("power", 2, fl.Closed(1, 2),
		"of the distance between neurons that a cost is") == 1
	f.bare = p.Choice("biases", "count", "whether biases count in that distance",
		"count", "ignored") == "ignored"
	f.output = p.Choice("output_layer", "kept",
		"whether classes keep their places, or are transported like hidden neurons",
		"kept", "transported") == "transported"
	f.acts = p.Choice("neurons", "weights", "what neurons are compared by: their weights, or "+
		"their activations on the server's samples",
		"weights", "activations") == "activations"
	p.Later("neurons")
	f.options = newFusionOptions(p, f.solver, f.entropy.Unit)
	if s := p.Setting(); s.Known() && f.acts && !s.Held {
		p.Fail("neurons", "activations are of samples that the server holds; validation = 0.1 "+
			"gives it a tenth")
	}
	return f
}

// aligner returns an aligner with these settings.
func (f *fusion) aligner() *fuse.Aligner {
	a := &fuse.Aligner{Root: f.root, Bare: f.bare, Output: f.output,
		Rounded: f.options.marginals == "rounded", Printed: f.options.marginals == "printed",
		Loose: f.options.coupling != "balanced"}
	switch {
	case f.options.coupling == "partial":
		a.Solver = &ot.Partial{Mass: f.options.mass}
	case f.options.coupling == "unbalanced":
		a.Solver = &ot.Unbalanced{Lambda: f.entropy.Lambda, Rho: f.options.rho,
			Epsilon: f.entropy.Epsilon, MaxSweeps: f.entropy.MaxSweeps}
	case f.solver == "exact":
		a.Solver = new(ot.Exact)
	case f.solver == "printed":
		a.Solver = &printedOT{lambda: f.entropy.Lambda, epsilon: f.entropy.Epsilon,
			most: f.entropy.MaxSweeps}
	default:
		a.Solver = &ot.Entropic{Lambda: f.entropy.Lambda, Unit: f.entropy.Unit,
			Epsilon: f.entropy.Epsilon, MaxSweeps: f.entropy.MaxSweeps, Cold: f.solver == "cold"}
	}
	return a
}

// needsNetwork is why an aggregator that fuses networks does not fit other models.
func needsNetwork(s fl.Setting) error {
	if !s.Network {
		return errors.New("fuses networks neuron by neuron, and this model has no layers")
	}
	if s.Layout.Layers == nil { // not known yet
		return nil
	}
	if err := fuse.Fits(&s.Layout); err != nil {
		return fmt.Errorf("fuses networks neuron by neuron: %w", err)
	}
	return nil
}

// networkOf returns the k-th update as a network.
func networkOf(r *fl.Round, k int) fuse.Network {
	return fuse.Network{Layout: r.ModelOf(k).Layout(), Params: r.Updates[k].Params}
}

// watch has a network with the layout of update k show its activations, if neurons are compared by
// them.
func (a *aligning) watch(n *fuse.Network, k int) error {
	if !a.from.acts {
		return nil
	}
	w, ok := a.round.ModelOf(k).Worker().(fl.LayerWorker)
	switch {
	case a.round.Validation == nil || a.round.Validation.Len() == 0:
		return errors.New("the server holds no samples to compare neurons by")
	case !ok:
		return errors.New("neurons are compared by their activations, which this model does " +
			"not show")
	}
	n.Neurons = fuse.Activations(w, n, a.round.Validation.X)
	return nil
}

// An aligning keeps count of the plans of one round.
type aligning struct {
	*fuse.Aligner
	from         *fusion
	round        *fl.Round
	pairs        int // of networks that were aligned
	plans, short int // in all, and those that did not converge
}

// newAligning returns what aligns the networks of a round.
func newAligning(f *fusion, r *fl.Round) *aligning {
	a := &aligning{Aligner: f.aligner(), from: f, round: r}
	if f.options.measure {
		m := &fusionMeasures{notes: r.Notes, epsilon: f.entropy.Epsilon}
		a.See = m.see
	}
	return a
}

// align returns the parameters of from in terms of the neurons of to.
func (a *aligning) align(from, to fuse.Network) (fl.Vector, error) {
	dst := make(fl.Vector, len(to.Params))
	steps, err := a.Align(dst, from, to)
	if err != nil {
		return nil, err
	}
	a.pairs++
	for n, s := range steps {
		a.plans++
		if !s.Converged {
			a.short++
		}
		a.round.Notes.Observe(fmt.Sprintf("sweeps for layer %d", n+1), float64(s.Sweeps))
		a.round.Notes.Observe(fmt.Sprintf("partners of a neuron in layer %d", n+1),
			partners(s.Plan))
		if a.round.Keep != nil {
			a.round.Keep(fmt.Sprintf("plan %d of layer %d", a.pairs, n+1), s.Plan)
		}
	}
	return dst, nil
}

// partners returns how many neurons of the other network a neuron is shared out to: the
// exponential of the mean entropy of a row. It is 1 where the plan is a permutation.
func partners(plan fl.Matrix) float64 {
	entropy := 0.0
	for i := range plan.Rows {
		row := fl.Vector(plan.Row(i))
		mass := row.Sum()
		for _, t := range row {
			if t > 0 {
				entropy -= t / mass * math.Log(t/mass)
			}
		}
	}
	return math.Exp(entropy / float64(plan.Rows))
}

// remark notes plans that did not converge, and what to change.
func (a *aligning) remark() {
	if a.short == 0 {
		return
	}
	a.round.Notes.Add(fmt.Sprintf("%d of %d plans did not converge: %s", a.short, a.plans,
		a.from.remedy()))
}

// remedy is what helps where plans do not converge. A λ in units of 1 is small where costs are
// large.
func (f *fusion) remedy() string {
	if f.solver == "printed" {
		return "the loop of Algorithm 2 as printed ends where it begins"
	}
	unit := ""
	if f.entropy.Unit == ot.UnitNone {
		unit = ` (lambda_unit = "max" measures it in the largest cost)`
	}
	return `use solver = "exact", or raise lambda` + unit + " or max_sweeps"
}
