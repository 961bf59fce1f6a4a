package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// tuningNotes says how parameters were chosen, and of every row which ones: a comparison of methods
// that had other chances than each other is none.
func (d *draft) tuningNotes() {
	t := d.In.Tuning
	if t == nil {
		return
	}
	if t.Open && len(t.Chosen) == 0 {
		d.explain("", "the trials of [tune] have not ended: parameters are not chosen yet")
		return
	}
	for _, text := range TuningTexts(t) {
		d.explain("", "%s", text)
	}
	d.placeNotes(d.chosen, hasCells)
}

// TuningTexts say how parameters were chosen: by what, at which points apart and over which with
// one setting, and what was added to the settings of the file.
func TuningTexts(t *store.Tuning) []string {
	first := fmt.Sprintf("parameters were chosen before by %s on validation samples, %.3g %% of "+
		"each client's training samples, with %s: the best mean at the end of a %s search of %d "+
		"settings per method", t.By, 100*t.Share, seedNames(t.Seeds), t.Search, t.Budget)
	if axes := chosenApart(t); len(axes) > 0 {
		first += ", at each point of " + axisNames(axes) + " by itself"
	}
	texts := []string{first}
	if len(t.Across) > 0 {
		texts = append(texts, "a setting is worth, in every seed, the worst that it is worth at "+
			"any point of "+axisNames(t.Across)+": there is one setting for all of them")
	}
	if text := extended(t); text != "" {
		texts = append(texts, text)
	}
	return texts
}

// chosenApart returns the axes at whose points settings were chosen that need not be the same.
func chosenApart(t *store.Tuning) (axes []string) {
	if len(t.Chosen) == 0 {
		return nil
	}
	for _, first := range t.Chosen[0].Point {
		another := func(c study.Coordinate) bool {
			return c.Axis == first.Axis && c.Label != first.Label
		}
		if slices.ContainsFunc(t.Chosen, func(c store.Choice) bool {
			return slices.ContainsFunc(c.Point, another)
		}) {
			axes = append(axes, first.Axis)
		}
	}
	return axes
}

// axisNames names axes in a sentence.
func axisNames(axes []string) string {
	names := make([]string, len(axes))
	for i, axis := range axes {
		names[i] = study.LastPart(axis)
	}
	return strings.Join(names, " and ")
}

// extended says how many settings were added beside those of the file; "" for none.
func extended(t *store.Tuning) string {
	if len(t.Added) == 0 {
		return ""
	}
	least, most := math.MaxInt, 0
	for i := range t.Chosen {
		if one := &t.Chosen[i]; len(one.Paths) > 0 && !one.Fails {
			least, most = min(least, t.Extra(one)), max(most, t.Extra(one))
		}
	}
	const why = "because a chosen value was the least or the largest that was tried"
	if least < most {
		return fmt.Sprintf("%d to %d settings were added per method, %s: the budgets differ",
			least, most, why)
	}
	return fmt.Sprintf("%d settings per method were added, the same number for each, %s", most, why)
}

// chosen says which parameters of cells were chosen.
func (d *draft) chosen(cells []int) []string {
	if len(cells) == 0 {
		return nil
	}
	return []string{TunedText(d.In.Tuning, &d.In.Cells[cells[0]])}
}

// Outcome says, behind a number of settings, that none of them came to anything, or where none did;
// "" where there is nothing to be said.
func Outcome(one *store.Choice) (text string) {
	if one.Fails {
		return ", each of which failed in every trial"
	}
	if one.Diverges {
		text = ", each of which diverged in some trial, none in fewer"
	}
	if len(one.Missed) > 0 {
		text += ", chosen without " + PointNames(one.Missed) + ", where each failed in every trial"
	}
	return text
}

// PointNames names points of a sweep in a sentence.
func PointNames(points [][]study.Coordinate) string {
	names := make([]string, len(points))
	for i, point := range points {
		labels := make([]string, len(point))
		for k := range point {
			labels[k] = point[k].Label
		}
		names[i] = strings.Join(labels, " · ")
	}
	return strings.Join(names, ", ")
}

// TunedText says which parameters of a cell were chosen by the trials of [tune].
func TunedText(t *store.Tuning, c *study.Cell) string {
	one := t.Choice(c)
	switch {
	case one == nil:
		return "not tuned yet"
	case len(one.Paths) == 0:
		return "not tuned, beside methods that are"
	}
	var words []string
	for k, path := range one.Paths {
		text := study.ValueLabel(path, one.Values[k])
		if now, has := c.Param(path); has && study.ValueLabel(path, now) != text {
			text = study.ValueLabel(path, now) + " of the ablation itself"
		}
		words = append(words, text)
	}
	text := fmt.Sprintf("tuned: %s, the best of %d settings", strings.Join(words, ", "), one.Tried)
	if c.Parent != "" {
		text = fmt.Sprintf("tuned with %s: %s", one.Method, strings.Join(words, ", "))
	}
	if c.Parent == "" {
		text += Outcome(one)
	}
	if len(one.Edges) > 0 && c.Parent == "" {
		var edges []string
		for _, path := range one.Edges {
			edges = append(edges, study.LastPart(path))
		}
		text += fmt.Sprintf("; %s: the least or the largest value that was tried, a better one "+
			"may lie beyond", strings.Join(edges, ", "))
	}
	return text
}
