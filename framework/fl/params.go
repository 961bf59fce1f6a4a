package fl

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Params are the parameters of one component, declared as they are read: one call
// names a parameter, gives its default, range and meaning, and returns its value.
// Building a component from empty Params therefore yields its description.
type Params struct {
	given    map[string]any
	setting  Setting
	nested   Nested
	specs    []Spec
	resolved map[string]any
	problems []Problem
}

// Nested builds a component within a component, from what the experiment says at the
// given parameter. It returns the resolved description that stands for it in the
// identity of a cell.
type Nested func(kind, param string, value any) (component, resolved any, problems []Problem)

// A Spec is one declared parameter.
type Spec struct {
	Name     string
	Kind     string // "float", "int", "bool", "choice", "text", a list ("floats"), or a component's
	Default  any    // nil when the parameter is required or when none is meant
	Required bool
	Range    *Range   // of numbers; nil for everything else
	Options  []string // of a choice
	Later    bool     // its default is not resolved; see Params.Later
	Doc      string
}

// Nested reports whether the parameter is a component.
func (s Spec) Nested() bool {
	switch s.Kind {
	case "importance", "optimizer", "dataset", "aggregator":
		return true
	}
	return false
}

// A Problem is one mistake in the parameters of a component.
type Problem struct {
	Param   string   // path below the component: "epsilon", "prior.direction"
	Beside  string   // another parameter that excludes it; empty: none
	Key     bool     // the name is wrong, not the value
	Message string   // lower case, no full stop, begins with the path
	Word    string   // what was written, for a suggestion; empty when there is none
	Allowed []string // what could have been written
	Hint    string   // what to do instead; empty when the message suffices
}

// Of reports whether the problem is that of a parameter, or of something in it.
func (q Problem) Of(name string) bool {
	rest, ok := strings.CutPrefix(q.Param, name)
	return ok && (rest == "" || rest[0] == '[' || rest[0] == '.')
}

// NewParams returns the parameters given in an experiment. Values are those of TOML:
// int64, float64, bool, string, []any and map[string]any.
func NewParams(given map[string]any, setting Setting, nested Nested) *Params {
	return &Params{given: given, setting: setting, nested: nested, resolved: map[string]any{}}
}

// Setting returns the setting that the component is built for, or none.
func (p *Params) Setting() Setting { return p.setting }

// Given reports whether the experiment file sets a parameter, to a valid value or not.
func (p *Params) Given(name string) bool {
	_, ok := p.given[name]
	return ok
}

// Float declares a real parameter. A default of NaN makes it required.
func (p *Params) Float(name string, def float64, in Range, doc string) float64 {
	spec := Spec{Name: name, Kind: "float", Default: def, Range: &in, Doc: doc}
	if math.IsNaN(def) {
		spec.Default, spec.Required = nil, true
	}
	v, ok := p.declare(spec)
	if !ok {
		return def
	}
	x, ok := number(v)
	if !ok {
		p.wrongType(name, "a number", v)
		return def
	}
	if !in.Has(x) {
		p.Fail(name, "%v is outside %v", x, in)
		return def
	}
	p.resolved[name] = x
	return x
}

// Number declares a real parameter that may be left out and has no default. It returns whether one
// is given.
func (p *Params) Number(name string, in Range, doc string) (x float64, given bool) {
	v, ok := p.declare(Spec{Name: name, Kind: "float", Range: &in, Doc: doc})
	if !ok {
		return 0, false
	}
	x, ok = number(v)
	switch {
	case !ok:
		p.wrongType(name, "a number", v)
		return 0, false
	case !in.Has(x):
		p.Fail(name, "%v is outside %v", x, in)
		return 0, false
	}
	p.resolved[name] = x
	return x, true
}

// mostInt is the largest value of an integer parameter without a maximum: no loop over more steps,
// rows or sweeps would end.
const mostInt = 1e9

