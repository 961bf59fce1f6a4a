package contract

import (
	"errors"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// theCell is a cell of good citizens. Its clients have work enough for several workers.
func theCell(t *testing.T) *engine.Setup {
	t.Helper()
	s, _, problems := menu(t).Compose(study.Cell{
		Seed: 3, Clients: clients, Rounds: 6, Every: 2, Law: true,
		Picks: map[string]study.Pick{
			"dataset":    {Name: "cloud", Params: map[string]any{"features": int64(1500), "labelled": true}},
			"partition":  {Name: "cards", Params: map[string]any{"by": "label"}},
			"importance": {Name: "by-samples"}, "model": {Name: "straight"},
			"local": {Name: "descent"}, "aggregator": {Name: "momentum"},
			"availability": {Name: "coins", Params: map[string]any{"chance": 0.9}},
			"enrollment":   {Name: "lottery", Params: map[string]any{"top": 0.99}},
			"selection":    {Name: "everyone"},
		},
		Measures: []study.Measure{{Pick: study.Pick{Name: "objective"}, Key: "objective"},
			{Pick: study.Pick{Name: "objective"}, Key: "averaged", Average: true}},
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s.ID = "cell"
	return &s
}

func TestGoodCell(t *testing.T) {
	for _, v := range Cell(theCell(t), engine.Options{Memo: engine.NewMemo(3)}) {
		t.Error(v)
	}
}

// numbering is a model whose Workers tell their number, counted from the last Init: the
// last of them, with which the engine measures, is the one after those of the trainer.
type numbering struct {
	fl.Model
	last *int
}

func (m numbering) Worker() fl.Worker {
	*m.last++
	number := float64(*m.last)
	return hired{
		Worker: m.Model.Worker(),
		loss: func(w fl.Worker, params fl.Vector, d *fl.Dataset) float64 {
			return w.Loss(params, d) + number
		},
	}
}

func TestBadCells(t *testing.T) {
	calls := 0.0
	caught := map[string]bool{}
	for _, c := range []struct {
		breaks, found string
		spoil         func(s *engine.Setup)
	}{
		{"runs", "error: round 3: client 2: no luck", func(s *engine.Setup) {
			s.Local = localRule(func(t *fl.Task) (fl.Update, error) {
				if t.T == 2 && t.Client.ID == 2 {
					return fl.Update{}, errors.New("no luck")
				}
				return fl.Update{Params: t.Params}, nil
			})
		}},
		{"runs", "panic: ", func(s *engine.Setup) { s.Importance = nil }},
		{"repeatable", " instead of …", func(s *engine.Setup) {
			s.Aggregator = after(func(r *fl.Round, next fl.Vector) {
				calls++
				faster(r, next, 1+1e-6*calls)
			})
		}},
		{"workers", "3 workers: …", func(s *engine.Setup) {
			last, init := 0, s.Model
			s.Model = numbering{bent{toyLinear: init.(toyLinear), init: func(theta fl.Vector) fl.Vector {
				last = 0
				return theta
			}}, &last}
		}},
		{"resumes", "after round 1: …", func(s *engine.Setup) {
			var first fl.Vector
			s.Aggregator = after(func(r *fl.Round, next fl.Vector) {
				if r.T == 0 {
					first = r.Global.Clone()
				}
				faster(r, next, 1+1e-6*float64(r.T)*first.Norm())
				first[0] += 0.5
			})
		}},
	} {
		caught[c.breaks] = true
		t.Run(c.breaks+"/"+c.found, func(t *testing.T) {
			s := theCell(t)
			c.spoil(s)
			all := Cell(s, engine.Options{})
			if len(all) != 1 || all[0].Check != c.breaks || !strings.Contains(all[0].Found, c.found) {
				t.Errorf("want %s: …%s…, and nothing else, have %v", c.breaks, c.found, all)
			}
		})
	}
	for _, c := range cellChecks() {
		if !caught[c.name] {
			t.Errorf("no cell breaks %s: it may be unable to fail", c.name)
		}
	}
}
