package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// resumeFlags say which cells are tried again.
type resumeFlags struct {
	runFlags
	session.Retry
}

func (c *command) resumeCommand() *cobra.Command {
	var f resumeFlags
	cmd := &cobra.Command{
		Use:     "resume RUN",
		GroupID: "run",
		Short:   "Continue a run as it was planned",
		Long: "Continue a run as it was planned, here or on a cluster: make all training " +
			"runs that have no result and are in no task. Everything that this takes is in " +
			"the folder of the run, including strategies. So it does not matter where the " +
			"run was started.\n\nResults that fail verification are set aside and computed " +
			"again. Training runs continue from their checkpoints. A training run that got " +
			"no result in three submissions is left out without --force.\n\n" + cli.RunArgument,
		Example: "  hansa resume grid\n" +
			"  hansa resume grid --on slurm --lost-only --exclude node7\n" +
			"  hansa resume grid --on slurm --failed-only --mem x2",
		Args:              cli.Want(1, 1, "one RUN"),
		ValidArgsFunction: cli.First(session.RunNames, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.Retry.Failed && f.Retry.Lost {
				return errors.New("--failed-only and --lost-only: choose one")
			}
			return c.resume(cmd.Context(), cmd, args[0], &f)
		},
	}
	f.means(cmd)
	flags := cmd.Flags()
	cli.OnlyFlag(cmd, &f.Only)
	// It fails when there is no such flag, which a test would see.
	_ = cmd.RegisterFlagCompletionFunc("only", planned((*store.Plan).Coordinates))
	flags.BoolVar(&f.Retry.Failed, "failed-only", false,
		"only training runs that failed, timed out or crashed")
	flags.BoolVar(&f.Retry.Lost, "lost-only", false,
		"only training runs whose task was lost, cancelled or exported")
	flags.IntVar(&f.Retry.Attempts, "attempts", 3, "leave out training runs that got no result "+
		"in `N` submissions")
	flags.BoolVar(&f.Retry.Force, "force", false,
		"try them again, too")
	flags.StringVar(&f.remoteFlags.memory, "mem", "",
		"`SIZE` of the memory of a task, or x2 for twice what the site profile says")
	flags.StringSliceVar(&f.exclude, "exclude", nil, "leave out `NODES`")
	cli.CompleteFlag(cmd, "attempts")
	cli.CompleteFlag(cmd, "mem")
	cli.CompleteFlag(cmd, "exclude")
	return cmd
}

// resume runs what a run lacks.
func (c *command) resume(
	ctx context.Context, cmd *cobra.Command, arg string, f *resumeFlags,
) error {
	run, plan, err := c.Open(arg)
	if err != nil {
		return err
	}
	f.called = arg
	if plan.Tuning != nil && plan.Tuning.Open {
		if plan, err = c.resumeTrials(ctx, cmd, run, plan, f); errors.Is(err, errTrials) {
			return nil
		} else if err != nil {
			return err
		}
	}
	if plan, err = plan.Only(f.Only); err != nil {
		return err
	}
	j, err := c.Planned(run, plan, nil, f.Call)
	if err != nil {
		return err
	}
	if f.Keep {
		if err := j.Experiment.Keepable(&f.Options); err != nil {
			return err
		}
	}
	s, err := c.RunState(ctx, run, plan)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("on") && len(s.Submissions) > 0 {
		f.on = engineOf(s.Submissions)
	}
	missing := j.Wanted(s, j.Missing(), &f.Retry)
	done := phrase.Count(j.Done, "training run is done", "training runs are done")
	if len(missing) == 0 {
		c.Sayf("nothing to run: %s", done)
		return c.printInput(c.Gather(run, plan, nil), &f.table)
	}
	c.Sayf("%s, %d to run", done, len(missing))
	if err := j.GatePlanned(ctx, f.Unexamined); err != nil {
		return err
	}

	if err := j.Preflight(ctx, missing, &f.Options, f.on == onHere); err != nil {
		return err
	}
	if f.on != onHere {
		_, err := c.submit(ctx, j, missing, &f.runFlags, nil)
		return err
	}
	return c.conduct(ctx, j, missing, &goingOn{&f.runFlags, plan,
		cli.Again("hansa resume", cmd, []string{arg}, cli.Others(cmd, "only")...)})
}

// engineOf returns where cells of a run were handed to last, if that can be asked.
func engineOf(list []*store.Submission) string {
	if on := list[len(list)-1].Engine; slices.Contains(engines(), on) {
		return on
	}
	return onHere
}
