package session

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/tune"
)

// An Extension says which settings a method got at a point of the sweep.
type Extension struct {
	Arm    string // the method and the point
	Beyond []string
	Within int // settings within its ranges
}

// Text says which settings they are.
func (e *Extension) Text() string {
	var parts []string
	if len(e.Beyond) > 0 {
		parts = append(parts, "beyond the edge: "+strings.Join(e.Beyond, "; "))
	}
	if e.Within > 0 {
		parts = append(parts, fmt.Sprintf("%d within its ranges", e.Within))
	}
	if len(parts) == 0 {
		return "all settings of its ranges were tried"
	}
	return strings.Join(parts, ", and ")
}

// Extend widens the ranges of a run at whose edge a winner lies: it adds settings to the plan, each
// the winner with a value beyond the edge. So that all methods have the same budget, those that get
// fewer of these get further settings within their ranges. It is empty where no winner lies at an
// edge. What was chosen is open until all of them are tried. Values that the component refuses are
// left out, and so are methods at points where all their trials failed, and what --only leaves out.
func (t *Tuning) Extend() (list []Extension, err error) {
	extended, err := t.extended()
	if err != nil {
		return nil, err
	}
	beyond, most := make([][]tune.Setting, len(t.searches)), 0
	for _, k := range extended {
		beyond[k] = t.beyond(k)
		most = max(most, len(beyond[k]))
	}
	if most == 0 {
		return nil, nil
	}
	tuning := *t.plan.Tuning
	round := 1
	for _, e := range tuning.Added {
		round = max(round, e.Extension+1)
	}
	for _, k := range extended {
		s, set := &t.searches[k], &t.Sets[k]
		e := Extension{Arm: t.label(s)}
		for _, with := range beyond[k] {
			e.Beyond = append(e.Beyond, s.label(with))
		}
		within := tune.Further(s.ranges, slices.Concat(s.settings, beyond[k]),
			most-len(beyond[k]), func(with tune.Setting) bool { return t.accepts(k, with) })
		e.Within = len(within)
		for _, with := range slices.Concat(beyond[k], within) {
			tuning.Added = append(tuning.Added, store.Extra{Method: set.Method, Point: set.Point,
				Values: with, Extension: round})
		}
		list = append(list, e)
	}
	plan := *t.plan
	tuning.Open, tuning.Chosen = true, nil
	plan.Tuning = &tuning
	if err := t.run.SavePlan(&plan); err != nil {
		return nil, fault.Unstorable(t.run.Dir, err)
	}
	return list, nil
}

// extended returns the searches that get settings: those that --only keeps, where some trial came
// to something. It is an error where a trial has yet to end, or where --only keeps some methods at
// a point and not all.
func (t *Tuning) extended() (list []int, err error) {
	kept, left := map[string]bool{}, map[string]bool{} // points
	for k := range t.searches {
		s, set := &t.searches[k], &t.Sets[k]
		if len(s.settings) == 0 {
			continue
		}
		point := fmt.Sprintf("%q", set.Point)
		if !t.shown(s) {
			left[point] = true
			continue
		}
		kept[point] = true
		if set.Best < 0 {
			return nil, errors.New("what lies at an edge is known once all trials have ended")
		}
		if !t.fails(k) {
			list = append(list, k)
		}
	}
	for point := range kept {
		if left[point] {
			return nil, errors.New("--only may keep points of the sweep, and at each of them all " +
				"methods: they have the same budget")
		}
	}
	return list, nil
}

// beyond returns the winner of a search with values beyond the edges at which it lies.
func (t *Tuning) beyond(k int) (all []tune.Setting) {
	s, set := &t.searches[k], &t.Sets[k]
	won := s.settings[set.Best]
	for n := range s.ranges {
		for _, v := range tune.Beyond(s.ranges, s.settings, won, n) {
			with := slices.Clone(won)
			if with[n] = v; !t.accepts(k, with) {
				break
			}
			all = append(all, with)
		}
	}
	return all
}

// accepts reports whether components take a setting.
func (t *Tuning) accepts(k int, with tune.Setting) bool {
	s, y := &t.searches[k], &Experiment{Tools: t.base.Tools}
	for _, arm := range s.arms {
		y.Written = append(y.Written, t.base.trial(s, arm, with, t.base.Tune.Seeds[0], 0))
	}
	return len(y.compose(nil)) == 0
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

// added returns the settings of a method at a point that were added to its search, those together
// that were added at once.
func (x *Experiment) added(c *study.Cell) (all [][]tune.Setting) {
	last := -1
	for _, e := range x.Added {
		if e.Method != c.Method || !slices.Equal(e.Point, x.Tune.Reduced(c.Point)) {
			continue
		}
		if e.Extension != last {
			all, last = append(all, nil), e.Extension
		}
		all[len(all)-1] = append(all[len(all)-1], e.Values)
	}
	return all
}
