package builtin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// generating returns the cell of personal with a small DENSE, and no public data.
func generating(server ...any) study.Cell {
	c := personal(descends("sgd"))
	c.Picks["aggregator"] = pick("dense", append([]any{"high", 1.0, "epochs", int64(2),
		"generator_steps", int64(2), "samples", int64(8), "noise", int64(6), "channels", int64(2),
		"batch", int64(5), "keep", int64(2)}, server...)...)
	return c
}

// Theorem: without epochs, from the mean of models, DENSE is FedAvg, bit for bit; with them it is
// not. It needs no public data and sends what FedAvg sends.
//
//hansa:verifies equivalence aggregator/dense
func TestDENSEReduces(t *testing.T) {
	plain := personal(descends("sgd"))
	plain.Picks["aggregator"] = pick("fedavg")
	want, _, sent := ends(t, plain)
	got, _, _ := ends(t, generating("epochs", int64(0), "start", "mean"))
	if !slices.Equal(got.Global, want.Global) {
		t.Error("without epochs it is not FedAvg")
	}
	got, _, m := ends(t, generating("start", "mean"))
	if slices.Equal(got.Global, want.Global) {
		t.Error("epochs change nothing")
	}
	if m[0] != sent[0] || m[1] != sent[1] {
		t.Errorf("%v bytes, want %v", m[:2], sent[:2])
	}
}

// Cells are the same bits for any number of workers and after a resume at any round.
func TestDENSESurvives(t *testing.T) {
	s, _, problems := menu(t).Compose(generating())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s.Every = 1
	want, err := engine.Run(t.Context(), &s, engine.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{1, s.Rounds - 1} {
		got := resumed(t, &s, after)
		if fmt.Sprint(got.Series, got.Notes) != fmt.Sprint(want.Series, want.Notes) {
			t.Errorf("resumed after %d rounds\n%v\nwant\n%v", after, got.Series, want.Series)
		}
	}
}

// Theorem: the mean scores of linear models are those of their mean; a linear student that sees
// nothing but generated rows learns to say what that one says of others, between the same bounds.
//
//hansa:verifies theorem aggregator/dense
func TestALinearStudentLearnsFromGeneratedRows(t *testing.T) {
	r := teaching(t, nil, nil, nil)
	for i := range r.Public.X.Data {
		r.Public.X.Data[i] = 6*rand.New(rand.NewPCG(3, uint64(i))).Float64() - 3
	}
	e, _ := menu(t).Aggregators.Get("dense")
	p := menu(t).Params(map[string]any{"low": -3.0, "high": 3.0, "epochs": int64(60),
		"generator_steps": int64(5), "samples": int64(64), "noise": int64(8), "channels": int64(8),
		"lr": 0.5, "batch": int64(64)}, fl.Setting{})
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	mean := make(fl.Vector, len(r.Global))
	for k := range r.Updates {
		mean.AddScaled(1.0/3, r.Updates[k].Params)
	}
	teacher := chances(r, mean, 1)
	off := func(theta fl.Vector) float64 {
		return fl.Vector(chances(r, theta, 1).Data).Distance(teacher.Data)
	}
	out, err := a.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	if before, after := off(r.Global), off(out.Params); after > before/5 {
		t.Errorf("%v from its teacher, before it learnt %v", after, before)
	}
}

// Bounds that are none, and rows that nothing generates, are refused.
func TestDENSERefuses(t *testing.T) {
	const want = "is not above low = 1"
	_, _, problems := menu(t).Compose(generating("low", 1.0))
	if len(problems) == 0 || !strings.Contains(problems[0].Message, want) {
		t.Errorf("%v, want %s", problems, want)
	}
	e, _ := menu(t).Aggregators.Get("dense")
	if err := e.Fits(fl.Setting{Network: true, Shape: fl.Shape{Features: 8, Classes: 5,
		Tokens: 5}}); err == nil {
		t.Error("it generates tokens")
	}
	missing := personal(descends("sgd"))
	missing.Picks["aggregator"] = pick("dense")
	if _, _, problems := menu(t).Compose(missing); len(problems) != 1 {
		t.Errorf("without high: %v", problems)
	}
}
