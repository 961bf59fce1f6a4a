package session

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/tune"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A Tuning chooses the parameters of an experiment with [tune]. Its trials are cells of a run of
// their own, in the folder tune/ of the run. Which trials there are follows from the results of
// those that are done, and from nothing else: a tuning goes on wherever it was.
type Tuning struct {
	*Session
	run      store.Run   // whose cells are reported
	plan     *store.Plan // of that run
	base     *Experiment // whose parameters are chosen
	searches []search
	trials   *Experiment // those that are known to be needed
	index    map[trial]int
	values   map[string]float64 // of trials that are done, by identity; NaN of those that diverged
	higher   bool               // larger values are better
	Sets     []TrialSet         // by search
}

// A trial is a cell of a tuning.
type trial struct {
	search, setting int
	seed            uint64
	stop            int
}

// A TrialSet is what is known of the trials of a method at a point of the sweep.
type TrialSet struct {
	Method string             `json:"method"`
	Point  []study.Coordinate `json:"point,omitempty"`
	Paths  []string           `json:"paths"`
	Trials []Trial            `json:"trials"`
	Best   int                `json:"best"` // the trial that won, −1 while none has
	Higher bool               `json:"higher"`
	Edges  []string           `json:"edges,omitempty"`
}

// A Trial is a setting, and what came of it with each seed.
type Trial struct {
	Values  study.Values       `json:"values"`            // parallel to the paths of the set
	Rounds  int                `json:"rounds"`            // after which it was compared last
	Results map[uint64]float64 `json:"results"`           // by seed, where they are finite
	Lost    []uint64           `json:"lost,omitempty"`    // seeds with which it diverged
	Mean    *float64           `json:"mean,omitempty"`    // over all seeds; nil: not known
	SD      *float64           `json:"sd,omitempty"`      // the same, of two seeds or more
	Stopped bool               `json:"stopped,omitempty"` // when the search halved
}

// OpenTuning returns the tuning of an experiment whose run lies in a folder, as far as it is. The
// plan is that of the run. Nothing is stored.
func (s *Session) OpenTuning(x *Experiment, run store.Run, plan *store.Plan) (*Tuning, error) {
	x.inherit(run)
	t := &Tuning{Session: s, run: run, plan: plan, base: x, index: map[trial]int{},
		values: map[string]float64{},
		trials: &Experiment{Spec: x.Spec, Folder: x.Folder, Tools: x.Tools}}
	var problems study.Problems
	if t.searches, problems = x.searching(); len(problems) > 0 {
		return nil, problems
	}
	_, err := t.advance()
	return t, err
}

// TrialSets returns what is known of the trials of a run.
func (s *Session) TrialSets(run store.Run, plan *store.Plan) ([]TrialSet, error) {
	if plan.Tuning == nil {
		return nil, fmt.Errorf("the parameters of %s are those of its file: there is no [tune]",
			run.Dir)
	}
	x, err := RebuildOnly(run, plan, nil, Budget)
	if err != nil {
		return nil, err
	}
	t, err := s.OpenTuning(x, run, plan)
	if err != nil {
		return nil, err
	}
	return t.Sets, nil
}

// Extend widens the ranges of a run at whose edge a winner lies, see Tuning.Extend.
func (s *Session) Extend(run store.Run, plan *store.Plan) (added int, err error) {
	x, err := RebuildOnly(run, plan, nil, Budget)
	if err != nil {
		return 0, err
	}
	t, err := s.OpenTuning(x, run, plan)
	if err != nil {
		return 0, err
	}
	return t.Extend()
}

// Seeds lists the seeds with which a trial has ended, in ascending order.
func (t *Trial) Seeds() []uint64 {
	all := slices.AppendSeq(slices.Clone(t.Lost), maps.Keys(t.Results))
	return slices.Sorted(slices.Values(all))
}

// Trials returns the run of the trials of a run.
func Trials(run store.Run) store.Run {
	return store.Run{Dir: filepath.Join(run.Dir, store.TuneDir)}
}

// shown reports whether --only keeps a cell of the method of a search, or of an ablation of it, at
// its point.
func (t *Tuning) shown(s *search) bool {
	c := &t.base.Cells[s.arm]
	for i := range t.base.Cells {
		o := &t.base.Cells[i]
		if t.base.Shown[i] && (o.Method == c.Method || o.Parent == c.Method) &&
			slices.Equal(o.Point, c.Point) {
			return true
		}
	}
	return false
}

