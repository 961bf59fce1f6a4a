package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxSettings is the number of differing settings that a text names.
const maxSettings = 3

// Differences describes how a quantity differs from another: a text for each ingredient. A text
// does not repeat one before it. It says "the metric reads something else" where what differs is
// in one of them only, so equal quantities are not to be asked for.
func (q Quantity) Differences(from Quantity) []string {
	var texts []string
	told := map[string]bool{}
	for _, in := range q {
		k := slices.IndexFunc(from, func(o Ingredient) bool { return o.Name == in.Name })
		if k < 0 || slices.Equal(in.Settings, from[k].Settings) {
			continue
		}
		text := ""
		switch in.Name {
		case OfMetric:
			if a, b := in.Settings[0].Value, from[k].Settings[0].Value; a != b {
				texts = append(texts, "other metric: "+a+" instead of "+b)
				continue
			}
			text = settingDifferences(in.Settings, from[k].Settings, told)
		case OfRounds:
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
func settingDifferences(a, b []Setting, told map[string]bool) string {
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
		if has && other == s.Value || told[s.Path] || pathBelow(told, s.Path) {
			continue
		}
		text := shortPath(s.Path) + " = " + settingText(s)
		if has {
			text += " instead of " + settingText(Setting{Path: s.Path, Value: other})
		}
		note(s.Path, text)
	}
	for _, s := range b {
		if _, has := settingAt(a, s.Path); !has && !pathBelow(told, s.Path) {
			note(s.Path, "no "+shortPath(s.Path))
		}
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// settingAt returns the value at a path.
func settingAt(list []Setting, path string) (string, bool) {
	for _, s := range list {
		if s.Path == path {
			return s.Value, true
		}
	}
	return "", false
}

// pathBelow reports whether a path is one of a component that a text has named as another one.
func pathBelow(told map[string]bool, path string) bool {
	cut := strings.LastIndexByte(path, '.')
	return cut > 0 && (told[path[:cut]] || pathBelow(told, path[:cut]))
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
func settingText(s Setting) string {
	const most = 60 // paths are never cut: they are shortened later, and found by all of them
	text := s.Value
	if slices.Contains(Slots(), s.Path) || strings.HasPrefix(s.Path, "preprocess") &&
		!strings.Contains(s.Path, ".") {
		text = strconv.Quote(text)
	}
	if strings.HasPrefix(text, "[") && !strings.Contains(text, `"`) {
		text = strings.ReplaceAll(text, ",", ", ")
	}
	if list := []rune(OneLine(text)); len(list) > most && !strings.ContainsAny(text, `/\\`) {
		return strings.TrimRight(string(list[:most/2]), " ") + " … " +
			strings.TrimLeft(string(list[len(list)-most/4:]), " ")
	}
	return OneLine(text)
}

// Differing names the ingredients in which two quantities differ, or that one of them lacks.
func (q Quantity) Differing(from Quantity) (names []string) {
	find := func(list Quantity, name string) *Ingredient {
		k := slices.IndexFunc(list, func(in Ingredient) bool { return in.Name == name })
		if k < 0 {
			return nil
		}
		return &list[k]
	}
	for _, in := range q {
		if o := find(from, in.Name); o == nil || !slices.Equal(in.Settings, o.Settings) {
			names = append(names, in.Name)
		}
	}
	for _, o := range from {
		if find(q, o.Name) == nil {
			names = append(names, o.Name)
		}
	}
	return names
}

// Joint joins the values of a quantity with those of another one.
func (q Quantity) Joint(other Quantity) Quantity {
	all := slices.Clone(q)
	for i := range all {
		k := slices.IndexFunc(other, func(in Ingredient) bool { return in.Name == all[i].Name })
		if k < 0 {
			continue
		}
		all[i].Settings = slices.Clone(all[i].Settings)
		for _, s := range other[k].Settings {
			j := slices.IndexFunc(all[i].Settings, func(o Setting) bool {
				return o.Path == s.Path
			})
			switch {
			case j < 0:
				all[i].Settings = append(all[i].Settings, s)
			case !slices.Contains(strings.Split(all[i].Settings[j].Value, " | "), s.Value):
				all[i].Settings[j].Value += " | " + s.Value
			}
		}
	}
	return all
}
