package session

import (
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
)

// Summary says how many cells an experiment has, and what of.
func (x *Experiment) Summary() string {
	ablations, distinct, shown := 0, map[string]bool{}, 0
	parents := map[string]bool{}
	for i, c := range x.Cells {
		if c.Parent != "" && !parents[c.Method] {
			parents[c.Method] = true
			ablations++
		}
		if x.Shown[i] {
			shown++
			distinct[x.IDs[i]] = true
		}
	}
	parts := []string{phrase.Count(len(x.Spec.Methods)-ablations, "method", "methods")}
	if ablations > 0 {
		parts[0] += " and " + phrase.Count(ablations, "ablation", "ablations")
	}
	for _, a := range x.Spec.Axes {
		parts = append(parts, phrase.Count(len(a.Labels), "value of ", "values of ")+a.Name)
	}
	parts = append(parts, phrase.Count(len(x.Spec.Seeds), "seed", "seeds"))
	text := fmt.Sprintf("%s: %s: %s", x.Spec.File,
		phrase.Count(len(x.Cells), "training run", "training runs"),
		strings.Join(parts, " × "))
	if x.trialCells > 0 {
		text += "; first " + phrase.Count(x.trialCells, "trial", "trials") + " of [tune]"
		if x.Tune.Search == study.SearchHalving {
			text += ", most of which stop early"
		}
	}
	if shown < len(x.Cells) {
		text += fmt.Sprintf("; --only keeps %d", shown)
	}
	if len(distinct) < shown {
		text += fmt.Sprintf("; %d of them distinct", len(distinct))
	}
	return text
}
