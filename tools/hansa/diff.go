package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/settings"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// diffFormats are the ways to print what differs.
var diffFormats = []string{"text", "json"}

func (c *command) diffCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "diff RUN RUN",
		GroupID: "result",
		Short:   "Show what differs between two runs: settings and results",
		Long: "Show what differs between two runs. Settings: every value that influences " +
			"results, for the methods and points of the sweep that both runs have, including " +
			"the code of strategies. Results: the final values of the reported metrics, seed " +
			"by seed. The exit code is 0 whether or not something differs.\n\n" + cli.RunArgument,
		Example: "  hansa run experiments/quickstart.toml --set rounds=200 --dir runs/try\n" +
			"  hansa diff quickstart try",
		Args: cli.Want(2, 2, "two RUNs"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (
			[]string, cobra.ShellCompDirective,
		) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return session.RunNames(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cli.OneOf("--format", format, diffFormats); err != nil {
				return err
			}
			a, err := c.side(args[0])
			if err != nil {
				return err
			}
			b, err := c.side(args[1])
			if err != nil {
				return err
			}
			return fault.Of(c.diff(a, b, format))
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of what differs: text or json")
	cli.CompleteFlag(cmd, "format", diffFormats...)
	return cmd
}

// A side is one of two runs that are compared.
type side struct {
	run  store.Run
	plan *store.Plan
	in   *infer.Input
}

func (c *command) side(arg string) (*side, error) {
	run, plan, err := c.Open(arg)
	if err != nil {
		return nil, err
	}
	return &side{run, plan, c.Gather(run, plan, nil)}, nil
}

// diff prints what differs between two runs.
func (c *command) diff(a, b *side, format string) error {
	changed := settings.Compare(a.plan, b.plan)
	if !slices.Equal(a.in.Builds, b.in.Builds) {
		for _, s := range []*side{a, b} {
			changed.Program = append(changed.Program, strings.Join(s.in.Builds, ", "))
		}
	}
	results, err := table.Diff(*a.in, *b.in)
	if err != nil {
		return err
	}
	if format == "json" {
		return c.PrintJSON(struct {
			settings.Changes
			table.ResultDiff
		}{changed, results})
	}
	before, after := filepath.Base(session.Real(a.run.Dir)), filepath.Base(session.Real(b.run.Dir))
	if before == after {
		before, after = a.run.Dir, b.run.Dir
	}
	if err := c.PrintText(c.settingsText(&changed, before, after)); err != nil {
		return err
	}
	return render.DiffText(c.Out, results, before, after, c.textOptions(c.Out, 0))
}

// settingsText says what differs in the settings of two runs that are called so.
func (c *command) settingsText(s *settings.Changes, before, after string) string {
	var rows [][]string
	for _, d := range s.Settings {
		rows = append(rows, []string{d.Path, shown(d.Before) + " → " + shown(d.After),
			cmp.Or(strings.Join(d.Cells, "; "), "every training run")})
	}
	if s.Program != nil {
		rows = append(rows, []string{"program", brieflyBuilt(s.Program[0]) + " → " +
			brieflyBuilt(s.Program[1]), "revision of its source"})
	}
	for _, part := range []struct {
		name string
		list []string
	}{{before, s.Lost}, {after, s.Gained}} {
		if len(part.list) > 0 {
			rows = append(rows, []string{"only in " + part.name, strings.Join(part.list, "; "), ""})
		}
	}
	title := c.Paint(c.Out, console.Bold, before+" → "+after)
	if rows == nil {
		return title + ": the same settings\n"
	}
	return title + "\n" + console.Grid(rows, console.Margin, console.Gutter, console.Columns(c.Out))
}

// shown is how a value is written beside its other one.
func shown(text string) string { return cmp.Or(phrase.Clip(text, cli.WidestValue), "none") }

// brieflyBuilt shortens a revision as Git does.
func brieflyBuilt(revision string) string {
	return cmp.Or(fmt.Sprintf("%.12s", revision), "unknown")
}
