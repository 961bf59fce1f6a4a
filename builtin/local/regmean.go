// RegMean, the client's half — gradient descent, and the Gram matrices of what enters dense layers.
//
//	X. Jin, X. Ren, D. Preotiuc-Pietro, P. Cheng. Dataless Knowledge Fusion by Merging Weights of
//	Language Models. ICLR 2023, Section 3.
//
// Notation: X the inputs of a dense layer, of the trained model on the client's samples, a row for
// each of them, with a last column of ones where the layer has a bias.
//
// The client trains as sgd does, and sends beside its model G = Xᵀ·X of each dense layer: d(d+1)/2
// numbers for d columns, half of the symmetric matrix. Layers within residual branches are not
// among them. Sums over samples are no samples, but say much about them.
//
// Departures: the column of ones, so that biases are merged like weights; the paper averages them.

package local

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// RegMean describes the local rule to the registry.
var RegMean = fl.LocalRuleEntry{
	Name:       "regmean",
	Summary:    "gradient descent, and Gram matrices of the inputs of dense layers",
	Paper:      "jin2023",
	Deviations: "biases are a column of the weights",
	New: func(p *fl.Params) (fl.LocalRule, error) {
		return &regMean{newSteps(p)}, nil
	},
	Fits:   needsDense,
	Traits: fl.LocalTraits{Method: "RegMean"},
}

// needsDense is why a rule that looks at the inputs of dense layers does not fit.
func needsDense(s fl.Setting) error {
	dense := func(l fl.Layer) bool { return l.Kind == fl.KindDense }
	switch {
	case !s.Network:
		return errors.New("merges dense layers, and this model does not say what its layers are")
	case len(s.Layout.Layers) > 0 && !slices.ContainsFunc(s.Layout.Layers, dense):
		return errors.New("merges dense layers, and this model has none")
	}
	return nil
}

// regMean keeps nothing in State.
type regMean struct{ sgd }

var _ fl.LocalRule = (*regMean)(nil)

// Run implements fl.LocalRule.
func (m *regMean) Run(t *fl.Task) (fl.Update, error) {
	u, err := m.sgd.Run(t)
	if err != nil {
		return u, err
	}
	grams, space := map[string]fl.Matrix{}, new(kernel.Workspace)
	layout, x := t.Model.Layout(), t.Client.Data.X
	see := func(w *fl.Block, z fl.Matrix) {
		name, d := fmt.Sprintf("gram %d", w.Layer), w.Cols
		if hasBias(&layout, w.Layer) {
			d++
		}
		g, ok := grams[name]
		if !ok {
			g = fl.Matrix{Rows: d, Cols: d, Data: t.Scratch(d * d)}
			grams[name] = g
		}
		if d > z.Cols {
			one := fl.Matrix{Rows: z.Rows, Cols: d, Data: t.Scratch(z.Rows * d)}
			for i := range z.Rows {
				copy(one.Row(i), z.Row(i))
				one.Row(i)[d-1] = 1
			}
			z = one
		}
		rows := kernel.RowMajor(z.Data, z.Rows, d)
		kernel.Gemm64(space, kernel.RowMajor(g.Data, d, d), rows.T(), rows, true)
	}
	w, ok := t.Worker.(fl.DenseWorker)
	switch {
	case ok:
		w.DenseInputs(t.Params, x, see)
	case len(layout.Layers) == 1: // a linear model
		see(layout.Block(0, fl.Weight), x)
	default:
		return u, errors.New("regmean needs a network that shows what enters its dense layers")
	}
	u.Payload = fl.Tensors{}
	for name, g := range grams {
		sent := t.Payload(1, tensor.Packed(g.Rows))
		g.Pack(sent.Data)
		u.Payload[name] = sent
	}
	return u, nil
}

// hasBias reports whether the layer whose blocks have a number has a bias.
func hasBias(l *fl.Layout, number int) bool {
	for _, b := range l.Blocks {
		if b.Layer == number && b.Name == fl.Bias {
			return true
		}
	}
	return false
}
