package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// runFlags say how a run is made.
type runFlags struct {
	session.Overrides
	session.Options
	table  tableFlags
	dir    string
	called string // the run, in messages
	remoteFlags
}

func (c *command) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run FILE",
		GroupID: "run",
		Short:   "Run an experiment and print its table",
		Long: "Run an experiment and print its table. A training run is one method with " +
			"one setting and one seed; those that have a result already are not repeated.\n\n" +
			"Results are stored in runs/<name of the file>/ of the current folder, one file " +
			"for each training run. A run that was stopped continues with the same command. " +
			"Its training runs continue from their checkpoints, to the same bits. " +
			"Checkpoints are saved every minute, in at most 2 % of the time, and on " +
			"interruption.\n\nStrategies are examined before the first training run, once " +
			"for each version of their code. A strategy that does not meet the requirements " +
			"of its kind is refused, as by hansa check. With --unexamined it is run, and a " +
			"footnote of the table says so.\n\nWhere the file has [tune], its trials are run " +
			"first, in the folder tune/ of the run. With --keep, arrays that components " +
			"record, such as transport plans, are stored for numpy.load, in " +
			"arrays/<id>/round-<number>-<name>.npy; sent has a row for each client of the " +
			"round: its number, the bytes that were sent to it, and those that it sent. Only " +
			"training runs that are made now record arrays.",
		Example: "  hansa run experiments/quickstart.toml\n" +
			"  hansa run experiments/quickstart.toml --seeds 2 --set rounds=200 --dir try\n" +
			"  hansa run experiments/quickstart.toml --only method=FedAVOT --only seed=0",
		Args:              cli.Want(1, 1, "one FILE"),
		ValidArgsFunction: cli.ExperimentFiles,
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
	cli.OverrideFlags(cmd, &f.Overrides)
	cmd.Flags().StringVar(&f.dir, "dir", "",
		"keep the run in `FOLDER` (default runs/<name of the file>)")
	cli.CompleteFlag(cmd, "dir")
	f.means(cmd)
}

// means are the flags that say how cells are run and shown, whichever they are.
func (f *runFlags) means(cmd *cobra.Command) {
	f.table.flags(cmd)
	cmd.Flags().IntVarP(&f.Jobs, "jobs", "j", 0,
		"train `N` clients or training runs at once (default one per processor); results do not "+
			"depend on it")
	f.terms(cmd)
	f.remoteFlags.flags(cmd)
}

// terms are the flags that say how cells are run, wherever that is.
func (f *runFlags) terms(cmd *cobra.Command) {
	cli.DataFlag(cmd, &f.Data)
	cmd.Flags().DurationVar(&f.Checkpoint, "checkpoint", session.Cadence,
		"save the progress of a training run after each `TIME`, and when it is interrupted; 0 "+
			"for never")
	cli.CompleteFlag(cmd, "checkpoint", "60s", "10m", "0")
	cmd.Flags().BoolVar(&f.Keep, "keep", false,
		"also store arrays that components record, and what each client is sent and sends, "+
			"in arrays/ of the run")
	cli.UnexaminedFlag(cmd, &f.Unexamined)
	cli.LimitFlags(cmd, &f.Options)
}

// check refuses flags that make no sense, and fills in what depends on the machine.
func (f *runFlags) check() error {
	if err := errors.Join(f.checkJobs(), f.checkTerms(), f.remoteFlags.check()); err != nil {
		return err
	}
	return f.table.check()
}

func (f *runFlags) checkJobs() error {
	if f.Jobs < 0 {
		return fmt.Errorf("--jobs %d: want at least 1", f.Jobs)
	}
	f.Jobs = cmp.Or(f.Jobs, runtime.GOMAXPROCS(0))
	return nil
}

// checkTerms refuses terms that make no sense.
func (f *runFlags) checkTerms() error {
	if f.Checkpoint < 0 {
		return fmt.Errorf("--checkpoint %v: want a time such as 60s, or 0 for never", f.Checkpoint)
	}
	return cli.CheckLimits(&f.Options)
}

// runAgain begins the command lines that go on with a run.
const runAgain = "hansa run"

