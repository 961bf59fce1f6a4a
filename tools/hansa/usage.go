package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// usage is the template of what help says below its first paragraph, but for the columns
// that it may take and the exit codes.
const usage = `Usage
{{- if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND
{{- range $group := .Groups}}

{{$group.Title}}
{{- range $.Commands}}{{if eq .GroupID $group.ID}}
  {{rpad .Name 13}}{{.Short}}{{end}}{{end}}
{{- end}}
{{- if .HasParent}}
{{range .Commands}}
  {{rpad .Name 12}}{{.Short}}{{end}}
{{- end}}
{{- else}}
  {{.UseLine}}
{{- end}}
{{- if .HasExample}}

Examples
{{.Example}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

Flags
{{.Flags.FlagUsagesWrapped %d | trimTrailingWhitespaces}}
{{- end}}
{{- if not .HasParent}}

Exit codes
%s
hansa help COMMAND says more.
hansa completion SHELL prints completions for your shell, hansa man FOLDER writes manual pages.
{{- end}}
`

// exitCodes says what the exit codes mean.
func exitCodes() [][]string {
	return [][]string{
		{strconv.Itoa(exitOK), "all went well"},
		{strconv.Itoa(exitFailed), "some cells failed, or something could not be read or stored"},
		{strconv.Itoa(exitUsage), "a mistake in the command or the experiment; nothing was run"},
		{strconv.Itoa(exitInterrupted), "interrupted; what is finished is stored"},
	}
}

// wrapHelp breaks the first paragraph of the help of a command, and of those below it.
func wrapHelp(cmd *cobra.Command, width int) {
	cmd.Long = strings.Join(console.Wrap(cmd.Long, width), "\n")
	for _, c := range cmd.Commands() {
		wrapHelp(c, width)
	}
}

// subcommand refuses whatever is no subcommand of a command, with what was probably meant.
func subcommand(cmd *cobra.Command, args []string) error {
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

// want accepts that many arguments, and says what they are when there are fewer or more.
func want(least, most int, what string) cobra.PositionalArgs {
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

// oneOf refuses a value of a flag that is not one of its options.
func oneOf(flag, value string, options []string) error {
	if slices.Contains(options, value) {
		return nil
	}
	return fmt.Errorf("%s %s: %s", flag, value, study.Suggest(value, options))
}

// knownTopics makes help refuse what is no command, with what was probably meant.
func knownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = func(_ *cobra.Command, args []string) error {
				if about, _, err := root.Find(args); err != nil || about == root {
					return subcommand(root, args)
				}
				return nil
			}
		}
	}
}

// explainFlag says what the value of a flag should be, and which flag was probably meant
// by an unknown one.
func explainFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f, wanted := invalid.GetFlag(), "a whole number"
		switch f.Value.Type() {
		case "bool":
			wanted = "true or false"
		case "duration":
			wanted = "a time such as 500ms or 2m"
		case "size":
			wanted = "a number of bytes such as 512MiB or 4GB"
		}
		return fmt.Errorf("--%s %s: want %s", f.Name, invalid.GetValue(), wanted)
	}
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: ")
	if word := shorthand.FindStringSubmatch(err.Error()); word != nil { // -format for --format
		name, ok = "-"+word[1], true
		err = fmt.Errorf("unknown flag: %s", word[1])
	}
	if !ok {
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	return fmt.Errorf("%w; %s", err, study.Suggest(name, known))
}

// shorthand finds a word after one dash that was taken for several flags of one letter.
var shorthand = regexp.MustCompile(`^unknown shorthand flag: '.' in (-[^-=]{2,})`)

// again returns the command line of a command, with the arguments and flags that cmd was given
// except those left out.
func again(command string, cmd *cobra.Command, args []string, leftOut ...string) string {
	words := []string{command}
	for _, arg := range args {
		words = append(words, phrase.Quote(arg))
	}
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
				words = append(words, "--"+f.Name, phrase.Quote(v))
			}
		}
	})
	return strings.Join(words, " ")
}

// others returns the names of all flags of a command but some.
func others(cmd *cobra.Command, but ...string) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(but, f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}
