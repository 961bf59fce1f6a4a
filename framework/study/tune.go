package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Tune says how parameters of methods are chosen before the methods are reported.
type Tune struct {
	Budget int      `json:"budget"`     // settings per method at each point, in [1, MostBudget]
	By     string   `json:"by"`         // key of the measure that decides
	Seeds  []uint64 `json:"seeds"`      // none of those that are reported
	Search string   `json:"search"`     // one of Searches
	Share  float64  `json:"validation"` // of each client's training samples, in (0, 1)
	Space  []Range  `json:"space"`      // in the order of the file

	// Across are axes along which a method has one setting: the one with the best mean over seeds
	// of the worst value over their points. On other axes every point has a setting of its own.
	Across []string `json:"across,omitempty"`

	Required bool `json:"required,omitempty"` // every method that is ranked has to be tuned

	At, BudgetAt, ByAt, RequiredAt Span `json:"-"`
}

// A Range is what a parameter is chosen from.
type Range struct {
	Method string  `json:"method,omitempty"` // its label; empty: all that have the parameter
	Path   string  `json:"path"`             // of the parameter in a setting: "local.lr"
	Scale  string  `json:"scale"`            // one of Scales, or ListScale
	Low    float64 `json:"low,omitempty"`    // the least value; 0 of a list
	High   float64 `json:"high,omitempty"`   // the largest value, above Low; 0 of a list
	Values Values  `json:"values,omitempty"` // of a list, all different

	At Span `json:"-"`
}

// The searches: the product of the values of all parameters; points of a low-discrepancy sequence;
// the same points, of which after a part of the rounds only the better third goes on.
const (
	SearchGrid    = "grid"
	SearchRandom  = "random"
	SearchHalving = "halving"
)

// The scales of a range.
const (
	LogScale     = "log"     // equal ratios are equal distances
	LinearScale  = "linear"  // equal differences are
	IntegerScale = "integer" // the same, of integers
	ListScale    = "list"    // values one by one
)

// Limits of [tune].
const (
	MostBudget   = 10_000 // settings per method
	defaultShare = 0.2    // of the training samples of a client
	mostValues   = 1000   // of a parameter
)

// TrialAxis is the axis on which the trials of a search lie; no axis of a file with [tune] is
// called so.
const TrialAxis = "trial"

// Searches returns the names of the searches.
func Searches() []string { return []string{SearchGrid, SearchRandom, SearchHalving} }

// Scales returns the scales of a range.
func Scales() []string { return []string{LogScale, LinearScale, IntegerScale} }

// tuneKeys are the keys of [tune].
var tuneKeys = []string{"budget", "by", "seeds", "search", "validation", "space", "across"}

// tunable are the keys of a setting below which parameters are tuned: those of a method, and the
// model. What methods share is part of the question, not of a method.
var tunable = append(slotsThat(func(s slot) bool { return s.ofMethod }), chainKey, "model")

// tune checks [tune].
func (r *reader) tune(s *Spec, f field) *Tune {
	out := &Tune{Search: SearchGrid, Share: defaultShare, At: f.at}
	t, _ := f.value.(table)
	t = r.mend(t, "[tune]", tuneKeys, nil)
	for _, key := range []string{"budget", "by", "seeds", "space"} {
		if _, ok := t.get(key); !ok {
			r.fail(f.at.Key, tuneRemedy[key], "[tune] has no %s", key)
		}
	}
	for _, f := range t {
		what := "tune." + f.key
		switch f.key {
		case "budget":
			v, _ := r.between(what, f.node, 1, MostBudget)
			out.Budget, out.BudgetAt = int(v), f.at
		case "by":
			out.By, out.ByAt = r.name(what, "measure", f.node, s.measured()), f.at
			if s.bestOf(out.By) {
				r.fail(f.at.Value, "leave iterate = \"best\" out, or name another measure",
					"tune.by: %q is the best of all evaluations, and a trial is worth its last "+
						"ones", out.By)
			}
		case "seeds":
			out.Seeds = r.tuneSeeds(s, f.node)
		case "search":
			out.Search, _ = r.choice(what, f.node, Searches()...)
		case "validation":
			if r.share(what, f.node) {
				out.Share = table{f}.number(f.key)
			}
			if out.Share == 0 {
				r.fail(f.at.Value, "0.2 is the default", "%s: 0 leaves no validation samples", what)
			}
		case "across":
			out.Across = r.acrossAxes(s, f)
		case "space":
			if v, ok := f.value.(table); ok {
				out.Space = r.space(s, v, f.at)
			} else {
				r.wrongType(what, "a table", f.node)
			}
		}
	}
	for _, a := range s.Axes {
		if a.Name == TrialAxis {
			r.fail(a.at.Key, "", "an axis cannot be called %q beside [tune]", a.Name)
		}
	}
	return out
}

