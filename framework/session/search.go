package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/tune"
)

// A search is how the parameters of a method are chosen at a point of the sweep, or for all points
// that differ on the axes of study.Tune.Across alone.
type search struct {
	arms     []int // the first cell of the method at each of the points
	ranges   []study.Range
	without  []string // paths of ranges for all methods that this one does not have
	settings []tune.Setting
	brackets [][]int // settings that compete from the first round on: of the file, then added ones

	origins map[int]map[string]study.Span // of trials, by arm: all of an arm have the same
}

// searching returns the searches of an experiment: one for each method, ablations aside, at every
// point for which parameters are chosen, in the order of its cells. Problems are those of [tune]
// that the components decide. Where there are other problems some components are not resolved.
func (x *Experiment) searching(resolved bool) (all []search, problems study.Problems) {
	d := &deducer{x: x, used: map[study.Pos]bool{}, resolved: resolved,
		small: map[string][]string{}}
	for _, arms := range x.armsByChoice() {
		all = append(all, d.search(arms))
	}
	for i := range x.Tune.Space {
		if r := &x.Tune.Space[i]; !d.used[r.At.Key] && len(x.Cells) > 0 {
			d.absent(r)
		}
	}
	d.exceeding()
	return all, d.problems.Tidy()
}

// A deducer finds out which ranges are those of which methods.
type deducer struct {
	x        *Experiment
	resolved bool
	declared map[string][]string // parameters by slot and component
	used     map[study.Pos]bool  // ranges that some method has
	problems study.Problems

	small map[string][]string // methods by what the budget is too small for
}

