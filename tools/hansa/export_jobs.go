package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// The engines that hansa does not speak to, but writes for.
const (
	asCommands   = "commands"
	asKubernetes = "kubernetes"
)

// exportedAs are the values of --format of export-jobs.
var exportedAs = []string{asCommands, asKubernetes}

// mostExported is how many tasks may be exported: what one Indexed Job of Kubernetes may have.
const mostExported = 100_000

// exportFlags say what is written for an engine that hansa does not speak to.
type exportFlags struct {
	runFlags
	format, output string
	tasks, cpus    int
	variable       variable
	pods           pods
}

func (c *command) exportJobsCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:     "export-jobs FILE|RUN",
		GroupID: "run",
		Short:   "Write what is missing as jobs for another engine",
		Long: "Write the cells of an experiment that have no result as tasks for an engine that " +
			"hansa does not speak to; nothing is run. A RUN, by its name or folder, is exported " +
			"as it was planned, whatever has become of its files. Tasks put results into the " +
			"folder of the run, which must be seen under the same path where they run. What " +
			"stopped half-way " +
			"goes on from its checkpoints when its task is started again, and it does no harm " +
			"that several run one cell.\n\n" +
			"commands: a command line for each task, for GNU parallel, xargs or HTCondor's queue " +
			"from; or with --index-env one script that an array engine starts for every task — " +
			"PBS, SGE, LSF, AWS Batch and others — and that says how to submit it.\n\n" +
			"kubernetes: the manifest of an Indexed Job. Its pods see the run by a volume claim " +
			"that many may write to, and they have the program from there.\n\n" +
			"The exit code of a task is 0 when all its cells have a result, 1 when some failed, " +
			"65 when there is nothing that it could run (do not start it again), 74 when " +
			"something could not be read or stored (start it again later), and 75 when SIGTERM " +
			"stopped it (start it again: it goes on). hansa status says what is done; hansa " +
			"resume runs the rest.",
		Example: "  hansa export-jobs grid.toml | parallel --joblog log\n" +
			"  hansa export-jobs grid.toml --tasks 100 | xargs -P 8 -L 1 env\n" +
			"  hansa export-jobs grid.toml --index-env PBS_ARRAY_INDEX -o tasks.sh\n" +
			"  hansa export-jobs grid.toml --format kubernetes --claim lab -o job.yaml",
		Args:              want(1, 1, "one FILE or RUN"),
		ValidArgsFunction: experimentFiles,
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
	overrideFlags(cmd, &f.Overrides)
	fs := cmd.Flags()
	fs.StringVar(&f.dir, "dir", "", "keep the run in `FOLDER` (default runs/<name of the file>)")
	completeFlag(cmd, "dir")
	f.terms(cmd)
	fs.StringVar(&f.format, "format", asCommands, "`FORMAT`: commands or kubernetes")
	completeFlag(cmd, "format", exportedAs...)
	fs.StringVarP(&f.output, "output", "o", "-", "write to `FILE`; - is standard output")
	fs.IntVar(&f.tasks, "tasks", 1000, "deal cells to at most `N` tasks; fewer cells, one each")
	completeFlag(cmd, "tasks", "100", "1000")
	fs.IntVar(&f.cpus, "cpus", 1, "`N` processors for a task, and as many cells at once")
	completeFlag(cmd, "cpus", "1", "2", "4")
	f.variable.flags(cmd)
	f.pods.flags(cmd)
}

// check refuses flags that make no sense.
func (f *exportFlags) check(cmd *cobra.Command) error {
	if f.tasks < 1 || f.tasks > mostExported {
		return fmt.Errorf("--tasks %d: want 1 to %d", f.tasks, mostExported)
	}
	if f.cpus < 1 {
		return fmt.Errorf("--cpus %d: want at least 1", f.cpus)
	}
	if err := errors.Join(f.checkTerms(), oneOf("--format", f.format, exportedAs)); err != nil {
		return err
	}
	if f.format == asKubernetes {
		return errors.Join(refuse(cmd, "--format "+asCommands, f.variable.names()), f.pods.check())
	}
	return errors.Join(refuse(cmd, "--format "+asKubernetes, f.pods.names()), f.variable.check(cmd))
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
	if err := writable(session.Real(j.Run.Dir)); err != nil {
		return err
	}
	if err := j.Preflight(ctx, missing, &f.Options, false); err != nil {
		return err
	}
	if f.format == asKubernetes {
		if err := f.pods.see(c, session.Real(j.Run.Dir), session.Folders("", f.Data)); err != nil {
			return err
		}
	}
	f.Memory = uint64(f.share())
	to := &session.Target{Name: f.format, Site: &launch.Site{CPUs: f.cpus}}
	sub, program, err := j.Export(ctx, missing, &f.Options, to, f.tasks)
	if err != nil {
		return err
	}
	t := &tasks{program: program, run: j.Run.Dir, submission: sub.Name, number: len(sub.Tasks),
		cpus: f.cpus}
	if err := c.hand(t.text(f), f); err != nil {
		_ = j.Run.DropSubmission(sub.Name) // no engine has it
		return err
	}
	c.Sayf("exported %s in %s; `%s` says how far they are", phrase.Count(len(missing), "cell",
		"cells"),
		phrase.Count(len(sub.Tasks), "task", "tasks"), phrase.Hint("status", f.called))
	return nil
}

// exported opens what a command line asks to export: the run of an experiment file, or a run as
// it was planned.
func (c *command) exported(cmd *cobra.Command, arg string, f *runFlags) (
	j *session.Job, missing []int, err error,
) {
	if !session.AsPlanned(arg) {
		return c.openJob(cmd, arg, f)
	}
	if err := refuse(cmd, "a FILE", []string{"set", "seeds", "dir"}); err != nil {
		return nil, nil, err
	}
	run, plan, err := c.Open(arg)
	if err != nil {
		return nil, nil, err
	}
	if j, err = c.Planned(run, plan, f.Only, f.Call); err != nil {
		return nil, nil, err
	}
	if err := j.GatePlanned(cmd.Context(), f.unexamined); err != nil {
		return nil, nil, err
	}
	if f.Keep {
		if err := j.Experiment.Keepable(&f.Options); err != nil {
			return nil, nil, err
		}
	}
	f.called, missing = arg, j.Missing()
	c.sayMissing(j, missing)
	return j, missing, nil
}

// writable refuses a path that not every shell and parser reads as it is.
func writable(path string) error {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) {
		return fmt.Errorf("the path %q has control characters or is no UTF-8; keep the run "+
			"elsewhere with --dir", path)
	}
	return nil
}

// share is how much memory a worker process may have: what was asked for, or its part of what
// the pod has; 0 where nobody knows.
func (f *exportFlags) share() session.Size {
	if f.Memory != 0 || f.pods.memory == 0 {
		return session.Size(f.Memory)
	}
	return f.pods.heap() / session.Size(f.cpus)
}

// text is what the engine is given.
func (t *tasks) text(f *exportFlags) string {
	switch {
	case f.format == asKubernetes:
		return f.pods.manifest(t)
	case f.variable.name != "":
		return f.variable.script(t)
	}
	return t.lines()
}

// hand writes what was exported to where it is wanted. A script can be executed.
func (c *command) hand(text string, f *exportFlags) error {
	if f.output == "-" {
		return c.print(text)
	}
	err := replaceFile(f.output, func(w io.Writer) error {
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
