package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// planned returns the plan of the trials that are known to be needed.
func (t *Tuning) planned() *store.Plan {
	return &store.Plan{Title: t.plan.Title + ", trials", Command: t.plan.Command,
		Hash: store.HashOf(t.trials.IDs), Cells: t.trials.Cells, IDs: t.trials.IDs,
		Report: study.Report{Metrics: []string{t.base.Tune.By}, Against: "baseline", Spread: "sd",
			Final: t.plan.Report.Final}}
}

// keep stores the plan of the trials.
func (t *Tuning) keep(plan *store.Plan) error {
	run := Trials(t.run)
	err := os.MkdirAll(run.Dir, 0o777)
	plan.File = seenFrom(run.Dir, seenAgain(t.run.Dir, t.plan.File))
	plan.Strategies = slices.Clone(t.plan.Strategies)
	for i := range plan.Strategies {
		s := &plan.Strategies[i]
		s.File = seenFrom(run.Dir, seenAgain(t.run.Dir, s.File))
	}
	if err := errors.Join(err, run.Tidy(), run.SavePlan(plan)); err != nil {
		return fault.Unstorable(run.Dir, err)
	}
	return keepCode(run, t.base.Tools.Sources)
}

// kept has the plan of the trials be that of those from which parameters were chosen: another one
// may have come between.
func (t *Tuning) kept() error {
	old, err := TrialPlan(t.run)
	if err != nil || old == nil || old.Hash == store.HashOf(t.trials.IDs) {
		return err
	}
	return t.keep(t.planned())
}

// job stores what is planned, and returns the job that the trials are, with those that are missing.
func (t *Tuning) job() (*Job, []int, error) {
	plan, run := t.planned(), Trials(t.run)
	if err := t.keep(plan); err != nil {
		return nil, nil, err
	}
	j := t.newJob(t.trials, run, plan)
	owner := t.owners()
	missing := slices.DeleteFunc(j.Missing(), func(i int) bool {
		x, done := t.value(i)
		return done && math.IsNaN(x) || t.failed[owner[i]]
	})
	return j, missing, nil
}

// Finish has trials run until every search has a winner, and returns the experiment with what was
// chosen. A run has those trials that are missing, and returns an error where they are not done
// then; one that failed because it diverged is done.
func (t *Tuning) Finish(run func(j *Job, missing []int) error) (*Experiment, error) {
	for first := true; ; first = false {
		whole, err := t.advance()
		if err != nil {
			return nil, err
		}
		if whole {
			if err := t.kept(); err != nil {
				return nil, err
			}
			return t.tuned()
		}
		if first {
			if err := t.open(); err != nil {
				return nil, err
			}
		}
		j, missing, err := t.job()
		if err != nil {
			return nil, err
		}
		if len(missing) == 0 { // the trouble was told
			return nil, fault.Of(fmt.Errorf("results of trials cannot be read in %s", j.Run.Dir))
		}
		if err := run(j, missing); err != nil && !errors.Is(err, fault.ErrFailed) {
			return nil, err
		}
		if broken := t.broken(missing); broken.Trials > 0 {
			return nil, fault.Of(broken)
		}
	}
}

// A BrokenTrials says that trials failed, and not because training diverged, so that nothing can be
// chosen for their methods. It wraps fault.ErrFailed.
type BrokenTrials struct {
	Trials  int
	Methods []string // in the order of the trials
}

// Error implements error.
func (b *BrokenTrials) Error() string {
	return fmt.Sprintf("%s of %s failed, and not because training diverged",
		phrase.Count(b.Trials, "trial", "trials"), phrase.List(b.Methods))
}

// Unwrap returns what it wraps.
func (*BrokenTrials) Unwrap() error { return fault.ErrFailed }

// broken tells of trials that ran and have neither a result nor diverged. A method that fails with
// every setting at a point fails there with any: it costs the training runs of that point, unless
// there is nothing else to run. Over the other points its settings are compared.
func (t *Tuning) broken(ran []int) *BrokenTrials {
	all, failed := map[place]int{}, map[place]int{}
	owner := t.owners()
	for _, at := range owner {
		all[at]++
	}
	for _, i := range ran {
		if _, done := t.value(i); !done {
			failed[owner[i]]++
		}
	}
	b, rest := new(BrokenTrials), new(BrokenTrials)
	works := false
	for k := range t.searches {
		s := &t.searches[k]
		method := t.base.Cells[s.arms[0]].Method
		for n := range s.arms {
			at := place{k, n}
			b.add(method, failed[at])
			t.failed[at] = t.failed[at] || failed[at] > 0 && failed[at] == all[at]
			if !t.failed[at] {
				rest.add(method, failed[at])
				works = works || t.shown(s)
			}
		}
	}
	if works {
		return rest
	}
	return b
}

// add counts trials of a method.
func (b *BrokenTrials) add(method string, trials int) {
	if b.Trials += trials; trials > 0 && !slices.Contains(b.Methods, method) {
		b.Methods = append(b.Methods, method)
	}
}

// owners returns the search of each trial, and its point.
func (t *Tuning) owners() []place {
	of := make([]place, len(t.trials.Cells))
	for key := range t.index {
		for n := range t.searches[key.search].arms {
			for seed := range t.base.Tune.Seeds {
				of[t.at(key, n, seed)] = place{key.search, n}
			}
		}
	}
	return of
}

// open stores the plan of a run of an experiment file, with what is not chosen yet, so that it can
// go on from there. A run that goes on as it was planned has one.
func (t *Tuning) open() error {
	if t.base.Spec == nil {
		return nil
	}
	plan := *t.plan
	plan.Tuning = t.base.opened()
	run, _, err := t.openRun(t.run.Dir, t.base.Spec.File, &plan)
	if err != nil {
		return err
	}
	t.plan = &plan
	return keepCode(run, t.base.Tools.Sources)
}

