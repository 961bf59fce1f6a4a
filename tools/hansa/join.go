package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// joinFlags say how a method of the user's joins a leaderboard.
type joinFlags struct {
	runFlags
	task, size string
}

func (f *joinFlags) flags(cmd *cobra.Command) {
	cli.JoinFlags(cmd, &f.task, &f.size)
	cli.OverrideFlags(cmd, &f.Overrides)
	cmd.Flags().IntVarP(&f.Jobs, "jobs", "j", 0, "make `N` training runs at once (default one per "+
		"processor)")
	cli.UnexaminedFlag(cmd, &f.Unexamined)
	cli.LimitFlags(cmd, &f.Options)
	f.on, f.Checkpoint = onHere, session.Cadence
}

// meant reports whether a method is to join.
func (f *joinFlags) meant(cmd *cobra.Command) bool {
	return len(f.With) > 0 || f.task != "" || cli.JoinsOnly(cmd)
}

// join runs what is missing of a task with methods of the user's, and says where they stand.
func (c *command) join(cmd *cobra.Command, f *joinFlags, site *view.Site) error {
	if len(f.With) == 0 {
		return errors.New("--task needs a method of yours: --with FILE")
	}
	if err := errors.Join(f.checkJobs(), f.checkTerms()); err != nil {
		return err
	}
	if _, err := view.Records(c.Session, site.Runs, nil); err != nil {
		return err // before anything is run
	}
	file, only, err := view.BoardFile(f.task, f.size, c.Sayf)
	if err != nil {
		return err
	}
	f.Only = append(only, f.Only...)
	own, err := session.Added(f.With, f.Call)
	if err != nil {
		return err
	}
	run := f.runFlags
	run.Only = view.JoinFilters(f.Only, own, len(site.Runs) > 0)
	g := &goingOn{&run, nil, cli.Again("hansa leaderboard", cmd, site.Runs, "jobs")}
	j, missing, err := c.openJob(cmd, file, &run, c.trials(cmd.Context(), cmd, g, nil))
	if err != nil {
		return err
	}
	verdict := j.Here(cmd.Context(), missing, &run.Options, g.again)
	if verdict != nil && verdict != fault.ErrFailed {
		return c.unfinished(j, verdict, g.again)
	}
	all := *site
	all.Runs = append(slices.Clone(site.Runs), run.called)
	tables, err := view.Standings(c.Session, all.Runs, own)
	for i, t := range tables {
		between := strings.Repeat("\n", min(i, 1))
		text := console.Standing(&t, console.Columns(c.Out))
		err = errors.Join(err, c.PrintText(between+text))
	}
	if flags := cmd.Flags(); (flags.Changed("output") || flags.Changed("json")) && err == nil {
		all.Flags = cli.Given(cmd, cli.Others(cmd, "title", "baseline")...)
		err = all.Make(cmd.Context(), c.Session)
	}
	return errors.Join(err, c.unfinished(j, verdict, g.again))
}
