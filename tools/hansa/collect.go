package main

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// collectFlags say what is collected.
type collectFlags struct {
	table    tableFlags
	complete bool
}

func (c *command) collectCommand() *cobra.Command {
	var f collectFlags
	cmd := &cobra.Command{
		Use:     "collect RUN",
		GroupID: "result",
		Short:   "Verify the results of a run, store its tables and print the table",
		Long: "Verify all results of a run, wherever they were computed; write its " +
			"tables to tables/ in its folder, as " +
			formatTitles() +
			"; and print the table. Missing results are listed. Files are replaced in one " +
			"step, so several processes may collect while tasks still run.\n\n" + cli.RunArgument,
		Example: "  hansa collect grid\n" +
			"  hansa collect grid --require-complete --format markdown",
		Args:              cli.Want(1, 1, "one RUN"),
		ValidArgsFunction: cli.First(session.RunNames, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.table.check(); err != nil {
				return err
			}
			return c.collect(cmd.Context(), args[0], &f)
		},
	}
	f.table.flags(cmd)
	cmd.Flags().BoolVar(&f.complete, "require-complete", false,
		"end with exit code 1 when a training run has no result")
	return cmd
}

// formatTitles names all formats of tables in a sentence.
func formatTitles() string {
	var titles []string
	for _, f := range render.Formats() {
		titles = append(titles, f.Title)
	}
	return phrase.List(titles)
}

func (c *command) collect(ctx context.Context, arg string, f *collectFlags) error {
	run, plan, err := c.Open(arg)
	if err != nil {
		return err
	}
	tables, err := table.Build(*c.Gather(run, plan, nil))
	if err != nil {
		return fault.Of(err)
	}
	for _, format := range render.Formats() {
		var b bytes.Buffer
		if err := format.Tables(&b, tables, c.textOptions(&b, f.table.width)); err != nil {
			return fault.Of(err)
		}
		file := filepath.Join("tables", "table."+format.Ending)
		if err := run.SaveFile(file, b.Bytes()); err != nil {
			return fault.Unstorable(run.Dir, err)
		}
	}
	if err := c.print(tables, &f.table); err != nil {
		return fault.Of(err)
	}
	return c.lacking(ctx, run, plan, f)
}

// lacking says what is missing of a run.
func (c *command) lacking(
	ctx context.Context, run store.Run, plan *store.Plan, f *collectFlags,
) error {
	s, err := c.RunState(ctx, run, plan)
	if err != nil {
		return err
	}
	n := s.Counts()
	missing := len(s.IDs) - n[session.StateDone]
	c.Sayf("%s, %d missing; the tables are in %s",
		phrase.Count(n[session.StateDone], "training run is done", "training runs are done"),
		missing, filepath.Join(run.Dir, "tables"))
	for _, state := range session.States[1:] {
		if n[state] > 0 {
			c.Sayf("  %d %s%s", n[state], state, phrase.Behind(s.Reasons(state)))
		}
	}
	if text, err := session.TrialsLeft(run, plan); err != nil {
		return err
	} else if text != "" {
		c.Sayf("%s; `%s` goes on with them", text, phrase.Hint("resume", run.Dir))
	}
	if missing > 0 && f.complete {
		c.Sayf("hansa: --require-complete: %s no result", phrase.Count(missing, "training run has",
			"training runs have"))
		return fault.ErrFailed
	}
	return nil
}
