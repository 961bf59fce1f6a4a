package study

import (
	"reflect"
	"testing"
)

// A value of a parameter is replaced at its path, in the cell that is returned and in no other.
func TestParametersAreReplacedAtTheirPath(t *testing.T) {
	cell := Cell{Clients: 1, Picks: map[string]Pick{
		"local": {Name: "sgd", Params: map[string]any{"lr": 0.1,
			"optimizer": map[string]any{"name": "adam", "beta1": 0.9}}},
		"aggregator": {Name: "fedavg"},
	}, Preprocess: []Pick{{Name: "scale", Params: map[string]any{"by": 2.0}}},
		Origins: map[string]Span{"local.lr": {}}}
	before := cell.ID()
	at := Span{Value: Pos{Line: 7}}
	for path, origin := range map[string]string{"local.lr": "local.lr",
		"local.optimizer.beta1": "local.optimizer.beta1", "aggregator.kappa": "aggregator.kappa",
		"preprocess.by": "preprocess[0].by", "preprocess.scale.by": "preprocess[0].by"} {
		changed := cell.With(path, 0.5, at)
		if v, ok := changed.Param(path); !ok || v != 0.5 || changed.Origins[origin] != at {
			t.Errorf("%s is %v, from %v", path, v, changed.Origins)
		}
		if changed.ID() == before || cell.ID() != before || len(cell.Origins) != 1 {
			t.Errorf("%s: the cell itself changed, or none did", path)
		}
	}
	for _, path := range []string{"local", "model.l2", "preprocess.other.by"} {
		if changed := cell.With(path, 0.5, at); !reflect.DeepEqual(changed.Picks, cell.Picks) {
			t.Errorf("%s changed %v", path, changed.Picks)
		}
	}
	if v, ok := cell.Param("local.optimizer.beta2"); ok {
		t.Errorf("a parameter that is not there is %v", v)
	}
}

// What a trial is besides its parameters is part of its identity.
func TestTrialsHaveIdentitiesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []Cell{{Rounds: 9}, {Rounds: 9, Validated: 0.2}, {Rounds: 9, Stop: 3},
		{Rounds: 9, Validated: 0.2, Stop: 3}, {Rounds: 3, Validated: 0.2}} {
		back := stored(t, c)
		if seen[c.ID()] || back.ID() != c.ID() {
			t.Errorf("%+v: %s", c, c.ID())
		}
		seen[c.ID()] = true
	}
	if (&Cell{Rounds: 9, Stop: 3}).Played() != 3 || (&Cell{Rounds: 9}).Played() != 9 {
		t.Error("rounds that are played")
	}
}
