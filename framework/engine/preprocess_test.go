package engine_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A witness is a preprocessor that writes down what it was told.
type witness struct {
	mu        sync.Mutex
	summaries map[int]*fl.SummaryInput
	combining *fl.CombineInput
	moving    []fl.TransformInput
}

func (w *witness) Shape(in fl.Shape) (fl.Shape, error) { return in, nil }

func (w *witness) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.summaries[s.Client] = s
	return fl.Tensors{"id": fl.Matrix{Rows: 1, Cols: 2, Data: []float64{float64(s.Client), 0}}}, nil
}

func (w *witness) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	w.combining = c
	return fl.Tensors{"all": fl.NewMatrix(1, 5)}, nil
}

func (w *witness) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moving = append(w.moving, *m)
	m.Notes.Add(fmt.Sprintf("rows of %d", m.Client))
	return m.Rows, nil
}

// Those enrolled summarise, the server sees what they sent in the order of clients, and everyone
// moves: training and test rows in calls of their own, rows that belong to none without a client.
func TestWhatPreprocessorsAreTold(t *testing.T) {
	for _, owned := range []bool{true, false} {
		w := &witness{summaries: map[int]*fl.SummaryInput{}}
		s := hall(owned, w)
		s.Enrollment, s.Held = chosen{some(), half()}, 0.2
		world, err := engine.Prepare(s, engine.Options{Workers: 4, Folders: []string{"there"}})
		if err != nil {
			t.Fatal(err)
		}
		var senders []int
		for _, u := range w.combining.Uploads {
			senders = append(senders, u.Client)
			if u.Samples != world.Roster.Samples[u.Client] || u.Payload["id"].Data[0] != float64(u.Client) {
				t.Errorf("%+v was uploaded", u)
			}
		}
		if !slices.Equal(senders, []int{1, 2, 4}) || len(w.summaries) != 3 {
			t.Errorf("%v uploaded, %d were asked", senders, len(w.summaries))
		}
		if c := w.combining; c.Folders[0] != "there" || c.Shape.Features != 3 {
			t.Errorf("the server was told %+v", c)
		}
		if world.Uploaded != 3*2 || world.Downloaded != 3*5 {
			t.Errorf("%d floats up, %d down", world.Uploaded, world.Downloaded)
		}
		calls := map[int]int{}
		for _, m := range w.moving {
			calls[m.Client]++
			if m.Client < 0 {
				if m.Own != nil {
					t.Error("no client has data")
				}
				continue
			}
			if m.Own.Len() != world.Roster.Samples[m.Client] || m.Own.Target != nil || m.Own.Y != nil {
				t.Errorf("client %d: %+v", m.Client, m.Own)
			}
		}
		want := map[int]int{-1: 1, 0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2} // of -1: what is held
		if !owned {
			want = map[int]int{-1: 2, 0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1}
		}
		if world.Population.TestStart == nil == owned {
			t.Errorf("owned: %t, test rows begin at %v", owned, world.Population.TestStart)
		}
		if !reflect.DeepEqual(calls, want) {
			t.Errorf("owned: %t: %v calls by client, want %v", owned, calls, want)
		}
		notes := world.Prepared.List()
		if notes[0] != "p0: before the first round every client sends 8 B and gets 20 B" {
			t.Errorf("of what is sent it is said %q", notes[0])
		}
		if notes[1] != "rows of 0" || notes[7] != "rows of -1" {
			t.Errorf("notes %q are not in the order of clients", notes)
		}
	}
}

// Labels are shown to no preprocessor but those that say so.
func TestLabelsAreStripped(t *testing.T) {
	for _, labelled := range []bool{false, true} {
		seen := 0
		s := hall(true, mover{summarize: func(s *fl.SummaryInput) (fl.Tensors, error) {
			if s.Data.Target != nil {
				seen++
			}
			return nil, nil
		}, transform: func(m *fl.TransformInput) (fl.Matrix, error) {
			if m.Own.Target != nil {
				seen++
			}
			return m.Rows, nil
		}})
		s.Preprocess[0].Labelled = labelled
		w := prepared(t, s)
		if want := map[bool]int{true: 6 + 2*6}[labelled]; seen != want {
			t.Errorf("labelled: %t: labels were seen %d times, want %d", labelled, seen, want)
		}
		if told := len(w.Prepared.List()) > 0; told != labelled {
			t.Errorf("labelled: %t, notes %q", labelled, w.Prepared.List())
		}
		if w.Population.Train.Target == nil || w.Uploaded+w.Downloaded != 0 {
			t.Errorf("labels are gone, or %d floats were sent", w.Uploaded+w.Downloaded)
		}
	}
}

// Preprocessors chain in their order, over training, test and held rows, and each sees the shape
// that the one before left.
func TestChain(t *testing.T) {
	doubled := each(func(v float64) float64 { return 2 * v })
	shifted := each(func(v float64) float64 { return v + 1 })
	first := mover{
		shape: func(in fl.Shape) (fl.Shape, error) {
			in.Features--
			return in, nil
		},
		transform: func(m *fl.TransformInput) (fl.Matrix, error) {
			y := fl.NewMatrix(m.Rows.Rows, m.Shape.Features-1)
			for i := range y.Rows {
				copy(y.Row(i), m.Rows.Row(i))
			}
			return y, nil
		},
	}
	plain, chained := hall(true), hall(true, doubled, shifted, first)
	plain.Held, chained.Held = 0.3, 0.3
	a, b := prepared(t, plain).Population, prepared(t, chained).Population
	for name, pair := range map[string][2]*fl.Dataset{
		"training": {a.Train, b.Train}, "test": {a.Test, b.Test}, "held": {a.Held, b.Held},
	} {
		before, after := pair[0], pair[1]
		if after.Shape.Features != 2 || after.X.Cols != 2 || after.Len() != before.Len() {
			t.Fatalf("%s: %d×%d of shape %+v", name, after.X.Rows, after.X.Cols, after.Shape)
		}
		for i := range after.Len() {
			for k, got := range after.X.Row(i) {
				if want := 2*before.X.Row(i)[k] + 1; got != want {
					t.Fatalf("%s: row %d has %v, want %v", name, i, got, want)
				}
			}
		}
		if !slices.Equal(after.Target, before.Target) || !slices.Equal(after.Owner, before.Owner) {
			t.Errorf("%s: more than the features moved", name)
		}
	}
	if !slices.Equal(a.Start, b.Start) || !slices.Equal(a.TestStart, b.TestStart) {
		t.Error("clients begin elsewhere")
	}
}

