package session

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/tune"
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
	trials   *Experiment        // those that are known to be needed
	index    map[trial]int      // the first of its cells: one for each seed, at each point
	values   map[string]float64 // of trials that are done, by identity; NaN of those that diverged
	higher   bool               // larger values are better
	stumbled map[string]bool    // trials that failed, and did not diverge, by identity
	failed   map[place]bool     // where all trials failed, and did not diverge
	unit     string             // of the metric that decides; "": none, or it is not known yet
	Sets     []TrialSet         // by search
}

// A trial is a setting of a search that is trained until a round.
type trial struct{ search, setting, stop int }

// A place is a search, and the index of one of the points over which a result of it is the worst.
type place struct{ search, point int }

// A TrialSet is what is known of the trials of a method at a point of the sweep. The point has no
// coordinate on axes along which there is one setting; results are the worst over these.
type TrialSet struct {
	Method string             `json:"method"`
	Point  []study.Coordinate `json:"point,omitempty"`
	Paths  []string           `json:"paths"`
	Trials []Trial            `json:"trials"`
	Best   int                `json:"best"` // the trial that won, −1 while none has
	Higher bool               `json:"higher"`
	Unit   string             `json:"unit,omitempty"` // of results
	Edges  []string           `json:"edges,omitempty"`
	Across []string           `json:"across,omitempty"` // axes over which results are the worst
	// Missed are the points of these axes at which all trials failed: results are without them.
	Missed [][]study.Coordinate `json:"missed,omitempty"`
	lost   bool                 // all trials of all settings diverged
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
	Failed  bool               `json:"failed,omitempty"`  // with some seed, and not by divergence
}

// OpenTuning returns the tuning of an experiment whose run lies in a folder, as far as it is. The
// plan is that of the run. Nothing is stored.
func (s *Session) OpenTuning(x *Experiment, run store.Run, plan *store.Plan) (*Tuning, error) {
	x.inherit(run)
	t := &Tuning{Session: s, run: run, plan: plan, base: x, index: map[trial]int{},
		values: map[string]float64{}, failed: map[place]bool{}, stumbled: map[string]bool{},
		trials: &Experiment{Spec: x.Spec, Folder: x.Folder, Tools: x.Tools}}
	var problems study.Problems
	if t.searches, problems = x.searching(true); len(problems) > 0 {
		return nil, problems
	}
	_, err := t.advance()
	return t, err
}

// TuningOf returns the tuning of a run as it was planned; only are the filters of --only.
func (s *Session) TuningOf(run store.Run, plan *store.Plan, only []string) (*Tuning, error) {
	if plan.Tuning == nil {
		return nil, fmt.Errorf("the parameters of %s are those of its file: there is no [tune]",
			run.Dir)
	}
	x, err := RebuildOnly(run, plan, only, Budget)
	if err != nil {
		return nil, err
	}
	t, err := s.OpenTuning(x, run, plan)
	if err != nil {
		return nil, err
	}
	return t, t.recall()
}

