// DENSE — a model that the server distils from the ensemble of clients' models, on images that it
// makes itself.
//
//	J. Zhang, C. Chen, B. Li, L. Lyu, S. Wu, S. Ding, C. Shen, C. Wu. DENSE: Data-Free One-Shot
//	Federated Learning. NeurIPS 2022, Algorithm 1.
//
// Notation: S the cohort of m clients, f_k the scores of client k's model, D = 1/m·Σ_S f_k those of
// the ensemble, f_S those of the student, σ the softmax, G the generator. In each epoch
//
//	images     a generator is drawn anew, with noise z and a label y for each image, and makes
//	           T_G steps of Adam, of its weights and of z, against the gradient of
//
//	           CE(y, σ(D(x̂))) + λ₁·L_BN(x̂) − λ₂·ω·KL(σ(D(x̂)) ‖ σ(f_S(x̂))),  x̂ = G(z),
//
//	           the means over images, where ω = 1 if ensemble and student differ about x̂, else 0,
//	           and L_BN is the mean over clients of the distance, summed over batch norms, of the
//	           moments of a batch from running statistics: ‖μ(x̂) − μ_k‖ + ‖σ²(x̂) − σ²_k‖. The
//	           batch with the least loss of these T_G is kept;
//	student    one pass over the batches that are kept, against the gradient of
//	           T²·KL(σ(D(x̂)/T) ‖ σ(f_S(x̂)/T)).
//
// The student begins at θᵗ⁻¹, or with start = "mean" at Σ_S n_k·θ_k / Σ_S n_k; then it is fedavg
// with epochs = 0, bit for bit. Clients are sent what FedAvg sends, and no public data are needed.
//
// What Algorithm 1 leaves open is as in the authors' code: the generator, which draws its weights
// anew in each epoch; steps of the noise; that batches are kept. Departures: of these, the latest
// keep are, where theirs keeps all. Images are not cropped and flipped, which not all data stand.
// Images have numbers between low and high, which the server has to know. The optimizer begins anew
// in each epoch; its default has no momentum, where the paper has 0.9. Vectors have a generator of
// dense layers. All models have the same layout, where the paper takes any.

package aggregator

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// DENSE describes the aggregator to the registry.
var DENSE = fl.AggregatorEntry{
	Name:    "dense",
	Summary: "model distilled from the mean scores of clients' models on generated images",
	Paper:   "zhang2022dense",
	Deviations: "the latest 50 batches of images are kept, where the authors' code keeps all; no " +
		"augmentation; the optimizer begins anew in each epoch, by default without momentum; " +
		"models of one layout",
	OneLabel: true,
	New:      newDense,
	Fits: func(s fl.Setting) error {
		if s.Shape.Tokens > 0 {
			return errors.New("generates images and vectors; these rows are tokens")
		}
		return needsNetworkOfClasses(s)
	},
	Example: map[string]any{"high": 1.0, "epochs": int64(2), "generator_steps": int64(3),
		"samples": int64(12), "noise": int64(5), "channels": int64(2)},
}

// dense keeps nothing in State.
type dense struct {
	epochs, steps     int     // steps: T_G
	noise, channels   int     // of the generator
	moments, opposing float64 // λ₁, λ₂
	mean              bool    // where the student begins

	by          fl.Optimizer
	rate        float64
	batch, keep int
	temperature float64 // T

	student student
	maker   generator
	pool    pool
	ens     ensembleLoss
}

var _ fl.Aggregator = (*dense)(nil)

// A pool is the batches of images that are kept, one after another, with what the ensemble says of
// them. A new one takes the place of the oldest.
type pool struct {
	x, prob fl.Matrix
	labels  []int // none is read
	filled  int   // rows
	next    int   // row of the next batch
}

func newDense(p *fl.Params) (fl.Aggregator, error) {
	a := &dense{
		epochs: p.Int("epochs", 200, fl.AtLeast(0), "batches of images, each followed by a pass "+
			"over those that are kept"),
		mean: p.Choice("start", "global", "the student begins at θᵗ⁻¹, or at the mean of models "+
			"by samples", "global", "mean") == "mean",
		rate:  p.Float("lr", 0.01, fl.AtLeast(0), "learning rate of the student"),
		batch: p.Int("batch", 128, fl.AtLeast(0), "images per step; 0: all of them"),
		temperature: p.Float("temperature", 1, fl.Above(0), "T, which divides the scores of "+
			"ensemble and student"),
		by: p.Optimizer("optimizer", "sgd", "what makes a student's step of a gradient; begins "+
			"anew in every epoch; the paper has a momentum of 0.9"),
		keep: p.Int("keep", 50, fl.AtLeast(1), "the latest batches that are kept"),
		steps: p.Int("generator_steps", 30, fl.AtLeast(1), "T_G, steps of the generator in an "+
			"epoch"),
		moments: p.Float("batch_norm", 1, fl.AtLeast(0), "λ₁, weight of the distance from running "+
			"statistics; models without batch norms have none"),
		opposing: p.Float("adversarial", 0.5, fl.AtLeast(0), "λ₂, weight of what ensemble and "+
			"student differ by"),
		noise: p.Int("noise", 256, fl.Closed(1, 1e5), "numbers that an image is made of"),
		channels: p.Int("channels", 64, fl.Closed(1, 4096), "of the generator's last layer but "+
			"one"),
	}
	a.maker.samples = p.Int("samples", 256, fl.Closed(2, 1e5), "images of a batch")
	a.maker.rate = p.Float("generator_lr", 0.001, fl.AtLeast(0), "learning rate of the generator")
	a.maker.low = p.Float("low", 0, fl.Anything(), "the least number that an image can have")
	a.maker.high = p.Float("high", math.NaN(), fl.Anything(), "the largest one, which the server "+
		"has to know; 1 for images as data sets have them by default")
	if a.maker.high <= a.maker.low {
		p.Clash("high", "low", "%v is not above low = %v", a.maker.high, a.maker.low)
	}
	return a, nil
}