// hazy is a preprocessor that draws at every turn.
func hazy() mover {
	noise := func(x fl.Matrix, draw func() float64) fl.Matrix {
		return mapped(x, func(v float64) float64 { return v + draw() })
	}
	return mover{
		summarize: func(s *fl.SummaryInput) (fl.Tensors, error) {
			return fl.Tensors{"m": noise(fl.NewMatrix(1, 2), s.RNG.NormFloat64)}, nil
		},
		combine: func(c *fl.CombineInput) (fl.Tensors, error) {
			sum := noise(fl.NewMatrix(1, 2), c.RNG.NormFloat64)
			for _, u := range c.Uploads {
				fl.Vector(sum.Data).AddScaled(float64(u.Client+1), u.Payload["m"].Data)
			}
			c.Notes.Observe("sum", sum.Data[0])
			return fl.Tensors{"sum": sum}, nil
		},
		transform: func(m *fl.TransformInput) (fl.Matrix, error) {
			m.Notes.Observe("client", float64(m.Client))
			by := m.Reference["sum"].Data[0] * float64(m.Own.Len())
			return noise(m.Rows, func() float64 { return by + m.RNG.NormFloat64() }), nil
		},
	}
}

// A cell has the same bits whichever worker moves its data, and when it is resumed; every draw of a chain
// is its own.
func TestPreprocessedCells(t *testing.T) {
	setup := func() *engine.Setup {
		s := hall(true, hazy(), hazy())
		s.Enrollment = chosen{some(), half()}
		return s
	}
	want := finished(t, setup(), engine.Options{Workers: 1})
	if got := finished(t, setup(), engine.Options{Workers: 8}); !reflect.DeepEqual(got, want) {
		t.Errorf("8 workers: %+v\n1 worker: %+v", got, want)
	}
	s := setup()
	c, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 7 {
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
	}
	stop := c.Checkpoint()
	c.Close()
	again, err := engine.Resume(s, engine.Options{}, stop)
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got.Cost = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("resumed: %+v\nwant %+v", got, want)
	}
	one := hall(true, hazy())
	x, y := prepared(t, one).Population.Train.X, prepared(t, hall(true)).Population.Train.X
	two := prepared(t, hall(true, hazy(), hazy())).Population.Train.X
	if d := x.Data[0] - y.Data[0]; math.Abs(two.Data[0]-x.Data[0]-d) < 1e-6 {
		t.Error("the second of a chain draws what the first drew")
	}
}

// finished runs a cell to its end.
func finished(t *testing.T, s *engine.Setup, o engine.Options) *engine.Result {
	t.Helper()
	r, err := engine.Run(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	r.Cost = nil // it has seconds
	return r
}

// traffic is a metric: what was sent so far.
type traffic struct{ objective }

func (traffic) Measure(s *fl.Snapshot) (float64, error) {
	return float64(1000*s.Uploaded + s.Downloaded), nil
}

// What a chain sends is counted before the first round.
func TestPreprocessingIsCounted(t *testing.T) {
	s := hall(true, hazy(), hazy())
	s.Enrollment = chosen{some(), half()}
	s.Measures = []engine.Measure{{Key: "sent", Metric: traffic{}}}
	r := finished(t, s, engine.Options{})
	if got := r.Series[0].Values[0]; got != 2*3*(1000*2+2) {
		t.Errorf("%v, want 2 stages × 3 clients × 2 floats up and down", got)
	}
	if o := r.Observed[0]; o.Name != "sum" || o.Rounds != 2 {
		t.Errorf("observed %+v", r.Observed)
	}
	s.Preprocess = nil
	plain := finished(t, s, engine.Options{})
	last := len(r.Rounds) - 1
	if d := r.Series[0].Values[last] - plain.Series[0].Values[last]; d != r.Series[0].Values[0] {
		t.Errorf("%v more at the end", d)
	}
}

// Cells share what is prepared where they have the same data, chain and enrolment.
func TestPreparedOnce(t *testing.T) {
	calls := 0
	counting := mover{combine: func(*fl.CombineInput) (fl.Tensors, error) {
		calls++
		return nil, nil
	}}
	memo := engine.NewMemo(16)
	visit := func(key string, in []bool, want int) *engine.World {
		s := hall(true, counting)
		s.DealtKey, s.DataKey = "dealt", key
		if in != nil {
			s.Enrollment = chosen{in, half()}
		}
		w, err := engine.Prepare(s, engine.Options{Memo: memo})
		if err != nil || calls != want {
			t.Errorf("%s: prepared %d times, want %d: %v", key, calls, want, err)
		}
		return w
	}
	a := visit("a", nil, 1)
	b := visit("a", nil, 1)
	if a.Population != b.Population {
		t.Error("what is shared is not the same")
	}
	visit("a", some(), 2)
	visit("a", some(), 2)
	visit("b", nil, 3)
}
