package engine_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// selecting is a selection of one function, without a law.
type selecting func(d *fl.SelectionInput) []int

func (f selecting) Select(d *fl.SelectionInput) []int  { return f(d) }
func (selecting) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }

// fed is a setup whose selection and aggregator use all that one can tell the other: what clients
// tell, shared state, norms that it asks for, and clients that are repeated.
func fed(s *engine.Setup) *engine.Setup {
	s.Selects = fl.SelectionTraits{Repeats: true, Expected: true, Rounds: true, Losses: true,
		Norms: true, SquaredLosses: true, Updates: true, Asks: true}
	s.Selection = selecting(func(d *fl.SelectionInput) []int {
		score, learnt := d.Scratch(d.Roster.N), d.Shared.Vector("learnt", d.Roster.N)
		if d.Norms != nil {
			d.Norms(score, d.Available)
		}
		cohort, times, expected := d.Room(6), d.Room(6), d.Scratch(6)[:0]
		for k, i := range d.Available {
			told := d.Told(i)
			if told.Round >= 0 && d.Norms != nil {
				score[k] += told.Loss + told.Norm + told.RMS + told.Update[0] +
					float64(d.T-told.Round)
			}
			if math.Mod(100*(score[k]+learnt[i]), 2) < 1.4 {
				cohort, times = append(cohort, i), append(times, 1+d.T%2)
				expected = append(expected, 1+score[k])
			}
		}
		d.Times, d.Expected = times, expected
		return cohort
	})
	s.Aggregator = fedBack{}
	return s
}

// fedBack is momentum that counts repeated clients and tells the selection of their models.
type fedBack struct{ momentum }

func (a fedBack) Aggregate(r *fl.Round) (fl.Outcome, error) {
	learnt := r.Shared.Vector("learnt", r.Roster.N)
	for k, u := range r.Updates {
		learnt[u.Client] += u.Params[0] * r.Count(k) / r.Expected[k]
	}
	return a.momentum.Aggregate(r)
}

func TestFeedbackIsResumed(t *testing.T) {
	resumes(t, func() *engine.Setup { return fed(toy()) })
}

func TestFeedbackDoesNotDependOnWorkers(t *testing.T) {
	made := func(workers int) string {
		return content(t, run(t, fed(big()), engine.Options{Workers: workers}))
	}
	for _, workers := range []int{2, 3, 8} {
		if made(workers) != made(1) {
			t.Errorf("another result with %d workers", workers)
		}
	}
}

// The loss that a client tells is that of the model that it was sent, the norm that of its update,
// and both are those of its last round.
func TestClientsTell(t *testing.T) {
	s := toy()
	s.Availability, s.Rounds, s.Every = rota{{0, 1}, {0}, {1}, {0, 1, 2}}, 4, 1
	s.Selects = fl.SelectionTraits{Rounds: true, Losses: true, Norms: true}
	models, said := []fl.Vector{}, map[int][]fl.Report{}
	s.Selection = selecting(func(d *fl.SelectionInput) []int {
		for i := range 3 {
			said[d.T] = append(said[d.T], d.Told(i))
		}
		return d.Available
	})
	s.Local = ruleFunc(func(t *fl.Task) (fl.Update, error) {
		t.Params[0] += 3 * float64(t.T+1)
		t.Params[1] += 4 * float64(t.T+1)
		return fl.Update{Params: t.Params}, nil
	})
	s.Aggregator = fl.Weigh(momentum{})
	s.Measures = []engine.Measure{{Key: "up", Metric: uploads{}},
		{Key: "model", Metric: seeing(func(v fl.Vector) { models = append(models, v.Clone()) })}}
	r := run(t, s, engine.Options{})
	w := prepared(t, s)
	for round, rounds := range [][]int{{-1, -1, -1}, {0, 0, -1}, {1, 0, -1}, {1, 2, -1}} {
		for i, told := range said[round] {
			if told.Round != rounds[i] {
				t.Errorf("round %d: client %d took part in %d, want %d", round, i, told.Round,
					rounds[i])
			}
			if told.Round < 0 {
				if !math.IsNaN(told.Loss) || !math.IsNaN(told.Norm) {
					t.Errorf("round %d: client %d told %+v", round, i, told)
				}
				continue
			}
			c := w.Population.Client(i)
			loss := s.Model.Worker().Loss(models[told.Round], &c.Data)
			if told.Loss != loss || math.Abs(told.Norm-5*float64(told.Round+1)) > 1e-12 {
				t.Errorf("round %d: client %d told %+v, want the loss %v", round, i, told, loss)
			}
		}
	}
	// Models of three numbers, and a loss of 8 bytes with each.
	if up := r.Series[0].Values; !slices.Equal(up, engine.Floats{0, 2 * 5, 3 * 5, 4 * 5, 7 * 5}) {
		t.Errorf("sent %v", up)
	}
}

