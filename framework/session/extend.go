package session

import (
	"errors"
	"reflect"
	"slices"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/tune"
)

// Extend widens the ranges of a run at whose edge a winner lies: it adds settings to the plan, each
// the winner with a value beyond the edge, and returns how many. What was chosen is open until they
// are tried. Values that the component refuses are left out.
func (t *Tuning) Extend() (added int, err error) {
	if t.base.Tune.Search == study.SearchHalving {
		return 0, errors.New("a halving search compares all of its settings from the first round " +
			"on: widen the ranges in the file")
	}
	tuning := *t.plan.Tuning
	for k := range t.Sets {
		set, s := &t.Sets[k], &t.searches[k]
		if set.Best < 0 {
			continue
		}
		won := s.settings[set.Best]
		for n := range s.ranges {
			for _, v := range tune.Beyond(s.ranges, s.settings, won, n) {
				with := slices.Clone(won)
				with[n] = v
				y := &Experiment{Tools: t.base.Tools, Written: []study.Cell{
					t.base.trial(s, with, t.base.Tune.Seeds[0], 0)}}
				if problems := y.compose(nil); len(problems) > 0 {
					break
				}
				tuning.Added = append(tuning.Added, store.Extra{Method: set.Method,
					Point: set.Point, Values: with})
				added++
			}
		}
	}
	if added == 0 {
		return 0, nil
	}
	plan := *t.plan
	tuning.Open, tuning.Chosen = true, nil
	plan.Tuning = &tuning
	if err := t.run.SavePlan(&plan); err != nil {
		return 0, fault.Unstorable(t.run.Dir, err)
	}
	return added, nil
}

// inherit keeps the settings that were added to a run, where its experiment file asks for the same
// search still.
func (x *Experiment) inherit(run store.Run) {
	if x.Spec == nil || !isRun(run.Dir) {
		return
	}
	old, err := run.LoadPlan()
	if err != nil || old.Tuning == nil || !sameSearch(old.Tuning.Tune, *x.Tune) {
		return // what is wrong with it is told where it is replaced
	}
	x.Added = old.Tuning.Added
}

// sameSearch reports whether two searches are the same, wherever they were written.
func sameSearch(a, b study.Tune) bool {
	plain := func(t study.Tune) study.Tune {
		t.At, t.BudgetAt, t.ByAt, t.RequiredAt = study.Span{}, study.Span{}, study.Span{},
			study.Span{}
		t.Space = slices.Clone(t.Space)
		for i := range t.Space {
			t.Space[i].At = study.Span{}
			values := slices.Clone(t.Space[i].Values)
			for k, v := range values { // a whole float is stored as an integer
				if x, ok := v.(float64); ok && x == float64(int64(x)) {
					values[k] = int64(x)
				}
			}
			t.Space[i].Values = values
		}
		return t
	}
	return reflect.DeepEqual(plain(a), plain(b))
}

// added returns the settings of a method at a point that were added to its search.
func (x *Experiment) added(c *study.Cell) (all []tune.Setting) {
	for _, e := range x.Added {
		if e.Method == c.Method && slices.Equal(e.Point, c.Point) {
			all = append(all, e.Values)
		}
	}
	return all
}
