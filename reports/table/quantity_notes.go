package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// maxSettings is the number of differing settings that a note names.
const maxSettings = 3

// quantityDifferences describes how a quantity differs from that of a column: a text for each
// ingredient. A text does not repeat one before it.
func quantityDifferences(q, from study.Quantity) []string {
	var texts []string
	told := map[string]bool{}
	for _, in := range q {
		k := slices.IndexFunc(from, func(o study.Ingredient) bool { return o.Name == in.Name })
		if k < 0 || slices.Equal(in.Settings, from[k].Settings) {
			continue
		}
		text := ""
		switch in.Name {
		case study.OfMetric:
			if a, b := in.Settings[0].Value, from[k].Settings[0].Value; a != b {
				texts = append(texts, "other metric: "+a+" instead of "+b)
				continue
			}
			text = settingDifferences(in.Settings, from[k].Settings, told)
		case study.OfRounds:
			texts = append(texts, fmt.Sprintf("%s rounds instead of %s", in.Settings[0].Value,
				from[k].Settings[0].Value))
			continue
		default:
			text = settingDifferences(in.Settings, from[k].Settings, told)
		}
		if text != "" {
			texts = append(texts, "other "+in.Name+": "+text)
		}
	}
	if len(texts) == 0 { // one metric reads what the other does not
		return []string{"the metric reads something else"}
	}
	return texts
}

// settingDifferences lists the settings in which two lists differ and that no text has named yet.
func settingDifferences(a, b []study.Setting, told map[string]bool) string {
	var list []string
	more := 0
	note := func(path, text string) {
		if told[path] {
			return
		}
		if told[path] = true; len(list) == maxSettings {
			more++
			return
		}
		list = append(list, text)
	}
	for _, s := range a {
		other, has := settingAt(b, s.Path)
		if has && other == s.Value || told[s.Path] || below(told, s.Path) {
			continue
		}
		text := shortPath(s.Path) + " = " + settingText(s)
		if has {
			text += " instead of " + settingText(study.Setting{Path: s.Path, Value: other})
		}
		note(s.Path, text)
	}
	for _, s := range b {
		if _, has := settingAt(a, s.Path); !has && !below(told, s.Path) {
			note(s.Path, "no "+shortPath(s.Path))
		}
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// settingAt returns the value at a path.
func settingAt(list []study.Setting, path string) (string, bool) {
	for _, s := range list {
		if s.Path == path {
			return s.Value, true
		}
	}
	return "", false
}

// below reports whether a path is one of a component that a text has named as another one.
func below(told map[string]bool, path string) bool {
	cut := strings.LastIndexByte(path, '.')
	return cut > 0 && (told[path[:cut]] || below(told, path[:cut]))
}

// shortPath leaves the slot out: "test" of dataset.test.
func shortPath(path string) string {
	_, rest, ok := strings.Cut(path, ".")
	if !ok {
		return path
	}
	return rest
}

// settingText writes a value, the name of a component in quotes, a long one cut.
func settingText(s study.Setting) string {
	const most = 60 // paths are never cut: they are shortened later, and found by all of them
	text := s.Value
	if slices.Contains(study.Slots(), s.Path) || strings.HasPrefix(s.Path, "preprocess") &&
		!strings.Contains(s.Path, ".") {
		text = strconv.Quote(text)
	}
	if strings.HasPrefix(text, "[") && !strings.Contains(text, `"`) {
		text = strings.ReplaceAll(text, ",", ", ")
	}
	if list := []rune(study.OneLine(text)); len(list) > most && !strings.ContainsAny(text, `/\\`) {
		return strings.TrimRight(string(list[:most/2]), " ") + " … " +
			strings.TrimLeft(string(list[len(list)-most/4:]), " ")
	}
	return study.OneLine(text)
}
