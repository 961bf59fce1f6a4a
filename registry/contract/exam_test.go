package contract

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func TestViolationReads(t *testing.T) {
	greedy := serving("", "", after(func(r *fl.Round, _ fl.Vector) { r.Global[0] = 1 })).entry
	greedy.Name = "greedy"
	const want = "aggregator greedy: read-only: 1 of 6 clients: Global changed in round T = 0\n" +
		"\tthe contract: Aggregate modifies nothing it can reach from the Round but State, Shared and Notes"
	if all := examined(t, aggregators(), greedy); len(all) != 1 || all[0].String() != want {
		t.Errorf("have\n%v\nwant\n%s", all, want)
	}
}

// TestWaivers examines an aggregator without consensus, which says so.
func TestWaivers(t *testing.T) {
	e := serving("", "", func(r *fl.Round) (fl.Vector, error) {
		next := average(r)
		next.Scale(0.5)
		return next, nil
	}).entry
	for _, c := range []struct {
		waives map[string]string
		want   []string
	}{
		{nil, []string{"consensus: 1 of 6 clients: round T = 0"}},
		{map[string]string{"consensus": "it shrinks"}, nil},
		{map[string]string{"consensus": "it shrinks", "numbering": "it used to matter"},
			[]string{"numbering: waived, yet it holds: drop the waiver"}},
		{map[string]string{"consensus": "it shrinks", "summary": "it had none"},
			[]string{"summary: waived, yet it holds: drop the waiver"}},
		{map[string]string{"consensus": "it shrinks", "state": "it remembers"},
			[]string{`waivers: "state" cannot be waived: without it no result could be relied on`,
				"state: waived, yet it holds: drop the waiver"}},
	} {
		e.Waives = c.waives
		var have []string
		for _, v := range examined(t, aggregators(), e) {
			found, _, _ := strings.Cut(v.Found, ": element")
			have = append(have, v.Check+": "+found)
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%v: have %q, want %q", c.waives, have, c.want)
		}
	}
}

// An entry that fits only where the server does not know the law is examined there.
func TestUnknownLaw(t *testing.T) {
	e := serving("", "", func(r *fl.Round) (fl.Vector, error) { return nil, errNobody }).entry
	e.Fits = func(s fl.Setting) error {
		if s.Law {
			return errors.New("needs a law that is not known")
		}
		return nil
	}
	all := examined(t, aggregators(), e)
	if len(all) != 1 || all[0].Check != "length" {
		t.Errorf("have %v, want that it returns nothing", all)
	}
}

// TestAfter wants no answer where the question before was not answered well.
func TestAfter(t *testing.T) {
	says := func(s string) func(int) string { return func(int) string { return s } }
	have := run([]check[int]{
		{"good", "", "", says("")},
		{"bad", "", "good", says("broken")},
		{"idle", "", "bad", says("")},
		{"later", "", "idle", says("")},
		{"absent", "", "", says(unasked)},
		{"too", "", "absent", says("")},
		{"panics", "", "good", func(int) string { panic(errors.New("oh")) }},
	}, 0)
	want := map[string]string{"good": "", "bad": "broken", "panics": "panic: oh"}
	if len(have) != len(want) {
		t.Errorf("have %q, want %q", have, want)
	}
	for name, answer := range want {
		if now, asked := have[name]; !asked || now != answer {
			t.Errorf("%s: have %q (%t), want %q", name, now, asked, answer)
		}
	}
}

// Where only calls at once are of interest, what they rest on is asked, too, and nothing else.
func TestNeeded(t *testing.T) {
	checks := []check[int]{{"a", "", "", nil}, {"b", "", "a", nil}, {"c", "", "", nil},
		{"d", "", "b", nil}, {"e", "", "d", nil}, {"f", "", "", nil}}
	for want, names := range map[string][]string{"abd": {"d"}, "abcd": {"c", "d"}, "f": {"f"},
		"": {"g"}} {
		var have string
		for _, c := range needed(checks, names) {
			have += c.name
		}
		if have != want {
			t.Errorf("%q: have %s, want %s", names, have, want)
		}
	}
}

