package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// repeated is a source of the same data whatever it is asked for; its training rows are 0 to n − 1,
// its test rows begin at from.
type repeated struct{ n, from int }

func (repeated) Shape() fl.Shape { return fl.Shape{Features: 1, Classes: 3, Tested: true} }

func (r repeated) Load(*fl.LoadInput) (train, test *fl.Dataset, err error) {
	train, test = &fl.Dataset{Shape: r.Shape()}, &fl.Dataset{Shape: r.Shape()}
	for i := range r.n {
		for d, at := range map[*fl.Dataset]int{train: i, test: r.from + i} {
			d.X.Data, d.Y = append(d.X.Data, float64(at)), append(d.Y, at%3)
		}
	}
	train.X.Rows, train.X.Cols, test.X.Rows, test.X.Cols = r.n, 1, r.n, 1
	return train, test, nil
}

// Public data are the training rows of their source, with labels where these are not hidden. Of
// those that are clients' rows or test rows it is said how many there are.
func TestPublicData(t *testing.T) {
	for _, labelled := range []bool{true, false} {
		s := lettered(letters{train: []int{0, 1, 2}, test: []int{0}}, []int{0}, []int{1}, []int{2})
		s.Source = repeated{n: 3, from: 6}
		s.Public = engine.Public{Source: repeated{n: 8, from: 100}, Labelled: labelled}
		w, err := engine.Prepare(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := w.Population.Public
		if p.Len() != 8 || p.X.Data[7] != 7 || (p.Y != nil) != labelled || p.Shape.Classes != 3 {
			t.Errorf("labelled: %t, public data %+v", labelled, p)
		}
		if w.Downloaded != 0 {
			t.Errorf("%d floats are sent to clients, which do not need them", w.Downloaded)
		}
		want := []string{"3 of 8 public samples are training samples, too",
			"2 of 8 public samples are test samples, too"}
		if notes := w.Prepared.List(); !slices.Equal(notes, want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	}
}

// Of another width public data are refused, whatever their source says of its shape.
func TestPublicDataOfAnotherWidth(t *testing.T) {
	s := toy()
	s.Public = engine.Public{Source: repeated{n: 8}}
	if _, err := engine.Prepare(s, engine.Options{}); err == nil ||
		err.Error() != "public: rows have 1 features, those of clients 3" {
		t.Errorf("error %v", err)
	}
}

// Preprocessors move public rows as they move rows of no client; where clients need them, each that
// is enrolled is sent all of them once: 3 features and a label of 24 rows.
func TestPublicDataAreMovedAndSent(t *testing.T) {
	double := mover{transform: func(m *fl.TransformInput) (fl.Matrix, error) {
		rows := fl.NewMatrix(m.Rows.Rows, m.Rows.Cols)
		copy(rows.Data, m.Rows.Data)
		fl.Vector(rows.Data).Scale(2)
		return rows, nil
	}}
	s := hall(true, double)
	s.Enrollment = chosen{some(), half()}
	s.Public = engine.Public{Source: cloud{4, 3}, Labelled: true, Sent: true}
	moved, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Preprocess = nil
	plain, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, x := range plain.Population.Public.X.Data {
		if got := moved.Population.Public.X.Data[k]; got != 2*x {
			t.Fatalf("element %d is %v, before %v", k, got, x)
		}
	}
	const rows, enrolled = 24, 3
	if want := int64(enrolled * rows * (3 + 1)); plain.Downloaded != want {
		t.Errorf("%d floats are sent, want %d", plain.Downloaded, want)
	}
	if note := strings.Join(plain.Prepared.List(), "; "); !strings.Contains(note,
		"every client is sent 24 public samples, 384 B") {
		t.Errorf("notes %q", note)
	}
}

// A looker is a local rule that says whether its task has public data.
type looker struct{ seen chan<- int }

func (l looker) Run(t *fl.Task) (fl.Update, error) {
	n := 0
	if t.Public != nil {
		n = t.Public.Len()
	}
	l.seen <- n
	return fl.Update{Params: t.Params}, nil
}

// Clients have public data where they are sent them, and the server always.
func TestWhatSeesPublicData(t *testing.T) {
	for _, sent := range []bool{true, false} {
		s, seen := toy(), make(chan int, 6)
		s.Rounds, s.Local, s.Availability = 1, looker{seen}, everyone{}
		s.Public = engine.Public{Source: cloud{4, 3}, Sent: sent}
		s.Aggregator = server(func(r *fl.Round) (fl.Outcome, error) {
			if r.Public.Len() != 24 || r.Public.Target != nil {
				t.Errorf("the server has %+v", r.Public)
			}
			return fl.Outcome{Params: r.Global.Clone()}, nil
		})
		if _, err := engine.Run(t.Context(), s, engine.Options{}); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			if n := <-seen; (n == 24) != sent {
				t.Errorf("sent: %t, a client has %d public samples", sent, n)
			}
		}
	}
}

// server is an aggregator.
type server func(r *fl.Round) (fl.Outcome, error)

func (f server) Aggregate(r *fl.Round) (fl.Outcome, error) { return f(r) }

// returning is a local rule that says that it returns the model that it was sent.
type returning struct{ moves float64 }

func (l returning) Run(t *fl.Task) (fl.Update, error) {
	t.Params[0] += l.moves
	return fl.Update{Params: t.Params, Returned: true}, nil
}

// A model that is returned is not counted; one that is another is refused.
func TestReturnedModelsAreNotSent(t *testing.T) {
	s := toy()
	s.Rounds, s.Local, s.Availability = 1, returning{}, everyone{}
	cell, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	if err := cell.Step(); err != nil {
		t.Fatal(err)
	}
	if p := cell.Checkpoint(); p.Uploaded != 0 || p.Downloaded != 6*3 {
		t.Errorf("%d floats up, %d down", p.Uploaded, p.Downloaded)
	}
	s.Local = returning{1}
	if _, err := engine.Run(t.Context(), s, engine.Options{}); err == nil ||
		!strings.Contains(err.Error(), "client 0: says that it returns the model") {
		t.Errorf("error %v", err)
	}
}
