package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/figure"
)

// rebuild composes the first cell of every method at every point again: what clients have and how
// they come is not stored with results.
func (s *Subject) rebuild() (*session.Experiment, error) {
	return session.RebuildPlan(s.Run, s.Plan, study.Arms(s.Plan.Cells), session.Budget)
}

// audited returns how a kind is drawn that shows which clients train; with their frontiers, where
// it shows these.
func audited(
	drawn func([]audit.Finding) (*chart.Chart, error), frontiers *audit.Frontiers,
) func(*Subject, *FigureOptions) (figure.Drawing, string, error) {
	return func(s *Subject, f *FigureOptions) (figure.Drawing, string, error) {
		x, err := s.rebuild()
		if err != nil {
			return nil, "", err
		}
		o := worldOptions(x, f)
		var findings []audit.Finding
		err = x.EachArm(func(_ int, cell *study.Cell, setup *engine.Setup) error {
			finding, err := audit.Audit(*cell, setup, audit.Options{Options: o,
				Frontiers: frontiers})
			if err != nil {
				return fault.Of(err)
			}
			findings = append(findings, *finding)
			return nil
		})
		if err != nil {
			return nil, "", err
		}
		return drawable(drawn(findings))
	}
}

func worldOptions(x *session.Experiment, f *FigureOptions) engine.Options {
	return engine.Options{Folders: session.Folders(x.Folder, f.Data), Memo: engine.NewMemo(8),
		DiskCache: session.EncoderCache()}
}

// plotPartition shows every way in which samples are partitioned, of the first seed.
func plotPartition(s *Subject, f *FigureOptions) (figure.Drawing, string, error) {
	x, err := s.rebuild()
	if err != nil {
		return nil, "", err
	}
	d := &partitionings{}
	o := worldOptions(x, f)
	err = x.EachArm(func(_ int, cell *study.Cell, setup *engine.Setup) error {
		raw := *setup
		raw.Preprocess = nil // it moves samples, and splits none
		return d.add(&raw, cell.Point, o)
	})
	if err != nil {
		return nil, "", err
	}
	if d.unclassed {
		return nil, "", errors.New("its data have no classes")
	}
	return drawable(chart.Partition(d.titled()), nil)
}

// A partitionings collects the different partitions of samples.
type partitionings struct {
	keys      []string
	points    [][]study.Coordinate // that all of a way have in common
	counts    []chart.ClientCounts
	unclassed bool // some data have no classes
}

// add adds the partition of a cell.
func (d *partitionings) add(s *engine.Setup, at []study.Coordinate, o engine.Options) error {
	if k := slices.Index(d.keys, s.DealtKey); k >= 0 {
		d.points[k] = common(d.points[k], at)
		return nil
	}
	w, err := engine.Prepare(s, o)
	if err != nil {
		return fault.Of(err)
	}
	counts := classCounts(w.Population)
	if counts == nil {
		d.unclassed = true
		return nil
	}
	d.keys = append(d.keys, s.DealtKey)
	d.points = append(d.points, at)
	d.counts = append(d.counts, chart.ClientCounts{Samples: counts})
	return nil
}

// titled returns the ways by what tells them apart.
func (d *partitionings) titled() []chart.ClientCounts {
	for k, at := range telling(d.points) {
		d.counts[k].Title = strings.Join(labelsOf(at), ", ")
	}
	return d.counts
}

// telling returns points without the coordinates that all of them share.
func telling(points [][]study.Coordinate) (short [][]study.Coordinate) {
	for _, at := range points {
		var own []study.Coordinate
		for _, c := range at {
			shared := true
			for _, other := range points {
				shared = shared && slices.Contains(other, c)
			}
			if !shared {
				own = append(own, c)
			}
		}
		short = append(short, own)
	}
	return short
}

// common returns the coordinates that two points share.
func common(a, b []study.Coordinate) (both []study.Coordinate) {
	for _, c := range a {
		if slices.Contains(b, c) {
			both = append(both, c)
		}
	}
	return both
}

