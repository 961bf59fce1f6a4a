// FedDF — a mean of models that the server distils from the ensemble of them, on public data.
//
//	T. Lin, L. Kong, S. U. Stich, M. Jaggi. Ensemble Distillation for Robust Model Fusion in
//	Federated Learning. NeurIPS 2020, Algorithm 1, with AVGLOGITS of eq. 1.
//
// Notation: S the cohort, n_k samples of client k and θ_k its model, f(θ, x) the scores of a public
// sample x, σ the softmax, η the rate. The student begins at Σ_S n_k·θ_k / Σ_S n_k, and makes steps
// by batches of public samples against the gradient of
//
//	T²·KL( σ(1/(|S|·T)·Σ_S f(θ_k, x)) ‖ σ(f(θ, x)/T) ).
//
// With steps = 0 it is fedavg, bit for bit. Labels of public data are never read, and clients are
// sent none of them: what is sent is what FedAvg sends.
//
// Departures: the rate is constant, where the paper anneals it by a cosine, and the number of steps
// is given, where the paper stops by the accuracy on a validation set, after 10,000 steps at most.
// The paper has T = 1. All models have the same layout. The student's loss has the penalty of its
// model, if there is one.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// FedDF describes the aggregator to the registry.
var FedDF = fl.AggregatorEntry{
	Name:    "feddf",
	Summary: "mean of models by samples, distilled from their mean scores on public data",
	Paper:   "lin2020",
	Deviations: "a constant rate and a given number of steps, where the paper anneals the rate " +
		"and stops by validation; models of one layout",
	New: newFedDF,
	Waives: map[string]string{"consensus": "where teacher and student agree, gradients are " +
		"rounding errors, which Adam makes steps of; with sgd it holds"},
	Fits:    needsNetworkOfClasses,
	Traits:  fl.AggregatorTraits{Public: true},
	Example: map[string]any{"steps": int64(20)},
}

// needsNetworkOfClasses is why a rule that distils scores of classes does not fit.
func needsNetworkOfClasses(s fl.Setting) error {
	switch {
	case s.Shape.Classes == 0:
		return errors.New("needs classes; these data have a regression target")
	case !s.SoftTargets():
		return errors.New("needs a network or model = \"softmax\": other models take no soft " +
			"targets")
	}
	return nil
}

// fedDF keeps nothing in State.
type fedDF struct {
	by          fl.Optimizer
	steps       int
	rate        float64 // η
	batch       int     // 0: all samples
	temperature float64 // T
	student     student
}

var _ fl.Aggregator = (*fedDF)(nil)

func newFedDF(p *fl.Params) (fl.Aggregator, error) {
	return &fedDF{
		steps: p.Int("steps", 500, fl.AtLeast(0), "steps of the student in a round; 0: FedAvg"),
		rate:  p.Float("lr", 0.001, fl.AtLeast(0), "learning rate η of the student"),
		batch: p.Int("batch", 128, fl.AtLeast(0), "public samples per step; 0: all of them"),
		temperature: p.Float("temperature", 1, fl.Above(0), "T, which divides the scores of "+
			"teacher and student"),
		by: p.Optimizer("optimizer", "adam", "what makes a step of a gradient; begins anew in "+
			"every round"),
	}, nil
}

// Aggregate implements fl.Aggregator.
func (a *fedDF) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		w[k] = float64(r.Updates[k].Samples)
	}
	toSumOne(w)
	next := r.CombineDeltas(w)
	if a.steps == 0 {
		return fl.Outcome{Params: next, Weights: w}, nil
	}
	if r.Public == nil {
		return fl.Outcome{}, errors.New("there are no public data")
	}
	t := a.student.task(r, r.Public, next)
	if _, ok := t.Worker.(fl.GuidedWorker); !ok {
		return fl.Outcome{}, errors.New("feddf needs a model that takes soft targets")
	}
	d := t.Descent()
	d.Optimizer, d.Rate, d.Steps, d.Batches = a.by, a.rate, a.steps, t.Batches(a.batch)
	d.Guide.Targets = fl.SoftTargets{Prob: meanScores(r, t), Temperature: a.temperature, Weight: 1}
	classes := r.Public.Shape.Classes
	for all := d.Guide.Targets.Prob.Data; len(all) > 0; all = all[classes:] { // of each label
		p := fl.Vector(all[:classes])
		p.Scale(1 / a.temperature)
		tensor.Softmax(p, p)
	}
	t.Worker.Descend(d)
	return fl.Outcome{Params: t.Params}, nil
}

// meanScores returns the mean scores of the models of a round for the samples of a task.
func meanScores(r *fl.Round, t *fl.Task) fl.Matrix {
	x := t.Client.Data.X
	n := x.Rows * t.Client.Data.Shape.PerRow() * t.Client.Data.Shape.Classes
	mean := fl.Matrix{Rows: x.Rows, Cols: n / x.Rows, Data: r.Scratch(n)}
	own := fl.Matrix{Rows: mean.Rows, Cols: mean.Cols, Data: r.Scratch(n)}
	for k := range r.Updates {
		t.Worker.Scores(own, r.Updates[k].Params, x)
		fl.Vector(mean.Data).AddScaled(1/float64(len(r.Updates)), own.Data)
	}
	return mean
}

// A student is what the server trains in a round, in memory that lasts. It keeps nothing else from
// one round to the next.
type student struct{ own *fl.Task }

// task returns a task to train params on samples. Without labels, which soft targets of weight 1 do
// not need, they are all of class 0.
func (s *student) task(r *fl.Round, d *fl.Dataset, params fl.Vector) *fl.Task {
	if s.own == nil {
		s.own = &fl.Task{Client: &fl.Client{ID: -1}, Model: r.Model, Worker: r.Model.Worker()}
	}
	t := s.own
	t.Recycle()
	t.T, t.RNG, t.Global, t.Params, t.Client.Data = r.T, r.RNG, r.Global, params, *d
	if d.Y == nil {
		y := t.Ints(d.Len() * d.Shape.PerRow())
		clear(y)
		t.Client.Data.Y = y
	}
	return t
}
