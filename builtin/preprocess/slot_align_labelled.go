// SLOT-Align with labels — what alignment could do if it knew which part of the difference
// between clients is one of labels.
//
//	The preprocessor slot-align, taken by class: for comparison, since clients send moments of
//	every class. It is no bound where classes have too few samples for that.
//
// Notation: as in slot-align; N_kc samples of class c at client k, with mean μ_kc; π_c = Σₖ N_kc/N;
// Wₖ the covariance of the features of client k about the means of their classes.
//
//	server:  ν_c = Σₖ N_kc·μ_kc/Σₖ N_kc;  W_b the barycenter of the Wₖ
//	client:  from its moments if it had the shares π_c of the classes that it has,
//	         μₖ = Σ π_c·μ_kc, Σₖ = Wₖ + Σ π_c(μ_kc − μₖ)(μ_kc − μₖ)ᵀ,
//	         to those of the reference for the same classes and shares
//
// So labels that differ from client to client do not move features, as they do in slot-align; a
// class that a client lacks is left out on both sides. Labels of training samples alone are
// used, and a client has one map, which its test rows share.
//
// Departures: the paper has no such variant.

package preprocess

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
)

// SLOTAlignLabelled describes the preprocessor to the registry.
var SLOTAlignLabelled = fl.PreprocessorEntry{
	Name:    "slot-align-labelled",
	Summary: "slot-align by moments that label shift does not touch; sees labels",
	Paper:   "slot-align",
	New:     newSLOTAlignLabelled,
	Traits:  fl.PreprocessTraits{Labelled: true},
	Fits:    needsLabels,
}

type slotAlignLabelled struct {
	way   way
	plain bool
}

var _ fl.Preprocessor = (*slotAlignLabelled)(nil)

func newSLOTAlignLabelled(p *fl.Params) (fl.Preprocessor, error) {
	return &slotAlignLabelled{newWay(p), newIteration(p)}, nil
}

// Shape implements fl.Preprocessor.
func (a *slotAlignLabelled) Shape(in fl.Shape) (fl.Shape, error) { return narrow(in) }

// Summarize returns N_kc, μ_kc and Wₖ.
func (a *slotAlignLabelled) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	own, err := byClass(s.Data)
	if err != nil {
		return nil, err
	}
	return own.sent(), nil
}

// Combine returns π_c, ν_c and W_b.
func (a *slotAlignLabelled) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	w, within := make(fl.Vector, len(c.Uploads)), make([]ot.Gaussian, len(c.Uploads))
	var all classes
	for k, u := range c.Uploads {
		own := receivedClasses(u.Payload)
		if k == 0 {
			all.count = make(fl.Vector, own.mean.Rows)
			all.mean = fl.NewMatrix(own.mean.Rows, own.mean.Cols)
		}
		for i, n := range own.count {
			all.count[i] += n
			all.mean.Row(i).AddScaled(n, own.mean.Row(i))
		}
		w[k] = float64(u.Samples)
		within[k] = ot.Gaussian{Mean: make(fl.Vector, own.mean.Cols), Cov: own.within}
	}
	for i, n := range all.count {
		if n > 0 {
			all.mean.Row(i).Scale(1 / n)
		}
	}
	all.count.Scale(1 / all.count.Sum())
	w.Scale(1 / w.Sum())
	middle, err := centre(c, w, within, a.plain)
	if err != nil {
		return nil, err
	}
	all.within = middle.Cov
	return all.sent(), nil
}

// Transform moves features towards the reference.
func (a *slotAlignLabelled) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if m.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	own, err := byClass(m.Own)
	if err != nil {
		return fl.Matrix{}, err
	}
	to := receivedClasses(m.Reference)
	share := own.shared(to.count)
	m.Blend = a.way.blend()
	return a.way.move(m, own.mixed(share), to.mixed(share))
}

// Classes are what is known of features by class.
type classes struct {
	count  fl.Vector // N_c, or π_c
	mean   fl.Matrix // C×m
	within fl.Matrix // W, m×m
}

// byClass estimates them; W by Ledoit–Wolf, as if every class had mean 0.
func byClass(d *fl.Dataset) (classes, error) {
	m := stats.NewClassMoments(d.Shape.Classes, d.X.Cols)
	m.Add(d.X, d.Y)
	own := classes{count: make(fl.Vector, len(m.Count)), mean: m.Mean}
	for c, n := range m.Count {
		own.count[c] = float64(n)
	}
	centred := copied(d.X)
	for i, c := range d.Y {
		centred.Row(i).Sub(m.Mean.Row(c))
	}
	g, err := momentsOf(centred)
	own.within = g.Cov
	return own, err
}

// mixed returns the Gaussian of features whose classes have these shares.
func (s classes) mixed(share fl.Vector) ot.Gaussian {
	g := ot.Gaussian{Mean: make(fl.Vector, s.mean.Cols), Cov: copied(s.within)}
	for c, p := range share {
		g.Mean.AddScaled(p, s.mean.Row(c))
	}
	spreadMeans(g, share, func(c int) fl.Vector { return s.mean.Row(c) })
	return g
}

func (s classes) sent() fl.Tensors {
	return fl.Tensors{
		"count":      {Rows: 1, Cols: len(s.count), Data: s.count},
		"mean":       s.mean,
		"covariance": packed(s.within),
	}
}

func receivedClasses(t fl.Tensors) classes {
	mean := t["mean"]
	return classes{t["count"].Data, mean, unpacked(t["covariance"].Data, mean.Cols)}
}
