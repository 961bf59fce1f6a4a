package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

func (c *command) watchCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "watch FILE",
		GroupID: "run",
		Short:   "Run an experiment again at every save",
		Long: "Run an experiment as hansa run does, and again whenever the file or a " +
			"strategy that it names is saved with other content. Only what changed is run " +
			"again. When a file is saved during a run, that run stops after its round, keeps " +
			"its results, and starts again. After a mistake, watch prints it and waits for " +
			"the next save. Ctrl-C ends watch, with exit code 130. The flags are those of " +
			"hansa run.\n\nSaves are detected through the file system. Some network file " +
			"systems do not report them.",
		Example: "  hansa watch mine/mine.toml\n" +
			"  hansa watch experiments/quickstart.toml --seeds 2 --set rounds=200 --dir try",
		Args:              cli.Want(1, 1, "one FILE"),
		ValidArgsFunction: cli.ExperimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.on != onHere {
				return fmt.Errorf("--on %s: hansa watch runs here", f.on)
			}
			if _, err := os.Stat(args[0]); err != nil {
				return session.Unreadable(args[0], err)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), host.EndSignals()...)
			defer stop()
			defer context.AfterFunc(ctx, stop)() // the second interrupt ends the process
			for ctx.Err() == nil {
				if err := c.watchOnce(ctx, cmd, args[0], &f); err != nil {
					return err
				}
			}
			return fault.ErrInterrupted
		},
	}
	f.flags(cmd)
	return cmd
}

// watchOnce runs an experiment, and returns when it or a strategy was saved since.
func (c *command) watchOnce(
	ctx context.Context, cmd *cobra.Command, file string, f *runFlags,
) error {
	saves, err := session.NewLookout(file)
	if err != nil {
		return fault.Of(err)
	}
	defer saves.Close()
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	saved := make(chan string, 1)
	go func() {
		if path, ok := saves.Await(ctx); ok {
			saved <- path
			cancel(fault.ErrSaved)
		}
		close(saved)
	}()
	if err := c.run(running, cmd, file, f); err != fault.ErrSaved && ctx.Err() == nil {
		if err != nil {
			c.conclude(err)
		}
		c.Sayf("watching %s; Ctrl-C ends", strings.Join(saves.Paths, ", "))
	}
	if path, ok := <-saved; ok {
		c.Sayf("\n%s was saved", path)
	}
	return nil
}
