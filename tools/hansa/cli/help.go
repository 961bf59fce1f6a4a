package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// SetHelp gives a command and those below it their help, in lines of at most width columns. Codes
// are the rows that say what exit codes mean: a code and its meaning. Unknown commands and flags
// are refused with what was probably meant.
func SetHelp(root *cobra.Command, width int, codes [][]string) {
	root.SetUsageTemplate(fmt.Sprintf(usage, width, console.Grid(codes, console.Margin,
		console.Margin, width)))
	root.SetFlagErrorFunc(explainFlag)
	wrapHelp(root, width)
	knownTopics(root)
}

// wrapHelp breaks the first paragraph of the help of a command, and of those below it.
func wrapHelp(cmd *cobra.Command, width int) {
	cmd.Long = strings.Join(console.Wrap(cmd.Long, width), "\n")
	for _, c := range cmd.Commands() {
		wrapHelp(c, width)
	}
}

// knownTopics makes help refuse what is no command, with what was probably meant.
func knownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = func(_ *cobra.Command, args []string) error {
				if about, _, err := root.Find(args); err != nil || about == root {
					return Subcommand(root, args)
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
