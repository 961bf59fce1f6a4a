package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// modelVariants assigns the variants of a model to clients: variant returns the index of one.
type modelVariants struct {
	models []fl.Model
	stream fl.Stream
}

func newModelVariants(s *Setup) *modelVariants {
	d := &modelVariants{models: s.Model.Facts().Variants, stream: fl.NewStream(s.Seed, "model")}
	if d.models == nil {
		d.models = []fl.Model{s.Model}
	}
	return d
}

// variant returns which of the models is that of a client.
func (d *modelVariants) variant(client int) int {
	if len(d.models) == 1 {
		return 0
	}
	return d.stream.At(0, client).Rand().IntN(len(d.models))
}

// longest returns the largest number of parameters.
func (d *modelVariants) longest() (n int) {
	for _, m := range d.models {
		n = max(n, m.Layout().Len())
	}
	return n
}

// setModel makes the models of clients, one or several, the model of the cell.
func (c *Cell) setModel(clients []int) {
	var all []fl.Model
	for _, i := range clients {
		all = append(all, c.trainer.variants.models[c.trainer.variants.variant(i)])
	}
	model := all[0]
	c.variant = c.trainer.variants.variant(clients[0])
	if len(all) > 1 {
		model, c.variant = newEnsemble(all), ensembled
	}
	c.snapshot.Model, c.snapshot.Worker = model, model.Worker()
	c.round.Model, c.round.Layout = model, model.Layout()
}

// adopt adopts the models of clients of the cohort.
func (c *Cell) adopt(clients, cohort []int) error {
	for _, i := range clients {
		if !slices.Contains(cohort, i) {
			return fmt.Errorf("the aggregator adopted the model of client %d, which is not "+
				"in the cohort", i)
		}
	}
	if len(clients) == 0 {
		return errors.New("the aggregator adopted no model")
	}
	c.setModel(clients)
	p := c.progress
	p.Adopted, p.Global = slices.Clone(clients), make(fl.Vector, c.round.Layout.Len())
	if p.Average != nil {
		p.Average = make(fl.Vector, len(p.Global)) // of the models from now on
		p.AdoptedAt = p.Round
	}
	return nil
}

// parameters returns how many a client's model has, where there is one model of so many.
func (w *trainer) parameters(client, one int) int {
	if w.starts == nil {
		return one
	}
	return w.variants.models[w.variants.variant(client)].Layout().Len()
}

// ensembled stands for the variant of the global model where it is an ensemble.
const ensembled = -1

// begin returns what a client starts from: the global model, which must be one that it can
// train; in the first round the initial parameters of its variant, or its own.
func (w *trainer) begin(from *start, client, variant int) (fl.Vector, error) {
	switch j := &w.job; {
	case from.t == 0 && w.setup.Apart:
		rng := w.initial.At(0, client+1).Rand()
		return w.variants.models[variant].Init(rng), nil
	case from.t == 0 && variant > 0:
		return w.starts[variant-1], nil
	case j.variant == ensembled:
		return nil, errEnsemble
	case j.variant != variant:
		return nil, fmt.Errorf("client %d has another model than the global one: where clients "+
			"have different models there is one round", client)
	}
	return from.global, nil
}

// errEnsemble is why an ensemble has one round.
var errEnsemble = errors.New("an ensemble cannot be trained: it ends in one round")

// An ensemble is several models whose chances are averaged. Its parameters are theirs, one
// after another.
type ensemble struct{ members []fl.Model }

var _ fl.Model = (*ensemble)(nil)

func newEnsemble(members []fl.Model) *ensemble { return &ensemble{members} }

// For implements fl.Model.
func (e *ensemble) For(fl.Shape) (fl.Model, error) { return e, nil }

// Layout implements fl.Model: one block for each member.
func (e *ensemble) Layout() fl.Layout {
	var l fl.Layout
	at := 0
	for k, m := range e.members {
		n := m.Layout().Len()
		name := fmt.Sprintf("member %d", k)
		l.Blocks = append(l.Blocks, fl.Block{Name: name, Layer: k, Rows: n, Cols: 1, Offset: at})
		at += n
	}
	return l
}

