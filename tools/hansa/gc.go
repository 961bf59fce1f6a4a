package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// gcFlags say what gc removes, and whether.
type gcFlags struct {
	store.Sweep
	dry, force bool
}

func (c *command) gcCommand() *cobra.Command {
	var f gcFlags
	cmd := &cobra.Command{
		Use:     "gc RUN",
		GroupID: "result",
		Short:   "Remove what is no longer needed of a run",
		Long: "Remove files that a run no longer needs. These are half-written files and " +
			"marks of processes that have ended; checkpoints of training runs that have a " +
			"result or are not in the plan; and submissions without a task in the queue, " +
			"with the programs that only they used.\n\nKept are all results of training runs " +
			"in the plan. Results that are not in the plan are kept without --orphans, files " +
			"that failed verification without --quarantine. Half-written files of other " +
			"machines are kept for a day.\n\nWhile a process works on the run, or a task of " +
			"it is in the queue, nothing is removed without --force. The trials of [tune], " +
			"in the folder tune/ of the run, follow the same rules.\n\n" + cli.RunArgument,
		Example: "  hansa gc quickstart --dry-run\n  hansa gc quickstart --orphans --quarantine",
		Args:    cli.Want(1, 1, "one RUN"), ValidArgsFunction: cli.First(session.RunNames,
			cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := session.FindRun(args[0])
			if err != nil {
				return err
			}
			return c.sweep(cmd.Context(), run, &f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Orphans, "orphans", false, "also remove results, attempts, failures and "+
		"arrays of "+
		"training runs that are not in the plan: those of other settings or seeds")
	flags.BoolVar(&f.Quarantine, "quarantine", false, "also remove files that failed "+
		"verification, and "+
		"results that differed from the stored ones")
	flags.BoolVar(&f.dry, "dry-run", false, "only list what would be removed")
	flags.BoolVar(&f.force, "force", false, "remove even while a process works on the run, and "+
		"also the marks of processes of other machines")
	return cmd
}

// sweep removes what is no longer needed of a run, and of its trials.
func (c *command) sweep(ctx context.Context, run store.Run, f *gcFlags) error {
	plan, err := session.PlanOf(run)
	if err != nil {
		return err
	}
	trials, err := session.TrialPlan(run)
	if err != nil {
		return err
	}
	if f.Orphans && plan.Tuning != nil && plan.Tuning.Open {
		c.Sayf("--orphans: which training runs are in the plan follows from the trials of " +
			"[tune]; results are kept until these have ended")
		f.Orphans = false
	}
	if err := c.gc(ctx, run, plan, f); err != nil || trials == nil {
		return err
	}
	return c.gc(ctx, session.Trials(run), trials, f)
}

// gc removes what is no longer needed of the cells of a plan.
func (c *command) gc(ctx context.Context, run store.Run, plan *store.Plan, f *gcFlags) error {
	f.Now, f.Elsewhere = time.Now(), f.force
	if at := run.AtWork(); len(at) > 0 && !f.force && !f.dry {
		return fault.Of(fmt.Errorf("%s is at work on %s, and nothing was removed; wait, or use "+
			"--force", session.AtWork(at, f.Now), run.Dir))
	}
	queue, waiting, err := c.Queue(ctx, run, plan)
	if err != nil {
		return err
	}
	if waiting > 0 && !f.force && !f.dry {
		return fault.Of(fmt.Errorf("%s of %s in the queue, and nothing was removed; wait, or use "+
			"--force", phrase.Count(waiting, "task", "tasks"), run.Dir))
	}
	f.Queue = queue
	scraps, trouble := run.Scraps(plan, &f.Sweep)
	did := "would remove"
	if !f.dry {
		var unremoved error
		did = "removed"
		scraps, unremoved = run.Discard(scraps)
		trouble = errors.Join(trouble, unremoved)
	}
	if err := c.PrintText(scrapText(run, scraps, f.dry) + summed(did, scraps, run)); err != nil {
		return err
	}
	return fault.Of(trouble)
}

// summed says in one line what became of scraps.
func summed(did string, scraps []store.Scrap, run store.Run) string {
	var bytes int64
	for _, s := range scraps {
		bytes += s.Bytes
	}
	if len(scraps) == 0 {
		return fmt.Sprintf("there is nothing to remove in %s\n", run.Dir)
	}
	return fmt.Sprintf("%s %s from %s\n", did, host.Bytes(float64(bytes)), run.Dir)
}

// scrapText counts scraps kind by kind, or lists each.
func scrapText(run store.Run, scraps []store.Scrap, each bool) string {
	var b strings.Builder
	for from := 0; from < len(scraps); {
		to, bytes := from, int64(0)
		for ; to < len(scraps) && scraps[to].Kind == scraps[from].Kind; to++ {
			bytes += scraps[to].Bytes
		}
		fmt.Fprintf(&b, "%s: %d (%s)\n", scraps[from].Kind, to-from, host.Bytes(float64(bytes)))
		for _, s := range scraps[from:to] {
			if each {
				path := filepath.Join(run.Dir, filepath.FromSlash(s.Path))
				fmt.Fprintf(&b, "%s%s (%s)\n", console.Margin, path, host.Bytes(float64(s.Bytes)))
			}
		}
		from = to
	}
	return b.String()
}
