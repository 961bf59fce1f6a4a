package main

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// pasted returns the parameters that the last line of a description gives to its component.
func pasted(t *testing.T, e registry.Description) map[string]any {
	t.Helper()
	line := strings.Join(strings.Fields(cli.Example(e, 100)), " ")
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
	k, _ := registry.KindNamed(kind)
	p, tables := r.Params(given, fl.Setting{}), reflect.ValueOf(r).Elem()
	for i := range tables.NumField() {
		get := tables.Field(i).Addr().MethodByName("Get")
		if !get.IsValid() { // no table
			continue
		}
		build := get.Call([]reflect.Value{reflect.ValueOf(name)})[0].FieldByName("New")
		if build.Type().Out(0).Name() == k.Type {
			registry.Declare(kind, p)
			err := build.Call([]reflect.Value{reflect.ValueOf(p)})[1]
			return p.Resolved(), err.IsNil() && len(p.Finish()) == 0
		}
	}
	return nil, false
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
				t.Errorf("%s %s: the line is wrong: %s", e.Kind, e.Name, cli.Example(e, 100))
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

// A line has no parameter that is without effect, by its meaning, on what the defaults build.
func TestDescribedLinesHaveWhatTheDefaultsUse(t *testing.T) {
	r := new(registry.Registry)
	if err := builtin.Register(r); err != nil {
		t.Fatal(err)
	}
	for _, k := range r.Kinds() {
		for _, e := range k.Entries {
			if e.Kind+"/"+e.Name != "preprocess/encode" {
				continue
			}
			got := slices.Sorted(maps.Keys(pasted(t, e)))
			if want := []string{"channels", "encoder", "grid", "kernel", "seed"}; !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}
