package plugins

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/plugins/grammar"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// mostCuts is how often a program that differs is made smaller.
const mostCuts = 25

// minimise makes the program of a difference as small as it can: of all programs with one cut,
// the smallest that still differs, again and again.
func (p *proof) minimise(t *testing.T, d difference) difference {
	var alone []string
	for _, u := range d.use.Alone() {
		text := p.write(t, grammar.Program{Name: "p.go", Uses: []grammar.Use{u}})
		text.Source = strings.ReplaceAll(text.Source, u.Run()+"()", d.use.Run()+"()")
		alone = append(alone, text.Source)
	}
	d = smallest(t, d, alone)
	for range mostCuts {
		before := d.source
		if d = smallest(t, d, grammar.Smaller(d.source)); d.source == before {
			break
		}
	}
	return d
}

// smallest returns the first of some programs that differs like d, or d.
func smallest(t *testing.T, d difference, sources []string) difference {
	var texts [][]grammar.Text
	for _, source := range sources {
		source = repaired(grammar.Needed(source))
		text := []grammar.Text{{Name: "p.go", Source: source, Uses: []grammar.Use{d.use}}}
		if _, wrong := vetPrograms(text); len(wrong) == 0 && runs(source, d.use) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return d
	}
	slices.SortStableFunc(texts, func(a, b []grammar.Text) int {
		return len(a[0].Source) - len(b[0].Source)
	})
	said := compilePrograms(t, texts)
	for i, text := range texts {
		pkg, _ := vetPrograms(text)
		got, want := "", said[i][0][0]
		all, err := interpretPrograms(t.Context(), pkg, text)
		if err != nil {
			got = err.Error()
		} else {
			got = all[0][0]
		}
		if got != want && alike(got, d.got) && alike(want, d.want) {
			return difference{d.program, d.use, text[0].Source, got, want}
		}
	}
	return d
}

// repaired leaves out variables that a cut has left without a use.
func repaired(source string) string {
	for {
		files := []vet.File{{Name: "p.go", Text: source}}
		_, problems := vet.CheckProgram(files, map[string]string{"see": seeDeclared})
		before := source
		for _, p := range problems {
			if name, ok := strings.CutPrefix(p.Message, "declared and not used: "); ok {
				source = grammar.Needed(grammar.Unused(source, name, p.Pos.Line))
				break
			}
		}
		if source == before {
			return source
		}
	}
}

// runs reports whether a program has the function by which a use is run.
func runs(source string, u grammar.Use) bool {
	return strings.Contains(source, "func "+u.Run()+"()")
}

// alike reports whether two outputs fail in the same way, if they do: a program is not made
// smaller until it shows something else.
func alike(a, b string) bool { return failure.FindString(a) == failure.FindString(b) }

var failure = regexp.MustCompile(`panic|the interpreter cannot run this`)
