// Package view makes of a run what is looked at: figures, pages, audits. What a run does not keep,
// such as the data of clients, is made again from its plan.
package view

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// A Kind is a kind of figure.
type Kind struct {
	Name, Summary string
	draw          func(s *Subject, f *FigureOptions) (d figure.Drawing, note string, err error)
}

// A Subject is the run that a figure is of.
type Subject struct {
	*session.Session
	Run  store.Run
	Plan *store.Plan
}

// input reads the results of the run.
func (s *Subject) input(f *FigureOptions) *infer.Input {
	in := s.Gather(s.Run, s.Plan, nil)
	if f.Baseline != "" {
		in.Report.Baseline = f.Baseline
	}
	return in
}

// Kinds lists the kinds of figures.
func Kinds() []Kind {
	return []Kind{
		{"curves", "a metric over the rounds", charted(chart.Curves)},
		{"sweep", "final values over an axis of the sweep", charted(chart.Sweep)},
		{"bars", "final values side by side", charted(chart.BarChart)},
		{"heatmap", "final values over two axes, such as methods and attacks, as colours",
			plotHeatMap},
		{"forest", "paired differences from the baseline", plotForest},
		{"ranks", "average ranks over conditions, and the critical difference", plotRanks},
		{"sensitivity", "validation results of the trials of [tune], over each parameter",
			plotSensitivity},
		{"partition", "how many samples of each class each client has", plotPartition},
		{"participation", "which clients participate, and with which " +
			"weight", audited(chart.Participation, nil)},
		{"weights", "the importance p̃ that is optimised, against p", audited(chart.Weights, nil)},
		{"frontier", "the least total variation from p for every variance of weights, and methods",
			audited(chart.Frontier, new(audit.Frontiers))},
		{"images", "images of clients, before preprocessing and after", plotImages},
		{"matrix", "arrays stored by hansa run --keep, such as transport plans", plotMatrix},
	}
}

// charted returns how a kind with axes is drawn.
func charted(
	drawn func(infer.Input, chart.Options) (*chart.Chart, error),
) func(*Subject, *FigureOptions) (figure.Drawing, string, error) {
	return func(s *Subject, f *FigureOptions) (figure.Drawing, string, error) {
		return drawable(drawn(*s.input(f), f.Chart))
	}
}

func plotHeatMap(s *Subject, f *FigureOptions) (figure.Drawing, string, error) {
	m, err := chart.NewHeatMap(*s.input(f), f.Chart)
	if err != nil {
		return nil, "", err
	}
	return figure.HeatMap{HeatMap: m}, m.Note, nil
}

func plotForest(s *Subject, f *FigureOptions) (figure.Drawing, string, error) {
	return drawable(chart.Forest(*s.input(f), f.Chart.Metric))
}

func plotRanks(s *Subject, f *FigureOptions) (figure.Drawing, string, error) {
	o := table.ComparisonOptions{Metric: f.Chart.Metric, Baseline: f.Baseline}
	c, err := table.Compare(*s.input(f), o)
	if err != nil {
		return nil, "", err
	}
	r := c.Ranking
	if r == nil {
		return nil, "", errors.New("ranks need two methods that are complete in two or more " +
			"points of the sweep")
	}
	d := &figure.Ranks{Methods: r.Methods, Cliques: r.Cliques}
	for _, rank := range r.Ranks {
		d.Ranks = append(d.Ranks, float64(rank))
	}
	note := fmt.Sprintf("mean ranks over %d conditions, 1 is the best; ", r.Conditions)
	if r.Why != "" {
		return d, note + "nothing is tested: " + r.Why, nil
	}
	if critical := float64(r.Critical); critical > 0 {
		d.Critical = critical
	}
	return d, note + fmt.Sprintf("Friedman p = %.2g; bars join methods that the critical "+
		"difference does not tell apart", float64(r.P)), nil
}

// drawable returns a chart as a drawing.
func drawable(c *chart.Chart, err error) (figure.Drawing, string, error) {
	if err != nil {
		return nil, "", err
	}
	return figure.Chart{Chart: c}, c.Note, nil
}

// highlight leaves their colours to the entries of a chart that are named, and makes all others
// grey.
func highlight(d figure.Drawing, labels []string) error {
	c, ok := d.(figure.Chart)
	if !ok || len(c.Legend) == 0 {
		return errors.New("no entries to highlight")
	}
	return c.Highlight(labels)
}

// Draw makes a figure of the cells of a run that filters keep, and says what is seen.
func Draw(s *Subject, k Kind, only []string, f *FigureOptions) (
	d figure.Drawing, note string, err error,
) {
	if s.Plan, err = s.Plan.Only(only); err != nil {
		return nil, "", err
	}
	d, note, err = k.draw(s, f)
	if err == nil && len(f.Highlight) > 0 {
		err = highlight(d, f.Highlight)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s of %s: %w", k.Name, s.Run.Dir, err)
	}
	return d, note, nil
}