func (d *deducer) fail(at study.Pos, hint, format string, args ...any) {
	d.problems = append(d.problems,
		study.Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// exceeding says what the budget is too small for, once for all methods of which that is true.
func (d *deducer) exceeding() {
	const most = 3 // methods that are named
	for _, why := range slices.Sorted(maps.Keys(d.small)) {
		methods := d.small[why]
		if more := len(methods) - most; more > 0 {
			methods = append(slices.Clone(methods[:most]), fmt.Sprintf("%d more", more))
		}
		d.fail(d.x.Tune.BudgetAt.Value, "raise it, or write search = \"random\"",
			"tune.budget: %s: %s", phrase.List(methods), why)
	}
}

// armsByChoice groups the first cells of methods at points, ablations aside, by what is chosen for
// them.
func (x *Experiment) armsByChoice() (groups [][]int) {
	known := map[string]int{}
	for _, i := range study.Arms(x.Cells) {
		c := &x.Cells[i]
		if c.Parent != "" {
			continue
		}
		key := fmt.Sprintf("%q %q", c.Method, x.Tune.Reduced(c.Point))
		g, found := known[key]
		if !found {
			g = len(groups)
			known[key], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// search returns the search of a method at points that differ on axes with one choice alone.
func (d *deducer) search(arms []int) search {
	s := search{arms: arms, origins: map[int]map[string]study.Span{}}
	t, c := d.x.Tune, &d.x.Cells[arms[0]]
	d.alike(arms)
	for _, r := range t.For(c.Method) {
		switch {
		case d.has(c, r.Path):
			d.used[r.At.Key] = true
			s.ranges = append(s.ranges, r)
		case r.Method == "":
			s.without = append(s.without, r.Path)
		}
	}
	for k := range t.Space { // one of a method alone stands for the one of all
		if own := &t.Space[k]; own.Method == "" && !t.Of(c.Method, own) && d.has(c, own.Path) {
			d.used[own.At.Key] = true
		}
	}
	d.measured(c)
	if t.Required && c.Role == "" && len(s.ranges) == 0 {
		d.fail(c.Origins["method"].Value, "add a parameter of it to [tune.space], or a role",
			"report.tuned: no parameter of method %q is tuned", c.Method)
	}
	var err error
	if s.settings, err = tune.Settings(t.Search, t.Budget, s.ranges); err != nil {
		if why := err.Error(); !slices.Contains(d.small[why], c.Method) {
			d.small[why] = append(d.small[why], c.Method)
		}
	}
	s.bracket(0)
	for _, added := range d.x.added(c) {
		from := len(s.settings)
		for _, with := range added {
			if len(with) == len(s.ranges) {
				s.settings = append(s.settings, with)
			}
		}
		s.bracket(from)
	}
	return s
}

// alike wants cells for which there is one choice to have the same parameters to choose, and as
// many rounds.
func (d *deducer) alike(arms []int) {
	t, c := d.x.Tune, &d.x.Cells[arms[0]]
	for _, i := range arms[1:] {
		o := &d.x.Cells[i]
		if o.Rounds != c.Rounds || o.Every != c.Every {
			d.fail(t.At.Key, "leave the axis out of across", "tune.across: %s and %s have other "+
				"rounds", c.ArmLabel(), o.ArmLabel())
			return
		}
		for _, r := range t.For(c.Method) {
			if d.has(c, r.Path) != d.has(o, r.Path) {
				d.fail(r.At.Key, "leave the axis out of across", "tune.across: of %s and %s only "+
					"one has the parameter %s", c.ArmLabel(), o.ArmLabel(), r.Path)
			}
		}
	}
}

// measured wants a method to take the measure that decides, on test data.
func (d *deducer) measured(c *study.Cell) {
	t := d.x.Tune
	var fit []string
	own := -1
	for k := range c.Measures {
		q := d.x.Tools.Registry.Quantity(c, &c.Measures[k])
		if slices.ContainsFunc(q, func(in study.Ingredient) bool {
			return in.Name == study.OfTest
		}) {
			fit = append(fit, c.Measures[k].Key)
		}
		if c.Measures[k].Key == t.By {
			own = k
		}
	}
	hint := "no measure here is"
	if len(fit) > 0 {
		hint = "these are: " + strings.Join(fit, ", ")
	}
	switch {
	case own < 0 && !d.resolved && !d.x.measures(t.By):
		// that there is no such measure is said elsewhere, once
	case own < 0:
		d.fail(t.ByAt.Value, "", "tune.by: method %q does not measure %q", c.Method, t.By)
	case !slices.Contains(fit, t.By):
		d.fail(t.ByAt.Value, hint, "tune.by: %q is not measured on test data, and so not on "+
			"validation samples", t.By)
	}
}

// measures reports whether some cell takes a measure.
func (x *Experiment) measures(key string) bool {
	return slices.ContainsFunc(x.Cells, func(c study.Cell) bool {
		return slices.ContainsFunc(c.Measures, func(m study.Measure) bool { return m.Key == key })
	})
}

// has reports whether a component of a cell has the parameter at a path. Of a component that does
// not exist this is not known, and said elsewhere.
func (d *deducer) has(c *study.Cell, path string) bool {
	if _, found := c.Param(path); found {
		return true
	}
	p, ok := c.PlaceOf(path)
	if !ok {
		return false
	}
	if d.declared == nil {
		d.declare()
	}
	known, exists := d.declared[p.Slot+" "+p.Name]
	return !exists || (len(p.Keys) == 1 || !d.resolved) && slices.Contains(known, p.Keys[0])
}

// declare lists the parameters that components have.
func (d *deducer) declare() {
	d.declared = map[string][]string{}
	for _, k := range d.x.Tools.Registry.Kinds() {
		for _, e := range k.Entries {
			names := []string{}
			for _, s := range e.Params {
				names = append(names, s.Name)
			}
			d.declared[k.Name+" "+e.Name] = names
		}
	}
}

// absent says that no method has the parameter of a range, and which one was probably meant.
func (d *deducer) absent(r *study.Range) {
	var known []string
	for _, i := range study.Arms(d.x.Cells) {
		c := &d.x.Cells[i]
		if r.Method != "" && c.Method != r.Method {
			continue
		}
		for _, slot := range study.Tunable() {
			known = append(known, c.Paths(slot)...)
			for _, name := range d.declared[slot+" "+c.Picks[slot].Name] {
				known = append(known, slot+"."+name)
			}
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	slot, _, _ := strings.Cut(r.Path, ".")
	if own := slices.DeleteFunc(slices.Clone(known), func(path string) bool {
		return !strings.HasPrefix(path, slot+".")
	}); len(own) > 0 {
		known = own
	}
	who := "no method has"
	if r.Method != "" {
		who = fmt.Sprintf("method %q does not have", r.Method)
	}
	d.fail(r.At.Key, study.Suggest(r.Path, known), "tune.space: %s the parameter %s", who, r.Path)
}

// bracket has the settings from an index on compete with each other.
func (s *search) bracket(from int) {
	var all []int
	for i := from; i < len(s.settings); i++ {
		all = append(all, i)
	}
	if len(all) > 0 {
		s.brackets = append(s.brackets, all)
	}
}

// trials returns the cells that try settings of a search, seed by seed at one point after another,
// and stop after a round, or after the last one for 0.
func (x *Experiment) trials(s *search, settings []int, stop int) (cells []study.Cell) {
	for _, i := range settings {
		for _, arm := range s.arms {
			for _, seed := range x.Tune.Seeds {
				cells = append(cells, x.trial(s, arm, s.settings[i], seed, stop))
			}
		}
	}
	return cells
}

// trial returns the cell that tries a setting at a point with a seed.
func (x *Experiment) trial(
	s *search, arm int, with tune.Setting, seed uint64, stop int,
) study.Cell {
	c := x.Cells[arm]
	if known := s.origins[arm]; known != nil {
		c.Origins = known
	}
	for k, r := range s.ranges {
		c = c.With(r.Path, with[k], r.At)
	}
	s.origins[arm] = c.Origins
	c.Seed, c.Validated, c.Stop = seed, x.Tune.Share, stop
	if !c.SameData {
		c.DataSeed = seed
	}
	c.Measures = slices.DeleteFunc(slices.Clone(c.Measures), func(m study.Measure) bool {
		return m.Key != x.Tune.By
	})
	label := s.label(with)
	if stop > 0 {
		label += fmt.Sprintf(", %d of %d rounds", stop, c.Rounds)
	}
	c.Point = append(slices.Clip(c.Point), study.Coordinate{Axis: study.TrialAxis, Label: label})
	return c
}

// label writes a setting as it is read: "lr = 0.1, mu = 1".
func (s *search) label(with tune.Setting) string {
	var labels []string
	for k, r := range s.ranges {
		labels = append(labels, study.ValueLabel(r.Path, with[k]))
	}
	return strings.Join(labels, ", ")
}

// stops returns after which rounds so many settings of a search are compared; 0 stands for the
// last one.
func (s *search) stops(x *Experiment, settings int) []int {
	if x.Tune.Search != study.SearchHalving {
		return []int{0}
	}
	c := &x.Cells[s.arms[0]]
	stops := tune.Stops(settings, c.Rounds, c.Every)
	stops[len(stops)-1] = 0
	return stops
}

// mostTrials is how many trials [tune] may have.
const mostTrials = 1_000_000

// prepareTuning finds the searches of an experiment that was read, and composes their first trials,
// so that what no component accepts is told before anything runs. Where the experiment has problems
// already the trials have them, too: then only what is wrong with values of ranges is told of them.
func (x *Experiment) prepareTuning(known study.Problems) study.Problems {
	if x.Tune = x.Spec.Tune; x.Tune == nil {
		return known
	}
	all, problems := x.searching(len(known) == 0)
	trials := 0
	for i := range all {
		trials += len(all[i].settings) * len(all[i].arms) * len(x.Tune.Seeds)
	}
	if trials > mostTrials {
		problems = append(problems, study.Problem{Pos: x.Tune.BudgetAt.Value, Message: fmt.Sprintf(
			"tune.budget: there are %d trials, more than %d", trials, mostTrials)})
		return append(known, problems...)
	}
	x.trialCells = trials
	known = append(known, problems...)
	of := map[study.Pos]bool{}
	for i := range x.Tune.Space {
		of[x.Tune.Space[i].At.Key], of[x.Tune.Space[i].At.Value] = true, true
	}
	only := len(known) > 0
	seen := map[study.Pos]bool{} // a bound that is wrong is so in many trials
	for i := range all {
		s := &all[i]
		y := &Experiment{Folder: x.Folder, Tools: x.Tools}
		for _, b := range s.brackets {
			y.Written = append(y.Written, x.trials(s, b, s.stops(x, len(b))[0])...)
		}
		for _, p := range y.compose(nil) {
			if !seen[p.Pos] && (of[p.Pos] || !only) {
				seen[p.Pos] = true
				known = append(known, p)
			}
		}
	}
	return known
}

// opened returns the tuning of an experiment of which nothing is chosen yet.
func (x *Experiment) opened() *store.Tuning {
	if x.Tune == nil {
		return nil
	}
	return &store.Tuning{Tune: *x.Tune, Added: x.Added, Open: true}
}
