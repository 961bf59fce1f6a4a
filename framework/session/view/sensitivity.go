package view

import (
	"cmp"
	"errors"
	"slices"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/figure"
)

// plotSensitivity shows what the values of tuned parameters do to the measure that decides.
func plotSensitivity(s *Subject, f *FigureOptions) (figure.Drawing, string, error) {
	t, err := s.TuningOf(s.Run, s.Plan, nil)
	if err != nil {
		return nil, "", err
	}
	return drawable(sensitivity(t.Sets, &s.Plan.Tuning.Tune, f))
}

// sensitivity returns a panel for each parameter: for each method and point the best mean over the
// settings with a value of it, as a line, and the mean of every setting as a dot. Trials that
// stopped early are left out: they were compared after fewer rounds.
func sensitivity(sets []session.TrialSet, t *study.Tune, f *FigureOptions) (*chart.Chart, error) {
	c := &chart.Chart{Note: "lines join the best mean over all settings with a value, bars are " +
		"standard deviations over seeds of trials; dots are all settings that were not stopped"}
	for i := range sets {
		s := &sets[i]
		entry := len(c.Legend)
		drawn := false
		for k, path := range s.Paths {
			points := pointsOf(s, k)
			if len(points) == 0 {
				continue
			}
			drawn = true
			panel := panelOf(c, path, s, t, f)
			line := chart.Mark{Shape: chart.Points, Entry: entry}
			dots := chart.Mark{Shape: chart.Dots, Entry: entry}
			for n, p := range points {
				dots.X, dots.Y = append(dots.X, p.x), append(dots.Y, p.mean)
				if n > 0 && points[n-1].x == p.x {
					continue // the best comes first
				}
				line.X, line.Y = append(line.X, p.x), append(line.Y, p.mean)
				line.Low, line.High = append(line.Low, p.mean-p.sd), append(line.High, p.mean+p.sd)
			}
			panel.Marks = append(panel.Marks, dots, line)
		}
		if drawn {
			name := study.Cell{Method: s.Method, Point: s.Point}
			c.Legend = append(c.Legend, chart.Entry{Label: name.ArmLabel()})
		}
	}
	if len(c.Panels) == 0 {
		return nil, errors.New("no trial of a parameter with numbers has ended")
	}
	return c, nil
}

// A tried is a setting, at its value of one parameter.
type tried struct{ x, mean, sd float64 }

// pointsOf returns the settings that ran to their end, sorted by a parameter that is a number, and
// where that is the same, the best first.
func pointsOf(s *session.TrialSet, parameter int) (points []tried) {
	for i := range s.Trials {
		t := &s.Trials[i]
		if t.Stopped || t.Mean == nil {
			continue
		}
		p := tried{mean: *t.Mean}
		switch v := t.Values[parameter].(type) {
		case int64:
			p.x = float64(v)
		case float64:
			p.x = v
		default:
			return nil
		}
		if t.SD != nil {
			p.sd = *t.SD
		}
		points = append(points, p)
	}
	slices.SortStableFunc(points, func(a, b tried) int {
		best := cmp.Compare(a.mean, b.mean)
		if s.Higher {
			best = -best
		}
		return cmp.Or(cmp.Compare(a.x, b.x), best)
	})
	return points
}

// panelOf returns the panel of a parameter.
func panelOf(
	c *chart.Chart, path string, s *session.TrialSet, t *study.Tune, f *FigureOptions,
) *chart.Panel {
	at := slices.IndexFunc(c.Panels, func(p chart.Panel) bool { return p.X.Label == path })
	if at < 0 {
		log := f.Chart.LogX || slices.ContainsFunc(t.Space, func(r study.Range) bool {
			return r.Path == path && r.Scale == study.LogScale
		})
		at = len(c.Panels)
		c.Panels = append(c.Panels, chart.Panel{X: chart.Axis{Label: path, Log: log},
			Y: chart.Axis{Label: measured(s, t.By) + ", validation", Log: f.Chart.LogY}})
	}
	return &c.Panels[at]
}
