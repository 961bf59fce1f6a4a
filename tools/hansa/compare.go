package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// compareFlags say what is compared, and how that is printed.
type compareFlags struct {
	tableFlags
	table.ComparisonOptions
	targets []string
	budgets []string
}

func (c *command) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:     "compare RUN…",
		GroupID: "result",
		Short:   "Compare the methods of runs: differences, tests, ranks, targets",
		Long: "Compare the methods of a run in one metric, over all points of its sweep. " +
			"The tables show paired differences from the baseline with intervals, " +
			"Holm-adjusted tests and effect sizes: overall, in each condition, and over " +
			"conditions with ranks. Two more tables show the course of training and the time " +
			"to a target. Seeds are the unit of replication.\n\nSeveral runs are compared in " +
			"one table where their settings agree, apart from the methods; where settings " +
			"differ, that is listed.\n\n" + cli.RunArgument,
		Example: "  hansa compare quickstart --at upload=60kB\n" +
			"  hansa compare quickstart --target suboptimality=1 --equivalence 0.5\n" +
			"  hansa compare quickstart mine --baseline FedAVOT --format latex",
		Args:              cli.Want(1, math.MaxInt, "at least one RUN"),
		ValidArgsFunction: cli.Runs,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return c.compare(args, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Metric, "metric", "", "`METRIC` to compare (default that of the report)")
	flags.StringVar(&f.Baseline, "baseline", "",
		"`METHOD` to compare the others with (default that of the report)")
	flags.StringArrayVar(&f.targets, "target", nil,
		"add the time until METRIC reaches VALUE: `METRIC=VALUE`; may be repeated")
	flags.StringArrayVar(&f.budgets, "at", nil, "add the value of the metric once a cost is "+
		"spent: `METRIC=AMOUNT`, such as upload=10MB or virtual-time=30min; may be repeated")
	flags.Float64Var(&f.Margin, "equivalence", 0,
		"test whether differences are smaller than `MARGIN`, in units of the metric")
	f.flags(cmd)
	return cmd
}

// check reads what flags say in words.
func (f *compareFlags) check() error {
	if err := f.tableFlags.check(); err != nil {
		return err
	}
	if !(f.Margin >= 0) || math.IsInf(f.Margin, 1) {
		return fmt.Errorf("--equivalence %g: want a margin above 0", f.Margin)
	}
	for _, b := range f.budgets {
		metric, amount, ok := strings.Cut(b, "=")
		value, unit, valid := cli.Amount(amount)
		if !ok || !valid || strings.TrimSpace(metric) == "" {
			return fmt.Errorf("--at %s: want METRIC=AMOUNT, such as upload=10MB", b)
		}
		f.Budgets = append(f.Budgets, table.Target{Metric: strings.TrimSpace(metric),
			Value: value, Unit: unit})
	}
	for _, t := range f.targets {
		cut := strings.LastIndexByte(t, '=')
		value, err := strconv.ParseFloat(strings.TrimSpace(t[cut+1:]), 64)
		if cut < 1 || err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("--target %s: want METRIC=VALUE, such as accuracy=90", t)
		}
		f.Targets = append(f.Targets, table.Target{
			Metric: strings.TrimSpace(t[:cut]), Value: value})
	}
	return nil
}

// command is the line that makes the same comparison again.
func (f *compareFlags) command(args []string) string {
	line := "hansa compare"
	add := func(flag, value string) {
		if value != "" {
			line += " " + flag + phrase.Quote(value)
		}
	}
	for _, arg := range args {
		add("", arg)
	}
	add("--metric ", f.Metric)
	add("--baseline ", f.Baseline)
	for _, t := range f.targets {
		add("--target ", t)
	}
	for _, b := range f.budgets {
		add("--at ", b)
	}
	if f.Margin > 0 {
		add("--equivalence ", strconv.FormatFloat(f.Margin, 'g', -1, 64))
	}
	return line
}

// compare compares the methods of the runs that args name.
func (c *command) compare(args []string, f *compareFlags) error {
	runs, err := view.Runs(c.Session, args)
	if err != nil {
		return err
	}
	in, remarks, err := infer.Pool(runs)
	if err != nil {
		return err
	}
	in.Command, f.Remarks = f.command(args), remarks
	contest, err := table.Compare(in, f.ComparisonOptions)
	if err != nil {
		return err
	}
	return fault.Of(c.print(contest.Tables(), &f.tableFlags))
}
