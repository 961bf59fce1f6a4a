package main

import (
	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/registry"
)

// A completion is what a shell offers for an argument.
type completion = cobra.CompletionFunc

// experimentFiles offers files that end in .toml.
func experimentFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
}

// first offers the words that list returns, for the first argument only.
func first(list func() []string, then cobra.ShellCompDirective) completion {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list(), then
	}
}

// someRuns offers runs, for every argument.
func someRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return session.RunNames(), cobra.ShellCompDirectiveDefault
}

// completeFlag offers the options of a flag, or folders when there are none.
func completeFlag(cmd *cobra.Command, flag string, options ...string) {
	directive := cobra.ShellCompDirectiveNoFileComp
	if len(options) == 0 {
		directive = cobra.ShellCompDirectiveFilterDirs
	}
	// It fails when there is no such flag, which a test would see.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(options, directive))
}

// described returns words that a shell shows with what they mean.
func described(kinds []registry.Kind) (names []string) {
	for _, k := range kinds {
		for _, e := range k.Entries {
			names = append(names, cobra.CompletionWithDesc(e.Name, k.Name+": "+e.Summary))
		}
	}
	return names
}

// sources offers experiments and strategies, and folders that may be one.
func sources(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"toml", "go"}, cobra.ShellCompDirectiveFilterFileExt
}
