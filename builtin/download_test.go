package builtin

import (
	"context"
	"fmt"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// A nudged local rule is one whose tasks hold another model than the one that was sent, and that
// records what its clients upload.
type nudged struct {
	rule    fl.LocalRule
	by      float64
	uploads *string
}

// Run implements fl.LocalRule.
func (n nudged) Run(t *fl.Task) (fl.Update, error) {
	if len(t.Global) > 0 {
		global := t.Global.Clone()
		global.AddConst(n.by)
		t.Global = global
		copy(t.Params, global)
	}
	u, err := n.rule.Run(t)
	*n.uploads += fmt.Sprint(u.Params, u.Payload)
	return u, err
}

// Aggregate stands for any server: it keeps the model as it is.
func (nudged) Aggregate(r *fl.Round) (fl.Outcome, error) {
	return fl.Outcome{Params: r.Global}, nil
}

// modelNorm is a local rule of statistics that reads the model.
type modelNorm struct{}

// Run implements fl.LocalRule.
func (modelNorm) Run(t *fl.Task) (fl.Update, error) {
	norm := fl.Matrix{Rows: 1, Cols: 1, Data: []float64{t.Global.Norm()}}
	return fl.Update{Payload: fl.Tensors{"norm": norm}}, nil
}

// norms and blindNorms are its entries: the latter says that it needs no model.
var (
	norms = fl.LocalRuleEntry{Name: "norms", Traits: fl.LocalTraits{Statistics: "norms"},
		New: func(*fl.Params) (fl.LocalRule, error) { return modelNorm{}, nil }}
	blindNorms = fl.LocalRuleEntry{Name: "blind-norms", New: norms.New,
		Traits: fl.LocalTraits{Statistics: "norms", NoModel: true}}
)

// downloads runs a local rule whose models are moved by so much, and returns what its clients
// uploaded and how many floats they were sent beside public data.
func downloads(t *testing.T, rule fl.LocalRuleEntry, rounds int, by float64) (string, float64) {
	t.Helper()
	s := head(t, study.Pick{Name: "class-moments"}, study.Pick{Name: "fedcgs"}, nil)
	p := menu(t).Params(rule.Example, fl.Setting{})
	built, err := rule.New(p)
	if err != nil {
		t.Fatal(err)
	}
	uploads := ""
	n := nudged{built, by, &uploads}
	s.Local, s.Aggregator, s.Rounds = n, n, rounds
	traits := fl.TraitsOf[fl.LocalTraits](rule)
	s.Statistics, s.NoModel = traits.Statistics, traits.NoModel
	public := 0
	if traits.Public {
		s.Public = engine.Public{Source: s.Source, Sent: true}
		world, err := engine.Prepare(s, engine.Options{})
		if err != nil {
			t.Fatal(rule.Name, err)
		}
		public = s.Clients * len(world.Population.Public.X.Data)
	}
	r, err := engine.Run(context.Background(), s, engine.Options{})
	if err != nil {
		t.Fatal(rule.Name, err)
	}
	for _, series := range r.Series {
		if series.Key == "download" {
			last := series.Values[len(series.Values)-1]
			return uploads, last/fl.BytesPerNumber - float64(public)
		}
	}
	t.Fatal("download was not measured")
	return "", 0
}

// Whatever a client reads of the global model was sent and is counted, for every local rule that
// there is and any number of rounds: where another model changes a bit of what clients upload, a
// model is counted for each of the 6 clients in every round. A model that is counted is there.
func TestModelsThatAreReadAreCounted(t *testing.T) {
	r := menu(t)
	rules := []fl.LocalRuleEntry{norms, blindNorms}
	for _, name := range r.LocalRules.Names() {
		rule, _ := r.LocalRules.Get(name)
		rules = append(rules, rule)
	}
	read := 0
	for _, rule := range rules {
		for _, rounds := range []int{1, 3} {
			uploads, floats := downloads(t, rule, rounds, 0)
			other, again := downloads(t, rule, rounds, 0.5)
			want := 0.0
			if uploads != other {
				read++
				want = float64(rounds * 6 * 66)
			}
			if floats < want || floats != again {
				t.Errorf("%s, %d rounds: %v floats were downloaded, and %v were read",
					rule.Name, rounds, floats, want)
			}
			noModel := fl.TraitsOf[fl.LocalTraits](rule).NoModel
			if none := floats == 0; none != noModel {
				t.Errorf("%s: %v floats were downloaded; it needs no model: %v",
					rule.Name, floats, noModel)
			}
		}
	}
	if read < 4 {
		t.Errorf("models were read in %d cells only", read)
	}
}