// Aggregate implements fl.Aggregator.
func (a *dense) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	var w fl.Vector
	next := r.Scratch(len(r.Global))
	if copy(next, r.Global); a.mean {
		w = r.Scratch(len(r.Updates))
		for k := range r.Updates {
			w[k] = float64(r.Updates[k].Samples)
		}
		toSumOne(w)
		next = r.CombineDeltas(w)
	}
	if a.epochs == 0 {
		return fl.Outcome{Params: next, Weights: w}, nil
	}
	worker, ok := r.Model.Worker().(fl.InputWorker)
	if !ok {
		return fl.Outcome{}, errors.New("dense needs a model that is differentiated by its inputs")
	}
	layers := r.Layout.Layers
	if err := a.maker.build(layers[0].In, a.noise, a.channels); err != nil {
		return fl.Outcome{}, err
	}
	a.ens = ensembleLoss{worker: worker, models: r.Models(), moments: a.moments,
		opposing: a.opposing}
	a.ens.build(a.maker.samples, layers[len(layers)-1].Out.Len())
	a.pool.build(min(a.keep, a.epochs)*a.maker.samples, a.maker.rows.Cols, a.ens.teacher.Cols)
	t := a.student.task(r, &fl.Dataset{Shape: a.shape(r), Y: a.pool.labels}, next)
	for range a.epochs {
		a.synthesise(r, t.Params)
		a.distil(t)
	}
	return fl.Outcome{Params: t.Params}, nil
}

// shape returns that of what is made.
func (a *dense) shape(r *fl.Round) fl.Shape {
	in := r.Layout.Layers[0].In
	s := fl.Shape{Features: a.maker.rows.Cols, Classes: a.ens.teacher.Cols}
	if in.H*in.W > 1 {
		s.Image = in
	}
	return s
}

// synthesise adds a batch of images to the pool, of which the ensemble is sure and the student is
// not.
func (a *dense) synthesise(r *fl.Round, student fl.Vector) {
	a.maker.begin(r.RNG)
	for i := range a.ens.labels {
		a.ens.labels[i] = r.RNG.IntN(a.ens.teacher.Cols)
	}
	p := &a.pool
	x, prob := p.slot(a.maker.samples)
	least := math.Inf(1)
	for step := range a.steps {
		a.maker.make()
		loss := a.ens.loss(a.maker.atRows, a.maker.rows, student)
		if step == 0 || loss < least {
			least = loss
			copy(x.Data, a.maker.rows.Data)
			copy(prob.Data, a.ens.teacher.Data)
		}
		a.maker.descend()
	}
	for i := range prob.Rows {
		s := prob.Row(i)
		s.Scale(1 / a.temperature)
		tensor.Softmax(s, s)
	}
	r.Notes.Observe("loss of the generator", least)
}

// distil makes a pass over the pool.
func (a *dense) distil(t *fl.Task) {
	t.Recycle()
	p := &a.pool
	t.Client.Data.X, t.Client.Data.Y = p.x.Slice(0, p.filled), p.labels[:p.filled]
	d := t.Descent()
	d.Optimizer, d.Rate, d.Batches = a.by, a.rate, t.Batches(a.batch)
	d.Steps = d.Batches.PerEpoch()
	d.Guide.Targets = fl.SoftTargets{Prob: p.prob.Slice(0, p.filled), Temperature: a.temperature,
		Weight: 1}
	t.Worker.Descend(d)
}

// build makes an empty pool of so many rows.
func (p *pool) build(rows, features, classes int) {
	if p.x.Rows != rows || p.x.Cols != features || p.prob.Cols != classes {
		*p = pool{x: fl.NewMatrix(rows, features), prob: fl.NewMatrix(rows, classes),
			labels: make([]int, rows)}
	}
	p.filled, p.next = 0, 0
}

// slot returns the place of the next batch of n rows.
func (p *pool) slot(n int) (x, prob fl.Matrix) {
	lo := p.next
	p.next = (p.next + n) % p.x.Rows
	p.filled = max(p.filled, lo+n)
	return p.x.Slice(lo, lo+n), p.prob.Slice(lo, lo+n)
}
