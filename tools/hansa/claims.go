package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// claimsFlags say how verdicts are printed, or drawn.
type claimsFlags struct {
	tableFlags
	out, size string
	only      []string
}

func (c *command) claimsCommand() *cobra.Command {
	var f claimsFlags
	cmd := &cobra.Command{
		Use:     "claims RUN…",
		GroupID: "result",
		Short:   "Test the claims of papers with the results of runs",
		Long: "Test every [[claim]] of an experiment with the results of its run. A " +
			"claim holds; or it is refuted, because its opposite is significant; or it is " +
			"undecided, with the number of seeds that would decide it; or it cannot be run " +
			"here, with what is missing.\n\nA claim without a margin is about a direction: " +
			"that A is better than B, not by how much. Its verdict is \"holds " +
			"(direction)\".\n\nWhere only some points of the sweep were run, or with --only, " +
			"that part is judged, and named. A claim about more than the part is not " +
			"judged.\n\nTests are over seeds at 5 %, Holm-adjusted for the claims of " +
			"a file. Values that do not vary over seeds are compared without a test. Claims " +
			"that are written after the experiment has run are read by hansa run, which " +
			"keeps the results. With -o the verdicts of all runs are drawn as a grid.\n\n" +
			cli.RunArgument,
		Example: "  hansa claims fig1a\n" +
			"  hansa claims fig1a fig1b --format markdown\n" +
			"  hansa claims table1 --only size=quick\n" +
			"  hansa claims runs/* -o verdicts.svg",
		Args:              cli.Want(1, math.MaxInt, "at least one RUN"),
		ValidArgsFunction: cli.Runs,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return c.claims(args, &f)
		},
	}
	f.flags(cmd)
	cmd.Flags().StringArrayVar(&f.only, "only", nil,
		"judge the runs with this `KEY=VALUE`: a method, a seed or a point of the sweep")
	_ = cmd.RegisterFlagCompletionFunc("only", planned((*store.Plan).Coordinates))
	cmd.Flags().StringVarP(&f.out, "output", "o", "",
		"draw a grid of verdicts into `FILE`: ."+strings.Join(figure.Formats(), ", ."))
	cmd.Flags().StringVar(&f.size, "size", "double",
		"of the grid: `NAME` of a size: "+strings.Join(sizeNames(), ", "))
	cli.CompleteFlag(cmd, "size", sizeNames()...)
	return cmd
}

// claims tells of the claims of runs, or draws their verdicts.
func (c *command) claims(args []string, f *claimsFlags) error {
	size, ok := figure.SizeNamed(f.size)
	if !ok {
		return cli.OneOf("--size", f.size, sizeNames())
	}
	format := ""
	if f.out != "" {
		var err error
		if format, err = cli.FigureFormat(f.out, figure.Formats()); err != nil {
			return err
		}
	}
	sets := []table.ClaimSet{}
	for _, arg := range args {
		run, plan, err := c.Open(arg)
		if err != nil {
			return err
		}
		set, err := view.Claims(&view.Subject{Session: c.Session, Run: run, Plan: plan}, f.only)
		if err != nil {
			return fmt.Errorf("%s: %w", arg, err)
		}
		if len(set.Claims) == 0 {
			c.Sayf("%s: its experiment makes no claims", arg)
			continue
		}
		sets = append(sets, set)
	}
	if f.out != "" && len(sets) == 0 {
		return fmt.Errorf("-o %s: there are no claims to draw; write [[claim]] into an experiment "+
			"and run it", f.out)
	}
	if f.out != "" {
		d, note := view.VerdictGrid(sets)
		return c.writeFigure(f.out, d, format, size, note)
	}
	as, _ := render.FormatNamed(f.tableFlags.format)
	return fault.Of(as.Claims(c.Out, sets, c.textOptions(c.Out, f.width)))
}
