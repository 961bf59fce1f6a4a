package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
)

// Subcommand refuses whatever is no subcommand of a command, with what was probably meant.
func Subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		if c.GroupID != "" || cmd.HasParent() {
			known = append(known, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q; %s", args[0], study.Suggest(args[0], known))
}

// Want accepts least to most arguments, and says what they are when there are fewer or more.
func Want(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if least <= len(args) && len(args) <= most {
			return nil
		}
		have := "is 1 argument"
		if len(args) != 1 {
			have = fmt.Sprintf("are %d arguments", len(args))
		}
		return fmt.Errorf("%s takes %s; there %s", cmd.Name(), what, have)
	}
}

// OneOf refuses a value of a flag that is not one of its options.
func OneOf(flag, value string, options []string) error {
	if slices.Contains(options, value) {
		return nil
	}
	return fmt.Errorf("%s %s: %s", flag, value, study.Suggest(value, options))
}

// Again returns the command line of a command, quoted for a shell, with the arguments and flags
// that cmd was given except those left out.
func Again(command string, cmd *cobra.Command, args []string, leftOut ...string) string {
	words := []string{command}
	for _, word := range slices.Concat(args, Given(cmd, leftOut...)) {
		words = append(words, phrase.Quote(word))
	}
	return strings.Join(words, " ")
}

// Given returns the flags that a command was given except those left out, as words.
func Given(cmd *cobra.Command, leftOut ...string) (words []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case slices.Contains(leftOut, f.Name):
			case f.Value.Type() == "bool": // a value would be taken for an argument
				words = append(words, strings.TrimSuffix("--"+f.Name+"="+v, "=true"))
			default:
				words = append(words, "--"+f.Name, v)
			}
		}
	})
	return words
}

// Others returns the names of all flags of a command but some.
func Others(cmd *cobra.Command, but ...string) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(but, f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}
