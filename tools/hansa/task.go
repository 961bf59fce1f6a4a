package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// Exit codes of tasks, for the engines that start them, beside those of all commands.
const (
	exitPlan    = 65 // there is nothing that could be run: do not try again
	exitStorage = 74 // something could not be read or stored: try again later
	exitResume  = 75 // stopped from outside; what was done is safe
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
	canary          string // folder: the task tries what tasks need, and reports it there
}

func (c *command) taskCommand() *cobra.Command {
	f := taskFlags{index: -1}
	cmd := &cobra.Command{
		Use:     "task --run FOLDER --submission NAME --index N",
		GroupID: "run",
		Short:   "Run the cells of one task of a submission",
		Long: "Run the cells that a submission gave to one task, as an engine such as Slurm " +
			"starts it: cells with a result are passed over, cells with a checkpoint go on from " +
			"it, and a cell that fails costs the others nothing. Array engines that hansa does " +
			"not know say which task it is in a variable: --index-env NAME. On SIGUSR1 and " +
			"SIGTERM cells stop after their round and are saved; on SIGUSR1 the task then asks " +
			"the cluster that started it to start it again.\n\n" +
			"The exit code is 0 when all cells have a result, 1 when some failed, 65 when there " +
			"is nothing that could be run, 74 when something could not be read or stored, and 75 " +
			"when it was stopped and can go on. Without --run, orders of hansa run are read from " +
			"standard input.",
		Example: "  hansa task --run runs/grid --submission 20261122-070102-8f3a --index 4\n" +
			"  hansa task --run runs/grid --submission NAME --index-env PBS_ARRAY_INDEX",
		Args: want(0, 0, "nothing but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.canary != "" {
				return c.canary(cmd.Context(), f.canary, f.index)
			}
			if f.run == "" {
				return serve(f.memory)
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
	flags.IntVar(&f.index, "index", -1, "`N`, which task of it this is, from 0")
	flags.StringVar(&f.indexEnv, "index-env", "", "the variable `NAME` says which task this is")
	flags.IntVar(&f.first, "first", 0, "the first task is `N` where --index-env counts from there")
	flags.Uint64Var(&f.memory, "memory", 0, "`BYTES` that the heap may hold, for orders")
	flags.StringVar(&f.canary, "canary", "", "`FOLDER` of hansa doctor")
	_ = flags.MarkHidden("canary") // it is there
	completeFlag(cmd, "run")
	for _, name := range []string{"submission", "index", "index-env", "first", "memory"} {
		completeFlag(cmd, name)
	}
	return cmd
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
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer heed(stop)() // a signal before this ends the task
	w, err := run.LoadWork(submission, index)
	if err != nil {
		return ending{exitPlan, c.grave(err)}
	}
	x, err := rebuild(run, w)
	if err != nil {
		return ending{exitPlan, c.grave(err)}
	}
	o := termsOf(w)
	j := c.newJob(x, run, nil)
	missing := j.missing()
	if err := j.compile(ctx, missing, o); err != nil {
		return ending{exitPlan, c.grave(err)}
	}
	c.say("task %d of %s: %s, %d with a result%s", index, submission,
		phrase.Count(j.cells, "cell", "cells"), j.done, whereabouts())
	verdict := j.execute(ctx, missing, o)
	switch {
	case verdict == fault.ErrInterrupted:
		t := &turn{j, submission, index}
		return ending{exitResume, t.stopped(context.Cause(ctx), w.Terms.NoRequeue)}
	case verdict == fault.ErrFailed && j.unstored != nil:
		return ending{exitStorage, verdict}
	case verdict == nil:
		c.say("task %d is done", index)
	}
	return verdict
}

// grave says an error that ends a task, and returns it.
func (c *command) grave(err error) error {
	c.say("hansa: %v", err)
	return err
}

// termsOf returns how a task runs its cells: as was settled, within what its engine gives it.
func termsOf(w *store.Work) *options {
	o := (&options{Terms: w.Terms}).settled()
	o.Folders = append(o.Folders, folders("", "")...)
	if _, self := clusters.Here(); self.Memory > 0 {
		// Too much of it shows as slowness before the engine kills the task.
		most := self.Memory / 10 * 9
		debug.SetMemoryLimit(int64(most))
		if o.Memory == 0 {
			o.Memory = most / uint64(min(o.Jobs, len(w.Cells)))
		}
	}
	return o
}

// heed has signals of the engine stop what runs, and returns what ends that. SIGTERM may follow
// upon SIGUSR1 and must not end a task that is saving its cells.
func heed(stop context.CancelCauseFunc) func() {
	told := make(chan os.Signal, 4)
	signal.Notify(told, launch.StopSignals()...)
	go func() {
		for s := range told {
			stop(signalled{s})
		}
	}()
	return func() {
		signal.Stop(told)
		close(told)
	}
}

// signalled is the cause of what ends because of a signal.
type signalled struct{ by os.Signal }

// Error implements error.
func (s signalled) Error() string { return "stopped by " + s.by.String() }

// whereabouts says where a task runs, where its engine says so.
func whereabouts() string {
	_, self := clusters.Here()
	text := ""
	if node := cmp.Or(self.Node, os.Getenv("HOSTNAME")); node != "" {
		text = "; on " + node
	}
	if self.Restarts > 0 {
		text += fmt.Sprintf(", restart %d", self.Restarts)
	}
	return text
}

// A turn is one start of a task.
type turn struct {
	*job
	submission string
	index      int
}

// Guards against starts without end.
const (
	mostFruitless = 3
	mostRestarts  = 100
)

// requeueing is how long a controller may take to answer.
const requeueing = 30 * time.Second

// stopped says what becomes of a task that was stopped, and asks to be started again where its
// engine told it early that its time is over.
func (t *turn) stopped(cause error, forbidden bool) error {
	t.say("%v: %d of %d cells are done and stored", cause, t.done, t.cells)
	cluster, self := clusters.Here()
	why := t.barred(cause, self, forbidden)
	if why == "" {
		ctx, cancel := context.WithTimeout(context.Background(), requeueing)
		defer cancel()
		err := cluster.Requeue(ctx, self.Job, self.Index)
		if err == nil {
			t.say("it will be started again")
			return fault.ErrInterrupted
		}
		why = err.Error()
	}
	t.say("not started again: %s; `%s` goes on", why, phrase.Hint("resume", t.run.Dir))
	return fault.ErrInterrupted
}

// barred says why a task does not ask to be started again, or "".
func (t *turn) barred(cause error, self launch.Self, forbidden bool) string {
	last := t.run.LoadTurn(t.submission, t.index)
	now := store.Turn{Rounds: t.safe()}
	if self.Restarts > 0 && now.Rounds <= last.Rounds {
		now.Fruitless = last.Fruitless + 1
	}
	if err := t.run.SaveTurn(t.submission, t.index, now); err != nil {
		return cause.Error() + "; and " + fault.Unstorable(t.run.Dir, err).Error()
	}
	var s signalled
	switch {
	case !errors.As(cause, &s) || s.by != launch.AskAgain():
		return "nobody asked for that"
	case self.Job == "" || self.Index < 0:
		return "it is no task of an array of a cluster"
	case forbidden:
		return "the site profile says scontrol = false"
	case now.Fruitless >= mostFruitless:
		return fmt.Sprintf("%d starts in a row finished no round", now.Fruitless)
	case self.Restarts >= mostRestarts:
		return fmt.Sprintf("it was started again %d times", self.Restarts)
	}
	return ""
}

// safe counts the rounds of all cells that are stored.
func (t *turn) safe() (rounds int) {
	for i, id := range t.x.ids {
		if result, err := t.run.Get(id, &t.x.cells[i]); err == nil && result != nil {
			rounds += t.x.setups[i].Rounds
			continue
		}
		if p, _ := t.run.LoadCheckpoint(id, numerics); p != nil {
			rounds += p.Round
		}
	}
	return rounds
}
