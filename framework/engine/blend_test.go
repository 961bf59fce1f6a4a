package engine_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// sufficient is the model mean, of whose data the moments are enough.
type sufficient struct{ mean }

func (m sufficient) For(fl.Shape) (fl.Model, error) { return m, nil }
func (sufficient) Facts() fl.ModelFacts             { return fl.ModelFacts{Moments: true} }

// Moments are those of the moved rows.
func TestMomentsComeAfterwards(t *testing.T) {
	s := toy() // every client has more samples than features
	s.Preprocess = stages(each(func(v float64) float64 { return v + 100 }))
	s.Model = sufficient{mean{3}}
	w := prepared(t, s)
	for i := range w.Population.N() {
		c := w.Population.Client(i)
		if m := fl.NewMoments(&c.Data, nil); c.Data.Moments == nil || m.X.Distance(c.Data.Moments.X) > 1e-9 ||
			m.X[0] < 90 {
			t.Fatalf("client %d: %+v, want %+v", i, c.Data.Moments, m)
		}
	}
	if w.Pooled.Moments.X[0] < 90 {
		t.Errorf("pooled: %v", w.Pooled.Moments.X)
	}
}

// stroll is a local rule: so many epochs of gradient descent on all rows.
type stroll struct{ epochs int }

type plainly struct{}

func (plainly) Slots() int      { return 0 }
func (plainly) Step(s *fl.Step) { s.Params.AddScaled(-s.Rate, s.Grad) }
func (plainly) Rule() fl.Rule   { return fl.Rule{} }

func (r stroll) Run(t *fl.Task) (fl.Update, error) {
	d := t.Descent()
	d.Optimizer, d.Rate, d.Steps = plainly{}, 0.25, r.epochs
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}

// glide moves rows of some clients by 10, epoch by epoch.
func glide(some func(client int) bool) mover {
	return mover{transform: func(m *fl.TransformInput) (fl.Matrix, error) {
		if some(m.Client) {
			m.Blend = func(epoch, epochs int) float64 { return float64(epoch) / float64(epochs) }
		}
		return mapped(m.Rows, func(v float64) float64 { return v + 10 }), nil
	}}
}

// Clients train on blended rows as one does by hand, and are measured on the moved ones.
func TestBlendedTraining(t *testing.T) {
	odd := func(i int) bool { return i%2 == 1 }
	s := hall(false, glide(odd))
	s.Local, s.Rounds, s.Every, s.Availability = stroll{3}, 1, 1, everyone{}
	s.Aggregator = average{}
	w := prepared(t, s)
	c, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := c.Checkpoint().Global
	want := make(fl.Vector, 3)
	for i := range 6 {
		own := w.Population.Client(i)
		for k := range want {
			center := 0.0
			for r := range own.Data.Len() {
				center += own.Data.X.Row(r)[k] / float64(own.Data.Len())
			}
			x := start[k]
			for epoch := range 3 {
				at := center
				if odd(i) {
					at += -10 + 10*float64(epoch)/3
				}
				x -= 0.25 * (x - at)
			}
			want[k] += x / 6
		}
	}
	if err := c.Step(); err != nil {
		t.Fatal(err)
	}
	if got := c.Checkpoint().Global; got.Distance(want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	c.Close()
}

// average is an aggregator.
type average struct{}

func (average) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}

// What a preprocessor does wrong ends the cell, with its name and whose rows they were.
func TestPreprocessingFails(t *testing.T) {
	fails := func(client int) func(*fl.TransformInput) (fl.Matrix, error) {
		return func(m *fl.TransformInput) (fl.Matrix, error) {
			if m.Client == client || m.Client == 5 {
				return fl.Matrix{}, errors.New("lost")
			}
			return m.Rows, nil
		}
	}
	wider := func(in fl.Shape) (fl.Shape, error) {
		in.Features++
		return in, nil
	}
	always := func(int) bool { return true }
	for _, c := range []struct {
		want  string
		owned bool
		chain []fl.Preprocessor
	}{
		{"preprocess: p1: no room", true, []fl.Preprocessor{mover{}, mover{
			shape: func(fl.Shape) (fl.Shape, error) { return fl.Shape{}, errors.New("no room") }}}},
		{"preprocess: p0: client 2: shy", true, []fl.Preprocessor{mover{
			summarize: func(s *fl.SummaryInput) (fl.Tensors, error) {
				if s.Client >= 2 {
					return nil, errors.New("shy")
				}
				return nil, nil
			}}}},
		{"preprocess: p0: client 0: panic: runtime error", true, []fl.Preprocessor{mover{
			summarize: func(s *fl.SummaryInput) (fl.Tensors, error) { panic(s.Data.Y[0]) }}}},
		{"preprocess: p0: panic: nothing fits", true, []fl.Preprocessor{mover{
			combine: func(*fl.CombineInput) (fl.Tensors, error) { panic("nothing fits") }}}},
		{"preprocess: p0: tired", true, []fl.Preprocessor{mover{
			combine: func(*fl.CombineInput) (fl.Tensors, error) { return nil, errors.New("tired") }}}},
		{"preprocess: p0: client 3: lost", true, []fl.Preprocessor{mover{transform: fails(3)}}},
		{"preprocess: p0: rows of no client: lost", false, []fl.Preprocessor{mover{transform: func(
			m *fl.TransformInput) (fl.Matrix, error) {
			if m.Own == nil {
				return fl.Matrix{}, errors.New("lost")
			}
			return m.Rows, nil
		}}}},
		{"client 0: panic: whose", true, []fl.Preprocessor{mover{transform: func(
			*fl.TransformInput) (fl.Matrix, error) {
			panic("whose")
		}}}},
		{"client 0: 10×3 rows became 10×3, want 4 features", true, []fl.Preprocessor{mover{shape: wider}}},
		{"client 0: the moved rows have NaN or Inf", true, []fl.Preprocessor{
			each(func(float64) float64 { return math.NaN() })}},
		{"p0 moves rows epoch by epoch, so that p1 cannot follow it", true,
			[]fl.Preprocessor{glide(always), mover{}}},
		{"there is no way between them", true, []fl.Preprocessor{mover{shape: wider,
			transform: func(m *fl.TransformInput) (fl.Matrix, error) {
				m.Blend = func(int, int) float64 { return 0 }
				return fl.NewMatrix(m.Rows.Rows, 4), nil
			}}}},
	} {
		for _, workers := range []int{1, 3} {
			_, err := engine.Prepare(hall(c.owned, c.chain...), engine.Options{Workers: workers})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d workers: %v, want %s", workers, err, c.want)
			}
		}
	}
}
