package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/commands"
	"github.com/hansa-fl/hansa/framework/launch/kubernetes"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// The engines that hansa does not speak to, but writes for.
const (
	asCommands   = "commands"
	asKubernetes = "kubernetes"
)

// exportedAs are the values of --format of export-jobs.
var exportedAs = []string{asCommands, asKubernetes}

// exportFlags say what is written for an engine that hansa does not speak to.
type exportFlags struct {
	runFlags
	format, output string
	tasks, cpus    int
	index          commands.Index
	pods           kubernetes.Pods
	memory         session.Size // of a pod
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
			if err := f.check(cmd); err != nil {
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
	fs := cmd.Flags()
	fs.StringVar(&f.dir, "dir", "", "keep the run in `FOLDER` (default runs/<name of the file>)")
	cli.CompleteFlag(cmd, "dir")
	f.terms(cmd)
	fs.StringVar(&f.format, "format", asCommands, "`FORMAT`: commands or kubernetes")
	cli.CompleteFlag(cmd, "format", exportedAs...)
	fs.StringVarP(&f.output, "output", "o", "-", "write to `FILE`; - is standard output")
	fs.IntVar(&f.tasks, "tasks", 1000, "divide training runs among at most `N` tasks")
	cli.CompleteFlag(cmd, "tasks", "100", "1000")
	fs.IntVar(&f.cpus, "cpus", 1, "`N` processors for a task, and as many training runs at once")
	cli.CompleteFlag(cmd, "cpus", "1", "2", "4")
	f.indexFlags(cmd)
	f.podFlags(cmd)
}

// indexNames and podNames are the flags that only one format has.
var (
	indexNames = []string{"index-env", "first"}
	podNames   = []string{"claim", "mount", "image", "namespace", "queue", "parallel", "mem"}
)

// indexFlags say how an array engine tells a task which one it is.
func (f *exportFlags) indexFlags(cmd *cobra.Command) {
	var known []string
	for _, e := range commands.Engines() {
		known = append(known, cobra.CompletionWithDesc(e.Variable, e.Name))
	}
	fs := cmd.Flags()
	fs.StringVar(&f.index.Variable, "index-env", "",
		"one script for all tasks, of which the variable `NAME` says which one it is")
	cli.CompleteFlag(cmd, "index-env", known...)
	fs.IntVar(&f.index.First, "first", 0, "`N` that NAME is for the first task (default 0; 1 "+
		"where the engine of NAME is known to count from 1)")
	cli.CompleteFlag(cmd, "first", "0", "1")
}

// podFlags say how Kubernetes runs tasks.
func (f *exportFlags) podFlags(cmd *cobra.Command) {
	fs, p := cmd.Flags(), &f.pods
	fs.StringVar(&p.Claim, "claim", "", "for pods: the volume claim `NAME` that holds the run")
	fs.StringVar(&p.Mount, "mount", "", "for pods: where they see the volume, a `FOLDER` that has "+
		"the run under the same path as here (default the folder of the run)")
	fs.StringVar(&p.Image, "image", "debian:12-slim", "for pods: the `IMAGE` of the container")
	fs.StringVar(&p.Namespace, "namespace", "",
		"for pods: their `NAMESPACE` (default that of kubectl)")
	fs.StringVar(&p.Queue, "queue", "", "for pods: the local queue `NAME` of Kueue")
	fs.IntVar(&p.Parallel, "parallel", 256, "for pods: at most `N` at once")
	fs.Var(&f.memory, "mem", "for pods: the `SIZE` of the memory of each, such as 4GiB (default "+
		"what the namespace gives)")
	for _, name := range podNames {
		if name == "mount" {
			cli.CompleteFlag(cmd, name)
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// check refuses flags that make no sense.
func (f *exportFlags) check(cmd *cobra.Command) error {
	if f.tasks < 1 || f.tasks > kubernetes.MostTasks {
		return fmt.Errorf("--tasks %d: want 1 to %d", f.tasks, kubernetes.MostTasks)
	}
	if f.cpus < 1 {
		return fmt.Errorf("--cpus %d: want at least 1", f.cpus)
	}
	if err := errors.Join(f.checkTerms(), cli.OneOf("--format", f.format, exportedAs)); err != nil {
		return err
	}
	if f.format == asKubernetes {
		f.pods.Memory = uint64(f.memory)
		return errors.Join(refuse(cmd, "--format "+asCommands, indexNames), flagged(f.pods.Check()))
	}
	return errors.Join(refuse(cmd, "--format "+asKubernetes, podNames), f.checkIndex(cmd))
}

// flagged returns an error that begins with the name of a flag as the command line has that.
func flagged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%w", err)
}

// checkIndex refuses what makes no sense.
func (f *exportFlags) checkIndex(cmd *cobra.Command) error {
	if cmd.Flags().Changed("index-env") {
		if err := f.index.Check(); err != nil {
			return fmt.Errorf("--index-env %q: %w", f.index.Variable, err)
		}
	}
	switch first := cmd.Flags().Changed("first"); {
	case f.index.Variable == "" && first:
		return errors.New("--first goes with --index-env")
	case f.index.First < 0:
		return fmt.Errorf("--first %d: want at least 0", f.index.First)
	case !first:
		f.index.First = -1 // where the engine begins
	}
	return nil
}

// refuse refuses flags that only go with something else.
func refuse(cmd *cobra.Command, with string, names []string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s goes with %s", name, with)
		}
	}
	return nil
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
	if f.format == asKubernetes {
		data := session.Folders("", f.Data)
		if err := c.settle(&f.pods, session.Real(j.Run.Dir), data); err != nil {
			return err
		}
	}
	f.Memory = f.share()
	to := &session.Target{Name: f.format, Site: &launch.Site{CPUs: f.cpus}}
	sub, program, err := j.Export(ctx, missing, &f.Options, to, f.tasks)
	if err != nil {
		return err
	}
	e := &launch.Export{Program: program, Run: j.Run.Dir, Submission: sub.Name,
		Tasks: len(sub.Tasks), CPUs: f.cpus}
	if err := c.hand(f.text(e), f); err != nil {
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
	if err := refuse(cmd, "a FILE", []string{"set", "seeds", "dir"}); err != nil {
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
	c.sayMissing(j, missing)
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
	return flagged(err)
}

// share is how much memory a worker process may have: what was asked for, or its part of what
// the pod has; 0 where that is not known.
func (f *exportFlags) share() uint64 {
	if f.Memory != 0 {
		return f.Memory
	}
	return f.pods.Heap() / uint64(f.cpus)
}

// text is what the engine is given.
func (f *exportFlags) text(e *launch.Export) string {
	switch {
	case f.format == asKubernetes:
		return kubernetes.Manifest(e, &f.pods)
	case f.index.Variable != "":
		return commands.Script(e, &f.index)
	}
	return commands.Lines(e)
}

// hand writes what was exported to where it is wanted. A script can be executed.
func (c *command) hand(text string, f *exportFlags) error {
	if f.output == "-" {
		return c.PrintText(text)
	}
	err := host.Replace(f.output, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err == nil && strings.HasPrefix(text, "#!") {
		err = os.Chmod(f.output, 0o755)
	}
	if err != nil {
		return fault.Unstorable(f.output, err)
	}
	return nil
}
