package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// lookFlags say what of a run a table shows, and how, where that is not what the experiment
// says.
type lookFlags struct {
	infer.Look
	bold, spread, baseline string
	metrics, only          []string
}

var (
	bolds   = []string{"tested", "argmax"}
	spreads = []string{"sd", "sem", "ci"}
)

func (l *lookFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&l.metrics, "metric", nil,
		"show this `METRIC`; more than once for several, of which the first is tested")
	f.StringVar(&l.baseline, "baseline", "",
		"`METHOD` to compare the others with (default that of the report)")
	f.StringArrayVar(&l.only, "only", nil,
		"show training runs with this `KEY=VALUE`: a method, a seed or a point of the sweep")
	f.BoolVar(&l.Delta, "delta", false,
		"add the difference from the baseline to each value: 72.05 (+7.86)")
	f.BoolVar(&l.Transposed, "transpose", false, "one column for each method, one row for each "+
		"metric")
	f.StringVar(&l.spread, "err", "", "`SPREAD` over seeds behind ±: sd, sem or ci "+
		"(default that of the report)")
	f.StringVar(&l.bold, "bold", "tested", "`RULE` for bold: tested, the best value and those not "+
		"significantly different from it; or argmax, the best mean, without a test")
	cli.CompleteFlag(cmd, "err", spreads...)
	cli.CompleteFlag(cmd, "bold", bolds...)
	for flag, words := range map[string]func(p *store.Plan) []string{
		"metric": (*store.Plan).Metrics, "baseline": (*store.Plan).Methods,
		"only": (*store.Plan).Coordinates,
	} {
		// It fails when there is no such flag, which a test would see.
		_ = cmd.RegisterFlagCompletionFunc(flag, planned(words))
	}
}

func (l *lookFlags) check() error {
	l.Argmax = l.bold == "argmax"
	if err := cli.OneOf("--bold", l.bold, bolds); err != nil || l.spread == "" {
		return err
	}
	return cli.OneOf("--err", l.spread, spreads)
}

// gather reads what a run has of the cells that are asked for, and says of them how they are to
// be shown.
func (l *lookFlags) gather(
	c *command, run store.Run, plan *store.Plan,
) (*infer.Input, error) {
	metrics, methods := plan.Metrics(), plan.Methods()
	for _, m := range l.metrics {
		if !slices.Contains(metrics, m) {
			return nil, fmt.Errorf("--metric %s: there is none; %s", m, study.Suggest(m, metrics))
		}
	}
	if l.baseline != "" && !slices.Contains(methods, l.baseline) {
		return nil, fmt.Errorf("--baseline %s: there is no such method; %s", l.baseline,
			study.Suggest(l.baseline, methods))
	}
	part, err := plan.Only(l.only)
	if err != nil {
		return nil, err
	}
	if l.baseline != "" {
		part.Report.Baseline, part.Report.Against = l.baseline, "baseline"
	}
	if l.Delta && part.Report.Baseline == "" && part.Report.Against != "parent" {
		return nil, errors.New("--delta: the report has no baseline; name one by --baseline METHOD")
	}
	if l.metrics != nil {
		part.Report.Metrics = l.metrics
	}
	if l.spread != "" {
		part.Report.Spread = l.spread
	}
	in := c.Gather(run, part, nil)
	in.Look = l.Look
	return in, nil
}

// planned offers what a list makes of the plan of the run that the command line names.
func planned(list func(p *store.Plan) []string) cli.Completion {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			if run, err := session.FindRun(args[0]); err == nil {
				if plan, err := run.LoadPlan(); err == nil {
					return list(plan), cobra.ShellCompDirectiveNoFileComp
				}
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
