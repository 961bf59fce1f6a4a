package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/store"
)

// runFlags say how a run is made.
type runFlags struct {
	overrides
	table      tableFlags
	dir, data  string
	jobs       int  // 0: one per processor
	keep       bool // store the arrays that components record
	limits     limits
	unexamined bool // strategies run whether or not they keep their promises

	beside  string   // the folder of the experiment
	folders []string // with data, where neither says
	called  string   // the run, in messages
	far
	checkpoint time.Duration // after how much time the progress of a cell is saved; 0: never
}

func (c *command) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run FILE",
		GroupID: "run",
		Short:   "Run what is missing of an experiment, then print its table",
		Long: "Run every cell of an experiment that has no result yet, and print the table. " +
			"Results lie in runs/<name of the file>/ of the current folder, one file per cell; " +
			"a run that was stopped in any way goes on where it was. So does a cell, to the same " +
			"bits: its progress is saved every minute, but in no more than a fiftieth of its " +
			"time, and when it is interrupted. Before any cell runs strategies are examined, " +
			"once for their code: what breaks a promise of its kind is refused, as hansa check " +
			"says it, but with --unexamined, which the table then says. With --keep the arrays " +
			"that components record, such as transport plans, are stored beside the results of " +
			"the cells that run now, for numpy.load: arrays/<id>/round-<number>-<name>.npy.",
		Example: "  hansa run experiments/quickstart.toml\n" +
			"  hansa run experiments/quickstart.toml --seeds 2 --set rounds=200 --dir try\n" +
			"  hansa run experiments/quickstart.toml --only method=FedAVOT --only seed=0",
		Args:              want(1, 1, "one FILE"),
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return c.run(cmd.Context(), cmd, args[0], &f)
		},
	}
	f.flags(cmd)
	return cmd
}

func (f *runFlags) flags(cmd *cobra.Command) {
	f.overrides.flags(cmd)
	cmd.Flags().StringVar(&f.dir, "dir", "",
		"keep the run in `FOLDER` (default runs/<name of the file>)")
	completeFlag(cmd, "dir")
	f.means(cmd)
}

// means are the flags that say how cells are run and shown, whichever they are.
func (f *runFlags) means(cmd *cobra.Command) {
	f.table.flags(cmd)
	cmd.Flags().IntVarP(&f.jobs, "jobs", "j", 0,
		"train `N` cells or clients at once (default one per processor); no result depends on it")
	f.terms(cmd)
	f.far.flags(cmd)
}

// terms are the flags that say how cells are run, wherever that is.
func (f *runFlags) terms(cmd *cobra.Command) {
	dataFlag(cmd, &f.data)
	cmd.Flags().DurationVar(&f.checkpoint, "checkpoint", cadence,
		"save the progress of a cell after each `TIME`, and when it is interrupted; 0 for never")
	completeFlag(cmd, "checkpoint", "60s", "10m", "0")
	cmd.Flags().BoolVar(&f.keep, "keep", false,
		"store arrays that components record in the folder of the run; no result has them")
	unexaminedFlag(cmd, &f.unexamined)
	f.limits.flags(cmd)
}

// check refuses flags that make no sense, and fills in what depends on the machine.
func (f *runFlags) check() error {
	if f.jobs < 0 {
		return fmt.Errorf("--jobs %d: want at least 1", f.jobs)
	}
	f.jobs = cmp.Or(f.jobs, runtime.GOMAXPROCS(0))
	if err := errors.Join(f.checkTerms(), f.far.check()); err != nil {
		return err
	}
	return f.table.check()
}

// checkTerms refuses terms that make no sense.
func (f *runFlags) checkTerms() error {
	if f.checkpoint < 0 {
		return fmt.Errorf("--checkpoint %v: want a time such as 60s, or 0 for never", f.checkpoint)
	}
	return f.limits.check()
}

// where are the folders with data.
func (f *runFlags) where() []string {
	if f.folders != nil {
		return f.folders
	}
	return folders(f.beside, f.data)
}

// runAgain begins the command lines that go on with a run.
const runAgain = "hansa run"

func (c *command) run(ctx context.Context, cmd *cobra.Command, file string, f *runFlags) error {
	j, plan, missing, err := c.openJob(cmd, file, f)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := j.preflight(ctx, missing, f, f.on == onHere); err != nil {
			return err
		}
	}
	if f.on != onHere && len(missing) > 0 {
		return c.submit(ctx, j, plan, missing, f)
	}
	j.warn(ctx, plan, missing)
	args := []string{file}
	shown := j.x.plan(again(runAgain, cmd, args, others(cmd, "set", "seeds", "only")...)).
		Part(j.x.shown)
	return j.conduct(ctx, missing, f, shown, again(runAgain, cmd, args, "jobs"))
}