// classCounts returns how many labels of each class each client has; nil where there are no
// classes.
func classCounts(pop *fl.Population) (counts [][]int) {
	if pop.Train.Y == nil {
		return nil
	}
	labels := pop.Train.Shape.PerRow()
	for i := range pop.N() {
		row := make([]int, pop.Train.Shape.Classes)
		for _, y := range pop.Train.Y[pop.Start[i]*labels : pop.Start[i+1]*labels] {
			row[y]++
		}
		counts = append(counts, row)
	}
	return counts
}

// plotMatrix shows one array of every method that kept it, of the first seed that has it.
func plotMatrix(s *Subject, f *FigureOptions) (figure.Drawing, string, error) {
	m, note, known, err := s.kept(f)
	if err == nil && f.Array == "" && len(known) > 0 &&
		known[0] == engine.ArraySent && known[len(known)-1] == engine.ArraySent { // nothing else
		own := *f
		own.Array = engine.ArraySent
		m, note, known, err = s.kept(&own)
	}
	if err != nil {
		return nil, "", err
	}
	switch {
	case m != nil:
		return m, note, nil
	case len(known) == 0:
		return nil, "", errors.New("no arrays were kept: hansa run --keep keeps what components " +
			"record, such as transport plans; training runs that have a result are not " +
			"repeated, so " +
			"name a new folder with --dir")
	case f.Array != "" && !slices.Contains(known, f.Array):
		return nil, "", fmt.Errorf("--array %s: %s", f.Array,
			study.Suggest(f.Array, slices.Compact(known)))
	}
	return nil, "", fmt.Errorf("--round %d: no such array was kept in it", f.Round)
}

// kept reads one array of every method that kept it; nil where there is none. Known are the names
// of all that were kept, sorted.
func (s *Subject) kept(
	f *FigureOptions) (m *figure.Matrices, note string, known []string, err error,
) {
	m = &figure.Matrices{}
	var done []string
	var points [][]study.Coordinate
	for k, c := range s.Plan.Cells {
		arm := strings.Join(append([]string{c.Method}, labelsOf(c.Point)...), ", ")
		kept, err := s.Run.Arrays(s.Plan.IDs[k])
		if err != nil {
			return nil, "", nil, fault.Of(err)
		}
		for _, a := range kept {
			known = append(known, spaced(a.Name))
		}
		pick := chosen(kept, f)
		if pick == nil || slices.Contains(done, arm) {
			continue
		}
		shape, data, err := s.Run.LoadArray(s.Plan.IDs[k], *pick)
		if err != nil {
			return nil, "", nil, fault.Of(err)
		}
		panel := figure.Matrix{Title: c.Method, Rows: shape[0], Cols: shape[1], Data: data}
		m.Panels, done = append(m.Panels, panel), append(done, arm)
		points = append(points, c.Point)
		m.Label = spaced(pick.Name)
		note = fmt.Sprintf("%s in round %d, of the first seed", m.Label, pick.Round)
		if n := panel.Pooled(); n > 1 {
			note += fmt.Sprintf("; a pixel is the largest of %d × %[1]d entries", n)
		}
	}
	for k, at := range telling(points) {
		panel := &m.Panels[k]
		panel.Title = strings.Join(append([]string{panel.Title}, labelsOf(at)...), ", ")
	}
	slices.Sort(known)
	if len(m.Panels) == 0 {
		m = nil
	}
	return m, note, known, nil
}

// spaced returns the name of an array with spaces.
func spaced(name string) string { return strings.ReplaceAll(name, "-", " ") }

// labelsOf returns the labels of a point.
func labelsOf(at []study.Coordinate) (labels []string) {
	for _, c := range at {
		labels = append(labels, c.Label)
	}
	return labels
}

// chosen returns the array that flags ask for, or nil: where they name none, the first that a
// component recorded.
func chosen(kept []store.Kept, f *FigureOptions) *store.Kept {
	fits := func(k store.Kept) bool {
		if f.Array == "" {
			return !k.Called(engine.ArraySent)
		}
		return k.Called(f.Array)
	}
	round := f.Round
	for _, k := range kept {
		if f.Round == 0 && fits(k) {
			round = max(round, k.Round)
		}
	}
	for i, k := range kept {
		if k.Round == round && fits(k) {
			return &kept[i]
		}
	}
	return nil
}