func (c *command) run(ctx context.Context, cmd *cobra.Command, file string, f *runFlags) error {
	args := []string{file}
	g := &goingOn{f, nil, cli.Again(runAgain, cmd, args, "jobs")}
	j, missing, err := c.openJob(cmd, file, f, c.trials(ctx, cmd, g, nil))
	if errors.Is(err, errTrials) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := j.Preflight(ctx, missing, &f.Options, f.on == onHere); err != nil {
			return err
		}
	}
	if f.on != onHere && len(missing) > 0 {
		_, err := c.submit(ctx, j, missing, f, nil)
		return err
	}
	j.WarnOfQueue(ctx, missing)
	line := cli.Again(runAgain, cmd, args, cli.Others(cmd, "with", "set", "seeds", "only")...)
	g.shown = j.Experiment.Plan(line).Part(j.Experiment.Shown)
	return c.conduct(ctx, j, missing, g)
}

// submit hands cells to a cluster. A change of what is asked for is optional.
func (c *command) submit(
	ctx context.Context, j *session.Job, missing []int, f *runFlags, change func(*session.Target),
) (*store.Submission, error) {
	to, err := f.target()
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(to)
	}
	sub, err := j.Submit(ctx, missing, &f.Options, to)
	if err != nil || sub == nil {
		return nil, err
	}
	cells := len(slices.Concat(sub.Tasks...))
	c.Sayf("submitted %s in %s as job %s; `%s` says how far they are",
		phrase.Count(cells, "training run", "training runs"),
		phrase.Count(len(sub.Tasks), "task", "tasks"),
		sub.Job, phrase.Hint("status", f.called))
	return sub, nil
}

// openJob opens the run of an experiment file, and returns which cells are missing. What is to be
// done with the trials of [tune] that come first a function says.
func (c *command) openJob(
	cmd *cobra.Command, file string, f *runFlags, trials func(j *session.Job, missing []int) error,
) (j *session.Job, missing []int, err error) {
	f.Budget = f.Call
	x, err := c.Load(cmd.Context(), file, &f.Overrides)
	if err != nil {
		return nil, nil, err
	}

	if cmd.Name() == "run" && f.on == onHere { // else it runs on other machines
		if err := x.Enough(session.Size(f.Memory)); err != nil {
			return nil, nil, err
		}
	}
	if f.Keep {
		if err := x.Keepable(&f.Options); err != nil {
			return nil, nil, err
		}
	}
	line := cli.Again(runAgain, cmd, []string{file}, cli.Others(cmd, "with", "set", "seeds")...)
	f.called = cmp.Or(f.dir, "runs/"+x.Spec.Name)
	if x.Tune != nil {
		t, err := c.OpenTuning(x, store.Run{Dir: f.called}, x.Plan(line))
		if err != nil {
			return nil, nil, err
		}
		if x, err = t.Finish(trials); err != nil {
			return nil, nil, err
		}
	}
	if j, err = c.NewRun(x, f.called, line); err != nil {
		return nil, nil, err
	}
	missing = j.Missing()
	j.TellMissing(missing)
	return j, missing, nil
}

// goingOn says what is printed of cells that ran, and how they go on.
type goingOn struct {
	*runFlags
	shown *store.Plan // of which the table is printed
	again string      // the command line that goes on
}

// conduct runs cells here, prints the table of what is shown, and says how to go on where they
// did not all come to their end.
func (c *command) conduct(ctx context.Context, j *session.Job, missing []int, g *goingOn) error {
	if err := j.Compile(ctx, missing, &g.Options); err != nil {
		return err
	}
	verdict := j.Conduct(ctx, missing, &g.Options, g.again)
	switch {
	case verdict == fault.ErrInterrupted && context.Cause(ctx) == fault.ErrSaved:
		return fault.ErrSaved
	case verdict != nil && verdict != fault.ErrInterrupted && verdict != fault.ErrFailed:
		return verdict
	}
	if j.Done > 0 || verdict != fault.ErrInterrupted {
		in := c.Gather(j.Run, g.shown, j.Reasons)
		if err := c.printInput(in, &g.table); err != nil {
			return err
		}
	}
	return c.unfinished(j, verdict, g.again)
}

// unfinished says how training runs go on of which not all came to their end, and returns why.
func (c *command) unfinished(j *session.Job, verdict error, again string) error {
	switch verdict {
	case fault.ErrInterrupted:
		c.Sayf("interrupted: %d of %d training runs are done and stored; go on with `%s`",
			j.Done, j.Cells, again)
	case fault.ErrFailed:
		c.Sayf("%d of %d training runs failed%s; `%s` tries them again", j.Failed, j.Cells,
			j.LeftOut(), again)
	}
	return verdict
}
