package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

func (c *command) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "cancel RUN",
		GroupID: "run",
		Short:   "Stop what works on a run",
		Long: "Stop everything that works on a run: tasks that wait or run on a cluster, and a " +
			"hansa run or resume on this machine. Nothing that is stored is lost; cells that are " +
			"at work here are saved after their round.",
		Example:           "  hansa cancel grid",
		Args:              want(1, 1, "one RUN"),
		ValidArgsFunction: first(session.RunNames, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.cancel(cmd.Context(), args[0])
		},
	}
}

// cancelTime is how long tasks may take to end: they have the signal, and KillWait.
const cancelTime = 3 * time.Minute

func (c *command) cancel(ctx context.Context, arg string) error {
	run, plan, err := session.FindPlan(arg)
	if err != nil {
		return err
	}
	s, err := c.RunState(ctx, run, plan)
	if err != nil {
		return err
	}
	if s.Unknown != nil {
		return fault.Of(fmt.Errorf("what is in the queue is not known: %w", s.Unknown))
	}
	names := map[string][]string{} // by cluster
	for _, sub := range s.Submissions {
		name := launch.JobName(sub.Name)
		names[sub.Engine] = append(names[sub.Engine], name)
		if sub.Collector != "" {
			names[sub.Engine] = append(names[sub.Engine], name+session.Collecting)
		}
	}
	if n := s.Counts()[session.StateExported]; n > 0 {
		c.Sayf("%s exported: only their engine can cancel them",
			phrase.Count(n, "cell was", "cells were"))
	}
	if tasks := s.InQueue(); tasks > 0 {
		ctx, stop := context.WithTimeout(ctx, cancelTime)
		defer stop()
		for _, on := range clusters.Names() {
			if len(names[on]) == 0 {
				continue
			}
			if err := launch.Cancel(ctx, clusters.Named(on), names[on]); err != nil {
				return fault.Of(err)
			}
		}
		c.Sayf("cancelled %s", phrase.Count(tasks, "task", "tasks"))
	}
	stopped, trouble := c.interrupt(run)
	if s.InQueue() == 0 && !stopped && trouble == nil {
		c.Sayf("no process is at work on %s", run.Dir)
	}
	return fault.Of(trouble)
}

// interrupt interrupts what works on a run on this machine, as Ctrl-C would.
func (c *command) interrupt(run store.Run) (some bool, trouble error) {
	for _, b := range run.AtWork() {
		who := session.AtWork([]store.Busy{b}, time.Now())
		if !b.Here() {
			c.Sayf("%s may be at work, too; it has to be stopped there", who)
			continue
		}
		if b.Began == "" && runtime.GOOS == "linux" {
			c.Sayf("%s does not say when it began, and so may be another program; it has to be "+
				"stopped by hand", who)
			continue
		}
		p, err := os.FindProcess(b.Process)
		if err == nil {
			err = p.Signal(os.Interrupt)
		}
		if err != nil {
			trouble = errors.Join(trouble, fmt.Errorf("%s: %w", who, err))
			continue
		}
		some = true
		c.Sayf("interrupted %s; it stops after the round at work", who)
	}
	return some, trouble
}
