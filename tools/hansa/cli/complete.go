package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// A Completion is what a shell offers for an argument.
type Completion = cobra.CompletionFunc

// ExperimentFiles offers files that end in .toml.
func ExperimentFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
}

// First offers the words that list returns, for the first argument only.
func First(list func() []string, then cobra.ShellCompDirective) Completion {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list(), then
	}
}

// Runs offers runs, for every argument.
func Runs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return session.RunNames(), cobra.ShellCompDirectiveDefault
}

// CompleteFlag offers the options of a flag, or folders when there are none.
func CompleteFlag(cmd *cobra.Command, flag string, options ...string) {
	directive := cobra.ShellCompDirectiveNoFileComp
	if len(options) == 0 {
		directive = cobra.ShellCompDirectiveFilterDirs
	}
	// It fails when there is no such flag, which a test would see.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(options, directive))
}

// Components returns the names of the components of some kinds; a shell shows each with its kind
// and what it is.
func Components(kinds []registry.Kind) (names []string) {
	for _, k := range kinds {
		for _, e := range k.Entries {
			names = append(names, cobra.CompletionWithDesc(e.Name, k.Name+": "+e.Summary))
		}
	}
	return names
}

// Sources offers experiments and strategies, and folders that may be one.
func Sources(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"toml", "go"}, cobra.ShellCompDirectiveFilterFileExt
}

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
