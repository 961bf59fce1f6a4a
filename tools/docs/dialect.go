package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/plugins/vet"
)

// dialectFile lists what strategies may not say, in parts, each with what to write instead.
const dialectFile = "tools/docs/dialect.txt"

// A refusal is a line of Go that is refused, and what to write instead, if there is anything.
type refusal struct{ no, yes snippet }

// A snippet is a line of a strategy.
type snippet struct {
	shown, hidden string
	top           bool // it stands outside of functions
}

// dialect returns the generator of the table of one part of the dialect: what is refused, what
// is not, and what vet says. It fails where vet does not refuse what it should, or refuses what
// it should not.
func dialect(part string) func(top string) (string, error) {
	return func(top string) (string, error) {
		text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(dialectFile)))
		if err != nil {
			return "", err
		}
		refusals, err := refusalsOf(string(text), part)
		if err != nil {
			return "", err
		}
		var b strings.Builder
		b.WriteString("| refused | instead | what hansa says |\n|---|---|---|\n")
		for _, r := range refusals {
			said, err := r.check()
			if err != nil {
				return "", err
			}
			instead := ""
			if r.yes.shown != "" {
				instead = "`" + escape(r.yes.shown) + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", escape(r.no.shown), instead, escape(said))
		}
		return b.String(), nil
	}
}

// refusalsOf returns one part of the file of refusals.
func refusalsOf(text, part string) (list []refusal, err error) {
	within := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "== "); ok {
			within = name == part
		}
		key, code, _ := strings.Cut(line, ": ")
		key, top := strings.CutPrefix(key, "top ")
		code, hidden, _ := strings.Cut(code, "##")
		here := snippet{strings.TrimSpace(code), strings.TrimSpace(hidden), top}
		switch {
		case !within:
		case key == "no":
			list = append(list, refusal{no: here})
		case key == "yes" && len(list) > 0:
			list[len(list)-1].yes = here
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no part %q", dialectFile, part)
	}
	return list, nil
}

// check returns what vet says of the line that is refused.
func (r refusal) check() (string, error) {
	said, wrong := r.no.vetted(), r.yes.vetted()
	if len(said) != 1 || len(wrong) > 0 {
		return "", fmt.Errorf("%s: of %s vet says %q, and instead %q",
			dialectFile, r.no.shown, said, wrong)
	}
	return said[0], nil
}

// vetted returns what vet says of a snippet.
func (s snippet) vetted() (said []string) {
	imports, outside, inside := "", "", s.shown+"\n"+s.hidden
	switch {
	case strings.HasPrefix(s.shown, "import "):
		imports, inside = s.shown, ""
	case s.top:
		outside, inside = s.shown, ""
	}
	text := fmt.Sprintf(strategyAround, imports, outside, inside)
	_, problems := vet.Check([]vet.File{{Name: "line.go", Text: text}})
	for _, p := range problems {
		message := p.Message
		if p.Hint != "" {
			message += " (" + p.Hint + ")"
		}
		said = append(said, message)
	}
	return slices.Compact(said)
}

// strategyAround is the strategy in which a line is checked.
const strategyAround = `package mine

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)
%s
var Mine = fl.AggregatorEntry{Name: "mine"}

type pair struct{ x, y float64 }

func (p *pair) norm() float64 { return p.x + p.y }

type fault struct{}

func (fault) Error() string { return "" }

func failed() error { return &fault{} }

var rounds int
var errFault = errors.New("fault")
var _ *rand.Rand

func square(x float64) float64 { return x * x }
func count(i int) func() int { return func() int { return i } }
func done(x float64) {}
func each(yield func(x float64) bool) { yield(1) }

%s

func check(r *fl.Round, n int, a, b float64, xs []float64, p *pair, ps []*pair,
	fs []func() int, err error) error {
	var errOne fault
	_ = fmt.Sprint(errOne.Error(), cmp.Compare(a, b), slices.Max(xs))
	%s
	return nil
}
`
