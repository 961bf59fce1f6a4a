package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// runsFormats are the ways to print a list of runs.
var runsFormats = []string{"text", "json"}

func (c *command) runsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "runs [FOLDER]",
		GroupID: "result",
		Short:   "List runs",
		Long: "List the runs below ./runs, or below FOLDER: how many training runs of " +
			"each have a result, failed or are missing; the time of the last result; and the " +
			"size on disk. With [tune], the number of finished trials is shown until " +
			"parameters are chosen. Identical training runs are counted once. Files are not " +
			"verified here; the other commands verify them.",
		Example: "  hansa runs\n  hansa runs elsewhere --format json",
		Args:    cli.Want(0, 1, "at most one FOLDER"),
		ValidArgsFunction: cli.First(func() []string { return nil },
			cobra.ShellCompDirectiveFilterDirs),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cli.OneOf("--format", format, runsFormats); err != nil {
				return err
			}
			return c.runs(append(args, "runs")[0], format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the list: text or json")
	cli.CompleteFlag(cmd, "format", runsFormats...)
	return cmd
}

// runs lists the runs in a folder.
func (c *command) runs(folder, format string) error {
	if _, err := os.Stat(folder); err != nil && folder != "runs" {
		return fmt.Errorf("there is no folder %s", folder)
	}
	lines := c.Runs(folder)
	if format == "json" {
		return c.PrintJSON(lines)
	}
	if len(lines) == 0 {
		c.Sayf("there are no runs in %s; hansa run FILE makes one", folder)
		return nil
	}
	return c.PrintText(runsTable(lines, console.Columns(c.Out)))
}

// runsTable returns runs as lines of at most width columns, the one that was at work last on top.
func runsTable(lines []session.RunLine, width int) string {
	slices.SortStableFunc(lines, func(a, b session.RunLine) int {
		return b.When().Compare(a.When())
	})
	some := func(n int) string {
		if n == 0 {
			return "–"
		}
		return strconv.Itoa(n)
	}
	tuning := slices.ContainsFunc(lines, func(l session.RunLine) bool { return l.Trials != nil })
	rows := [][]string{{"run", "done", "failed", "missing", "last", "size", "title"}}
	if tuning {
		rows[0] = slices.Insert(rows[0], trialColumn, "trials")
	}
	for _, l := range lines {
		last := "–"
		if l.Last != nil {
			last = l.Last.Local().Format("2006-01-02 15:04")
		}
		row := []string{l.Name, some(l.Done), some(l.Failed), some(l.Missing), last,
			host.Bytes(float64(l.Bytes)), l.Title}
		if tuning {
			row = slices.Insert(row, trialColumn, trialsOf(l.Trials))
		}
		rows = append(rows, row)
	}
	return console.Grid(rows, "", console.Gutter, width)
}

// trialColumn is the column that says how many trials of [tune] have ended.
const trialColumn = 4

// trialsOf says how many of the trials have ended that are known to be needed.
func trialsOf(t *session.TrialLine) string {
	if t == nil {
		return "–"
	}
	ended := t.Done + t.Failed
	return fmt.Sprintf("%d of %d", ended, ended+t.Missing)
}