// acrossAxes returns the axes along which a method has one setting.
func (r *reader) acrossAxes(s *Spec, f field) (all []string) {
	for _, n := range r.texts("tune.across", f.node) {
		name, ok := r.axisOf(s, "tune.across", n)
		if ok && slices.Contains(all, name) {
			r.fail(n.at.Value, "", "tune.across: axis %q is listed twice", name)
			continue
		}
		all = append(all, name)
	}
	return all
}

// worstOfTuned refuses a worst value over points of which each has a setting of its own: the
// parameters would know at which point they are used.
func (r *reader) worstOfTuned(s *Spec, report table) {
	n, ok := report.get("worst")
	if !ok || s.Tune == nil || s.Report.Worst == "" ||
		slices.Contains(s.Tune.Across, s.Report.Worst) {
		return
	}
	r.fail(n.at.Value, fmt.Sprintf("write across = [%q] in [tune]: one setting for all its points",
		LastPart(s.Report.Worst)),
		"report.worst: [tune] chooses parameters for each point of axis %q", s.Report.Worst)
}

// Reduced returns the part of a point of the sweep for which there is one setting: what lies on
// axes that are not across.
func (t *Tune) Reduced(point []Coordinate) []Coordinate {
	if len(t.Across) == 0 {
		return point
	}
	return slices.DeleteFunc(slices.Clone(point), func(c Coordinate) bool {
		return slices.Contains(t.Across, c.Axis)
	})
}

// Joined returns the rest of a point of the sweep: what lies on axes that are across.
func (t *Tune) Joined(point []Coordinate) []Coordinate {
	return slices.DeleteFunc(slices.Clone(point), func(c Coordinate) bool {
		return !slices.Contains(t.Across, c.Axis)
	})
}

// tuneRemedy says what to write where a key of [tune] is missing.
var tuneRemedy = map[string]string{
	"budget": "budget = 20 are the settings that each method may try",
	"by":     "by = \"…\" is the key of a measure, taken on validation samples",
	"seeds":  "seeds = [100, 101] are those of the trials, none of which is reported",
	"space":  "\"local.lr\" = { log = [1e-3, 1.0] } below [tune.space] is one parameter",
}

// tunedRequired is the value of tuned in [report] with which each method that is ranked has to be
// tuned.
const tunedRequired = "required"

// tuned refuses a report of tuned methods where there is no [tune].
func (r *reader) tuned(s *Spec, report table) {
	n, ok := report.get("tuned")
	if !ok || n.value != tunedRequired {
		return
	}
	if s.Tune == nil {
		r.fail(n.at.Value, "write [tune], or leave it out", "report.tuned: there is no [tune]")
		return
	}
	s.Tune.Required, s.Tune.RequiredAt = true, n.at
}

// tuneSeeds returns the seeds of the trials, none of which is reported.
func (r *reader) tuneSeeds(s *Spec, n node) []uint64 {
	seeds := r.seeds(n)
	for i, seed := range seeds {
		if !slices.Contains(s.Seeds, seed) {
			continue
		}
		at := n.at.Value
		if items, ok := n.value.(list); ok {
			at = items[i].at.Value
		}
		r.fail(at, "choose others, such as "+strings.Join(unreported(s.Seeds), ", "),
			"tune.seeds: %d is a seed that is reported: what it is tuned on, it cannot test", seed)
	}
	return seeds
}

