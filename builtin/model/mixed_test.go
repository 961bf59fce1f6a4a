package model

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// mix builds a mixed model from the names and parameters of its variants.
func mix(t *testing.T, of ...any) (fl.Model, []fl.Problem) {
	t.Helper()
	reg := new(registry.Registry)
	for _, e := range []fl.ModelEntry{MLP, Softmax, CNN, Mixed} {
		if err := reg.Models.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	p := reg.Params(map[string]any{"of": of}, fl.Setting{})
	m, err := Mixed.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return m, p.Finish()
}

// wide is a multilayer perceptron as an experiment says it.
func wide(widths ...any) any { return map[string]any{"name": "mlp", "widths": widths} }

// What is asked of a mixed model is answered by the first, and clients draw from all.
//
//hansa:verifies theorem model/mixed
func TestMixed(t *testing.T) {
	shape := fl.Shape{Features: 6, Classes: 3}
	m, problems := mix(t, wide(int64(9), int64(7)), "softmax", wide(int64(4), int64(5)))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	m, err := m.For(shape)
	if err != nil {
		t.Fatal(err)
	}
	first := build(t, MLP, map[string]any{"widths": []any{int64(9), int64(7)}}, shape)
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	theta := m.Init(rng())
	if !slices.Equal(theta, first.Init(rng())) || !slices.Equal(m.Layout().Blocks, first.Layout().Blocks) {
		t.Error("it does not begin as its first model")
	}
	d := population(shape, 11).Train
	if got, want := m.Worker().Loss(theta, d), first.Worker().Loss(theta, d); got != want {
		t.Errorf("its loss is %v, that of its first model %v", got, want)
	}
	theory := m.Facts()
	if !theory.Single || !theory.Mixed() || theory.Solve != nil || len(theory.Variants) != 3 {
		t.Errorf("%+v", theory)
	}
	for k, want := range []int{6*9 + 9 + 9*7 + 7 + 7*3 + 3, 6*3 + 3, 6*4 + 4 + 4*5 + 5 + 5*3 + 3} {
		if got := theory.Variants[k].Layout().Len(); got != want {
			t.Errorf("variant %d has %d parameters, want %d", k, got, want)
		}
	}
}

// Models of one layout are mixed in name only; what is no model, or does not fit, is refused.
func TestMixedOfWhat(t *testing.T) {
	m, problems := mix(t, wide(int64(4)), wide(int64(4)))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	m, err := m.For(fl.Shape{Features: 6, Classes: 3})
	if err != nil || m.Facts().Mixed() {
		t.Errorf("two models of one layout: %v", err)
	}
	for want, of := range map[string][]any{
		"is empty":  {},
		"mlpp":      {wide(int64(4)), "mlpp"},
		"widths[0]": {wide(int64(0)), "softmax"}, // a layer of nothing
	} {
		_, problems := mix(t, of...)
		if len(problems) == 0 || !strings.Contains(problems[0].Param+problems[0].Message, want) {
			t.Errorf("of %v: %+v, want …%s…", of, problems, want)
		}
	}
	m, problems = mix(t, wide(int64(4)), "cnn")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if _, err := m.For(fl.Shape{Features: 6, Classes: 3}); err == nil {
		t.Error("a model of images fits data without any")
	}
}