// recall takes from the plan of a run where all trials of a method failed, which is found out as
// they run.
func (t *Tuning) recall() error {
	for k := range t.searches {
		s := &t.searches[k]
		one := t.plan.Tuning.Choice(&t.base.Cells[s.arms[0]])
		if one == nil {
			continue
		}
		for n, arm := range s.arms {
			at := t.base.Tune.Joined(t.base.Cells[arm].Point)
			t.failed[place{k, n}] = one.Fails || slices.ContainsFunc(one.Missed,
				func(point []study.Coordinate) bool { return slices.Equal(point, at) })
		}
	}
	_, err := t.advance()
	return err
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

// Shown returns the trials of those methods and points that --only keeps.
func (t *Tuning) Shown() (sets []TrialSet) {
	for k := range t.Sets {
		if t.shown(&t.searches[k]) {
			sets = append(sets, t.Sets[k])
		}
	}
	return sets
}

// shown reports whether --only keeps a cell of the method of a search, or of an ablation of it, at
// its point.
func (t *Tuning) shown(s *search) bool {
	for i := range t.base.Cells {
		if t.base.Shown[i] && t.serves(s, &t.base.Cells[i]) {
			return true
		}
	}
	return false
}

// serves reports whether a cell gets what a search chooses.
func (t *Tuning) serves(s *search, c *study.Cell) bool {
	own := &t.base.Cells[s.arms[0]]
	return (c.Method == own.Method || c.Parent == own.Method) &&
		slices.Equal(t.base.Tune.Reduced(c.Point), t.base.Tune.Reduced(own.Point))
}

// label names the method of a search, and the point.
func (t *Tuning) label(s *search) string {
	c := &t.base.Cells[s.arms[0]]
	return (&study.Cell{Method: c.Method, Point: t.base.Tune.Reduced(c.Point)}).ArmLabel()
}

// advance goes through all searches as far as results lead, and reports whether each of them has a
// winner. Trials that are needed next are added.
func (t *Tuning) advance() (whole bool, err error) {
	whole, t.Sets = true, make([]TrialSet, len(t.searches))
	for k := range t.searches {
		s := &t.searches[k]
		c := &t.base.Cells[s.arms[0]]
		set := &t.Sets[k]
		*set = TrialSet{Method: c.Method, Point: t.base.Tune.Reduced(c.Point), Best: -1,
			Across: t.base.Tune.Across}
		for _, r := range s.ranges {
			set.Paths = append(set.Paths, r.Path)
		}
		for _, with := range s.settings {
			set.Trials = append(set.Trials, Trial{Values: with})
		}
		if len(s.settings) == 0 {
			continue
		}
		// The plan has the trials of methods that --only leaves out, too: they are none that could
		// be removed.
		shown := t.shown(s)
		if err := t.follow(k, shown); err != nil && shown {
			return false, err
		}
		whole = whole && (set.Best >= 0 || !shown)
	}
	return whole, t.ruined()
}

// ruined returns an error where every trial of a method diverged, at all points that are shown: its
// ranges are wrong. At some of its points that is a result, which costs the cells of these points.
func (t *Tuning) ruined() error {
	saved := map[string]bool{} // methods
	for k := range t.Sets {
		if set := &t.Sets[k]; !set.lost && t.shown(&t.searches[k]) {
			saved[set.Method] = true
		}
	}
	for k := range t.Sets {
		if set := &t.Sets[k]; set.lost && !saved[set.Method] && t.shown(&t.searches[k]) {
			return fault.Of(fmt.Errorf("[tune]: %s: all %d settings diverged; lower the ranges",
				set.Method, len(set.Trials)))
		}
	}
	return nil
}

// follow goes through one search: the best of all settings that were trained to the end wins.
func (t *Tuning) follow(k int, shown bool) error {
	s, set := &t.searches[k], &t.Sets[k]
	set.Missed = t.missed(k)
	var ended []int
	var means []float64
	open := false
	for _, b := range s.brackets {
		last, worth, missing, err := t.halve(k, b, shown)
		if err != nil {
			return err
		}
		ended, means, open = append(ended, last...), append(means, worth...), open || missing
	}
	set.Higher, set.Unit = t.higher, t.unit
	if t.fails(k) {
		set.Best, set.Missed = 0, nil
		return nil
	}
	if open {
		return nil
	}
	order := tune.Ranking(means, t.higher)
	if len(order) > 0 {
		set.Best = ended[order[0]]
	} else {
		set.Best, set.lost = t.leastLost(k, ended, 0)
	}
	set.Edges = tune.Edges(s.ranges, s.settings, s.settings[set.Best])
	return nil
}

// halve goes through settings of a search that compete from the first round on, and returns those
// that go to the end, with their means, as far as results lead. Only trials that are shown are run.
func (t *Tuning) halve(k int, open []int, shown bool) (
	last []int, means []float64, missing bool, err error,
) {
	s, set := &t.searches[k], &t.Sets[k]
	for _, stop := range s.stops(t.base, len(open)) {
		if err := t.add(k, open, stop, shown); err != nil {
			return nil, nil, false, err
		}
		if means, missing = t.means(k, open, stop); missing || stop == 0 {
			break
		}
		var next []int
		for _, i := range tune.Survivors(means, t.higher) {
			next = append(next, open[i])
		}
		if len(next) == 0 {
			best, _ := t.leastLost(k, open, stop)
			next = []int{best}
		}
		for _, i := range open {
			set.Trials[i].Stopped = !slices.Contains(next, i)
		}
		open = next
	}
	return open, means, missing, nil
}

// add composes the cells of some settings of a search that are not there yet.
func (t *Tuning) add(k int, settings []int, stop int, shown bool) error {
	x, each := t.trials, len(t.searches[k].arms)*len(t.base.Tune.Seeds)
	var fresh []int
	for _, i := range settings {
		key := trial{k, i, stop}
		if _, known := t.index[key]; !known {
			t.index[key] = len(x.Cells) + len(fresh)*each
			fresh = append(fresh, i)
		}
	}
	y := &Experiment{Tools: t.base.Tools, Written: t.base.trials(&t.searches[k], fresh, stop)}
	if problems := y.compose(nil); len(problems) > 0 {
		return problems
	}
	x.Written, x.Cells = append(x.Written, y.Written...), append(x.Cells, y.Cells...)
	x.setups, x.IDs = append(x.setups, y.setups...), append(x.IDs, y.IDs...)
	x.foreign, x.work = append(x.foreign, y.foreign...), append(x.work, y.work...)
	x.Shown = append(x.Shown, slices.Repeat([]bool{shown}, len(y.Cells))...)
	return nil
}
