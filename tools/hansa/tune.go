package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// tuneFormats are the ways to print trials.
var tuneFormats = []string{"text", "markdown", "csv", "json"}

func (c *command) tuneCommand() *cobra.Command {
	var format string
	var only []string
	var extend bool
	cmd := &cobra.Command{
		Use:     "tune RUN",
		GroupID: "result",
		Short:   "Show every trial of [tune], and what was chosen",
		Long: "Show the validation result of each setting of each method: mean and " +
			"standard deviation over the seeds of the trials, which setting was chosen, and " +
			"whether a chosen value is the smallest or largest that was tried.\n\nTrials are " +
			"training runs of a run of their own, in the folder tune/ of the run. hansa " +
			"status, table, export and plot accept that folder. hansa plot RUN sensitivity " +
			"draws the trials.\n\nWith --extend, a method whose chosen value is the smallest " +
			"or largest that was tried gets two values beyond it. Every other method gets as " +
			"many further settings within its ranges, so that all have the same budget. " +
			"hansa resume runs these trials, chooses again and runs what follows. With " +
			"successive halving the added settings compete with each other, and the best of " +
			"them with the earlier winner. With --only, points of the sweep that are left out " +
			"keep their settings.\n\n" + cli.RunArgument,
		Example: "  hansa tune tuned-glyphs\n" +
			"  hansa tune tuned-glyphs --format csv\n" +
			"  hansa status runs/tuned-glyphs/tune",
		Args:              cli.Want(1, 1, "one RUN"),
		ValidArgsFunction: cli.First(session.RunNames, cobra.ShellCompDirectiveDefault),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cli.OneOf("--format", format, tuneFormats); err != nil {
				return err
			}
			if extend {
				return c.extendTrials(args[0], only)
			}
			return c.tune(args[0], format, only)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT`: "+strings.Join(tuneFormats, ", "))
	cmd.Flags().BoolVar(&extend, "extend", false,
		"add settings to the plan, where chosen values are the smallest or largest; nothing is run")
	cli.OnlyFlag(cmd, &only)
	cli.CompleteFlag(cmd, "format", tuneFormats...)
	return cmd
}

// extendTrials adds settings to the trials of a run.
func (c *command) extendTrials(arg string, only []string) error {
	run, plan, err := c.Open(arg)
	if err != nil {
		return err
	}
	t, err := c.TuningOf(run, plan, only)
	if err != nil {
		return err
	}
	list, err := t.Extend()
	if err != nil {
		return fmt.Errorf("--extend: %w", err)
	}
	if len(list) == 0 {
		c.Sayf("no chosen value lies at an edge beyond which there are values")
		return nil
	}
	least, most := math.MaxInt, 0
	for _, e := range list {
		n := len(e.Beyond) + e.Within
		least, most = min(least, n), max(most, n)
		c.Sayf("%s%s: %s", console.Margin, e.Arm, e.Text())
	}
	each := "each method, so that all have the same budget"
	if least < most {
		each = "a method at most: some have tried all"
	}
	c.Sayf("added %s to %s; `%s` tries them", phrase.Count(most, "setting", "settings"), each,
		phrase.Hint("resume", arg))
	return nil
}

// tune prints the trials of a run.
func (c *command) tune(arg, format string, only []string) error {
	run, plan, err := c.Open(arg)
	if err != nil {
		return err
	}
	t, err := c.TuningOf(run, plan, only)
	if err != nil {
		return err
	}
	sets := t.Shown()
	switch format {
	case "json":
		return c.PrintJSON(struct {
			*study.Tune
			Sets []session.TrialSet `json:"sets"`
		}{&plan.Tuning.Tune, sets})
	case "csv":
		text, err := view.TrialCSV(sets)
		if err != nil {
			return err
		}
		return c.PrintText(text)
	}
	var b strings.Builder
	for i := range sets {
		s := &sets[i]
		title := view.TrialTitle(s)
		rows := view.TrialRows(s, plan.Tuning.By)
		if format == "markdown" {
			fmt.Fprintf(&b, "%s**%s**\n\n%s", paragraph(i), title, view.TrialMarkdown(rows))
			continue
		}
		fmt.Fprintf(&b, "%s%s\n", paragraph(i), c.Paint(c.Out, console.Bold, title))
		b.WriteString(console.Grid(rows, console.Margin, console.Gutter, console.Columns(c.Out)))
		if len(s.Edges) > 0 {
			fmt.Fprintf(&b, "%s%s: the least or the largest value that was tried; --extend "+
				"widens the range\n", console.Margin, strings.Join(s.Edges, ", "))
		}
	}
	if err := c.PrintText(b.String()); err != nil {
		return err
	}
	text, err := session.TrialsLeft(run, plan)
	if text != "" {
		c.Sayf("%s; `%s` goes on with them", text, phrase.Hint("resume", arg))
	}
	return err
}

// paragraph sets what follows off from what stands before it.
func paragraph(i int) string {
	if i == 0 {
		return ""
	}
	return "\n"
}

// errTrials ends a command that has handed trials to a cluster: what follows waits for them.
var errTrials = errors.New("trials come first")

// trials returns what runs trials, here or on a cluster. Those that came to nothing it tries again
// as is said; without a word on it, all of them.
func (c *command) trials(
	ctx context.Context, cmd *cobra.Command, g *goingOn, again *session.Retry,
) func(j *session.Job, missing []int) error {
	return func(j *session.Job, missing []int) error {
		c.Sayf("trials of [tune]: %s, %d to run", phrase.Count(j.Done, "training run is done",
			"training runs are done"), len(missing))
		s, err := c.RunState(ctx, j.Run, j.Plan)
		if err != nil {
			return err
		}
		if again != nil {
			missing = j.Wanted(s, missing, again)
		}
		switch {
		case len(missing) == 0 && len(s.Queued) > 0:
			c.waiting(s.Successor, g)
			return errTrials
		case len(missing) == 0:
			return fault.Of(fmt.Errorf("trials came to nothing: `%s` says why, and `%s` tries "+
				"them again", phrase.Hint("status", j.Run.Dir), phrase.Hint("resume", g.called,
				"--force")))
		case g.on != onHere:
			return c.trialsElsewhere(cmd, j, missing, g)
		}
		return c.trialsHere(ctx, j, missing, g)
	}
}

// resumeTrials runs the trials of a run that goes on as it was planned, and returns the plan with
// what was chosen.
func (c *command) resumeTrials(
	ctx context.Context, cmd *cobra.Command, run store.Run, plan *store.Plan, f *resumeFlags,
) (*store.Plan, error) {
	j, err := c.Planned(run, plan, f.Only, f.Call)
	if err != nil {
		return nil, err
	}
	if err := j.GatePlanned(ctx, f.Unexamined); err != nil {
		return nil, err
	}
	if err := c.where(ctx, cmd, session.Trials(run), f); err != nil {
		return nil, err
	}
	again := cli.Again("hansa resume", cmd, []string{f.called}, cli.Others(cmd, "only")...)
	return c.chosen(j, c.trials(ctx, cmd, &goingOn{&f.runFlags, nil, again}, &f.Retry))
}

// chosen returns the plan of a run with what its trials chose.
func (c *command) chosen(
	j *session.Job, trials func(j *session.Job, missing []int) error,
) (*store.Plan, error) {
	t, err := c.OpenTuning(j.Experiment, j.Run, j.Plan)
	if err != nil {
		return nil, err
	}
	x, err := t.Finish(trials)
	if err != nil {
		return nil, err
	}
	return t.Replan(x)
}

// where has trials go on where they began, unless the command line says where.
func (c *command) where(
	ctx context.Context, cmd *cobra.Command, trials store.Run, f *resumeFlags,
) error {
	list, err := trials.Submissions()
	if err != nil || len(list) == 0 || cmd.Flags().Changed("on") {
		return fault.Of(err)
	}
	f.on = engineOf(list)
	return ctx.Err()
}

// trialsElsewhere hands trials to a cluster, and a job that goes on once they have ended where
// tasks may ask for that.
func (c *command) trialsElsewhere(
	cmd *cobra.Command, j *session.Job, missing []int, g *goingOn,
) error {
	ctx := cmd.Context()
	if err := j.Preflight(ctx, missing, &g.Options, false); err != nil {
		return err
	}
	run := filepath.Dir(session.Real(j.Run.Dir))
	f := *g.runFlags
	f.Keep = false // arrays are of what is reported
	sub, err := c.submit(ctx, j, missing, &f, func(to *session.Target) {
		to.Collect = false // and so are tables
		if !to.Site.NoRequeue {
			to.Next = append([]string{"resume", run}, successor(cmd, g.on, to.File)...)
		}
	})
	if err != nil {
		return err
	}
	next := ""
	if sub != nil {
		next = sub.Successor
	} else if s, err := c.RunState(ctx, j.Run, j.Plan); err == nil {
		next = s.Successor // of what is in the queue already
	}
	c.waiting(next, g)
	return errTrials
}

// successor returns the flags with which a job on a cluster goes on with a run as a command does.
// Trials that came to nothing it does not try again: that would not end.
func successor(cmd *cobra.Command, on, site string) []string {
	words := []string{"--on", on, "--attempts", "1"}
	if site != "" {
		words = append(words, "--site", session.Real(site))
	}
	return append(words, cli.Given(cmd, "dir", "with", "set", "seeds", "jobs", "on", "site",
		"attempts", "force", "failed-only", "lost-only")...)
}

// waiting says what follows once the tasks of trials have ended: by a job of the cluster, or by
// hand.
func (c *command) waiting(job string, g *goingOn) {
	const follow = "the training runs that are reported follow from the trials: once their " +
		"tasks have " +
		"ended, "
	if job == "" {
		c.Sayf(follow+"`%s` goes on", phrase.Hint("resume", g.called))
		return
	}
	c.Sayf(follow+"job %s goes on; `%s` says how far it is", job, phrase.Hint("status", g.called))
}

// trialsHere runs trials on this machine.
func (c *command) trialsHere(
	ctx context.Context, j *session.Job, missing []int, g *goingOn,
) error {
	j.WarnOfQueue(ctx, missing)
	terms := g.Options
	terms.Keep = false // arrays are of what is reported
	verdict := j.Here(ctx, missing, &terms, g.again)
	if verdict == fault.ErrInterrupted {
		if context.Cause(ctx) == fault.ErrSaved {
			return fault.ErrSaved
		}
		c.Sayf("interrupted: %d of %d trials are done and stored; go on with `%s`", j.Done,
			j.Cells, g.again)
	}
	return verdict
}