// The root mean square that a client tells is of the losses of its single samples under the model
// that it was sent, 8 bytes; its update is what it changed, of which nothing is sent again. Told of
// a client that has taken part in no round is neither.
func TestClientsTellSquaresAndUpdates(t *testing.T) {
	s := toy()
	s.Availability, s.Rounds, s.Every = rota{{0, 1}, {0}, {1}}, 3, 1
	s.Selects = fl.SelectionTraits{SquaredLosses: true, Updates: true}
	models, said := []fl.Vector{}, map[int][]fl.Report{}
	s.Selection = selecting(func(d *fl.SelectionInput) []int {
		for i := range 3 {
			told := d.Told(i)
			told.Update = told.Update.Clone()
			said[d.T] = append(said[d.T], told)
		}
		return d.Available
	})
	s.Local = ruleFunc(func(t *fl.Task) (fl.Update, error) {
		t.Params[0] += float64(t.T+1) * float64(t.Client.ID+1)
		t.Params[2] -= 0.5
		return fl.Update{Params: t.Params}, nil
	})
	s.Aggregator = fl.Weigh(momentum{})
	s.Measures = []engine.Measure{{Key: "up", Metric: uploads{}},
		{Key: "model", Metric: seeing(func(v fl.Vector) { models = append(models, v.Clone()) })}}
	r, w := run(t, s, engine.Options{Workers: 2}), prepared(t, s)
	for round, rounds := range [][]int{{-1, -1, -1}, {0, 0, -1}, {1, 0, -1}} {
		for i, told := range said[round] {
			if told.Round != rounds[i] || (told.Round < 0) != (told.Update == nil) ||
				(told.Round < 0) != math.IsNaN(told.RMS) || !math.IsNaN(told.Loss) {
				t.Errorf("round %d: client %d told %+v", round, i, told)
			}
			if told.Round < 0 {
				continue
			}
			client, squares := w.Population.Client(i), 0.0
			data := &client.Data
			for row := range data.Len() {
				loss := s.Model.Worker().Loss(models[told.Round], data.Pick([]int{row}))
				squares += loss * loss
			}
			want := fl.Vector{float64((told.Round + 1) * (i + 1)), 0, -0.5}
			if told.RMS != math.Sqrt(squares/float64(data.Len())) ||
				told.Update.Distance(want) > 1e-12 {
				t.Errorf("round %d: client %d told %+v, want √(%v/%d) and %v", round, i, told,
					squares, data.Len(), want)
			}
		}
	}
	if up := r.Series[0].Values; !slices.Equal(up, engine.Floats{0, 2 * 5, 3 * 5, 4 * 5}) {
		t.Errorf("sent %v", up)
	}
}

// seeing is a metric that looks at the model.
type seeing func(fl.Vector)

func (f seeing) Measure(s *fl.Snapshot) (float64, error) { f(s.Params); return 0, nil }
func (seeing) Unit() string                              { return "" }
func (seeing) Higher() bool                              { return false }

