package main

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// pasted returns the parameters that the last line of a description gives to its component.
func pasted(t *testing.T, e registry.Description) map[string]any {
	t.Helper()
	line := strings.Join(strings.Fields(example(e, 100)), " ")
	var doc map[string]any
	if _, err := toml.Decode(line, &doc); err != nil {
		t.Fatalf("%s %s: %v\n%s", e.Kind, e.Name, err, line)
	}
	v := doc[e.Kind]
	if local, ok := doc["local"].(map[string]any); ok && e.Kind == "optimizer" {
		v = local["optimizer"]
	}
	if list, ok := v.([]any); ok {
		v = list[0]
	}
	given, table := v.(map[string]any)
	if !table {
		return nil
	}
	given = maps.Clone(given)
	delete(given, "name")
	return given
}

// resolvedOf returns all parameters of a component, and whether there is nothing wrong with them.
func resolvedOf(
	r *registry.Registry, kind, name string, given map[string]any,
) (map[string]any, bool) {
	p := r.Params(given, fl.Setting{})
	switch kind {
	case "dataset":
		return resolvedIn(&r.Sources, p, name)
	case "partition":
		return resolvedIn(&r.Partitioners, p, name)
	case "preprocess":
		return resolvedIn(&r.Preprocessors, p, name)
	case "importance":
		return resolvedIn(&r.Importances, p, name)
	case "model":
		return resolvedIn(&r.Models, p, name)
	case "local":
		return resolvedIn(&r.LocalRules, p, name)
	case "optimizer":
		return resolvedIn(&r.Optimizers, p, name)
	case "enrollment":
		return resolvedIn(&r.Enrollments, p, name)
	case "availability":
		return resolvedIn(&r.Availability, p, name)
	case "selection":
		return resolvedIn(&r.Selections, p, name)
	case "aggregator":
		return resolvedIn(&r.Aggregators, p, name)
	}
	return resolvedIn(&r.Metrics, p, name)
}

func resolvedIn[T any](table *registry.Table[T], p *fl.Params, name string) (map[string]any, bool) {
	e, _ := table.Get(name)
	_, err := e.New(p)
	return p.Resolved(), err == nil && len(p.Finish()) == 0
}

// The line that describe prints to be pasted says the same as the name alone, for every component
// that can be picked by its name: the cell has the same identity. All others it makes complete.
func TestDescribedLinesAreTheDefaults(t *testing.T) {
	r := new(registry.Registry)
	if err := builtin.Register(r); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, k := range r.Kinds() {
		for _, e := range k.Entries {
			seen++
			full, ok := resolvedOf(r, e.Kind, e.Name, pasted(t, e))
			if !ok {
				t.Errorf("%s %s: the line is wrong: %s", e.Kind, e.Name, example(e, 100))
			}
			required := false
			for _, p := range e.Params {
				required = required || p.Required
				if v, given := full[p.Name]; p.Required && !given {
					t.Errorf("%s %s: %s is required, and the line has %v", e.Kind, e.Name, p.Name, v)
				}
			}
			if required {
				continue
			}
			if alone, _ := resolvedOf(r, e.Kind, e.Name, nil); !reflect.DeepEqual(alone, full) {
				t.Errorf("%s %s: %v by its name, %v by the line", e.Kind, e.Name, alone, full)
			}
		}
	}
	if seen < 60 {
		t.Errorf("%d components only", seen)
	}
}
