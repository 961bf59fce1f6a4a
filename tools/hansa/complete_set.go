package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// completeOnly offers the methods, seeds and points of the sweep of the experiment that the
// command line names.
func completeOnly(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var words []string
	if spec := named(args); spec != nil {
		for _, m := range spec.Methods {
			words = append(words, "method="+m)
		}
		for _, s := range spec.Seeds {
			words = append(words, fmt.Sprint("seed=", s))
		}
		for _, a := range spec.Axes {
			last := a.Name[strings.LastIndexByte(a.Name, '.')+1:]
			for _, l := range a.Labels {
				words = append(words, last+"="+strings.TrimPrefix(l, last+" = "))
			}
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// named returns the experiment that a command line names, as far as it can be read.
func named(args []string) *study.Spec {
	if len(args) == 0 {
		return nil
	}
	spec, _ := study.Read(args[0], study.Overrides{}) // mistakes are told when it is run
	return spec
}

// completeSet offers what --set can change: keys of the setting, and parameters of the components
// that the experiment names, of all where none is named; behind a key and =, its values.
func completeSet(_ *cobra.Command, args []string, typed string) (
	[]string, cobra.ShellCompDirective,
) {
	spec := named(args)
	kinds := menu()
	if spec != nil && len(spec.Plugins) > 0 {
		if t, err := toolbox.Open(spec.Plugins, session.Budget); err == nil {
			kinds = t.Registry.Kinds()
		}
	}
	s := setWords{kinds: kinds, used: componentsOf(spec)}
	label, assignment := "", typed
	if before, after, ok := strings.Cut(typed, ": "); ok {
		label, assignment = before+": ", after
	}
	words, directive := s.keys(), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace
	if key, _, ok := strings.Cut(assignment, "="); ok {
		words, directive = s.values(key), cobra.ShellCompDirectiveNoFileComp
	}
	for i := range words {
		words[i] = label + words[i]
	}
	return words, directive
}

// componentsOf returns the components that an experiment names, each as "kind/name"; nil without
// one.
func componentsOf(spec *study.Spec) map[string]bool {
	if spec == nil {
		return nil
	}
	used := map[string]bool{}
	cells, _ := spec.Expand() // with what there is
	for i := range cells {
		for slot, p := range cells[i].Picks {
			used[slot+"/"+p.Name] = true
		}
		for _, p := range cells[i].Preprocess {
			used["preprocess/"+p.Name] = true
		}
	}
	return used
}

// setWords are what --set takes.
type setWords struct {
	kinds []registry.Kind
	used  map[string]bool // components that matter; nil: all
}

// keys returns what stands before =, with what it means.
func (s *setWords) keys() []string {
	var words []string
	for _, key := range study.SettingKeys() {
		if key == "metrics" {
			continue // a list of tables is nothing for a command line
		}
		meaning := ""
		for _, k := range s.kinds {
			if k.Name == key {
				meaning = k.Meaning
			}
		}
		words = append(words, cobra.CompletionWithDesc(key+"=", meaning))
	}
	s.params(func(path string, p fl.Spec) {
		words = append(words, cobra.CompletionWithDesc(path+"=", p.Doc))
	})
	return words
}

// values returns what may stand behind = where that is one of a few words.
func (s *setWords) values(key string) []string {
	var words []string
	offer := func(value, meaning string) {
		words = append(words, cobra.CompletionWithDesc(key+"="+value, meaning))
	}
	components := func(kind string) {
		for _, k := range s.kinds {
			if k.Name != kind {
				continue
			}
			for _, e := range k.Entries {
				offer(e.Name, e.Summary)
			}
		}
	}
	components(key)
	s.params(func(path string, p fl.Spec) {
		switch {
		case path != key:
		case p.Kind == "bool":
			offer("true", "")
			offer("false", "")
		case p.Nested():
			components(p.Kind)
		default:
			for _, o := range p.Options {
				offer(o, "")
			}
		}
	})
	for _, o := range study.Words(key) {
		offer(o, "")
	}
	if key == "oracle" {
		offer("true", "")
		offer("false", "")
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// params visits the parameters of the components that matter, by their paths in a setting.
func (s *setWords) params(visit func(path string, p fl.Spec)) {
	for _, k := range s.kinds {
		if k.Name == "metrics" || !slices.Contains(study.SettingKeys(), k.Name) {
			continue
		}
		for _, e := range k.Entries {
			if s.used != nil && !s.used[k.Name+"/"+e.Name] {
				continue
			}
			path := k.Name
			if path == "preprocess" {
				path += "." + e.Name
			}
			for _, p := range e.Params {
				visit(path+"."+p.Name, p)
			}
		}
	}
}
