package registry

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// Params returns parameters whose nested components are built from this registry.
func (r *Registry) Params(given map[string]any, s fl.Setting) *fl.Params {
	return fl.NewParams(given, s, func(kind, param string, value any) (any, any, []fl.Problem) {
		return r.nested(kind, param, value, s)
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
	p := r.Params(pick.Params, s)
	c, err := e.New(p)
	problems := p.Finish()
	if err != nil {
		problems = append(problems, fl.Problem{Param: "name", Message: err.Error()})
	}
	if len(problems) == 0 {
		return c, p.Resolved(), nil
	}
	for i := range problems {
		problems[i].Message = fmt.Sprintf("%s %s: %s", kind, e.Name, problems[i].Message)
	}
	return none, nil, problems
}

// nested builds a component within a component; so far only importances nest, as the
// priors of sampling designs.
func (r *Registry) nested(kind, param string, value any, s fl.Setting) (
	component, resolved any, problems []fl.Problem,
) {
	pick := study.Pick{Params: map[string]any{}}
	switch v := value.(type) {
	case string:
		pick.Name = v
	case map[string]any:
		for k, x := range v {
			if k != "name" {
				pick.Params[k] = x
			}
		}
		if _, text := v["name"].(string); v["name"] != nil && !text {
			message := fmt.Sprintf("%s.name: want a string, have %s", param, fl.Show(v["name"]))
			return nil, nil, []fl.Problem{{Param: param + ".name", Message: message}}
		}
		pick.Name, _ = v["name"].(string)
	}
	if pick.Name == "" {
		have := fl.Show(value)
		if have == "a table" {
			have = "a table without"
		}
		message := fmt.Sprintf("%s: want the name of an %s or a table with one, have %s",
			param, kind, have)
		allowed := r.Importances.Names()
		return nil, nil, []fl.Problem{{Param: param, Allowed: allowed, Message: message}}
	}
	c, params, problems := construct(r, &r.Importances, kind, pick, s)
	for i := range problems {
		problems[i].Param = param + "." + problems[i].Param
		problems[i].Message = param + ": " + problems[i].Message
	}
	described := map[string]any{"name": pick.Name}
	for k, x := range params {
		described[k] = x
	}
	return c, described, problems
}
