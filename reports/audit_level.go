package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/study"
)

// Reached returns F(θ) − F* of the last iterates of a cell of the input, as tables have it, or
// false where that was not measured.
func Reached(in *Input, cell int) (float64, bool) {
	measures := in.Cells[cell].Measures
	i := slices.IndexFunc(measures, func(m study.Measure) bool {
		return m.Name == "suboptimality" && !m.Average
	})
	if i < 0 {
		return 0, false
	}
	x, ok := (&plan{in: in}).final(cell, measures[i].Key)
	return x, ok && finite(x)
}

// linearised is the relative error that is allowed what is predicted by linearised steps.
const linearised = 0.005

// Train compares predictions with what training reached, over seeds; nil where there are none.
// They agree when the mean prediction, to within its own error, lies in the 95 % confidence
// interval of what was reached.
func Train(trials []audit.Trial) *audit.Training {
	if len(trials) == 0 {
		return nil
	}
	n := float64(len(trials))
	r := &audit.Training{Trials: trials}
	reached, simulation := make([]float64, len(trials)), 0.0
	for k, t := range trials {
		expected := t.Prediction.Floor
		if l := t.Prediction.Level; l != nil {
			expected = l.At
			simulation += l.Error * l.Error / (n * n)
		}
		r.Expected += expected / n
		reached[k] = t.Reached
	}
	var sd float64
	r.Reached, sd = meanSD(reached)
	if len(trials) > 1 {
		r.Half = tQuantile(1-level/2, n-1) * sd / math.Sqrt(n)
	}
	far := math.Abs(r.Expected - r.Reached)
	r.Agrees = far <= r.Half+2*math.Sqrt(simulation)+linearised*r.Reached
	return r
}

// levelHead names the columns of what is expected, and reached.
func levelHead(trained bool) []string {
	head := []string{"+ drift", "+ noise", "= expected"}
	if trained {
		head = append(head, "reached")
	}
	return head
}

// levelled and trained report whether any finding says at what level training settles, or what
// it reached.
func levelled(findings []audit.Finding) bool {
	return slices.ContainsFunc(findings, func(f audit.Finding) bool {
		return f.Training != nil || f.Prediction != nil && f.Prediction.Level != nil
	})
}

func trained(findings []audit.Finding) bool {
	return slices.ContainsFunc(findings, func(f audit.Finding) bool { return f.Training != nil })
}

// predicted returns the mean prediction over the seeds that were trained, or else that of the
// seed that was looked at.
func predicted(f *audit.Finding) *audit.Prediction {
	if f.Training == nil {
		return f.Prediction
	}
	trials := f.Training.Trials
	mean, l := audit.Prediction{Unknown: trials[0].Prediction.Unknown}, audit.Level{}
	for _, t := range trials {
		share := 1 / float64(len(trials))
		mean.Floor += share * t.Prediction.Floor
		one := t.Prediction.Level
		if one == nil {
			mean.Unknown = t.Prediction.Unknown
			continue
		}
		l.At += share * one.At
		l.Drift += share * one.Drift
		l.Noise += share * one.Noise
		l.Start += share * one.Start
	}
	if mean.Unknown == "" {
		mean.Level = &l
	}
	return &mean
}

// levelCells returns the cells under levelHead.
func levelCells(f *audit.Finding, p *audit.Prediction, with bool, n *noteList) []string {
	cells := []string{"—", "—", "—"}
	if p != nil && p.Level != nil {
		l := p.Level
		cells = []string{brief(l.Drift), brief(l.Noise), brief(l.At)}
		if math.Abs(l.Start) > 0.01*math.Abs(l.At) {
			cells[2] += n.mark(fmt.Sprintf("%s of it is left of the model that training started "+
				"from: it takes more rounds to settle", brief(l.Start)))
		}
	}
	if !with {
		return cells
	}
	t := f.Training
	switch {
	case t == nil:
		return append(cells, "—")
	case t.Half == 0 && len(t.Trials) == 1:
		return append(cells, brief(t.Reached)+n.mark("of one seed, which has no interval"))
	}
	verdict := " ✗"
	switch {
	case p == nil || p.Level == nil: // a floor is no prediction of where training ends
		verdict = ""
	case t.Agrees:
		verdict = " ✓"
	}
	return append(cells, fmt.Sprintf("%s ± %s%s", brief(t.Reached), brief(t.Half), verdict))
}

// levelNotes explains the columns.
func levelNotes(findings []audit.Finding) []Note {
	if !levelled(findings) {
		return nil
	}
	notes := []Note{{Term: "expected", Text: "F(θ) − F* after the last round, by linearised " +
		"local steps: what the weights cost, and + drift, as several local steps lead elsewhere " +
		"than one, and + noise, as cohorts differ from round to round"}}
	if !trained(findings) {
		return notes
	}
	text := "F(θ) − F* at the end of training, mean and 95 % confidence interval over the seeds " +
		"that were trained, whose predictions are averaged, too"
	for _, f := range findings {
		if f.Training != nil {
			text += fmt.Sprintf(" (%s)", seedList(f.Training.Trials))
			break
		}
	}
	return append(notes, Note{Term: "reached", Text: text},
		Note{Term: "✓", Text: "what is expected, to 0.5 % and its own error of simulation, " +
			"lies in that interval. ✗: it does not"})
}

func seedList(trials []audit.Trial) string {
	var seeds []string
	for _, t := range trials {
		seeds = append(seeds, fmt.Sprint(t.Seed))
	}
	if len(seeds) > 8 {
		return fmt.Sprintf("%d of them", len(seeds))
	}
	return strings.Join(seeds, ", ")
}
