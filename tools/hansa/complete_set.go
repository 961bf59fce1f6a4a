package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
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
			for _, l := range a.Labels {
				words = append(words, study.Coordinate{Axis: a.Name, Label: l}.Filter())
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
	kinds := toolbox.Menu()
	if spec != nil && len(spec.Plugins) > 0 {
		if t, err := toolbox.Open(spec.Plugins, session.Budget); err == nil {
			kinds = t.Registry.Kinds()
		}
	}
	s := toolbox.NewSetWords(kinds, spec)
	label, assignment := "", typed
	if before, after, ok := strings.Cut(typed, ": "); ok {
		label, assignment = before+": ", after
	}
	words, directive := s.Keys(), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace
	if key, _, ok := strings.Cut(assignment, "="); ok {
		words, directive = s.Values(key), cobra.ShellCompDirectiveNoFileComp
	}
	for i := range words {
		words[i] = label + words[i]
	}
	return words, directive
}
