package engine_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// teller is a local rule that sends four numbers, of which three are float16, and no model.
type teller struct{ how string }

func (l teller) Run(t *fl.Task) (fl.Update, error) {
	numbers := fl.NewMatrix(1, 4)
	numbers.Data[0] = t.Client.Data.Target[0]
	u := fl.Update{Payload: fl.Tensors{"numbers": numbers}, Halves: 3, Remarks: []string{"all well"}}
	switch {
	case l.how == "nan" && t.Client.ID == 2:
		numbers.Data[3] = math.NaN()
	case l.how == "model" && t.Client.ID == 2:
		u.Params = fl.Vector{1}
	case t.Client.ID == 4:
		u.Remarks = append(u.Remarks, "4 is not so well")
	}
	return u, nil
}

// heard is an aggregator of such numbers.
type heard struct{}

func (heard) Aggregate(r *fl.Round) (fl.Outcome, error) {
	next := r.Scratch(len(r.Global))
	for _, u := range r.Updates {
		next[0] += u.Payload["numbers"].Data[0]
	}
	return fl.Outcome{Params: next}, nil
}

func statistics(how string) *engine.Setup {
	s := toy()
	s.Availability, s.Local, s.Aggregator = everyone{}, teller{how}, heard{}
	s.Statistics, s.NoModel = "numbers", true
	s.Measures = []engine.Measure{{Key: "uploads", Metric: uploads{}},
		{Key: "downloads", Metric: downloads{}}}
	return s
}

// Clients that need no model are sent none; two halves count as one float, and what clients
// remark becomes a note once.
func TestStatisticsAreCounted(t *testing.T) {
	want := ""
	for _, workers := range []int{1, 3} {
		r := run(t, statistics(""), engine.Options{Workers: workers})
		up, down := r.Series[0].Values, r.Series[1].Values
		if last := len(up) - 1; up[last] != 6*3*12 || down[last] != 0 {
			t.Errorf("%v floats up and %v down: want 3 of 6 clients in 12 rounds, and none",
				up[last], down[last])
		}
		if !slices.Equal(r.Notes, []string{"all well", "4 is not so well"}) {
			t.Errorf("notes %q", r.Notes)
		}
		got := content(t, r)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers:\n%s\nwant\n%s", workers, got, want)
		}
	}
}

// A modelReader is a local rule that sends what it finds of the model in its task.
type modelReader struct{}

func (modelReader) Run(t *fl.Task) (fl.Update, error) {
	found := fl.NewMatrix(1, 4)
	copy(found.Data, t.Global)
	if len(t.Params) != len(t.Global) {
		return fl.Update{}, errors.New("the copy of the model has another length")
	}
	return fl.Update{Payload: fl.Tensors{"numbers": found}}, nil
}

// What a client can read was sent: a local rule of statistics has the global model in every round,
// and every one of them is counted, unless it says that it needs none; then it has none.
func TestModelsForStatisticsAreCounted(t *testing.T) {
	for _, noModel := range []bool{false, true} {
		s := statistics("")
		s.Local, s.NoModel = modelReader{}, noModel
		r := run(t, s, engine.Options{Workers: 2})
		models, down := float64(6*3*12), r.Series[1].Values
		if noModel {
			models = 0
		}
		if last := down[len(down)-1]; last != models {
			t.Errorf("no model needed: %v: %v floats were downloaded, want %v", noModel, last, models)
		}
		c, err := engine.Start(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 2 {
			if err := c.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if read := c.Checkpoint().Global.Norm() > 0; read == noModel {
			t.Errorf("no model needed: %v, but a model was read: %v", noModel, read)
		}
	}
}

// Cells that share what clients sent share their remarks.
func TestStatisticsAreShared(t *testing.T) {
	trained := engine.NewMemo(1)
	for range 2 {
		s := statistics("")
		s.Rounds, s.FirstKey = 1, "first"
		r := run(t, s, engine.Options{Trained: trained})
		if !slices.Equal(r.Notes, []string{"all well", "4 is not so well"}) {
			t.Errorf("notes %q", r.Notes)
		}
	}
}

func TestStatisticsThatAreNone(t *testing.T) {
	for how, want := range map[string]string{
		"nan":   "round 1: client 2: the update has NaN or Inf",
		"model": "round 1: client 2: uploads a model, not only numbers",
	} {
		_, err := engine.Run(context.Background(), statistics(how), engine.Options{})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", how, err)
		}
	}
}
