// Command hansa runs experiments on aggregation rules in federated learning.
//
//	hansa list [KIND]        what experiments can name
//	hansa describe NAME      parameters, paper, departures
//	hansa new KIND NAME      begin a component of your own
//	hansa check FILE…        resolve experiments, run nothing; examine strategies
//	hansa audit FILE         which clients train, and what a method therefore optimises
//	hansa schema [PATH…]     a JSON Schema of experiment files, for editors
//	hansa run FILE           run what is missing, then print the table
//	hansa watch FILE         run it again whenever it, or a strategy, is saved
//	hansa status RUN         how far a run is, and what became of the rest
//	hansa resume RUN         run what a run lacks, here or on a cluster
//	hansa cancel RUN         stop what works on a run
//	hansa task               run one task of a submission, as an engine starts it
//	hansa export-jobs FILE   what is missing as jobs for another engine
//	hansa table RUN          print the table of a run again, in any format
//	hansa claims RUN…        what the results say of the claims of papers
//	hansa compare RUN…       compare the methods of runs: tests, effects, ranks, targets
//	hansa leaderboard RUN…   write a site that compares the methods of runs
//	hansa export RUN         all that was measured, for pandas, R, NumPy, TensorBoard
//	hansa collect RUN        verify all results and store the tables
//	hansa runs               the runs that lie here
//	hansa diff RUN RUN       settings and results that differ
//	hansa gc RUN             remove what is no longer needed of a run
//	hansa man FOLDER         manual pages
//	hansa doctor             whether everything is right, here and on a cluster
//	hansa version            version, revision, Go, platform and kernels of this program
//	hansa data list          data sets, and where they lie
//	hansa data get NAME…     download data sets and verify them
//
// Tables go to standard output, everything else to standard error. The exit code is 0
// when all went well; 1 when some runs failed, or something could not be read or stored;
// 2 for a mistake in the command or the experiment; and 130 when interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/tensor"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func main() {
	blas64.Use(new(tensor.BLAS)) // before any goroutine multiplies
	os.Exit(hansa(context.Background(), os.Stdout, os.Stderr, os.Args[1:]))
}

// hansa runs one command line and returns the exit code.
func hansa(ctx context.Context, out, errOut io.Writer, args []string) int {
	c := newCommand(console.Safely(out), console.Safely(errOut))
	return c.execute(ctx, args)
}

// execute runs one command line and returns the exit code.
func (c *command) execute(ctx context.Context, args []string) int {
	root := c.root()
	root.SetArgs(args)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	code := c.conclude(root.ExecuteContext(ctx))
	if code == exitOK && c.Unread {
		return exitFailed
	}
	return code
}

// conclude says what went wrong, unless that was said, and returns the exit code.
func (c *command) conclude(err error) int {
	var problems study.Problems
	var end ending
	var broken *session.BrokenTrials
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &end):
		return end.code
	case errors.Is(err, fault.ErrFailed):
		if errors.As(err, &broken) { // training runs did not begin, of which nothing was said
			fmt.Fprintln(c.Err, "hansa:", err)
		}
		return exitFailed
	case errors.Is(err, fault.ErrInterrupted):
		return exitInterrupted
	case errors.As(err, &problems):
		unsaid := problems.Render(c.Err, c.ColorOn(c.Err))
		if unsaid != nil || errors.As(err, new(fault.Fault)) {
			return exitFailed
		}
		return exitUsage
	}
	fmt.Fprintln(c.Err, "hansa:", err)
	if errors.As(err, new(fault.Fault)) {
		return exitFailed
	}
	return exitUsage
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "hansa",
		Short: "Experiments on aggregation rules in federated learning",
		Long: "hansa compares aggregation rules in federated learning. An experiment " +
			"file composes methods from named components. hansa run FILE runs it and prints " +
			"a table.",
		Example: "  hansa check experiments/quickstart.toml\n" +
			"  hansa run experiments/quickstart.toml\n" +
			"  hansa table quickstart --format latex",
		SilenceUsage: true, SilenceErrors: true,
		Args: cli.Subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVar(&c.Color, "color", "auto",
		"`WHEN` to use colour: auto, always or never; NO_COLOR is honoured")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		return cli.OneOf("--color", c.Color, console.Colors)
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Version = thisVersion().text()
	root.SetVersionTemplate("{{.Version}}")
	root.AddGroup(&cobra.Group{ID: "look", Title: "Look around"},
		&cobra.Group{ID: "plan", Title: "Before a run"}, &cobra.Group{ID: "run", Title: "Run"},
		&cobra.Group{ID: "result", Title: "Results"})
	root.AddCommand(
		c.listCommand(), c.describeCommand(), c.dataCommand(), c.doctorCommand(),
		c.versionCommand(),
		c.newCommand(), c.checkCommand(), c.auditCommand(), c.schemaCommand(),
		c.buildCommand(),
		c.runCommand(), c.watchCommand(), c.statusCommand(), c.resumeCommand(), c.cancelCommand(),
		c.taskCommand(), c.exportJobsCommand(),
		c.tableCommand(), c.claimsCommand(), c.tuneCommand(), c.compareCommand(),
		c.plotCommand(), c.reportCommand(), c.leaderboardCommand(),
		c.exportCommand(), c.collectCommand(),
		c.runsCommand(), c.diffCommand(), c.gcCommand(),
		c.manCommand(),
	)
	cli.SetHelp(root, console.Columns(c.Out), exitCodes())
	cli.CompleteFlag(root, "color", console.Colors...)
	return root
}
