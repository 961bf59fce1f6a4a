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
		// Another value that is written in the same place takes no memory for places.
		again := changed.With(path, 0.25, at)
		if reflect.ValueOf(again.Origins).Pointer() != reflect.ValueOf(changed.Origins).Pointer() {
			t.Errorf("%s: the same places are kept twice", path)
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

// A component in a list is found by its name or by its number, and a name stands for all that have
// it; one component stands for a list of one.
func TestParametersOfListsHavePaths(t *testing.T) {
	cell := Cell{Picks: map[string]Pick{
		"guard": {Name: "chain", Params: map[string]any{"of": []any{
			map[string]any{"name": "clip", "radius": 1.0}, "bucketing",
			map[string]any{"name": "clip", "radius": 2.0}}}},
		"model":      {Name: "mixed", Params: map[string]any{"of": []any{"mlp"}}},
		"aggregator": {Name: "fedadam", Params: map[string]any{"inner": "krum"}},
	}, Preprocess: []Pick{{Name: "pca"}, {Name: "pca"}}, Origins: map[string]Span{}}
	at := Span{Value: Pos{Line: 7}}
	for path, origins := range map[string][]string{
		"guard.clip.radius":  {"guard.of[0].radius", "guard.of[2].radius"},
		"guard.2.radius":     {"guard.of[2].radius"},
		"guard.of.2.radius":  {"guard.of[2].radius"},
		"guard.bucketing.s":  {"guard.of[1].s"},
		"model.mlp.hidden":   {"model.of[0].hidden"},
		"model.hidden":       {"model.of[0].hidden"},
		"aggregator.inner.f": {"aggregator.inner.f"},
		"preprocess.1.by":    {"preprocess[1].by"},
	} {
		changed := cell.With(path, 0.5, at)
		if v, ok := changed.Param(path); !ok || v != 0.5 {
			t.Errorf("%s is %v: %v", path, v, changed.Picks)
		}
		for _, origin := range origins {
			if changed.Origins[origin] != at || len(changed.Origins) != len(origins) {
				t.Errorf("%s comes from %v", path, changed.Origins)
			}
		}
	}
	inner, _ := Within(cell.With("aggregator.inner.f", int64(3), at).Picks["aggregator"].Params["inner"])
	if inner.Name != "krum" || inner.Params["f"] != int64(3) {
		t.Errorf("the inner aggregator is %+v", inner)
	}
	for _, path := range []string{"guard.3.radius", "guard.clop.radius", "guard.02.radius", "guard.-1.radius"} {
		if v, ok := cell.Param(path); ok {
			t.Errorf("%s is %v", path, v)
		}
		if changed := cell.With(path, 0.5, at); !reflect.DeepEqual(changed.Picks, cell.Picks) {
			t.Errorf("%s changed %v", path, changed.Picks)
		}
	}
	single := Cell{Picks: map[string]Pick{"guard": {Name: "clip", Params: map[string]any{"radius": 1.0}}}}
	if v, ok := single.Param("guard.clip.radius"); !ok || v != 1.0 {
		t.Errorf("the radius of the only guard is %v", v)
	}
}

// What a resolved cell has is listed by the paths by which it is set.
func TestPathsOfParameters(t *testing.T) {
	clip := map[string]any{"name": "clip", "radius": 1.0}
	cell := Cell{Picks: map[string]Pick{
		"guard": {Name: "chain", Params: map[string]any{"of": []any{clip,
			map[string]any{"name": "nnm", "f": int64(1)}, clip}}},
		"aggregator": {Name: "fedadam", Params: map[string]any{"tau": 1e-3, SourceKey: "abc",
			"inner": map[string]any{"name": "krum", "f": int64(1), SourceKey: "def"}}},
	}}
	for slot, want := range map[string][]string{
		"guard":      {"guard.0.radius", "guard.nnm.f", "guard.2.radius"},
		"aggregator": {"aggregator.inner", "aggregator.inner.f", "aggregator.tau"},
		"local":      nil,
	} {
		got := cell.Paths(slot)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %q", slot, got)
		}
		for _, path := range got {
			if _, ok := cell.Param(path); !ok {
				t.Errorf("%s is the path of nothing", path)
			}
		}
	}
	clip[SourceKey] = "123"
	if got := cell.Sources(); !reflect.DeepEqual(got, []string{"clip 123", "fedadam abc", "krum def"}) {
		t.Errorf("user's components %q", got)
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
