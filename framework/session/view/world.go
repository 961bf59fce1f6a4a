package view

import (
	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/page"
)

// mostArms is of how many methods at points of the sweep a page shows participation.
const mostArms = 48

// world makes again which clients train, and on what, with the first seed.
func (s *Subject) world(f *FigureOptions) (*page.World, error) {
	w, d := &page.World{}, &partitionings{}
	arms := study.Arms(s.Plan.Cells)
	w.Arms = len(arms)
	x, err := session.RebuildPlan(s.Run, s.Plan, arms[:min(len(arms), mostArms)], session.Budget)
	if err != nil {
		return nil, err
	}
	o := worldOptions(x, f)
	err = x.EachArm(func(k int, cell *study.Cell, setup *engine.Setup) error {
		raw := *setup
		raw.Preprocess = nil // it moves samples, and neither splits nor needs any
		if err := d.add(&raw, cell.Point, o); err != nil {
			return err
		}
		made, err := engine.Prepare(&raw, o)
		if err != nil {
			return err
		}
		finding, err := audit.Weigh(*cell, &raw, made)
		if err != nil {
			return err
		}
		w.Findings = append(w.Findings, *finding)
		if k == 0 {
			for c := range made.Population.N() {
				start := made.Population.Start
				w.Samples = append(w.Samples, start[c+1]-start[c])
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.Dealings = d.titled()
	return w, nil
}
