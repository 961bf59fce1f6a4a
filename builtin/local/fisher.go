// Fisher merging, the client's half — gradient descent, and the diagonal of the Fisher information.
//
//	M. Matena, C. Raffel. Merging Models with Fisher-Weighted Averaging. NeurIPS 2022, eq. 2.
//
// Notation: θ the model that the client trained, x₁ … x_n its samples, p_θ(y | x) its predictions.
//
//	F̂_j = 1/n·Σ_i E_{y ∼ p_θ(y | xᵢ)} (∂ log p_θ(y | xᵢ)/∂θ_j)²
//
// The expectation is a sum over all classes (labels = "expected"), of one class that is drawn, or
// of the label that the sample has, which is the empirical Fisher information. With regression p_θ
// is normal about the score, and a target one unit beside it has the expectation. What is sent is
// the model and as many numbers again. Each sample takes a gradient of its own, for every class.
//
// Departures: the gradient is that of the model's loss, with its penalty if there is one; of
// squared errors it is proportional to the one above, by the same factor for all clients.

package local

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Fisher describes the local rule to the registry.
var Fisher = fl.LocalRuleEntry{
	Name:       "fisher",
	Summary:    "gradient descent, and the diagonal of the Fisher information of the result",
	Paper:      "matena2022",
	Deviations: "gradients are those of the loss, with the penalty of the model",
	OneLabel:   true,
	New:        newFisher,
	Fits:       needsSampleGradients,
	Traits:     fl.LocalTraits{Method: "Fisher merging"},
}

// needsSampleGradients is why a rule that takes the gradient of one sample does not fit.
func needsSampleGradients(s fl.Setting) error {
	for _, l := range s.Layout.Layers {
		if l.Kind == fl.KindBatchNorm {
			return errors.New("takes gradients of single samples, which have no batch " +
				"statistics: a model without batch norms")
		}
	}
	return nil
}

// fisher keeps nothing in State.
type fisher struct {
	sgd
	labels string
	most   int // samples; 0: all
}

var _ fl.LocalRule = (*fisher)(nil)

func newFisher(p *fl.Params) (fl.LocalRule, error) {
	return &fisher{
		sgd: newSteps(p),
		labels: p.Choice("labels", "expected", "of which the squared gradient is taken: all "+
			"classes, as probable as the model says | one that is drawn so | that of the sample",
			"expected", "drawn", "observed"),
		most: p.Int("fisher_samples", 0, fl.AtLeast(0),
			"samples of which it is the mean, drawn without replacement; 0: all of the client"),
	}, nil
}

// Run implements fl.LocalRule.
func (f *fisher) Run(t *fl.Task) (fl.Update, error) {
	u, err := f.sgd.Run(t)
	if err != nil {
		return u, err
	}
	own := t.Client.Data // labels are ours, rows the client's
	own.Moments = nil
	n := own.Len()
	if n == 0 {
		return u, errors.New("a client without samples has no Fisher information")
	}
	order := t.Ints(n)
	for i := range order {
		order[i] = i
	}
	if f.most > 0 && f.most < n {
		t.RNG.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
		order = order[:f.most]
	}
	sum := t.Payload(1, len(t.Params))
	score := fl.Matrix{Rows: 1, Cols: max(1, own.Shape.Classes),
		Data: t.Scratch(max(1, own.Shape.Classes))}
	if own.Shape.Classes > 0 {
		own.Y = t.Ints(n)
	} else {
		own.Target = t.Scratch(n)
	}
	grad := t.Scratch(len(t.Params))
	add := func(row int, weight float64) {
		clear(grad)
		t.Worker.Gradient(grad, t.Params, &own, []int{row})
		fl.Vector(sum.Data).AddProduct(weight/float64(len(order)), grad, grad)
	}
	for _, i := range order {
		t.Worker.Scores(score, t.Params, own.X.Slice(i, i+1))
		if own.Shape.Classes > 0 {
			f.classes(t, &own, i, score.Data, add)
		} else {
			f.target(t, &own, i, score.Data[0], add)
		}
	}
	u.Payload = fl.Tensors{"fisher": sum}
	return u, nil
}

// classes adds what sample i has, of a model of classes with these scores.
func (f *fisher) classes(t *fl.Task, d *fl.Dataset, i int, score fl.Vector,
	add func(row int, weight float64)) {
	if f.labels == "observed" {
		d.Y[i] = t.Client.Data.Y[i]
		add(i, 1)
		return
	}
	tensor.Softmax(score, score)
	if f.labels == "drawn" {
		left := t.RNG.Float64()
		for c, p := range score {
			if left -= p; left < 0 || c == len(score)-1 {
				d.Y[i] = c
				add(i, 1)
				return
			}
		}
	}
	for c, p := range score {
		d.Y[i] = c
		add(i, p)
	}
}

// target adds what sample i has, of a model with a score.
func (f *fisher) target(t *fl.Task, d *fl.Dataset, i int, score float64,
	add func(row int, weight float64)) {
	switch f.labels {
	case "observed":
		d.Target[i] = t.Client.Data.Target[i]
	case "drawn":
		d.Target[i] = score + t.RNG.NormFloat64()
	default:
		d.Target[i] = score + 1
	}
	add(i, 1)
}
