package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/kubernetes"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// exportFlags say what is written for an engine that hansa does not speak to.
type exportFlags struct {
	runFlags
	jobs cli.JobFlags
}

func (c *command) exportJobsCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:     "export-jobs FILE|RUN",
		GroupID: "run",
		Short:   "Write what is missing as jobs for another engine",
		Long: "Write the training runs of an experiment that have no result as tasks for " +
			"an engine that hansa does not submit to itself. Nothing is run. A RUN, by its " +
			"name or folder, is exported as it was planned, even if its files have " +
			"changed.\n\nTasks store results in the folder of the run. That folder must have " +
			"the same path where the tasks run. A task that was stopped continues from its " +
			"checkpoints when it is started again. Starting a task twice does no harm.\n\n" +
			"commands: a command line for each task, for GNU parallel, xargs or HTCondor's " +
			"queue from; or, with --index-env, one script that an array engine starts for " +
			"every task (PBS, SGE, LSF, AWS Batch and others). The script says how it is " +
			"submitted.\n\nkubernetes: the manifest of an Indexed Job. Its pods read the run " +
			"and the program from a volume claim that many pods may write to.\n\nThe exit " +
			"code of a task is 0 when all its training runs have a result; 1 when some " +
			"failed; 65 when none of them can be run (do not start it again); 74 when " +
			"something could not be read or stored (start it again later); and 75 when " +
			"SIGTERM stopped it (start it again to continue). hansa status shows what is " +
			"done; hansa resume runs the rest.",
		Example: "  hansa export-jobs grid.toml | parallel --joblog log\n" +
			"  hansa export-jobs grid.toml --tasks 100 | xargs -P 8 -L 1 env\n" +
			"  hansa export-jobs grid.toml --index-env PBS_ARRAY_INDEX -o tasks.sh\n" +
			"  hansa export-jobs grid.toml --format kubernetes --claim lab -o job.yaml",
		Args:              cli.Want(1, 1, "one FILE or RUN"),
		ValidArgsFunction: cli.ExperimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(f.checkTerms(), f.jobs.Check(cmd)); err != nil {
				return err
			}
			return c.exportJobs(cmd.Context(), cmd, args[0], &f)
		},
	}
	f.flags(cmd)
	return cmd
}

func (f *exportFlags) flags(cmd *cobra.Command) {
	cli.OverrideFlags(cmd, &f.Overrides)
	cmd.Flags().StringVar(&f.dir, "dir", "",
		"keep the run in `FOLDER` (default runs/<name of the file>)")
	cli.CompleteFlag(cmd, "dir")
	f.terms(cmd)
	f.jobs.Add(cmd)
}

// exportJobs writes what is missing of an experiment as tasks for another engine.
func (c *command) exportJobs(
	ctx context.Context, cmd *cobra.Command, file string, f *exportFlags,
) error {
	j, missing, err := c.exported(cmd, file, &f.runFlags)
	if err != nil || len(missing) == 0 {
		return err
	}
	if missing, err = j.Idle(ctx, missing); err != nil || len(missing) == 0 {
		return err
	}
	if err := launch.CheckPath(session.Real(j.Run.Dir)); err != nil {
		return err
	}
	if err := j.Preflight(ctx, missing, &f.Options, false); err != nil {
		return err
	}
	if f.jobs.Format == cli.AsKubernetes {
		data := session.Folders("", f.Data)
		if err := c.settle(&f.jobs.Pods, session.Real(j.Run.Dir), data); err != nil {
			return err
		}
	}
	f.Memory = cmp.Or(f.Memory, f.jobs.Share())
	to := &session.Target{Name: f.jobs.Format, Site: &launch.Site{CPUs: f.jobs.CPUs}}
	sub, program, err := j.Export(ctx, missing, &f.Options, to, f.jobs.Tasks)
	if err != nil {
		return err
	}
	e := &launch.Export{Program: program, Run: j.Run.Dir, Submission: sub.Name,
		Tasks: len(sub.Tasks), CPUs: f.jobs.CPUs}
	if err := c.hand(f.jobs.Text(e), f); err != nil {
		_ = j.Run.DropSubmission(sub.Name) // no engine has it
		return err
	}
	c.Sayf("exported %s in %s; `%s` says how far they are",
		phrase.Count(len(missing), "training run", "training runs"),
		phrase.Count(len(sub.Tasks), "task", "tasks"),
		phrase.Hint("status", f.called))
	return nil
}

// exported opens what a command line asks to export: the run of an experiment file, or a run as
// it was planned.
func (c *command) exported(cmd *cobra.Command, arg string, f *runFlags) (
	j *session.Job, missing []int, err error,
) {
	take := func(trials *session.Job, of []int) error {
		j, missing = trials, of
		f.Keep = false // arrays are of what is reported
		c.Sayf("these are trials of [tune]: once their tasks have ended, `%s` exports what follows",
			phrase.Hint("export-jobs", arg))
		return errTrials
	}
	if !session.AsPlanned(arg) {
		opened, list, err := c.openJob(cmd, arg, f, take)
		if errors.Is(err, errTrials) {
			return j, missing, nil
		}
		return opened, list, err
	}
	if err := cli.Refuse(cmd, "a FILE", []string{"with", "set", "seeds", "dir"}); err != nil {
		return nil, nil, err
	}
	run, plan, err := c.Open(arg)
	if err != nil {
		return nil, nil, err
	}
	f.called = arg
	planned, err := c.Planned(run, plan, f.Only, f.Call)
	if err != nil {
		return nil, nil, err
	}
	if err := planned.GatePlanned(cmd.Context(), f.Unexamined); err != nil {
		return nil, nil, err
	}
	if plan.Tuning != nil && plan.Tuning.Open {
		if plan, err = c.chosen(planned, take); errors.Is(err, errTrials) {
			return j, missing, nil
		} else if err != nil {
			return nil, nil, err
		}
		if planned, err = c.Planned(run, plan, f.Only, f.Call); err != nil {
			return nil, nil, err
		}
	}
	j = planned
	if f.Keep {
		if err := j.Experiment.Keepable(&f.Options); err != nil {
			return nil, nil, err
		}
	}
	missing = j.Missing()
	j.TellMissing(missing)
	return j, missing, nil
}

// settle settles where pods see the run, and warns of folders with data that they do not see.
func (c *command) settle(p *kubernetes.Pods, run string, data []string) error {
	for i, folder := range data {
		data[i] = session.Real(folder)
	}
	unseen, err := p.Settle(run, data)
	for _, folder := range unseen {
		c.Sayf("hansa: pods see %s, where data in %s are not: training runs that read these "+
			"will fail "+
			"(--data, --mount)", p.Mount, folder)
	}
	return cli.Flagged(err)
}

// hand writes what was exported to where it is wanted. A script can be executed.
func (c *command) hand(text string, f *exportFlags) error {
	if f.jobs.Output == "-" {
		return c.PrintText(text)
	}
	err := host.Replace(f.jobs.Output, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err == nil && strings.HasPrefix(text, "#!") {
		err = os.Chmod(f.jobs.Output, 0o755)
	}
	if err != nil {
		return fault.Unstorable(f.jobs.Output, err)
	}
	return nil
}