// A norm that a selection asks for is that of the update which the client uploads when it is
// selected. Those that are not keep nothing of the round. Every byte is counted once.
func TestAskingForNorms(t *testing.T) {
	s := minding()
	s.Availability, s.Rounds, s.Every = listed{{0, 2, 3, 5}}, 4, 1
	s.Selects = fl.SelectionTraits{Asks: true, Norms: true}
	var asked [][]float64
	s.Selection = selecting(func(d *fl.SelectionInput) []int {
		norms := make(fl.Vector, 3)
		d.Norms(norms, []int{1, 2, 5})
		again := make(fl.Vector, 1)
		d.Norms(again, []int{5})
		if !math.IsNaN(norms[0]) || norms[2] != again[0] {
			t.Errorf("round %d: %v, and %v again", d.T, norms, again)
		}
		if d.T > 0 && d.Told(2).Norm != asked[d.T-1][1] {
			t.Errorf("round %d: client 2 uploaded an update of %v, and had said %v", d.T,
				d.Told(2).Norm, asked[d.T-1][1])
		}
		asked = append(asked, norms)
		return append(d.Room(2), 2, 3)
	})
	s.Measures = []engine.Measure{{Key: "up", Metric: uploads{}}, {Key: "down", Metric: downloads{}}}
	c, err := engine.Start(s, engine.Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range s.Rounds {
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if kept := engine.StateIDs(c.Checkpoint()); !slices.Equal(kept, []int{2, 3}) {
		t.Errorf("clients %v keep something", kept)
	}
	// The model, three numbers, goes to clients 2, 3 and 5; two answers of 8 bytes and two models of
	// three numbers come back.
	for round := 1; round <= s.Rounds; round++ {
		up, down := c.Result().Series[0].Values[round], c.Result().Series[1].Values[round]
		if up != float64(round*(2*2+2*3)) || down != float64(round*3*3) {
			t.Errorf("after round %d: %v up, %v down", round, up, down)
		}
	}
}

// A norm that cannot be computed ends the cell with the client's error.
func TestAskingThoseThatFail(t *testing.T) {
	s := toy()
	s.Availability = everyone{}
	s.Local = ruleFunc(func(t *fl.Task) (fl.Update, error) {
		if t.Client.ID == 4 {
			return fl.Update{}, errors.New("no power")
		}
		return fl.Update{Params: t.Params}, nil
	})
	s.Selection = selecting(func(d *fl.SelectionInput) []int {
		d.Norms(make(fl.Vector, 6), d.Available)
		return d.Available[:1]
	})
	_, err := engine.Run(t.Context(), s, engine.Options{})
	if err == nil || err.Error() != "round 1: client 4: no power" {
		t.Errorf("error %v", err)
	}
}

// What a selection says of its cohort fits the cohort and its traits.
func TestSelectionsThatSayWrongThings(t *testing.T) {
	for want, set := range map[string]func(d *fl.SelectionInput){
		"selection set Times of 1 and":           func(d *fl.SelectionInput) { d.Times = []int{2} },
		"counts client 0 0 times":                func(d *fl.SelectionInput) { d.Times = []int{0, 1} },
		"client 1 2 times; Repeats of its":       func(d *fl.SelectionInput) { d.Times = []int{1, 2} },
		"expects client 1 to be counted 0 times": func(d *fl.SelectionInput) { d.Expected = fl.Vector{1, 0} },
		"expects client 0 to be counted NaN": func(d *fl.SelectionInput) {
			d.Expected = fl.Vector{math.NaN(), 1}
		},
		"sets no Expected": nil,
	} {
		s := toy()
		s.Availability = everyone{}
		s.Selects.Expected = set == nil
		s.Selection = selecting(func(d *fl.SelectionInput) []int {
			if set != nil {
				set(d)
			}
			return d.Available[:2]
		})
		want = strings.Replace(want, "sets no", "set no", 1)
		if _, err := engine.Run(t.Context(), s, engine.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want …%s…", err, want)
		}
	}
}

// A repeated client trains once, sends once and is counted as one participant.
func TestRepeatedClientsTrainOnce(t *testing.T) {
	s := toy()
	s.Availability, s.Rounds, s.Every, s.Selects.Repeats = everyone{}, 3, 3, true
	s.Selection = selecting(func(d *fl.SelectionInput) []int {
		d.Times = append(d.Room(2), 4, 1)
		return append(d.Room(2), 1, 3)
	})
	trained := 0
	s.Local = ruleFunc(func(t *fl.Task) (fl.Update, error) {
		trained++
		return fl.Update{Params: t.Params}, nil
	})
	s.Measures = []engine.Measure{{Key: "up", Metric: uploads{}}, {Key: "down", Metric: downloads{}}}
	r := run(t, s, engine.Options{})
	if up, down := r.Series[0].Values[1], r.Series[1].Values[1]; trained != 6 || up != 18 || down != 18 {
		t.Errorf("%d trained, %v up, %v down", trained, up, down)
	}
	law, err := engine.CohortLaw(s, prepared(t, s))
	if err != nil || law.Inclusion[1] != 1 || math.Abs(law.Expected[1]-4) > 1e-9 ||
		law.Expected[3] != 1 {
		t.Errorf("%v: %v, counted %v", err, law.Inclusion, law.Expected)
	}
}
