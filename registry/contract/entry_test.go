package contract

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// saying is an importance that is sound but for what its entry says.
func saying(breaks, found string, e fl.ImportanceEntry) citizen[fl.Importance] {
	if e.New == nil {
		e.New = bySamples.New
	}
	return citizen[fl.Importance]{breaks, found, e}
}

func summed(found, summary string) citizen[fl.Importance] {
	return saying("summary", found, fl.ImportanceEntry{Summary: summary})
}

// declaring is an importance that declares parameters; built tells a description from
// the rest.
func declaring(breaks, found string, declare func(p *fl.Params, built bool)) citizen[fl.Importance] {
	return saying(breaks, found, fl.ImportanceEntry{New: func(p *fl.Params) (fl.Importance, error) {
		declare(p, p.Setting().Known())
		return importance(shares), nil
	}})
}

// either returns what a parameter is built with, or else described by.
func either[V any](built bool, then, otherwise V) V {
	if built {
		return then
	}
	return otherwise
}

func TestBadEntries(t *testing.T) {
	unit := fl.Closed(0, 1)
	anything := fl.Range{Lo: unit.Lo - 10, Hi: unit.Hi + 10}
	catches(t, importances(), entryChecks[fl.Importance](), []citizen[fl.Importance]{
		summed("there is none", " "),
		summed("several lines", "first\nsecond"),
		summed("81 characters", strings.Repeat("ä", 81)),
		summed("full stop", "a sentence."),
		summed(`begins with "Weights"`, "Weights by samples"),

		saying("paper", `"unknown1999" is no known reference`, fl.ImportanceEntry{Paper: "unknown1999"}),
		saying("paper", "has no year", fl.ImportanceEntry{Paper: "A. Author. A title, 12345."}),

		saying("waivers", `there is no check "consensus" to waive; there are summary, `,
			fl.ImportanceEntry{Waives: map[string]string{"consensus": "it is the point"}}),
		{"waivers", `"equivariant" is waived without a reason`, fl.ImportanceEntry{
			Waives: map[string]string{"equivariant": " "},
			New: func(*fl.Params) (fl.Importance, error) {
				return importance(func(pop *fl.Roster) fl.Vector {
					return proportional(pop, func(i int) float64 {
						return float64((i + 1) * pop.Samples[i])
					})
				}), nil
			}}},

		saying("describable", "error: no setting", fl.ImportanceEntry{
			New: func(p *fl.Params) (fl.Importance, error) {
				if !p.Setting().Known() {
					return nil, errors.New("no setting")
				}
				return importance(shares), nil
			}}),
		declaring("describable", "a: 0 clients are too few", func(p *fl.Params, built bool) {
			p.Int("a", 1, fl.AtLeast(0), "a number")
			if !built {
				p.Fail("a", "0 clients are too few")
			}
		}),
		saying("describable", "panic: ", fl.ImportanceEntry{
			New: func(p *fl.Params) (fl.Importance, error) {
				p.Importance("prior", "even", "a prior").Weights(people(1))
				return importance(shares), nil
			}}),

		declaring("documented", `"nRounds" is no name`, func(p *fl.Params, _ bool) {
			p.Int("nRounds", 1, fl.AtLeast(0), "a number")
		}),
		declaring("documented", "a is declared twice", func(p *fl.Params, _ bool) {
			p.Int("a", 1, fl.AtLeast(0), "a number")
			p.Int("a", 1, fl.AtLeast(0), "a number")
		}),
		declaring("documented", "a does not say", func(p *fl.Params, _ bool) {
			p.Bool("a", false, "")
		}),

		saying("fits", "regression: needs a million clients", fl.ImportanceEntry{
			Fits: func(fl.Setting) error { return errors.New("needs a million clients") }}),
		saying("fits", "panic: ", fl.ImportanceEntry{
			Fits: func(s fl.Setting) error { panic("at the disco") }}),

		saying("builds", "no weights", fl.ImportanceEntry{
			New: func(p *fl.Params) (fl.Importance, error) {
				if p.Setting().Known() {
					return nil, errors.New("no weights")
				}
				return importance(shares), nil
			}}),
		declaring("builds", "share: is required", func(p *fl.Params, _ bool) {
			p.Floats("list", unit, "a list that may be left out")
			p.Choice("free", "a", "a free choice", "a", "b")
			p.Float("share", math.NaN(), unit, "a share")
		}),
		declaring("builds", "kind = b: kind: b is not there yet", func(p *fl.Params, built bool) {
			if p.Choice("kind", "", "a choice", "a", "b") == "b" && built {
				p.Fail("kind", "b is not there yet")
			}
		}),
		saying("builds", "New returned nil", fl.ImportanceEntry{
			New: func(*fl.Params) (fl.Importance, error) { return nil, nil }}),

		declaring("declares", "[a] are described, [a b] declared", func(p *fl.Params, built bool) {
			p.Bool("a", false, "a switch")
			if built {
				p.Bool("b", false, "another")
			}
		}),
		declaring("declares", "a = true: [a] are described, [a b] declared", func(p *fl.Params, _ bool) {
			if p.Bool("a", false, "a switch") {
				p.Bool("b", false, "another")
			}
		}),

		declaring("defaults", "a: 2 is outside [0, 1]", func(p *fl.Params, _ bool) {
			p.Float("a", 2, unit, "a share")
		}),
		declaring("defaults", `kind: "c" is not one of its options`, func(p *fl.Params, _ bool) {
			p.Choice("kind", "c", "a choice", "a", "b")
		}),

		declaring("ranges", "a = -5e-324 is accepted", func(p *fl.Params, built bool) {
			p.Float("a", 0.5, either(built, anything, unit), "a share")
		}),
		declaring("ranges", "a = 2 is accepted", func(p *fl.Params, built bool) {
			p.Int("a", 1, either(built, fl.Closed(0, 10), unit), "a number")
		}),
		saying("ranges", "a = [-5e-324] is accepted", fl.ImportanceEntry{
			Example: map[string]any{"a": []any{0.5}},
			New: func(p *fl.Params) (fl.Importance, error) {
				p.Floats("a", either(p.Setting().Known(), anything, unit), "shares")
				return importance(shares), nil
			}}),
		declaring("ranges", "a = 0 is accepted", func(p *fl.Params, built bool) {
			p.Float("a", 0.5, either(built, unit, fl.Open(0, 1)), "a share")
		}),
		saying("ranges", "a = -5e-324 is refused without its name: no share", fl.ImportanceEntry{
			New: func(p *fl.Params) (fl.Importance, error) {
				a := p.Float("a", 0.5, either(p.Setting().Known(), anything, unit), "a share")
				if !unit.Has(a) {
					return nil, errors.New("no share")
				}
				return importance(shares), nil
			}}),

		declaring("types", "a = 1.5 is accepted", func(p *fl.Params, built bool) {
			if built {
				p.Float("a", 1, fl.Closed(1, 1.75), "a number")
			} else {
				p.Int("a", 1, fl.Closed(1, 1.75), "a number")
			}
		}),
		declaring("options", "kind = no-such-option is accepted", func(p *fl.Params, built bool) {
			p.Choice("kind", "a", "a choice", "a", "b", either(built, noSuchOption, "b"))
		}),
		declaring("keys", "no_such_parameter = 1 is accepted", func(p *fl.Params, _ bool) {
			p.Int(noSuchKey, 1, fl.AtLeast(0), "a number")
		}),
	})
}