// Int declares an integer parameter. A range without an upper end goes up to 1e9.
func (p *Params) Int(name string, def int, in Range, doc string) int {
	v, ok := p.declare(Spec{Name: name, Kind: "int", Default: def, Range: &in, Doc: doc})
	if !ok {
		return def
	}
	x, ok := v.(int64)
	if !ok {
		p.wrongType(name, "an integer", v)
		return def
	}
	if within := in; math.IsInf(in.Hi, 1) && x > mostInt {
		within.Hi, within.HiOpen = mostInt, false
		p.Fail(name, "%d is outside %v", x, within)
		return def
	}
	if !in.Has(float64(x)) {
		p.Fail(name, "%d is outside %v", x, in)
		return def
	}
	p.resolved[name] = x
	return int(x)
}

// Bool declares a switch.
func (p *Params) Bool(name string, def bool, doc string) bool {
	v, ok := p.declare(Spec{Name: name, Kind: "bool", Default: def, Doc: doc})
	if !ok {
		return def
	}
	x, ok := v.(bool)
	if !ok {
		p.wrongType(name, "true or false", v)
		return def
	}
	p.resolved[name] = x
	return x
}

// Choice declares a parameter that is one of the options. An empty default makes it
// required.
func (p *Params) Choice(name, def, doc string, options ...string) string {
	spec := Spec{Name: name, Kind: "choice", Default: def, Options: options, Doc: doc}
	if def == "" {
		spec.Default, spec.Required = nil, true
	}
	v, ok := p.declare(spec)
	if !ok {
		return def
	}
	x, ok := v.(string)
	if !ok {
		p.problems = append(p.problems, Problem{Param: name, Allowed: options,
			Message: fmt.Sprintf("%s: want a string, have %s", name, Show(v))})
		return def
	}
	if !slices.Contains(options, x) {
		p.problems = append(p.problems, Problem{Param: name, Word: x, Allowed: options,
			Message: fmt.Sprintf("%s: %q is not one of its options", name, x)})
		return def
	}
	p.resolved[name] = x
	return x
}

// Text declares a parameter that may be any text but the empty one, such as the path of a
// file. An empty default makes it required.
func (p *Params) Text(name, def, doc string) string {
	spec := Spec{Name: name, Kind: "text", Default: def, Doc: doc}
	if def == "" {
		spec.Default, spec.Required = nil, true
	}
	v, ok := p.declare(spec)
	if !ok {
		return def
	}
	x, ok := v.(string)
	if !ok {
		p.wrongType(name, "a string", v)
		return def
	}
	if x == "" {
		p.Fail(name, "is empty")
		return def
	}
	p.resolved[name] = x
	return x
}

// Importance declares a nested importance, such as the prior of a sampling design:
// a name or a table with a name, as in [setting]. It is nil when Params only describe.
func (p *Params) Importance(name, def, doc string) Importance {
	c, _ := p.component("importance", name, def, doc).(Importance)
	return c
}

// Optimizer declares a nested optimizer, as Importance declares an importance.
func (p *Params) Optimizer(name, def, doc string) Optimizer {
	c, _ := p.component("optimizer", name, def, doc).(Optimizer)
	return c
}

// Source declares a nested data set beside that of the experiment. It has no default: it is nil
// when it is not given, too.
func (p *Params) Source(name, doc string) Source {
	c, _ := p.component("dataset", name, "", doc).(Source)
	return c
}

// component declares a nested component, which is none unless it is given when def is empty.
func (p *Params) component(kind, name, def, doc string) any {
	spec := Spec{Name: name, Kind: kind, Doc: doc}
	if def != "" {
		spec.Default = def
	}
	v, ok := p.declare(spec)
	if !ok {
		v = def
	}
	if p.nested == nil || !ok && def == "" {
		return nil
	}
	c, resolved, problems := p.nested(kind, name, v)
	p.problems = append(p.problems, problems...)
	p.resolved[name] = resolved
	return c
}

