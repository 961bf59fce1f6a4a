package fl_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// first is an aggregator that returns the first update, and counts its rounds in State.
type first struct {
	out  fl.Outcome // what it returns besides
	fail error
}

func (f first) Aggregate(r *fl.Round) (fl.Outcome, error) {
	r.State.Vector("rounds", 1)[0]++
	out := f.out
	if out.Params == nil {
		out.Params = r.Updates[0].Params
	}
	return out, f.fail
}

// doubling doubles the step in the memory that it is given, and counts its rounds in State; as a
// weigher it takes the first update alone.
type doubling struct{ parts }

func (d doubling) Weights(r *fl.Round) (fl.Weights, error) {
	r.State.Vector("weighed", 1)[0]++
	return fl.Weights{By: fl.Vector{1, 0}}, nil
}

func (d doubling) Step(r *fl.Round, sum fl.Vector) (fl.Outcome, error) {
	r.State.Vector("rounds", 1)[0]++
	return d.parts.Step(r, sum)
}

// An outer aggregator steps along what the inner one did; each has a state of its own, updates stay
// as they were, and a weighted sum stays one. Nested twice, both outer ones double the step.
func TestNest(t *testing.T) {
	var seen []fl.Update
	d := doubling{parts{seen: &seen}}
	for name, c := range map[string]struct {
		a      fl.Aggregator
		want   fl.Vector
		states []string
	}{
		"a rule":         {fl.Nest(first{}, d), fl.Vector{9, 2}, []string{"inner rounds", "rounds"}},
		"a weighted sum": {fl.Nest(fl.Weigh(d), d), fl.Vector{9, 2}, []string{"inner weighed", "rounds"}},
		"a sum with a step": {fl.Nest(fl.WeighThen(d, d), d), fl.Vector{17, 2},
			[]string{"inner rounds", "inner weighed", "rounds"}},
		"a rule, twice": {fl.Nest(fl.Nest(first{}, d), d), fl.Vector{17, 2},
			[]string{"inner inner rounds", "inner rounds", "rounds"}},
		"a sum, twice": {fl.Nest(fl.Nest(fl.Weigh(d), d), d), fl.Vector{17, 2},
			[]string{"inner inner weighed", "inner rounds", "rounds"}},
	} {
		seen = nil
		r, state := roundOfTwo(), fl.NewStore()
		r.State = state
		out, err := c.a.Aggregate(r)
		if err != nil || !slices.Equal(out.Params, c.want) || !slices.Equal(state.Names(), c.states) {
			t.Errorf("%s: %v %v, state %q", name, out.Params, err, state.Names())
		}
		if r.State != fl.State(state) || !slices.Equal(r.Updates[0].Params, fl.Vector{5, 2}) {
			t.Errorf("%s: the round is %+v afterwards", name, r)
		}
		for _, u := range seen {
			if u.Params != nil || u.Steps != 0 {
				t.Errorf("%s: an outer part saw %+v", name, u)
			}
		}
		if _, sums := c.a.(*fl.WeightedSum); sums != strings.Contains(name, "sum") {
			t.Errorf("%s: it is a weighted sum: %v", name, sums)
		}
		if n := testing.AllocsPerRun(20, func() {
			r.Recycle()
			seen = seen[:0]
			if _, err := c.a.Aggregate(r); err != nil {
				t.Fatal(err)
			}
		}); n > 4 { // the steps of this test clone
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// What the inner aggregator sends and weighs is that of the whole; what makes no step from θᵗ⁻¹, or
// fails, is an error.
func TestNestPassesOn(t *testing.T) {
	var seen []fl.Update
	d := doubling{parts{seen: &seen}}
	play := func(f first) (fl.Outcome, error) {
		r := roundOfTwo()
		r.State = fl.NewStore()
		return fl.Nest(f, d).Aggregate(r)
	}
	sent := fl.Tensors{"more": fl.NewMatrix(1, 1)}
	out, err := play(first{out: fl.Outcome{Broadcast: sent, Mail: map[int]fl.Tensors{3: sent},
		Weights: fl.Vector{1, 0}}})
	if err != nil || out.Broadcast["more"].Data == nil || out.Mail[3] == nil || len(out.Weights) != 2 {
		t.Errorf("%+v, %v", out, err)
	}
	for want, f := range map[string]first{
		"tired":                 {fail: errors.New("tired")},
		"adopts":                {out: fl.Outcome{Adopted: []int{3}}},
		"returned 1 parameters": {out: fl.Outcome{Params: fl.Vector{1}}},
	} {
		if _, err := play(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	d.fail = errors.New("sleepy")
	if _, err := play(first{}); err == nil || err.Error() != "sleepy" {
		t.Errorf("%v", err)
	}
}
