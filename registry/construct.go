package registry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// Params returns parameters whose nested components are built from this registry.
func (r *Registry) Params(given map[string]any, s fl.Setting) *fl.Params {
	return (&maker{registry: r, setting: s}).params(given)
}

// A maker builds components for a setting, and collects what examines their files.
type maker struct {
	registry   *Registry
	setting    fl.Setting
	inspectors []fl.Inspector // with paths below that of the component
}

// params returns parameters whose nested components the maker builds.
func (m *maker) params(given map[string]any) *fl.Params {
	return fl.NewParams(given, m.setting,
		func(kind, param string, value any) (any, any, []fl.Problem) {
			return m.nested(nest{kind, param, value})
		})
}

// construct builds a component of a kind, or returns nil and all that is wrong.
func construct[T any](m *maker, k KindOf[T], pick study.Pick) (
	T, map[string]any, []fl.Problem,
) {
	var none T
	e, ok := k.table(m.registry).Get(pick.Name)
	label := k.Name
	if k.Many {
		label = k.Noun // a list is no name of one in it
	}
	if !ok {
		return none, nil, []fl.Problem{k.missing(m.registry, label, pick.Name)}
	}
	label += " " + e.Name
	given, planned := unsourced(pick.Params)
	if planned != e.Source && planned != "" {
		message := fmt.Sprintf("%s: its code is %s, and the run was planned with %s", label,
			cmp.Or(e.Source, "built in"), planned)
		return none, nil, []fl.Problem{{Param: "name", Message: message}}
	}
	if problems := misfit(m, e, given); len(problems) > 0 {
		return none, nil, labelled(label, problems)
	}
	p := m.params(given)
	k.declares(p)
	c, err := e.New(p)
	problems := p.Finish()
	if err != nil {
		problems = append(problems, fl.Problem{Param: "name", Message: err.Error()})
	}
	if len(problems) > 0 {
		return none, nil, labelled(label, problems)
	}
	params := resolved(e.Source, p)
	if e.Inspect != nil {
		m.inspectors = append(m.inspectors, inspector(m, e, c, label, params))
	}
	return c, params, nil
}

// missing is the problem of a name that no entry of the kind has.
func (k KindOf[T]) missing(r *Registry, label, name string) fl.Problem {
	p := fl.Problem{Param: "name", Message: fmt.Sprintf("%s: there is no %q", label, name)}
	if r.Elsewhere != nil {
		p.Hint = r.Elsewhere(k.Name, name)
	}
	if p.Hint == "" {
		p.Hint = r.ofOtherKinds(k.Name, name)
	}
	if p.Hint == "" {
		p.Word, p.Allowed = name, k.table(r).Names()
	}
	return p
}

// ofOtherKinds says where a name belongs that components of other kinds have; nothing where none
// has it.
func (r *Registry) ofOtherKinds(kind, name string) string {
	var all []string
	for _, k := range kinds() {
		if k.name() == kind || !k.has(r, name) {
			continue
		}
		f, article, value := k.Facts(), "a", strconv.Quote(name)
		if strings.ContainsAny(f.Noun[:1], "aeiou") {
			article = "an"
		}
		if f.Many {
			value = "[" + value + "]"
		}
		all = append(all, fmt.Sprintf("%s %s: %s = %s", article, f.Noun, f.Path, value))
	}
	if all == nil {
		return ""
	}
	return name + " is " + strings.Join(all, ", and ")
}

// labelled puts before every message what it is about.
func labelled(label string, problems []fl.Problem) []fl.Problem {
	for i := range problems {
		problems[i].Message = label + ": " + problems[i].Message
	}
	return problems
}

// Foreign says why a component cannot take rows of a shape: tokens, or several labels.
func Foreign[T any](e fl.Entry[T], s fl.Shape) error {
	if n := s.PerRow(); e.OneLabel && n > 1 {
		return fmt.Errorf("takes the label of a row, and rows of these data have %d each, one for "+
			"every position", n)
	}
	switch e := any(e).(type) {
	case fl.ModelEntry:
		switch tokens := fl.TraitsOf[fl.ModelTraits](e).Tokens; {
		case tokens && s.Tokens == 0:
			return errors.New("needs rows of tokens; those of these data hold numbers")
		case !tokens && s.Tokens > 0:
			return errors.New("needs rows of numbers; those of these data hold tokens, which " +
				"lstm and transformer take")
		}
	case fl.PreprocessorEntry:
		if s.Tokens > 0 {
			return errors.New("transforms numbers; rows of these data hold tokens")
		}
	}
	return nil
}