// advance goes through all searches as far as results lead, and reports whether each of them has a
// winner. Trials that are needed next are added.
func (t *Tuning) advance() (whole bool, err error) {
	whole, t.Sets = true, make([]TrialSet, len(t.searches))
	for k := range t.searches {
		s := &t.searches[k]
		c := &t.base.Cells[s.arm]
		set := &t.Sets[k]
		*set = TrialSet{Method: c.Method, Point: c.Point, Best: -1}
		for _, r := range s.ranges {
			set.Paths = append(set.Paths, r.Path)
		}
		for _, with := range s.settings {
			set.Trials = append(set.Trials, Trial{Values: with})
		}
		if len(s.settings) == 0 || !t.shown(s) {
			continue
		}
		if err := t.follow(k); err != nil {
			return false, err
		}
		whole = whole && set.Best >= 0
	}
	return whole, nil
}

// follow goes through one search.
func (t *Tuning) follow(k int) error {
	s, set := &t.searches[k], &t.Sets[k]
	open := make([]int, len(s.settings))
	for i := range open {
		open[i] = i
	}
	for _, stop := range s.stops(t.base) {
		if err := t.add(k, open, stop); err != nil {
			return err
		}
		scores, missing := t.scores(k, open, stop)
		set.Higher = t.higher
		if missing {
			return nil
		}
		order := tune.Ranking(scores, t.higher)
		if len(order) == 0 {
			return fault.Of(fmt.Errorf("[tune]: %s: all %d settings diverged; lower the ranges",
				t.base.Cells[s.arm].ArmLabel(), len(s.settings)))
		}
		if stop == 0 {
			set.Best = open[order[0]]
			set.Edges = tune.Edges(s.ranges, s.settings, s.settings[set.Best])
			return nil
		}
		var next []int
		for _, i := range tune.Survivors(scores, t.higher) {
			next = append(next, open[i])
		}
		for _, i := range open {
			set.Trials[i].Stopped = !slices.Contains(next, i)
		}
		open = next
	}
	return nil
}

// add composes the cells of some settings of a search that are not there yet.
func (t *Tuning) add(k int, settings []int, stop int) error {
	s := &t.searches[k]
	y := &Experiment{Tools: t.base.Tools}
	for _, i := range settings {
		for _, seed := range t.base.Tune.Seeds {
			key := trial{k, i, seed, stop}
			if _, known := t.index[key]; known {
				continue
			}
			t.index[key] = len(t.trials.Cells) + len(y.Written)
			y.Written = append(y.Written, t.base.trial(s, s.settings[i], seed, stop))
		}
	}
	if problems := y.compose(nil); len(problems) > 0 {
		return problems
	}
	x := t.trials
	x.Written, x.Cells = append(x.Written, y.Written...), append(x.Cells, y.Cells...)
	x.setups, x.IDs = append(x.setups, y.setups...), append(x.IDs, y.IDs...)
	x.foreign = append(x.foreign, y.foreign...)
	x.Shown = append(x.Shown, slices.Repeat([]bool{true}, len(y.Cells))...)
	return nil
}

// scores returns what some settings of a search are worth after a round, and whether some trials
// have yet to end.
func (t *Tuning) scores(k int, settings []int, stop int) (scores []tune.Score, missing bool) {
	for _, i := range settings {
		one := &t.Sets[k].Trials[i]
		*one = Trial{Values: one.Values, Results: map[uint64]float64{}}
		var score tune.Score
		for _, seed := range t.base.Tune.Seeds {
			at := t.index[trial{k, i, seed, stop}]
			one.Rounds = t.trials.Cells[at].Played()
			x, done := t.value(at)
			switch {
			case !done:
				missing = true
				continue
			case math.IsNaN(x) || math.IsInf(x, 0):
				one.Lost = append(one.Lost, seed)
			default:
				one.Results[seed] = x
			}
			score = append(score, x)
		}
		scores = append(scores, score)
		if len(score) == len(t.base.Tune.Seeds) && !score.Lost() {
			mean, sd := score.Mean(), score.SD()
			if one.Mean = &mean; len(score) > 1 {
				one.SD = &sd
			}
		}
	}
	return scores, missing
}

// value returns what a trial measured: the mean over the window of the report, at its end. It is
// NaN of one that diverged.
func (t *Tuning) value(at int) (x float64, done bool) {
	id, run := t.trials.IDs[at], Trials(t.run)
	if x, done = t.values[id]; done {
		return x, true
	}
	result, err := run.Get(id, &t.trials.Cells[at])
	if err != nil && !errors.Is(err, store.ErrCorrupt) { // which is computed again
		t.Unreadable(err)
	}
	if result == nil {
		failure, err := run.LoadFailure(id)
		if err != nil || failure == nil || !engine.Diverged(failure.Message) {
			return 0, false
		}
		t.values[id] = math.NaN()
		return t.values[id], true
	}
	for _, s := range result.Series {
		if s.Key != t.base.Tune.By {
			continue
		}
		window := infer.Window(t.plan.Report.Final, result.Rounds)
		for _, round := range window {
			x += s.Values[slices.Index(result.Rounds, round)] / float64(len(window))
		}
		t.values[id], t.higher = x, s.Higher
	}
	return x, true
}