// Fail reports that the value of a parameter is wrong for a reason that its range cannot express. A
// parameter with a problem gets no second one. The message of a default says that it is the
// default.
func (p *Params) Fail(name, format string, args ...any) {
	if slices.ContainsFunc(p.problems, func(q Problem) bool { return q.Of(name) }) {
		return
	}
	problem := Problem{Param: name, Message: name + ": " + fmt.Sprintf(format, args...)}
	if def, ok := p.resolved[name]; ok && !p.Given(name) {
		problem.Hint = fmt.Sprintf("%s = %v is the default", name, def)
	}
	p.problems = append(p.problems, problem)
}

// Clash reports, as Fail does, that the values of two parameters exclude each other. The mistake is
// where the later of the two is written.
func (p *Params) Clash(name, beside, format string, args ...any) {
	before := len(p.problems)
	p.Fail(name, format, args...)
	if len(p.problems) > before {
		p.problems[before].Beside = beside
	}
}

// Finish returns all that is wrong: bad values, and names that were not declared.
func (p *Params) Finish() []Problem {
	var known []string
	for _, s := range p.specs {
		known = append(known, s.Name)
	}
	for _, k := range slices.Sorted(maps.Keys(p.given)) {
		if !slices.Contains(known, k) {
			problem := Problem{Param: k, Key: true, Word: k, Allowed: known,
				Message: k + ": no such parameter"}
			if len(known) == 0 {
				problem.Hint = "it has none"
			}
			p.problems = append(p.problems, problem)
		}
	}
	return p.problems
}

// Specs returns what was declared, in order.
func (p *Params) Specs() []Spec { return p.specs }

// Resolved returns the value of every declared parameter, defaults included: int64,
// float64, bool, string, []float64 or a resolved description of a component. A list
// that was not given is absent.
func (p *Params) Resolved() map[string]any { return p.resolved }

// declare records a parameter and returns what the experiment gives for it.
func (p *Params) declare(s Spec) (any, bool) {
	p.specs = append(p.specs, s)
	v, ok := p.given[s.Name]
	switch {
	case ok:
	case s.Required && p.setting.Known():
		p.problems = append(p.problems, s.lacking())
	case s.Default != nil:
		p.resolved[s.Name] = canonical(s.Default)
	}
	return v, ok
}

// lacking is the problem that a required parameter is not given.
func (s Spec) lacking() Problem {
	hint := s.Doc
	if len(s.Options) > 0 {
		hint = "one of " + strings.Join(s.Options, ", ") + ": " + hint
	}
	return Problem{Param: s.Name, Key: true, Message: s.Name + ": is required", Hint: hint}
}

// Unmet returns the required parameters that are not given, of Params without a setting: with
// one, Finish has them.
func (p *Params) Unmet() (problems []Problem) {
	for _, s := range p.specs {
		if s.Required && !p.Given(s.Name) && !p.setting.Known() {
			problems = append(problems, s.lacking())
		}
	}
	return problems
}

func (p *Params) wrongType(name, want string, v any) {
	message := fmt.Sprintf("%s: want %s, have %s", name, want, Show(v))
	problem := Problem{Param: name, Message: message}
	switch x := v.(type) {
	case string:
		if _, err := strconv.ParseFloat(x, 64); err == nil || x == "true" || x == "false" {
			problem.Hint = "remove the quotes"
		}
	case float64:
		if want == "an integer" && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			problem.Hint = fmt.Sprintf("write %.0f", x)
		}
	}
	p.problems = append(p.problems, problem)
}

// Show returns how a value of an experiment file is called in a message.
func Show(v any) string {
	switch x := v.(type) {
	case string:
		return "the string " + strconv.Quote(x)
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	case float64:
		if text := numeral(x); strings.Trim(text, "-0123456789") == "" {
			return text + ".0" // so that it does not look like an integer
		}
		return numeral(x)
	}
	return fmt.Sprint(v)
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case int64:
		return float64(x), true
	}
	return 0, false
}

func canonical(v any) any {
	switch x := v.(type) {
	case int:
		return int64(x)
	case []int:
		return longs(x)
	}
	return v
}
