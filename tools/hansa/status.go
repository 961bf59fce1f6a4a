package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// statusFlags say what is told of a run.
type statusFlags struct {
	format string
	all    bool
}

// statusFormats are the ways to print how far a run is.
var statusFormats = []string{"text", "json"}

func (c *command) statusCommand() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use:     "status RUN",
		GroupID: "run",
		Short:   "Show how far a run is, and why results are missing",
		Long: "Show how many training runs of a run are done, and for the others which " +
			"task has them or why they have no result.\n\nA training run is done when its " +
			"result verifies on disk. The reasons for missing results come from notes of " +
			"tasks and from the cluster, with or without accounting. Of a training run with " +
			"a checkpoint the last saved round is shown. How busy the workers of the last " +
			"command were is shown where that took half a minute or more.\n\n" + cli.RunArgument,
		Example: "  hansa status grid\n  hansa status grid --all\n" +
			"  hansa status runs/grid --format json",
		Args:              cli.Want(1, 1, "one RUN"),
		ValidArgsFunction: cli.First(session.RunNames, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.OneOf("--format", f.format, statusFormats); err != nil {
				return err
			}
			return c.status(cmd.Context(), args[0], &f)
		},
	}
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORMAT`: text or json")
	cmd.Flags().BoolVar(&f.all, "all", false, "list all training runs, not only some that "+
		"are not done")
	cli.CompleteFlag(cmd, "format", statusFormats...)
	return cmd
}

// engineTime is how long an engine may take to answer.
const engineTime = 45 * time.Second

func (c *command) status(ctx context.Context, arg string, f *statusFlags) error {
	run, plan, err := c.Open(arg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	s, err := c.RunState(ctx, run, plan)
	if err != nil {
		return err
	}
	s.ReadProgress(run, plan)
	n := s.Counts()
	c.Unread = c.Unread || n[session.StateCorrupt]+n[session.StateUnreadable] > 0
	trials, err := c.OpenTrials(ctx, run, plan)
	if err != nil {
		return err
	}
	if f.format == "json" {
		out, err := view.StatusJSON(run, plan, s, trials)
		if err != nil {
			return err
		}
		return c.PrintJSON(out)
	}
	if err := c.PrintText(c.counted(s, "")); err != nil {
		return err
	}
	if err := c.PrintText(console.Cells(s, plan, f.all, console.Columns(c.Out))); err != nil {
		return err
	}
	if text := session.Used(run); text != "" {
		c.Sayf("%s", text)
	}
	here := run.AtWork()
	if plan.Tuning != nil && plan.Tuning.Open {
		here = append(here, session.Trials(run).AtWork()...)
	}
	if len(here) > 0 {
		c.Sayf("at work: %s", session.AtWork(here, time.Now()))
	}
	if s.Unknown != nil {
		c.Sayf("hansa: what is in the queue is not known: %v", s.Unknown)
	}
	if plan.Tuning != nil && plan.Tuning.Open {
		return c.trialStatus(run, plan, trials, arg)
	}
	c.advise(arg, n, len(s.IDs), len(here) > 0)
	return nil
}

// counted returns lines of how many cells are in which state.
func (c *command) counted(s *session.RunState, margin string) string {
	var rows [][]string
	n := s.Counts()
	for _, state := range session.States {
		if n[state] > 0 {
			rows = append(rows, []string{strconv.Itoa(n[state]), state, s.Reasons(state)})
		}
	}
	return console.Grid(rows, margin, console.Gutter, console.Columns(c.Out))
}

// trialStatus says how far the trials are that come before the cells of a run, and what goes on
// with them.
func (c *command) trialStatus(
	run store.Run, plan *store.Plan, trials *session.RunState, arg string,
) error {
	text, err := session.TrialsLeft(run, plan)
	if err != nil {
		return err
	}
	next := fmt.Sprintf("`%s` goes on with them", phrase.Hint("resume", arg))
	if trials != nil {
		counted := "\ntrials of [tune]\n" + c.counted(trials, console.Margin)
		if err := c.PrintText(counted); err != nil {
			return err
		}
		if trials.Unknown != nil {
			c.Sayf("hansa: what is in the queue is not known: %v", trials.Unknown)
		}
		if trials.Successor != "" {
			next = "job " + trials.Successor + " goes on once their tasks have ended"
		}
	}
	c.Sayf("%s; `%s` lists them, %s", text, phrase.Hint("tune", arg), next)
	return nil
}

// advise says what there is to do, while a process is at work on the run or none is.
func (c *command) advise(arg string, n map[string]int, cells int, busy bool) {
	switch live := n[session.StateRunning] + n[session.StatePending] + n[session.StateArriving]; {
	case n[session.StateDone] == cells:
		c.Sayf("all training runs are done; `%s` prints the table", phrase.Hint("table", arg))
	case n[session.StateDone]+live+n[session.StateExported] == cells &&
		n[session.StateExported] > 0:
		c.Sayf("whether exported tasks run cannot be asked; if they do not, "+
			"`%s` does", phrase.Hint("resume", arg))
	case n[session.StateDone]+live < cells && busy:
		c.Sayf("what is missing may be theirs; `%s` shares it with them", phrase.Hint("resume",
			arg))
	case n[session.StateDone]+live < cells:
		c.Sayf("`%s` runs what no task has", phrase.Hint("resume", arg))
	}
}
