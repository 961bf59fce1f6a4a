package view

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// Audit audits every method of an experiment at every point of the sweep, for its first seed, and
// compares what is predicted with what there is of its run, for all seeds.
func Audit(x *session.Experiment, run *infer.Input, o audit.Options) (*table.Audit, error) {
	o.Memo, o.DiskCache = engine.NewMemo(8), session.EncoderCache()
	if run.Report.Frontier && o.Frontiers == nil {
		o.Frontiers = new(audit.Frontiers)
	}
	o.Stretch = run.Report.Tracking
	in := &table.Audit{Title: run.Title}
	a := auditor{x, run, o}
	err := x.EachArm(func(i int, _ *study.Cell, setup *engine.Setup) error {
		f, err := a.find(i, setup)
		if err != nil {
			return err
		}
		if f.Training, err = a.train(i, f); err != nil {
			return err
		}
		if f.Policies, err = a.policies(i, f); err != nil {
			return err
		}
		in.Findings = append(in.Findings, *f)
		return nil
	})
	return in, err
}

// An auditor looks at the cells of an experiment, and at what there is of its run.
type auditor struct {
	x   *session.Experiment
	run *infer.Input
	o   audit.Options
}

// find audits one cell.
func (a *auditor) find(i int, setup *engine.Setup) (*audit.Finding, error) {
	o := a.o
	o.Window = infer.FinalRounds(a.run, i)
	_, o.Trials = infer.Suboptimality(a.run, i)
	return audit.Audit(a.x.Cells[i], setup, o)
}

// train compares what is predicted of an arm, whose first cell was audited, with what its cells
// reached.
func (a *auditor) train(first int, f *audit.Finding) (*audit.Training, error) {
	if f.Prediction == nil {
		return nil, nil
	}
	var trials []audit.Trial
	cells := a.x.Cells
	for i := first; i < len(cells) && cells[i].SameArm(&cells[first]); i++ {
		reached, ok := infer.Suboptimality(a.run, i)
		if !ok || !a.x.Shown[i] {
			continue
		}
		one := f
		if i != first {
			setup, err := a.x.Setup(i)
			if err == nil {
				one, err = a.find(i, setup)
			}
			if err != nil {
				return nil, fmt.Errorf("with seed %d: %w", cells[i].Seed, err)
			}
		}
		if one.Prediction != nil {
			trials = append(trials, audit.Trial{Seed: a.x.Cells[i].Seed,
				Prediction: *one.Prediction, Reached: reached})
		}
	}
	return infer.JudgePredictions(trials), nil
}
