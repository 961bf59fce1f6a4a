package contract

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hansa-fl/hansa/framework/fl"
)

var (
	parameterForm = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	year          = regexp.MustCompile(`\b(1[5-9]|20)\d\d\b`)
)

// entryChecks are asked of every entry of any kind.
func entryChecks[T any]() []check[*subject[T]] {
	type s = *subject[T]
	return []check[s]{
		{"summary", "the summary is one line of at most 80 characters, in lower case but for " +
			"names and symbols, without a full stop", "", s.summary},
		{"paper", "the paper is a known reference or a citation with a year; it may be left out",
			"", s.paper},
		{"waivers", "every waiver names a check of its kind and gives a reason", "", s.waivers},
		{"describable", "New succeeds without parameters and setting, to be described",
			"", s.describable},
		{"documented", "every parameter has a name in snake case, is declared once and says what " +
			"it means", "describable", s.documented},
		{"fits", "it fits six clients with a known cohort distribution, on regression or on " +
			"classification", "describable", s.fits},
		{"builds", "defaults and Example build, with every option of a choice that has no " +
			"default", "fits", s.builds},
		{"declares", "it declares the parameters that it describes, whatever it is built with",
			"builds", s.declares},
		{"defaults", "every default lies in its own range", "builds", s.defaults},
		{"ranges", "a number outside its range is refused, by the name of its parameter",
			"builds", s.ranges},
		{"types", "a value of the wrong type is refused, by the name of its parameter",
			"builds", s.types},
		{"options", "an unknown option is refused, by the name of its parameter",
			"builds", s.choices},
		{"keys", "an unknown parameter is refused, by its name", "builds", s.keys},
	}
}

func (s *subject[T]) summary() string {
	text := s.entry.Summary
	switch {
	case strings.TrimSpace(text) == "":
		return "there is none"
	case strings.ContainsAny(text, "\n\r"):
		return "it has several lines"
	case utf8.RuneCountInString(text) > 80:
		return fmt.Sprintf("it has %d characters", utf8.RuneCountInString(text))
	case strings.HasSuffix(text, "."):
		return "it ends with a full stop"
	}
	first := strings.Fields(text)[0]
	if capitalised(first) && !strings.HasPrefix(s.entry.Name, strings.ToLower(first)) {
		return fmt.Sprintf("it begins with %q", first)
	}
	return ""
}

// capitalised reports whether a word has one capital, at its beginning, and then small
// letters: unlike FedAvg, MNIST or F(θ), which are names and symbols.
func capitalised(word string) bool {
	letters := []rune(word)
	if len(letters) < 2 || !unicode.IsUpper(letters[0]) {
		return false
	}
	return !slices.ContainsFunc(letters[1:], func(r rune) bool { return !unicode.IsLower(r) })
}

func (s *subject[T]) paper() string {
	text := s.entry.Paper
	switch {
	case text == "" || s.options.Papers[text]:
		return ""
	case !strings.Contains(text, " "):
		return fmt.Sprintf("%q is no known reference", text)
	case !year.MatchString(text):
		return fmt.Sprintf("%q has no year", text)
	}
	return ""
}

func (s *subject[T]) waivers() string {
	var names []string
	for _, p := range slices.Concat(requirements("", entryChecks[T]()), s.exam.requirements()) {
		names = append(names, p.Check)
	}
	for _, name := range slices.Sorted(maps.Keys(s.entry.Waives)) {
		if !slices.Contains(names, name) {
			return fmt.Sprintf("there is no check %q to waive; there are %s",
				name, strings.Join(names, ", "))
		}
		if slices.Contains(binding(), name) {
			return fmt.Sprintf("%q cannot be waived: without it no result could be relied on", name)
		}
		if strings.TrimSpace(s.entry.Waives[name]) == "" {
			return fmt.Sprintf("%q is waived without a reason", name)
		}
	}
	return ""
}

func (s *subject[T]) describable() string {
	p := fl.NewParams(nil, fl.Setting{}, nil)
	if _, err := s.entry.New(p); err != nil {
		return "error: " + err.Error()
	}
	return say(p.Finish())
}

func (s *subject[T]) documented() string {
	var names []string
	for _, spec := range s.specs() {
		switch {
		case !parameterForm.MatchString(spec.Name):
			return fmt.Sprintf("%q is no name in snake case", spec.Name)
		case slices.Contains(names, spec.Name):
			return spec.Name + " is declared twice"
		case strings.TrimSpace(spec.Doc) == "" || strings.ContainsAny(spec.Doc, "\n\r"):
			return spec.Name + " does not say in one line what it means"
		}
		names = append(names, spec.Name)
	}
	return ""
}

func (s *subject[T]) fits() string {
	if len(s.fitting()) > 0 {
		return ""
	}
	var reasons []string
	for _, t := range s.toys {
		reasons = append(reasons, fmt.Sprintf("%s: %v", t.name, s.entry.Fits(t.setting)))
	}
	return strings.Join(reasons, "; ")
}

// builds also notes the variants that everything else is asked of.
func (s *subject[T]) builds() string {
	for _, t := range s.fitting() {
		required := s.required(t)
		for _, v := range required {
			if _, problems := v.attempt(v.given, t.setting); len(problems) > 0 {
				return v.label(say(problems))
			}
			s.variants = append(s.variants, v)
		}
		for _, v := range s.optional(t, required[0]) {
			if _, problems := v.attempt(v.given, t.setting); len(problems) == 0 {
				s.variants = append(s.variants, v)
			}
		}
	}
	return ""
}
