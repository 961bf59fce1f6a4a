package fl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// parts weighs by samples and doubles the step, and notes what it sees of updates.
type parts struct {
	seen *[]fl.Update
	by   fl.Vector // instead; nil: by samples
	fail error
}

func (p parts) Weights(r *fl.Round) (fl.Weights, error) {
	*p.seen = append(*p.seen, r.Updates...)
	w := r.Scratch(len(r.Updates))
	for k := range w {
		w[k] = float64(r.Updates[k].Samples) / 4
	}
	if p.by != nil {
		w = p.by
	}
	return fl.Weights{By: w, Deltas: true}, p.fail
}

func (p parts) Step(r *fl.Round, sum fl.Vector) (fl.Outcome, error) {
	*p.seen = append(*p.seen, r.Updates...)
	sum.AddScaled(1, sum.Clone())
	sum.Sub(r.Global)
	return fl.Outcome{Params: sum}, p.fail
}

func roundOfTwo() *fl.Round {
	return &fl.Round{Global: fl.Vector{1, 2}, Updates: []fl.Update{
		{Client: 3, Samples: 1, Steps: 7, Params: fl.Vector{5, 2}},
		{Client: 8, Samples: 3, Steps: 7, Params: fl.Vector{1, 6}, Halves: 1,
			Payload: fl.Tensors{"more": fl.NewMatrix(1, 1)}}}}
}

// The weighted sum of steps is θᵗ; or what the second part makes of it. Neither part sees more of
// an update than its client and samples.
func TestWeightedSum(t *testing.T) {
	for _, c := range []struct {
		then bool
		want fl.Vector
	}{{false, fl.Vector{2, 5}}, {true, fl.Vector{3, 8}}} {
		var seen []fl.Update
		p := parts{seen: &seen}
		a := fl.Weigh(p)
		if c.then {
			a = fl.WeighThen(p, p)
		}
		r := roundOfTwo()
		out, err := a.Aggregate(r)
		if err != nil || out.Params.Distance(c.want) > 0 || out.Weights.Distance(fl.Vector{.25, .75}) > 0 {
			t.Errorf("%+v, %v; want %v", out, err, c.want)
		}
		for _, u := range seen {
			if u.Samples == 0 || u.Params != nil || u.Steps != 0 || u.Payload != nil || u.Halves != 0 {
				t.Errorf("a part saw %+v", u)
			}
		}
		if len(seen) == 0 || r.Updates[1].Params == nil {
			t.Errorf("%d updates were seen; after the round they are %+v", len(seen), r.Updates)
		}
	}
}

// A weighted sum has as many weights as updates, and says what goes wrong in its parts.
func TestWeightedSumFails(t *testing.T) {
	var seen []fl.Update
	few, bad := parts{seen: &seen, by: fl.Vector{1}}, parts{seen: &seen, fail: errors.New("tired")}
	for want, a := range map[string]fl.Aggregator{
		"1 weights for 2 updates": fl.Weigh(few), "tired": fl.Weigh(bad),
	} {
		if _, err := a.Aggregate(roundOfTwo()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := fl.WeighThen(parts{seen: &seen}, bad).Aggregate(roundOfTwo()); err == nil {
		t.Error("the second part fails, and nothing says so")
	}
}

// A weighted sum of a round that was played before allocates nothing.
func TestWeightedSumsAllocateNothing(t *testing.T) {
	r, a := roundOfTwo(), fl.Weigh(idle{})
	if n := testing.AllocsPerRun(20, func() {
		r.Recycle()
		if _, err := a.Aggregate(r); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

type idle struct{}

func (idle) Weights(r *fl.Round) (fl.Weights, error) {
	return fl.Weights{By: r.Scratch(len(r.Updates)), Deltas: true}, nil
}

// A step of a server's optimizer moves what is trained; running statistics are those of the weighted
// sum, whatever the optimizer makes of them, and those of a nested one, too.
func TestStepsLeaveRunningStatistics(t *testing.T) {
	var seen []fl.Update
	p := parts{seen: &seen}
	for name, a := range map[string]fl.Aggregator{
		"one": fl.WeighThen(p, p), "two": fl.Nest(fl.WeighThen(p, p), p),
		"of another aggregator": fl.Nest(whole{fl.Weigh(p)}, p),
	} {
		r := roundOfTwo()
		r.State = fl.NewStore()
		r.Layout = fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: 1, Cols: 1},
			{Name: fl.RunningVariance, Offset: 1, Rows: 1, Cols: 1}}}
		before := r.Global.Clone()
		out, err := a.Aggregate(r)
		if err != nil || out.Params[1] != 5 || out.Params[0] == 2 || r.Global.Distance(before) > 0 {
			t.Errorf("%s: %+v, %v; want the variance 5 of the sum", name, out, err)
		}
	}
}

// whole is an aggregator that says nothing of how it aggregates.
type whole struct{ fl.Aggregator }
