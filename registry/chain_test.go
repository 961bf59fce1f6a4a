package registry_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// A fold is a preprocessor that keeps one feature out of a few.
type fold struct {
	fl.Preprocessor
	of int
}

func (f fold) Shape(in fl.Shape) (fl.Shape, error) {
	if in.Features%f.of != 0 {
		return in, fmt.Errorf("%d features do not fold into %d", in.Features, f.of)
	}
	in.Features /= f.of
	return in, nil
}

// folding registers folds, which see labels under another name.
func folding(t *testing.T) *registry.Registry {
	t.Helper()
	r := menu(t)
	build := func(p *fl.Params) (fl.Preprocessor, error) {
		return fold{of: p.Int("of", 2, fl.AtLeast(1), "how many become one")}, nil
	}
	for _, e := range []fl.PreprocessorEntry{
		{Name: "fold", New: build},
		{Name: "told", New: build, Traits: fl.PreprocessTraits{Labelled: true}},
		{Name: "late", New: build, Fits: func(s fl.Setting) error {
			if s.Shape.Features > 3 {
				return errors.New("too wide")
			}
			return nil
		}},
	} {
		if err := r.Preprocessors.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// wide has 24 features.
const wide = `dataset = { name = "regression", features = 24 }` + "\n"

// A chain is built link by link, each for what the one before leaves; the model is for what is
// left in the end, and the data are dealt as they were.
func TestChainsAreComposed(t *testing.T) {
	r := folding(t)
	dealt := 0
	if err := r.Partitioners.Add(fl.PartitionerEntry{Name: "curious",
		New: func(p *fl.Params) (fl.Partitioner, error) {
			dealt = p.Setting().Shape.Features
			return nil, nil
		}}); err != nil {
		t.Fatal(err)
	}
	s, resolved := compose(t, r, cellOf(t, wide+
		`preprocess = ["fold", { name = "told", of = 4 }, { name = "late", of = 3 }]`+"\n"+`partition = "curious"`+"\n"))
	if n := s.Model.Layout().Len(); n != 1 {
		t.Errorf("the model has %d parameters", n)
	}
	if dealt != 24 {
		t.Errorf("rows are dealt with %d features", dealt)
	}
	if len(s.Preprocess) != 3 || s.Preprocess[1].Name != "told" || s.Preprocess[0].Labelled ||
		!s.Preprocess[1].Labelled || s.Preprocess[1].Preprocessor.(fold).of != 4 {
		t.Errorf("stages %+v", s.Preprocess)
	}
	if of := resolved.Preprocess[0].Params["of"]; of != int64(2) {
		t.Errorf("resolved %+v", resolved.Preprocess)
	}
	written, _ := compose(t, r, cellOf(t, wide+`preprocess = [{ name = "fold", of = 2 }, `+
		`{ name = "told", of = 4 }, { name = "late", of = 3 }]`+"\n"+`partition = "curious"`+"\n"))
	if written.ID != s.ID {
		t.Error("defaults that are written make another cell")
	}
}

// What is wrong in a chain has its place; what comes after it is not blamed.
func TestChainProblemsHaveTheirPlace(t *testing.T) {
	for lines, want := range map[string]string{
		`preprocess = "folt"`: `x.toml:16:14: preprocess: there is no "folt" (did you mean "fold"?)`,
		`preprocess = ["fold", { name = "told", off = 4 }]`: `x.toml:16:40: preprocess told: off: ` +
			`no such parameter (did you mean "of"?)`,
		`preprocess = ["fold", { name = "told", of = 0 }, "late"]`: `x.toml:16:45: preprocess told: ` +
			`of: 0 is outside [1, +Inf)`,
		`preprocess = ["fold", { name = "told", of = 5 }, "folt"]`: "x.toml:16:32: preprocess told: " +
			"12 features do not fold into 5\n" +
			`x.toml:16:50: preprocess: there is no "folt" (did you mean "fold"?)`,
		`preprocess = ["late", "fold"]`: `x.toml:16:15: preprocess late: too wide`,
		`preprocess = ["fold", "fold", { name = "fold" }]` + "\n" + `"preprocess.fold.of" = 3`: "x." +
			"toml:16:23: preprocess fold: 8 features do not fold into 3",
	} {
		_, _, problems := folding(t).Compose(cellOf(t, wide+lines+"\n"))
		if len(problems) == 0 || problems.Error() != want {
			t.Errorf("%s: %v, want\n%s", lines, problems, want)
		}
	}
}

// A cell without a chain has the identity that it had before there were any; and one with
// another chain is another cell, with other data to train on, dealt as before.
func TestChainsAreShared(t *testing.T) {
	r := folding(t)
	plain, _ := compose(t, r, cellOf(t, wide))
	const id = "700b9b39b0dc8c2d20cffe2852c809a6aa54d193a46f0204cb27778098e32540"
	if plain.ID != id {
		t.Errorf("identity %s, want %s", plain.ID, id)
	}
	seen := map[string]bool{}
	for _, row := range []string{`"none"`, `"fold"`, `{ name = "fold", of = 3 }`, `["fold", "told"]`,
		`["told", "fold"]`} {
		s, _ := compose(t, r, cellOf(t, wide+"preprocess = "+row+"\n"))
		if row == `"none"` && (s.ID != plain.ID || s.DataKey != plain.DataKey) {
			t.Error("none is not none")
		}
		if s.DealtKey != plain.DealtKey || s.DealtKey == s.DataKey {
			t.Errorf("%s: dealt as %s", row, s.DealtKey)
		}
		for _, key := range []string{s.ID, "data" + s.DataKey, "goal" + s.GoalKey, "first" + s.FirstKey} {
			if seen[key] {
				t.Errorf("%s shares %s", row, key)
			}
			seen[key] = true
		}
	}
	again, _ := compose(t, r, cellOf(t, wide+"preprocess = [\"fold\"]\naggregator = \"fedavot\"\n"))
	one, _ := compose(t, r, cellOf(t, wide+"preprocess = \"fold\"\n"))
	if again.DataKey != one.DataKey || again.GoalKey != one.GoalKey || again.FirstKey != one.FirstKey {
		t.Error("cells with the same chain share nothing")
	}
}

// A strategy in a chain is among the sources of its cell.
func TestChainSources(t *testing.T) {
	r := folding(t)
	e, _ := r.Preprocessors.Get("fold")
	e.Name, e.Source = "mine", "digest"
	if err := r.Preprocessors.Add(e); err != nil {
		t.Fatal(err)
	}
	_, resolved := compose(t, r, cellOf(t, wide+"preprocess = [\"fold\", \"mine\"]\n"))
	if got := (study.Cell{Preprocess: resolved.Preprocess}).Sources(); len(got) != 1 || got[0] != "mine digest" {
		t.Errorf("sources %v", got)
	}
}