// Replan stores what was chosen in the plan of a run that goes on as it was planned.
func (t *Tuning) Replan(y *Experiment) (*store.Plan, error) {
	plan := *t.plan
	plan.Cells, plan.IDs, plan.Hash, plan.Tuning = y.Cells, y.IDs, store.HashOf(y.IDs), y.Tuning
	if err := t.run.SavePlan(&plan); err != nil {
		return nil, fault.Unstorable(t.run.Dir, err)
	}
	return &plan, nil
}

// tuned returns the experiment with what was chosen.
func (t *Tuning) tuned() (*Experiment, error) {
	y := t.base.with(&store.Tuning{Tune: *t.base.Tune, Added: t.base.Added})
	for k := range t.searches {
		if len(t.searches[k].settings) > 0 && t.Sets[k].Best < 0 {
			y.Tuning.Open = true // --only leaves it out
			continue
		}
		y.Tuning.Chosen = append(y.Tuning.Chosen, t.choose(k, y.Written))
	}
	if problems := y.compose(nil); len(problems) > 0 {
		return nil, problems
	}
	return y, nil
}

// with returns the experiment before it is composed, to be given what was chosen.
func (x *Experiment) with(t *store.Tuning) *Experiment {
	return &Experiment{Spec: x.Spec, Folder: x.Folder, Tools: x.Tools, Shown: x.Shown, Tune: x.Tune,
		Written: slices.Clone(x.Cells), Added: x.Added, trialCells: x.trialCells, Tuning: t}
}

// Chosen returns the experiment with what a run of it chose: it has the cells of the run, unless
// the experiment has changed since. The error is a study.Problems.
func (x *Experiment) Chosen(t *store.Tuning) (*Experiment, error) {
	y := x.with(t)
	for _, c := range t.Chosen {
		for i := range x.Cells {
			base := &x.Cells[i]
			if base.Method == c.Method && slices.Equal(c.Point, t.Reduced(base.Point)) {
				applyChoice(y.Written, base, &c, make([]study.Span, len(c.Paths)), &t.Tune)
				break
			}
		}
	}
	if problems := y.compose(nil); len(problems) > 0 {
		return nil, problems
	}
	return y, nil
}

// choose gives cells the setting that won a search, and returns it. An ablation keeps those values
// in which it differs from its method.
func (t *Tuning) choose(k int, cells []study.Cell) store.Choice {
	s, set := &t.searches[k], &t.Sets[k]
	base := t.base.Cells[s.arms[0]]
	out := store.Choice{Method: base.Method, Point: set.Point, Without: s.without}
	if set.Best < 0 {
		return out // it has nothing to tune
	}
	best := &set.Trials[set.Best]
	out.Paths, out.Values, out.Edges, out.Missed = set.Paths, best.Values, set.Edges, set.Missed
	switch out.Tried = len(set.Trials); {
	case best.Mean != nil:
		out.Mean = *best.Mean
	case t.fails(k):
		out.Fails = true
	default:
		out.Diverges = true
	}
	at := make([]study.Span, len(s.ranges))
	for n := range s.ranges {
		at[n] = s.ranges[n].At
	}
	applyChoice(cells, &base, &out, at, t.base.Tune)
	return out
}

// applyChoice gives the cells of a method at the points of a choice, of which base is one as it is
// written, what was chosen for it, and where its ranges are written.
func applyChoice(cells []study.Cell, base *study.Cell, chosen *store.Choice, at []study.Span,
	t *study.Tune,
) {
	for i := range cells {
		c := &cells[i]
		if c.Method != base.Method && c.Parent != base.Method ||
			!slices.Equal(t.Reduced(c.Point), chosen.Point) {
			continue
		}
		changed := *c
		for n, path := range chosen.Paths {
			own, has := c.Param(path)
			common, _ := base.Param(path)
			if c.Parent == "" || has && reflect.DeepEqual(own, common) {
				changed = changed.With(path, chosen.Values[n], at[n])
			}
		}
		cells[i] = changed
	}
}

// TrialPlan returns the plan of the trials of a run; nil where none has begun.
func TrialPlan(run store.Run) (*store.Plan, error) {
	if !isRun(Trials(run).Dir) {
		return nil, nil
	}
	return PlanOf(Trials(run))
}

// OpenTrials finds out what is known of the trials that come before the cells of a run; nil where
// there are none, or none has begun.
func (s *Session) OpenTrials(
	ctx context.Context, run store.Run, plan *store.Plan,
) (*RunState, error) {
	if plan.Tuning == nil || !plan.Tuning.Open {
		return nil, nil
	}
	known, err := TrialPlan(run)
	if err != nil || known == nil {
		return nil, err
	}
	return s.RunState(ctx, Trials(run), known)
}

// TrialsLeft says how many trials of a run are done, where they come before its cells; else it is
// empty.
func TrialsLeft(run store.Run, plan *store.Plan) (string, error) {
	if plan.Tuning == nil || !plan.Tuning.Open {
		return "", nil
	}
	c, err := trialCensus(run)
	switch {
	case err != nil:
		return "", fault.Of(err)
	case c.Done+c.Failed+c.Missing == 0:
		return "the trials of [tune] come first, none of which has begun", nil
	}
	text := fmt.Sprintf("the trials of [tune] come first: %d of %d are done", c.Done+c.Failed,
		c.Done+c.Failed+c.Missing)
	if plan.Tuning.Search == study.SearchHalving {
		text += ", and more follow where the search halves"
	}
	return text, nil
}
