package registry

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// Params returns parameters whose nested components are built from this registry.
func (r *Registry) Params(given map[string]any, s fl.Setting) *fl.Params {
	return fl.NewParams(given, s, func(kind, param string, value any) (any, any, []fl.Problem) {
		return r.nested(nest{kind, param, value}, s)
	})
}

// construct builds a component of a kind, or returns nil and what is wrong.
func construct[T any](r *Registry, t *Table[T], kind string, pick study.Pick, s fl.Setting) (
	T, map[string]any, []fl.Problem,
) {
	var none T
	e, ok := t.Get(pick.Name)
	if !ok {
		return none, nil, []fl.Problem{{Param: "name", Word: pick.Name, Allowed: t.Names(),
			Message: fmt.Sprintf("%s: there is no %q", kind, pick.Name)}}
	}
	if e.Fits != nil && s.Known() {
		if err := e.Fits(s); err != nil {
			message := fmt.Sprintf("%s %s: %v", kind, e.Name, err)
			return none, nil, []fl.Problem{{Param: "name", Message: message}}
		}
	}
	given, planned := unsourced(pick.Params)
	if planned != e.Source && planned != "" {
		message := fmt.Sprintf("%s %s: its code is %s, and the cell was planned with %s", kind,
			e.Name, cmp.Or(e.Source, "built in"), planned)
		return none, nil, []fl.Problem{{Param: "name", Message: message}}
	}
	p := r.Params(given, s)
	c, err := e.New(p)
	problems := p.Finish()
	if err != nil {
		problems = append(problems, fl.Problem{Param: "name", Message: err.Error()})
	}
	if len(problems) == 0 {
		return c, resolved(e.Source, p), nil
	}
	for i := range problems {
		problems[i].Message = fmt.Sprintf("%s %s: %s", kind, e.Name, problems[i].Message)
	}
	return none, nil, problems
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
func (r *Registry) nested(in nest, s fl.Setting) (
	component, resolved any, problems []fl.Problem,
) {
	switch in.kind {
	case "importance":
		return within(r, &r.Importances, in, s)
	case "optimizer":
		return within(r, &r.Optimizers, in, s)
	case "model":
		return within(r, &r.Models, in, s)
	case "dataset":
		return within(r, &r.Sources, in, s)
	}
	return nil, nil, []fl.Problem{{Param: in.param,
		Message: fmt.Sprintf("%s: no component holds a %s", in.param, in.kind)}}
}

func within[T any](r *Registry, t *Table[T], in nest, s fl.Setting) (
	component, resolved any, problems []fl.Problem,
) {
	pick, problem := in.pick()
	if problem != nil {
		problem.Allowed = t.Names()
		return nil, nil, []fl.Problem{*problem}
	}
	c, params, problems := construct(r, t, in.kind, pick, s)
	for i := range problems {
		problems[i].Param = in.param + "." + problems[i].Param
		if in.param != in.kind { // else the message begins with it anyway
			problems[i].Message = in.param + ": " + problems[i].Message
		}
	}
	described := map[string]any{"name": pick.Name}
	maps.Copy(described, params)
	return c, described, problems
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