// unreported returns two seeds from 100 on that are none of those that are reported.
func unreported(seeds []uint64) (free []string) {
	for seed := uint64(100); len(free) < 2; seed++ {
		if !slices.Contains(seeds, seed) {
			free = append(free, strconv.FormatUint(seed, 10))
		}
	}
	return free
}

// space returns the ranges of [tune.space].
func (r *reader) space(s *Spec, t table, at Span) (all []Range) {
	if len(t) == 0 {
		r.fail(at.Key, tuneRemedy["space"], "tune.space: is empty")
	}
	seen := map[string]bool{}
	for _, f := range unnested("", t) {
		one, ok := r.rangeOf(s, f)
		if !ok {
			continue
		}
		if name := one.Method + ": " + one.Path; seen[name] {
			r.fail(f.at.Key, "", "tune.space: %q is written twice", f.key)
		} else {
			seen[name] = true
			all = append(all, one)
		}
	}
	return all
}

// unnested returns the fields of a space with their whole paths: local.lr without quotes is a
// table in a table.
func unnested(prefix string, t table) (all []field) {
	for _, f := range t {
		f.key = prefix + f.key
		below, _ := f.value.(table)
		tables := slices.ContainsFunc(below, func(b field) bool { return isTable(b.node) })
		if tables || len(below) > 0 && slices.Contains(settingKeys, f.key) {
			all = append(all, unnested(f.key+".", below)...)
			continue
		}
		all = append(all, f)
	}
	return all
}

// rangeOf checks one parameter of a space.
func (r *reader) rangeOf(s *Spec, f field) (Range, bool) {
	before := len(r.problems)
	out := Range{Path: f.key, At: f.at}
	for _, label := range s.Methods {
		if rest, ok := strings.CutPrefix(f.key, label+":"); ok && len(label) > len(out.Method) {
			out.Method, out.Path = label, strings.TrimSpace(rest)
		}
	}
	if label, _, ok := strings.Cut(f.key, ":"); ok && out.Method == "" {
		r.fail(f.at.Key, r.suggest(label, s.Methods), "tune.space: no method %q", label)
		return out, false
	}
	for _, a := range s.arms {
		if a.label == out.Method && a.parent != "" {
			r.fail(f.at.Key, fmt.Sprintf("it has those of %q, and then changes them", a.parent),
				"tune.space: the parameters of an ablation are not tuned")
			return out, false
		}
	}
	path := strings.Split(out.Path, ".")
	switch {
	case !slices.Contains(tunable, path[0]) && slices.Contains(settingKeys, path[0]):
		r.fail(f.at.Key, "parameters are tuned below "+strings.Join(tunable, ", "),
			"tune.space: %s is what methods have in common", path[0])
	case !slices.Contains(tunable, path[0]) || len(path) < 2 || slices.Contains(path, ""):
		hint := "write the path of a parameter, such as \"local.lr\""
		if near, ok := r.near(out.Path, r.params); ok && len(path) > 1 {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		r.fail(f.at.Key, hint, "tune.space: unknown parameter %q", out.Path)
	default:
		r.swept(s, path, f)
	}
	r.choices(f, &out)
	return out, len(r.problems) == before
}

// swept refuses a parameter that the sweep sets.
func (r *reader) swept(s *Spec, path []string, f field) {
	for _, a := range s.Axes {
		for _, p := range a.points {
			if sets(p.set, path) {
				r.fail(f.at.Key, "what is swept is not tuned",
					"tune.space: axis %q sets %s, too", a.Name, strings.Join(path, "."))
				return
			}
		}
	}
}

// sets reports whether a table has a value at a path.
func sets(t table, path []string) bool {
	n, ok := t.get(path[0])
	if !ok || len(path) == 1 {
		return ok
	}
	switch v := n.value.(type) {
	case table:
		return sets(v, path[1:])
	case stack:
		return slices.ContainsFunc(v.layers, func(layer node) bool {
			t, ok := layer.value.(table)
			return ok && sets(t, path[1:])
		})
	}
	return false
}

// Tunable returns the keys of a setting below which parameters are tuned, preprocessors aside.
func Tunable() []string {
	return slices.DeleteFunc(slices.Clone(tunable), func(key string) bool {
		return key == chainKey
	})
}
