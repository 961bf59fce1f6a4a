package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/audit"
)

// levelHead names the columns of what is expected, and reached.
func levelHead(findings []audit.Finding) []string {
	head := []string{"+ drift", "+ noise"}
	if hasStart(findings) {
		head = append(head, "+ start")
	}
	if head = append(head, "= expected"); hasTraining(findings) {
		head = append(head, "reached")
	}
	return head
}

// shownStart is the share of a level from which what is left of the start has a column.
const shownStart = 0.01

// hasStart reports whether something is left of the start of any finding.
func hasStart(findings []audit.Finding) bool {
	return slices.ContainsFunc(findings, func(f audit.Finding) bool {
		p := meanPrediction(&f)
		return p != nil && p.Level != nil &&
			math.Abs(p.Level.Start) > shownStart*math.Abs(p.Level.At)
	})
}

// hasLevels and trained report whether any finding says at what level training settles, or what
// it reached.
func hasLevels(findings []audit.Finding) bool {
	return slices.ContainsFunc(findings, func(f audit.Finding) bool {
		return f.Training != nil || f.Prediction != nil && f.Prediction.Level != nil
	})
}

func hasTraining(findings []audit.Finding) bool {
	return slices.ContainsFunc(findings, func(f audit.Finding) bool { return f.Training != nil })
}

// meanPrediction returns the mean prediction over the seeds that were trained, or else that of the
// seed that was looked at.
func meanPrediction(f *audit.Finding) *audit.Prediction {
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
		l.Error = math.Hypot(l.Error, share*one.Error)
		l.Settles = max(l.Settles, one.Settles)
		l.Affine = one.Affine
	}
	if mean.Unknown == "" {
		mean.Level = &l
	}
	return &mean
}

// levelCells returns the cells under levelHead.
func levelCells(f *audit.Finding, findings []audit.Finding, n *noteList) []string {
	p := meanPrediction(f)
	var l *audit.Level
	if p != nil {
		l = p.Level
	}
	start := hasStart(findings)
	cells := []string{"—", "—", "—"}
	if l != nil {
		cells = []string{ThreeDigits(l.Drift), ThreeDigits(l.Noise), expectedText(l)}
		if l.Settles > 0 {
			cells[2] += n.mark(fmt.Sprintf("not settled: until about round %s, by the "+
				"contraction of "+
				"the mean round, more than 1 %% of the level is left of the initial model, or "+
				"noise "+
				"that still grows", ThreeDigits(float64(l.Settles))))
		}
	}
	if start {
		left := "—"
		if l != nil {
			left = ThreeDigits(l.Start)
		}
		cells = slices.Insert(cells, 2, left)
	}
	if hasTraining(findings) {
		cells = append(cells, reachedText(f.Training, l, n))
	}
	return cells
}

// expectedText writes a level with its standard error where it has one that shows.
func expectedText(l *audit.Level) string { return simulatedText(l.At, l) }

// simulatedText writes a level, or the part of it that is simulated, with the standard error of the
// level where it has one that shows.
func simulatedText(x float64, l *audit.Level) string {
	if l.Error <= 0.001*math.Abs(l.At) {
		return ThreeDigits(x)
	}
	if l.Error >= 1 {
		return ThreeDigits(x) + " ± " + ThreeDigits(l.Error)
	}
	digit, _ := strconv.ParseFloat(strconv.FormatFloat(l.Error, 'g', 1, 64), 64)
	return ThreeDigits(x) + " ± " + ThreeDigits(digit)
}

// reachedText writes what training reached and whether that is what was to be expected.
func reachedText(t *audit.Training, l *audit.Level, n *noteList) string {
	if t == nil {
		return "—"
	}
	text := fmt.Sprintf("%s ± %s", ThreeDigits(t.Reached), ThreeDigits(t.Half))
	if len(t.Trials) == 1 {
		text = ThreeDigits(t.Reached)
	}
	switch {
	case !t.Judged || l == nil: // a floor is no prediction of where training ends
		return text
	case t.Agrees:
		return text + " ✓"
	case l.Settles > 0 && !l.Affine: // far from θ̄ linear steps foresee nothing
		return text + " not settled"
	}
	return text + " ✗" + n.mark(fmt.Sprintf("if the prediction is right, 95 %% of trainings "+
		"with as many "+
		"seeds reach %s … %s", ThreeDigits(t.Low), ThreeDigits(t.High)))
}

// levelNotes explains the columns, and what a column takes that is missing.
func levelNotes(findings []audit.Finding) []Note {
	var notes []Note
	if hasLevels(findings) {
		notes = append(notes, expectedNote(findings))
	}
	if !hasTraining(findings) {
		predicted := func(f audit.Finding) bool { return f.Prediction != nil }
		if slices.ContainsFunc(findings, predicted) {
			notes = append(notes, Note{Term: "reached", Text: "has a column once training runs " +
				"have results, with \"suboptimality\" among the metrics of the experiment"})
		}
		return notes
	}
	text := "F(θ) − F* of the trained models, mean and 95 % confidence interval over seeds"
	for _, f := range findings {
		if f.Training != nil {
			text += fmt.Sprintf(" (%s)", seedList(f.Training.Trials))
			break
		}
	}
	return append(notes, Note{Term: "reached", Text: text + "; what is expected is the mean over " +
		"the same seeds"}, Note{Term: "✓", Text: "what was reached lies within the middle 95 % " +
		"of " +
		"simulated trainings, each of as many seeds. ✗: it lies outside"})
}

// expectedNote explains the prediction and its parts.
func expectedNote(findings []audit.Finding) Note {
	text := "predicted F(θ) − F* at the end of training, mean over the rounds of final values, " +
		"by " +
		"linearised local steps. It is F(θ_p̃) − F*, + drift: the effect of several local steps " +
		"in " +
		"a round, + noise: the effect of cohorts that differ between rounds"
	if hasStart(findings) {
		text += ", + start: what is left of the initial model"
	}
	if slices.ContainsFunc(findings, simulatedLevel) {
		text += ". ±: standard error of what is simulated; without ± it is exact"
	}
	return Note{Term: "expected", Text: text}
}

func simulatedLevel(f audit.Finding) bool {
	p := meanPrediction(&f)
	return p != nil && p.Level != nil && p.Level.Error > 0.001*math.Abs(p.Level.At)
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
