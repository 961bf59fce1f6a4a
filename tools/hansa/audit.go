package main

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports"
)

// auditFormats are the ways to print an audit.
var auditFormats = []string{"text", "json"}

// auditWidth is how wide an audit is where there is no terminal to ask.
const auditWidth = 100

func (c *command) auditCommand() *cobra.Command {
	var o overrides
	var format, data, dir string
	cmd := &cobra.Command{
		Use:     "audit FILE",
		GroupID: "plan",
		Short:   "Say who trains, and what each method therefore optimises",
		Long: "For each method and setting, before any training: who trains and how often; " +
			"whether weights on cohorts can realise the importance p, and which clients prove " +
			"that they cannot; the importance p̃ that the method really optimises, how far that " +
			"is from p, and what it costs on a convex objective; at what level training settles. " +
			"Where the experiment was run, that stands beside what training reached, over the " +
			"seeds that are there.",
		Example:           "  hansa audit experiments/fedavot/fig1a.toml",
		Args:              want(1, 1, "one FILE"),
		ValidArgsFunction: experimentFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--format", format, auditFormats); err != nil {
				return err
			}
			x, err := load(args[0], &o, budget)
			if err != nil {
				return err
			}
			run := store.Run{Dir: cmp.Or(dir, filepath.Join("runs", runName(args[0])))}
			return faulty(c.audit(x, run, folders(data), format))
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the audit: text or json")
	cmd.Flags().StringVar(&dir, "dir", "", "compare with the run in `FOLDER` (default runs/NAME)")
	dataFlag(cmd, &data)
	completeFlag(cmd, "format", auditFormats...)
	return cmd
}

// audit prints what is found of every method of an experiment, at every point of the sweep,
// for the first seed; what is predicted, also for every seed that was trained.
func (c *command) audit(x *experiment, run store.Run, folders []string, format string) error {
	in := reports.Audit{Title: x.spec.Title}
	a := auditor{x, c.gather(run, x.plan(""), nil),
		engine.Options{Folders: folders, Pantry: engine.NewPantry(8), Shelf: shelf()}}
	for _, i := range x.arms() {
		f, err := a.find(i)
		if err != nil {
			return err
		}
		if f.Training, err = a.train(i, f); err != nil {
			return err
		}
		in.Findings = append(in.Findings, *f)
	}
	if format == "json" {
		return reports.AuditJSON(c.out, in)
	}
	width, _ := terminal(c.out)
	width = cmp.Or(width, auditWidth)
	return reports.AuditText(c.out, in, reports.TextOptions{Width: width, Color: c.colorOn(c.out)})
}

// An auditor looks at the cells of an experiment, and at what there is of its run.
type auditor struct {
	x   *experiment
	run *reports.Input
	o   engine.Options
}

// find audits one cell.
func (a *auditor) find(i int) (*audit.Finding, error) {
	setup, err := a.x.setup(i)
	if err != nil {
		return nil, err
	}
	f, err := audit.Audit(a.x.cells[i], setup, a.o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name(a.x.cells[i]), err)
	}
	return f, nil
}

// train compares what is predicted of an arm, whose first cell was audited, with what its cells
// reached.
func (a *auditor) train(first int, f *audit.Finding) (*audit.Training, error) {
	if f.Prediction == nil {
		return nil, nil
	}
	var trials []audit.Trial
	n := len(a.x.spec.Seeds)
	for i := first; i < first-first%n+n; i++ {
		reached, ok := reports.Reached(a.run, i)
		if !ok || !a.x.shown[i] {
			continue
		}
		one := f
		if i != first {
			var err error
			if one, err = a.find(i); err != nil {
				return nil, err
			}
		}
		if one.Prediction != nil {
			trials = append(trials, audit.Trial{Seed: a.x.cells[i].Seed,
				Prediction: *one.Prediction, Reached: reached})
		}
	}
	return reports.Train(trials), nil
}
