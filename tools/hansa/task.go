package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/diagnose"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// An ending is the error of a task that has said all there is to say.
type ending struct {
	code int
	error
}

// taskFlags say which part of a submission a task is.
type taskFlags struct {
	run, submission string
	index           int
	indexEnv        string
	first           int
	memory          uint64
	probe           string // folder: the task tries what tasks need, and reports it there
}

func (c *command) taskCommand() *cobra.Command {
	f := taskFlags{index: -1}
	cmd := &cobra.Command{
		Use:     "task --run FOLDER --submission NAME --index N",
		GroupID: "run",
		Short:   "Run one task of a submission",
		Long: "Make the training runs of one task of a submission. Engines such as Slurm " +
			"start this command; there is no need to type it.\n\nTraining runs with a result " +
			"are skipped. Those with a checkpoint continue from it. Where one fails, the " +
			"others go on. An array engine that hansa does not know passes the number of the " +
			"task in an environment variable: --index-env NAME. On SIGTERM and SIGUSR1 " +
			"training runs stop after their round and are saved. On SIGUSR1 the task also " +
			"asks its cluster to start it again.\n\nThe exit code is 0 when all training " +
			"runs have a result, 1 when some failed, 65 when none can be run, 74 when " +
			"something could not be read or stored, and 75 when the task was stopped and can " +
			"continue. Without --run the command is a worker process of hansa run, which " +
			"sends it work on standard input.",
		Example: "  hansa task --run runs/grid --submission 20261122-070102-8f3a --index 4\n" +
			"  hansa task --run runs/grid --submission NAME --index-env PBS_ARRAY_INDEX",
		Args: cli.Want(0, 0, "nothing but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.probe != "" {
				return c.probe(cmd.Context(), f.probe, f.index)
			}
			if f.run == "" {
				return session.Serve(f.memory)
			}
			index, err := f.which()
			if err != nil {
				return err
			}
			return c.task(cmd.Context(), store.Run{Dir: f.run}, f.submission, index)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.run, "run", "", "`FOLDER` of the run")
	flags.StringVar(&f.submission, "submission", "", "`NAME` of the submission")
	flags.IntVar(&f.index, "index", -1, "number `N` of the task, from 0")
	flags.StringVar(&f.indexEnv, "index-env", "", "the environment variable `NAME` holds the "+
		"number of the task")
	flags.IntVar(&f.first, "first", 0, "number `N` of the first task in --index-env")
	flags.Uint64Var(&f.memory, "memory", 0, "for a worker process: `BYTES` that the heap may hold")
	flags.StringVar(&f.probe, "probe", "", "`FOLDER` of hansa doctor")
	_ = flags.MarkHidden("probe") // it is there
	cli.CompleteFlag(cmd, "run")
	for _, name := range []string{"submission", "index", "index-env", "first", "memory"} {
		cli.CompleteFlag(cmd, name)
	}
	return cmd
}

// probe tries what tasks need, and reports it in a folder.
func (c *command) probe(ctx context.Context, folder string, index int) error {
	err := diagnose.Probe(ctx, folder, index)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, diagnose.ErrStopped):
		return ending{launch.ExitResume, fault.ErrInterrupted}
	}
	c.Sayf("hansa: %v", err)
	return ending{launch.ExitStorage, err}
}

// which returns the index of the task.
func (f *taskFlags) which() (int, error) {
	switch {
	case f.submission == "":
		return 0, errors.New("--submission NAME: which one?")
	case f.indexEnv == "" && f.index < 0:
		return 0, errors.New("--index N or --index-env NAME: which task?")
	case f.indexEnv == "":
		return f.index, nil
	}
	text := os.Getenv(f.indexEnv)
	i, err := strconv.Atoi(text)
	if err != nil || i < f.first {
		return 0, fmt.Errorf("--index-env %s: it is %q, want a number from %d", f.indexEnv, text,
			f.first)
	}
	return i - f.first, nil
}

// task runs the cells of one task of a submission.
func (c *command) task(ctx context.Context, run store.Run, submission string, index int) error {
	end, err := c.Session.Task(ctx, run, submission, index)
	switch end {
	case session.TaskPlanless:
		c.Sayf("hansa: %v", err)
		return ending{launch.ExitPlan, err}
	case session.TaskUnstored:
		return ending{launch.ExitStorage, err}
	case session.TaskStopped:
		return ending{launch.ExitResume, err}
	}
	return err
}