// An instance that calls share is found by calls at once alone, too; other faults are not looked
// for.
func TestAtOnce(t *testing.T) {
	r := menu(t)
	add := func(name string, rule func() fl.LocalRule) {
		e := fl.LocalRuleEntry{Name: name, Summary: "violates a requirement",
			New: func(*fl.Params) (fl.LocalRule, error) { return rule(), nil }}
		if err := r.LocalRules.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	add("shares", func() fl.LocalRule {
		shared := new(crowding)
		return then(func(_ *fl.Task, u *fl.Update) {
			if shared.enter(runtime.Gosched) {
				u.Params[0]++
			}
		})
	})
	add("counts", func() fl.LocalRule {
		return then(func(_ *fl.Task, u *fl.Update) { u.Steps = -1 })
	})
	all := Examine(r, Options{Papers: known(), AtOnce: true, Folders: []string{t.TempDir()}})
	if len(all) != 1 || all[0].Check != "alone" || all[0].Component != "shares" {
		t.Errorf("have %v, want what is shared and nothing else", all)
	}
}

// Two calls at once are repeated as often as is asked, where that is less often than they are.
func TestCalls(t *testing.T) {
	made := func(most int) int {
		var calls atomic.Int64
		r := menu(t)
		e := fl.LocalRuleEntry{Name: "counting", Summary: "counts its calls",
			New: func(*fl.Params) (fl.LocalRule, error) {
				return then(func(*fl.Task, *fl.Update) { calls.Add(1) }), nil
			}}
		if err := r.LocalRules.Add(e); err != nil {
			t.Fatal(err)
		}
		for _, v := range Examine(r, Options{Papers: known(), AtOnce: true, Calls: most,
			Only: func(_, name string) bool { return name == e.Name }}) {
			t.Error(v)
		}
		return int(calls.Load())
	}
	const toys = 2 // with a regression and with a classification
	all := made(0)
	for most, fewer := range map[int]int{3: 2 * toys * (500 - 3), 500: 0, 600: 0} {
		if n := made(most); all-n != fewer {
			t.Errorf("at most %d: %d calls, want %d fewer than %d", most, n, fewer, all)
		}
	}
}

func TestTogether(t *testing.T) {
	quiet, loud := func() string { return "" }, func() string { panic("aside") }
	have := []string{together(loud, quiet), together(quiet, loud), together(quiet, quiet)}
	if want := []string{"panic: aside", "panic: aside", ""}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

// TestVariants wants defaults and Example, required choices in full, and everything else
// one at a time where it can be built.
func TestVariants(t *testing.T) {
	e := fl.MetricEntry{
		Name: "varied", Summary: "varied", Example: map[string]any{"k": int64(2)},
		New: func(p *fl.Params) (fl.Metric, error) {
			p.Int("k", 1, fl.AtLeast(0), "a number")
			p.Choice("must", "", "required", "a", "b")
			p.Choice("duty", "", "required", "x", "y")
			may := p.Choice("may", "m", "free", "m", "n", "o")
			p.Bool("on", true, "a switch")
			if may == "o" && p.Setting().Shape.Classes > 0 {
				p.Fail("may", "o needs regression")
			}
			return metric{measure: lossOfAll}, nil
		},
	}
	s := &subject[fl.Metric]{exam: metrics(), entry: e, registry: new(registry.Registry), toys: newFixtures(0)}
	if broken := s.builds(); broken != "" {
		t.Fatal(broken)
	}
	var have []string
	for _, v := range s.variants {
		have = append(have, v.label("!"))
	}
	want := []string{
		"must = a, duty = x: regression: !", "must = a, duty = y: regression: !",
		"must = b, duty = x: regression: !", "must = b, duty = y: regression: !",
		"must = a, duty = x, may = n: regression: !", "must = a, duty = x, may = o: regression: !",
		"must = a, duty = x, on = false: regression: !",
		"must = a, duty = x: classification: !", "must = a, duty = y: classification: !",
		"must = b, duty = x: classification: !", "must = b, duty = y: classification: !",
		"must = a, duty = x, may = n: classification: !",
		"must = a, duty = x, on = false: classification: !",
	}
	if !slices.Equal(have, want) {
		t.Errorf("have %q", have)
	}
	if k := s.variants[0].given["k"]; k != int64(2) {
		t.Errorf("the Example gives k = 2, the variant %v", k)
	}
}

// TestNeedlessExample wants the defaults examined, too, where they build alone.
func TestNeedlessExample(t *testing.T) {
	e := fl.AggregatorEntry{
		Example: map[string]any{"share": 0.5},
		New: func(p *fl.Params) (fl.Aggregator, error) {
			share := p.Float("share", 2, fl.Closed(0, 3), "of the change")
			return after(func(r *fl.Round, next fl.Vector) {
				if share > 1 {
					r.Global[0]++
				}
			}), nil
		},
	}
	all := examined(t, aggregators(), e)
	const want = "without its Example: 1 of 6 clients: Global changed"
	if len(all) != 1 || !strings.HasPrefix(all[0].Found, want) {
		t.Errorf("%v, want %s", all, want)
	}
}

// TestOutside wants the nearest numbers that do not belong to a range.
func TestOutside(t *testing.T) {
	if have := outside(fl.Open(0, 3.5), true); !slices.Equal(have, []float64{0, -1, 4, 4}) {
		t.Errorf("whole numbers: %v", have)
	}
	if have := outside(fl.AtLeast(1), true); !slices.Equal(have, []float64{0}) {
		t.Errorf("whole numbers from 1: %v", have)
	}
	for _, r := range []fl.Range{fl.Closed(0, 1), fl.Open(0, 1), fl.AtLeast(0), fl.Above(0), fl.Anything()} {
		have := outside(r, false)
		if len(have) < 3 || slices.ContainsFunc(have, r.Has) {
			t.Errorf("%v: %v", r, have)
		}
	}
}

// A guard that sees a call write to its inputs answers whatever asks: the requirement that is
// violated is the one to read only, and what rests on other requirements is not asked.
func TestWritesThatGuardsSee(t *testing.T) {
	for _, wrong := range []func(){
		func() {}, func() { panic("Aggregate: changed r.T, " + registry.Written) },
	} {
		e := serving("", "", func(*fl.Round) (fl.Vector, error) {
			wrong()
			return nil, errors.New("Aggregate: changed r.T, " + registry.Written)
		}).entry
		all := examined(t, aggregators(), e)
		if len(all) != 1 || all[0].Check != readOnly || !strings.Contains(all[0].Found, "r.T") {
			t.Errorf("%v", all)
		}
	}
}