// misfit says why a component cannot run in a known setting, and then also what is wrong with its
// parameters alone: they are not built for a setting that does not suit them.
func misfit[T any](m *maker, e fl.Entry[T], given map[string]any) (problems []fl.Problem) {
	if !m.setting.Known() {
		return nil
	}
	err := Foreign(e, m.setting.Shape)
	if err == nil && e.Fits != nil {
		err = e.Fits(m.setting)
	}
	if err == nil {
		return nil
	}
	reasons := []error{err}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		reasons = several.Unwrap()
	}
	for _, reason := range reasons {
		problems = append(problems, fl.Problem{Param: "name", Message: reason.Error()})
	}
	p := (&maker{registry: m.registry}).params(given)
	if _, err := e.New(p); err != nil {
		problems = append(problems, fl.Problem{Param: "name", Message: err.Error()})
	}
	return slices.Concat(problems, p.Unmet(), p.Finish())
}

// inspector returns what examines the files of a component.
func inspector[T any](
	m *maker, e fl.Entry[T], c T, label string, params map[string]any,
) fl.Inspector {
	key, err := json.Marshal([]any{label, params, m.setting.Clients})
	if err != nil { // resolved parameters are numbers, strings, booleans and lists of them
		key = fmt.Append(nil, label, params, m.setting.Clients)
	}
	return fl.Inspector{Label: label, Key: string(key), Run: func(i *fl.Inspection) {
		e.Inspect(c, i)
	}}
}

// resolved returns the parameters of a component as they enter the identity of a cell: with
// the digest of its code where that is not built in, so that no result is taken for that of
// another version.
func resolved(source string, p *fl.Params) map[string]any {
	params := p.Resolved()
	if source != "" {
		params = maps.Clone(params)
		params[study.SourceKey] = source
	}
	return params
}

// unsourced takes apart what resolved put together, so that a resolved cell composes to itself:
// the parameters, and the digest of the code with which they were resolved, or "".
func unsourced(params map[string]any) (given map[string]any, source string) {
	source, found := params[study.SourceKey].(string)
	if !found { // anything else there is a parameter that does not exist
		return params, ""
	}
	given = maps.Clone(params)
	delete(given, study.SourceKey)
	return given, source
}

// A nest is where a component holds another one: the kind it holds, the parameter, and what
// the experiment says there.
type nest struct {
	kind, param string
	value       any
}

// nested builds a component within a component: an importance as the prior of a sampling
// design, an optimizer of a local rule, the public data of an encoder.
func (m *maker) nested(in nest) (component, resolved any, problems []fl.Problem) {
	k, ok := kindNamed(in.kind)
	if !ok {
		return nil, nil, []fl.Problem{{Param: in.param,
			Message: fmt.Sprintf("%s: there is no kind %s", in.param, in.kind)}}
	}
	return k.within(m, in)
}

func (k KindOf[T]) within(m *maker, in nest) (component, resolved any, problems []fl.Problem) {
	pick, problem := in.pick()
	if problem != nil {
		problem.Allowed = k.table(m.registry).Names()
		return nil, nil, []fl.Problem{*problem}
	}
	own := &maker{registry: m.registry, setting: m.setting}
	var params map[string]any
	var c any
	if problem := k.misplaced(m, pick.Name); problem != nil {
		problems = []fl.Problem{*problem}
	} else {
		c, params, problems = construct(own, k, pick)
	}
	for _, i := range own.inspectors {
		i.Path = join(in.param, i.Path)
		m.inspectors = append(m.inspectors, i)
	}
	for i := range problems {
		problems[i].Param = in.param + "." + problems[i].Param
		if problems[i].Beside != "" {
			problems[i].Beside = in.param + "." + problems[i].Beside
		}
		if in.param != in.kind { // else the message begins with it anyway
			problems[i].Message = in.param + ": " + problems[i].Message
		}
	}
	described := map[string]any{"name": pick.Name}
	maps.Copy(described, params)
	return c, described, problems
}

// join returns the path of what lies at a path below another.
func join(path, below string) string {
	if below == "" {
		return path
	}
	return path + "." + below
}

// pick reads the name or the table that picks a component, or says why it cannot.
func (in nest) pick() (study.Pick, *fl.Problem) {
	pick := study.Pick{Params: map[string]any{}}
	switch v := in.value.(type) {
	case string:
		pick.Name = v
	case map[string]any:
		maps.Copy(pick.Params, v)
		delete(pick.Params, "name")
		if _, text := v["name"].(string); v["name"] != nil && !text {
			message := fmt.Sprintf("%s.name: want a string, have %s", in.param, fl.Show(v["name"]))
			return pick, &fl.Problem{Param: in.param + ".name", Message: message}
		}
		pick.Name, _ = v["name"].(string)
	}
	if pick.Name != "" {
		return pick, nil
	}
	have := fl.Show(in.value)
	if have == "a table" {
		have = "a table without"
	}
	article := "a"
	if strings.ContainsRune("aeiou", rune(in.kind[0])) {
		article = "an"
	}
	message := fmt.Sprintf("%s: want the name of %s %s or a table with one, have %s",
		in.param, article, in.kind, have)
	return pick, &fl.Problem{Param: in.param, Message: message}
}