// Init implements fl.Model.
func (e *ensemble) Init(rng *rand.Rand) (theta fl.Vector) {
	for _, m := range e.members {
		theta = append(theta, m.Init(rng)...)
	}
	return theta
}

// Facts implements fl.Model: nothing is known.
func (e *ensemble) Facts() fl.ModelFacts { return fl.ModelFacts{Single: true} }

// Worker implements fl.Model.
func (e *ensemble) Worker() fl.Worker {
	w := &ensembleWorker{ensemble: e}
	for _, m := range e.members {
		w.workers = append(w.workers, m.Worker())
	}
	return w
}

type ensembleWorker struct {
	*ensemble
	workers []fl.Worker
	own     fl.Matrix // scores of one member
	sum     fl.Matrix // of Loss
	rows    fl.Dataset
}

var _ fl.PackedWorker = (*ensembleWorker)(nil)

// Scores implements fl.Worker.
func (w *ensembleWorker) Scores(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	w.rows = fl.Dataset{X: x}
	w.scores(dst, params, &w.rows)
}

// PackedScores implements fl.PackedWorker.
func (w *ensembleWorker) PackedScores(dst fl.Matrix, params fl.Vector, rows fl.Packed) {
	w.rows = fl.Dataset{X: fl.Matrix{Rows: dst.Rows, Cols: rows.Cols}, Packed: rows}
	w.scores(dst, params, &w.rows)
}

// scores fills dst with log Σₖ softmax(sₖ)/K, or the mean of single scores.
func (w *ensembleWorker) scores(dst fl.Matrix, params fl.Vector, d *fl.Dataset) {
	w.own = room(w.own, dst.Rows, dst.Cols)
	clear(dst.Data)
	at, share := 0, 1/float64(len(w.members))
	for k, m := range w.members {
		n := m.Layout().Len()
		fl.Scores(w.workers[k], w.own, params[at:at+n], d, 0)
		at += n
		for r := range dst.Rows {
			s := fl.Vector(w.own.Row(r))
			if len(s) > 1 {
				top := slices.Max(s)
				for c, v := range s {
					s[c] = math.Exp(v - top)
				}
				s.Scale(1 / s.Sum())
			}
			fl.Vector(dst.Row(r)).AddScaled(share, s)
		}
	}
	if dst.Cols > 1 {
		for i, p := range dst.Data {
			dst.Data[i] = math.Log(p)
		}
	}
}

// Loss implements fl.Worker: cross-entropy, or the squared error of single scores.
func (w *ensembleWorker) Loss(params fl.Vector, d *fl.Dataset) float64 {
	w.sum = room(w.sum, d.Len(), max(1, d.Shape.Classes))
	w.scores(w.sum, params, d)
	loss := 0.0
	for r := range w.sum.Rows {
		if d.Shape.Classes > 0 {
			loss -= w.sum.Row(r)[d.Y[r]]
		} else {
			off := w.sum.Row(r)[0] - d.Target[r]
			loss += off * off
		}
	}
	return loss / float64(d.Len())
}

// Gradient implements fl.Worker. An ensemble is not trained: see trainer.begin.
func (w *ensembleWorker) Gradient(grad, _ fl.Vector, _ *fl.Dataset, _ []int) {
	grad.Fill(math.NaN())
}

// Descend implements fl.Worker.
func (w *ensembleWorker) Descend(d *fl.Descent) { d.Params.Fill(math.NaN()) }

// room returns a matrix of that size, in the memory of m where it is large enough.
func room(m fl.Matrix, rows, cols int) fl.Matrix {
	if cap(m.Data) < rows*cols {
		return fl.NewMatrix(rows, cols)
	}
	return fl.Matrix{Rows: rows, Cols: cols, Data: m.Data[:rows*cols]}
}