// openJob opens the run of an experiment file, and returns its plan and which cells are missing.
func (c *command) openJob(cmd *cobra.Command, file string, f *runFlags) (
	j *job, plan *store.Plan, missing []int, err error) {
	x, err := c.loadExamined(cmd.Context(), file, &f.overrides, f.limits.call, f.unexamined)
	if err != nil {
		return nil, nil, nil, err
	}
	f.beside = x.folder
	if cmd.Name() == "run" && f.on == onHere { // else it runs on other machines
		if err := x.enough(f.limits.memory); err != nil {
			return nil, nil, nil, err
		}
	}
	if f.keep {
		if err := x.keepable(&f.limits); err != nil {
			return nil, nil, nil, err
		}
	}
	plan = x.plan(again(runAgain, cmd, []string{file}, others(cmd, "set", "seeds")...))
	run, old, err := c.openRun(cmp.Or(f.dir, "runs/"+x.spec.Name), file, plan)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := keepCode(run, x.tools.sources); err != nil {
		return nil, nil, nil, err
	}
	if old != nil {
		c.renewed(run, old, plan)
	}
	j = &job{command: c, run: run, x: x, reasons: map[string]string{}}
	f.called = run.Dir
	missing = j.missing()
	j.sayMissing(missing)
	return j, plan, missing, nil
}

// sayMissing says how much there is to run, where some cells have a result.
func (j *job) sayMissing(missing []int) {
	done := count(j.done, "cell is done", "cells are done")
	switch {
	case len(missing)+j.failed == 0:
		j.say("nothing to run: %s in %s", done, j.run.Dir)
	case j.done > 0:
		j.say("%s, %d to run", done, len(missing))
	}
}

// conduct runs cells here, prints the table of what is shown, and says how to go on where they
// did not all come to their end.
func (j *job) conduct(
	ctx context.Context, missing []int, f *runFlags, shown *store.Plan, again string,
) error {
	if err := j.compile(ctx, missing, f); err != nil {
		return err
	}
	if len(missing) > 0 {
		defer j.enter(again)()
	}
	verdict := j.execute(ctx, missing, f)
	if verdict == nil && j.failed > 0 {
		verdict = errFailed
	}
	if err := j.displaced(); err != nil {
		return err
	}
	if verdict == errInterrupted && context.Cause(ctx) == errSaved {
		return errSaved
	}
	if j.done > 0 || verdict != errInterrupted {
		if err := j.printTable(j.run, shown, j.reasons, &f.table); err != nil {
			return err
		}
	}
	switch verdict {
	case errInterrupted:
		j.say("interrupted: %d of %d cells are done and stored; go on with `%s`",
			j.done, j.cells, again)
	case errFailed:
		j.say("%d of %d cells failed%s; `%s` tries them again", j.failed, j.cells,
			j.leftOut(), again)
	}
	return verdict
}

// say writes a line to standard error.
func (c *command) say(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }

// unreadable tells of something that could not be read. The command then ends with exit code 1,
// whatever it prints.
func (c *command) unreadable(err error) {
	c.unread = true
	c.tell(err)
}

// tell tells of something that cannot be read, once for all files with one trouble.
func (c *command) tell(err error) {
	trouble := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		trouble = path.Err.Error()
	}
	if !c.told[trouble] {
		c.told[trouble] = true
		c.say("hansa: %v", err)
	}
}

// missing returns the cells that are asked for and have no result, and counts those that
// have one. Cells that are the same experiment are run once.
func (j *job) missing() (missing []int) {
	seen := map[string]bool{}
	for i, id := range j.x.ids {
		if !j.x.shown[i] || seen[id] {
			continue
		}
		seen[id] = true
		j.cells++
		result, err := j.run.Get(id, &j.x.cells[i])
		switch {
		case result != nil:
			j.done++
		case err == nil:
			missing = append(missing, i)
		case errors.Is(err, store.ErrCorrupt): // it is computed again
			j.tell(err)
			missing = append(missing, i)
		default: // what cannot be read is not replaced, so that the cell would be run for nothing
			j.unreadable(err)
			j.reasons[id] = "its result cannot be read: " + cause(err).Error()
			j.failed++
		}
	}
	// Cells of one seed share their data: run them next to each other.
	slices.SortStableFunc(missing, func(a, b int) int {
		return cmp.Compare(j.x.cells[a].Seed, j.x.cells[b].Seed)
	})
	return missing
}
