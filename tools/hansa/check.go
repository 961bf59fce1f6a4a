package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func (c *command) checkCommand() *cobra.Command {
	var o session.Overrides
	var f checkFlags
	cmd := &cobra.Command{
		Use:     "check FILE…",
		GroupID: "plan",
		Short:   "Resolve experiments without running them; examine strategies",
		Long: "Resolve experiments without running them. Either every mistake is " +
			"reported with its place, or the value of every parameter is printed with the " +
			"line that sets it: first what all training runs have in common, then what each " +
			"method and each point of the sweep has of its own.\n\nData files are examined, " +
			"for at most two seconds each: whether they exist, their columns, rows, labels " +
			"and devices. A missing data file is a mistake only with --data. Strategies that " +
			"an experiment names are examined, as by hansa run.\n\nA FILE that is Go code, " +
			"or a folder, is a strategy. Its components are built and checked against the " +
			"requirements of their kind, on small populations of 1 to 60 clients. Every " +
			"violation is reported with its line; else the speed of each component is " +
			"printed.",
		Example: "  hansa check experiments/quickstart.toml\n" +
			"  hansa check --quiet experiments/fedavot/*.toml\n" +
			"  hansa check mine.go",
		Args:              cli.Want(1, math.MaxInt, "one FILE or more"),
		ValidArgsFunction: cli.Sources,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.check(cmd.Context(), args, &o, f)
		},
	}
	cli.OverrideFlags(cmd, &o)
	cli.DataFlag(cmd, &f.data)
	cli.UnexaminedFlag(cmd, &o.Unexamined)
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "print one line per file")
	cmd.Flags().BoolVar(&f.parity, "parity", false,
		"compile strategies, too, and compare the bits: of the first rounds of an experiment, or "+
			"of one that is made up for a strategy")
	return cmd
}

// checkFlags say what is asked of files, and how much is said of that.
type checkFlags struct {
	examFlags
	data string
}

// check resolves all files, whatever is wrong with some of them.
func (c *command) check(
	ctx context.Context, files []string, o *session.Overrides, f checkFlags,
) error {
	var all study.Problems
	var b strings.Builder
	for _, file := range files {
		if toolbox.IsStrategy(file) {
			text, err := c.examine(ctx, file, f.examFlags)
			var problems study.Problems
			if err != nil && !errors.As(err, &problems) {
				return err
			}
			b.WriteString(text)
			all = append(all, problems...)
			continue
		}
		x, err := c.Load(ctx, file, o)
		if err == nil {
			err = x.Enough(0)
		}
		var problems study.Problems
		if errors.As(err, &problems) {
			all = append(all, problems...)
			continue
		}
		if err != nil {
			return err
		}
		wrong, err := c.checkData(ctx, x, f.data)
		if err != nil {
			return err
		}
		if all = append(all, wrong...); len(wrong) > 0 {
			continue
		}
		if b.Len() > 0 && !f.quiet {
			b.WriteByte('\n')
		}
		b.WriteString(x.Summary() + "\n")
		if !f.quiet {
			b.WriteString(cli.Resolved(x, c.bold))
		}
		if f.parity {
			compared, err := x.Parity(ctx, o, f.data)
			if err != nil && !errors.As(err, &problems) {
				return err
			}
			if err == nil {
				b.WriteString(parityText(compared))
			}
			all = append(all, problems...)
		}
	}
	if err := c.PrintText(b.String()); err != nil || len(all) == 0 {
		return err
	}
	return all
}

// parityText says how many results of an experiment were compared, interpreted and compiled.
func parityText(compared int) string {
	if compared == 0 {
		return console.Margin + "no strategies: there is nothing to compare\n"
	}
	return fmt.Sprintf("%s%s of at most %d rounds, interpreted and compiled: the same bits\n",
		console.Margin, phrase.Count(compared, "result", "results"), session.ParityMost)
}

// checkData returns what is wrong with the data files of an experiment. Those that are not there
// are a mistake where the command line says where they are.
func (c *command) checkData(ctx context.Context, x *session.Experiment, data string) (
	study.Problems, error,
) {
	var cells []int
	for i, shown := range x.Shown {
		if shown {
			cells = append(cells, i)
		}
	}
	found := x.Inspect(ctx, cells, session.Folders(x.Folder, data))
	if err := c.TellOf(found); err != nil {
		return nil, err
	}
	if data == "" {
		c.Unexamined(found.Missing)
		return found.Problems, nil
	}
	return append(found.Problems, found.Missing...), nil
}
