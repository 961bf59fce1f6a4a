package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/settings"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/page"
)

// widestSetting is how many characters of a value a page shows.
const widestSetting = 300

// settingsOf sorts all settings of a plan by what decides them.
func settingsOf(plan *store.Plan) page.Settings {
	var arms []study.Cell
	for _, i := range study.Arms(plan.Cells) {
		arms = append(arms, plan.Cells[i])
	}
	seeds := plan.Seeds()
	var s page.Settings
	for _, group := range settings.Sections(arms, seeds) {
		set := page.SettingSet{Title: group.Title(arms[group.Arm])}
		for _, v := range group.Values {
			set.Values = append(set.Values,
				page.Fact{Name: v.Path, Text: phrase.Clip(v.Text, widestSetting)})
		}
		s.Groups = append(s.Groups, set)
	}
	s.Methods = plan.Methods()
	s.Differ = make([][]string, len(s.Methods))
	for _, column := range settings.Columns(arms, seeds) {
		tell(&s, arms, column)
	}
	return s
}

// tell adds what is to tell of a setting whose values differ: what each method has at the first
// point where it is, or if methods agree there, what the sweep makes of it.
func tell(s *page.Settings, arms []study.Cell, column []settings.Value) {
	var different, firsts, path = []string{}, make([]string, len(s.Methods)), ""
	for i, v := range column {
		path = cmp.Or(path, v.Path)
		text := cmp.Or(phrase.Clip(v.Text, widestSetting), "—")
		if !slices.Contains(different, text) {
			different = append(different, text)
		}
		if k := slices.Index(s.Methods, arms[i].Method); firsts[k] == "" {
			firsts[k] = text
		}
	}
	switch {
	case len(different) == 1:
	case len(slices.Compact(slices.Clone(firsts))) > 1:
		s.Paths = append(s.Paths, path)
		for k, text := range firsts {
			s.Differ[k] = append(s.Differ[k], text)
		}
	default:
		s.Sweep = append(s.Sweep, page.Fact{Name: path, Text: strings.Join(different, " | ")})
	}
}
