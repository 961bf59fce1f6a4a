// RegMean — dense layers merged by least squares, so that they say what clients' layers said.
//
//	X. Jin, X. Ren, D. Preotiuc-Pietro, P. Cheng. Dataless Knowledge Fusion by Merging Weights of
//	Language Models. ICLR 2023, Section 3, eq. 2 and Algorithm 1.
//
// Notation: of a dense layer of client k, W_k its weights as a map of rows, with the bias for a
// last row, and G_k = X_kᵀ·X_k, X_k what enters it, see the local rule regmean. α scales what is
// off the diagonal: G̃_k = α·G_k + (1 − α)·diag(G_k).
//
//	W = (Σ_k G̃_k)⁻¹·Σ_k G̃_k·W_k, which for α = 1 minimises Σ_k ‖X_k·W − X_k·W_k‖²
//
// Of linear models that are the least squares of their clients, α = 1 makes that of all samples
// in one place, exactly. All other parameters, of convolutions and norms, are the mean by samples.
//
// Departures: biases are merged with the weights, where the paper averages them. W is the mean W̄
// by samples plus (Σ G̃_k + γI)⁻¹·Σ G̃_k·(W_k − W̄), γ the ridge times the mean of the diagonal:
// the paper has no ridge, and inputs that are never active, such as the border of images, have no
// inverse; here their weights are the mean.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// RegMean describes the aggregator to the registry.
var RegMean = fl.AggregatorEntry{
	Name:       "regmean",
	Summary:    "dense layers by least squares of what clients' layers say, the rest averaged",
	Paper:      "jin2023",
	Deviations: "biases are merged with the weights; a ridge towards the mean",
	New:        newRegMean,
	Traits:     fl.AggregatorTraits{Method: "RegMean"},
}

// regMean keeps nothing in State.
type regMean struct {
	alpha, ridge float64
	space        kernel.Workspace
}

var _ fl.Aggregator = (*regMean)(nil)

func newRegMean(p *fl.Params) (fl.Aggregator, error) {
	return &regMean{
		alpha: p.Float("alpha", 0.9, fl.Closed(0, 1), "α, by which what is off the diagonal of "+
			"Gram matrices is multiplied; 1: least squares"),
		ridge: p.Float("ridge", 1e-6, fl.AtLeast(0), "what their sum is raised by, in units of "+
			"the mean of its diagonal, towards the mean of the weights"),
	}, nil
}

// Aggregate implements fl.Aggregator.
func (a *regMean) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w, err := sharing("samples").of(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	mean := r.Combine(w)
	merged := 0
	for i := range r.Layout.Layers {
		weight := r.Layout.Block(i, fl.Weight)
		if r.Layout.Layers[i].Kind != fl.KindDense || weight == nil {
			continue
		}
		if _, ok := r.Updates[0].Payload[gramName(weight)]; !ok {
			continue // within a residual branch
		}
		if err := a.merge(r, mean, weight, r.Layout.Block(i, fl.Bias)); err != nil {
			return fl.Outcome{}, fmt.Errorf("layer %d: %w", i, err)
		}
		merged++
	}
	r.Notes.Observe("dense layers merged", float64(merged))
	return fl.Outcome{Params: mean}, nil
}

// gramName is that of the Gram matrix of a layer, as clients send it.
func gramName(weight *fl.Block) string { return fmt.Sprintf("gram %d", weight.Layer) }

// merge adds to the mean of a layer what least squares add.
func (a *regMean) merge(r *fl.Round, mean fl.Vector, weight, bias *fl.Block) error {
	d := weight.Cols
	if bias != nil {
		d++
	}
	gram, sum := fl.NewMatrix(d, d), fl.NewMatrix(d, d)
	moved, off := fl.NewMatrix(weight.Rows, d), fl.NewMatrix(weight.Rows, d)
	for _, k := range byClient(r) {
		u := &r.Updates[k]
		sent := u.Payload[gramName(weight)]
		if len(sent.Data) != tensor.Packed(d) {
			return fmt.Errorf("client %d: %d numbers of a Gram matrix of %d inputs", u.Client,
				len(sent.Data), d)
		}
		gram.Unpack(sent.Data)
		for i := range d {
			row := gram.Row(i)
			own := row[i]
			row.Scale(a.alpha)
			row[i] = own
		}
		fl.Vector(sum.Data).Add(gram.Data)
		for o := range weight.Rows {
			row := off.Row(o)
			copy(row, weight.Of(u.Params).Row(o))
			row[:weight.Cols].Sub(weight.Of(mean).Row(o))
			if bias != nil {
				row[d-1] = bias.Of(u.Params).Data[o] - bias.Of(mean).Data[o]
			}
		}
		kernel.Gemm64(&a.space, kernel.RowMajor(moved.Data, moved.Rows, d),
			kernel.RowMajor(off.Data, off.Rows, d), kernel.RowMajor(gram.Data, d, d), true)
	}
	trace := 0.0
	for i := range d {
		trace += sum.Row(i)[i]
	}
	if trace == 0 {
		return nil // nothing enters the layer
	}
	for i := range d {
		sum.Row(i)[i] += a.ridge * trace / float64(d)
	}
	if _, err := tensor.SolvePositiveRows(off, sum, moved); err != nil {
		return fmt.Errorf("the sum of Gram matrices has no inverse, raise ridge: %w", err)
	}
	for o := range weight.Rows {
		weight.Of(mean).Row(o).Add(off.Row(o)[:weight.Cols])
		if bias != nil {
			bias.Of(mean).Data[o] += off.Row(o)[d-1]
		}
	}
	return nil
}
