package fl_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// declare declares one parameter of every sort and returns what was read.
func declare(p *fl.Params) (values []any) {
	return []any{
		p.Float("epsilon", 1e-9, fl.Open(0, 1), "stop here"),
		p.Int("sweeps", 100, fl.AtLeast(1), "at most"),
		p.Bool("quiet", false, "say nothing"),
		p.Choice("policy", "soft", "what to do", "soft", "hard"),
		p.Floats("weights", fl.AtLeast(0), "one per client"),
	}
}

func TestParamsDescribeThemselves(t *testing.T) {
	p := fl.NewParams(nil, fl.Setting{}, nil)
	got := declare(p)
	want := []any{1e-9, 100, false, "soft", []float64(nil)}
	for i := range want {
		if w, ok := want[i].([]float64); ok {
			if g := got[i].([]float64); len(g) != len(w) {
				t.Errorf("weights: %v", g)
			}
		} else if got[i] != want[i] {
			t.Errorf("%s: default %v, want %v", p.Specs()[i].Name, got[i], want[i])
		}
	}
	if problems := p.Finish(); len(problems) > 0 {
		t.Errorf("nothing was given, and yet: %v", problems)
	}
	if s := p.Specs()[0]; s.Name != "epsilon" || s.Range.String() != "(0, 1)" || s.Doc != "stop here" {
		t.Errorf("%+v", s)
	}
	if r := p.Resolved(); r["sweeps"] != int64(100) || r["epsilon"] != 1e-9 || r["policy"] != "soft" {
		t.Errorf("resolved: %v", r)
	}
}

func TestParamsTakeWhatIsGiven(t *testing.T) {
	p := fl.NewParams(map[string]any{"epsilon": 0.5, "sweeps": int64(7), "quiet": true,
		"policy": "hard", "weights": []any{int64(1), 2.5}}, fl.Setting{}, nil)
	got := declare(p)
	if got[0] != 0.5 || got[1] != 7 || got[2] != true || got[3] != "hard" ||
		!slices.Equal(got[4].([]float64), []float64{1, 2.5}) || len(p.Finish()) > 0 {
		t.Errorf("%v %v", got, p.Finish())
	}
	if w := p.Resolved()["weights"].([]float64); !slices.Equal(w, []float64{1, 2.5}) {
		t.Errorf("resolved weights %v", w)
	}
}

func TestParamsRefuse(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"epsilon", 2.0, "epsilon: 2 is outside (0, 1)"},
		{"epsilon", 0.0, "epsilon: 0 is outside (0, 1)"},
		{"epsilon", math.NaN(), "epsilon: NaN is outside (0, 1)"},
		{"epsilon", "0.1", "epsilon: want a number, have the string \"0.1\"; remove the quotes"},
		{"sweeps", int64(0), "sweeps: 0 is outside [1, +Inf)"},
		{"sweeps", 1.5, "sweeps: want an integer, have 1.5"},
		{"sweeps", 5.0, "sweeps: want an integer, have 5.0; write 5"},
		{"sweeps", 1e6, "sweeps: want an integer, have 1e+06; write 1000000"},
		{"sweeps", math.Inf(1), "sweeps: want an integer, have +Inf"},
		{"quiet", "true", "quiet: want true or false, have the string \"true\"; remove the quotes"},
		{"policy", "soften", "policy: \"soften\" is not one of its options"},
		{"policy", int64(1), "policy: want a string, have 1"},
		{"weights", 3.0, "weights: want a list of numbers, have 3.0"},
		{"weights", []any{1.0, -2.0}, "weights[1]: -2 is outside [0, +Inf)"},
		{"weights", []any{"a"}, "weights[0]: want a number, have the string \"a\""},
		{"epsilom", 0.1, "epsilom: no such parameter"},
	} {
		p := fl.NewParams(map[string]any{c.name: c.value}, fl.Setting{}, nil)
		declare(p)
		problems := p.Finish()
		if len(problems) != 1 {
			t.Errorf("%s = %v: %v", c.name, c.value, problems)
			continue
		}
		text := problems[0].Message
		if problems[0].Hint != "" {
			text += "; " + problems[0].Hint
		}
		if text != c.want || !strings.HasPrefix(text, problems[0].Param+": ") {
			t.Errorf("%s = %v: %q, want %q", c.name, c.value, text, c.want)
		}
	}
}

// A mistake is reported once: a parameter with a problem gets no second one from a later check.
func TestParamsAreBlamedOnce(t *testing.T) {
	given := map[string]any{"weights": []any{1.0, -1.0}, "weight": -1.0}
	p := fl.NewParams(given, fl.Setting{Clients: 3}, nil)
	w := p.Floats("weights", fl.AtLeast(0), "one per client")
	p.Fail("weights", "%d of %d", len(w), p.Setting().Clients)
	p.Float("weight", 1, fl.AtLeast(0), "another")
	p.Fail("weight", "is wrong")
	p.Bool("weigh", true, "a third")
	p.Fail("weigh", "is wrong, too")
	var got []string
	for _, problem := range p.Finish() {
		got = append(got, problem.Message)
	}
	want := []string{"weights[1]: -1 is outside [0, +Inf)", "weight: -1 is outside [0, +Inf)",
		"weigh: is wrong, too"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Every element of a list that is wrong is reported.
func TestElementsAreAllLookedAt(t *testing.T) {
	weights := make([]any, 12)
	for i := range weights {
		weights[i] = 1.0
	}
	weights[1], weights[10], weights[11] = -1.0, -2.0, "3"
	p := fl.NewParams(map[string]any{"weights": weights}, fl.Setting{}, nil)
	xs := p.Floats("weights", fl.AtLeast(0), "one per client")
	var got []string
	for _, problem := range p.Finish() {
		got = append(got, problem.Message)
	}
	want := []string{"weights[1]: -1 is outside [0, +Inf)", "weights[10]: -2 is outside [0, +Inf)",
		`weights[11]: want a number, have the string "3"`}
	if xs != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %q, want %q", xs, got, want)
	}
}

// A choice of the wrong type says what can be chosen.
func TestChoicesAreNamed(t *testing.T) {
	p := fl.NewParams(map[string]any{"policy": true}, fl.Setting{}, nil)
	declare(p)
	problems := p.Finish()
	if len(problems) != 1 || !slices.Equal(problems[0].Allowed, []string{"soft", "hard"}) {
		t.Errorf("%+v", problems)
	}
}

// The message of a wrong value that the file does not set says that it is the default.
func TestDefaultsAreNamed(t *testing.T) {
	for _, c := range []struct {
		given map[string]any
		want  string
	}{
		{nil, "sweeps = 100 is the default"},
		{map[string]any{"sweeps": int64(100)}, ""},
	} {
		p := fl.NewParams(c.given, fl.Setting{}, nil)
		declare(p)
		p.Fail("sweeps", "too many")
		problems := p.Finish()
		if len(problems) != 1 || problems[0].Hint != c.want {
			t.Errorf("%v: %+v, want %q", c.given, problems, c.want)
		}
	}
}

func TestRequiredParams(t *testing.T) {
	for _, setting := range []fl.Setting{{}, {Clients: 3}} {
		p := fl.NewParams(nil, setting, nil)
		p.Choice("kind", "", "which of them", "a", "b")
		p.Float("rate", math.NaN(), fl.Above(0), "how fast")
		p.Floats("weights", fl.AtLeast(0), "how much")
		problems := p.Finish()
		if want := map[bool]int{false: 0, true: 3}[setting.Known()]; len(problems) != want {
			t.Errorf("setting %+v: %v", setting, problems)
		}
		for _, problem := range problems {
			if !strings.HasSuffix(problem.Message, ": is required") || !problem.Key ||
				problem.Hint != map[string]string{"kind": "one of a, b: which of them",
					"rate": "how fast", "weights": "how much"}[problem.Param] {
				t.Errorf("%+v", problem)
			}
		}
	}
}

func TestRanges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		in     fl.Range
		text   string
		has    []float64
		misses []float64
	}{
		{fl.Closed(0, 1), "[0, 1]", []float64{0, 1}, []float64{-1e-300, 1.1}},
		{fl.Open(0, 1), "(0, 1)", []float64{0.5}, []float64{0, 1}},
		{fl.LeftOpen(0, 1), "(0, 1]", []float64{1}, []float64{0}},
		{fl.RightOpen(0, 1), "[0, 1)", []float64{0}, []float64{1}},
		{fl.AtLeast(2), "[2, +Inf)", []float64{2, 1e300}, []float64{1, inf}},
		{fl.Above(2), "(2, +Inf)", []float64{3}, []float64{2, inf}},
		{fl.Closed(1e-6, 4294967295), "[1e-06, 4294967295]", []float64{1}, []float64{0}},
		{fl.Anything(), "any number", []float64{-1e300, 0}, []float64{inf, -inf}},
	} {
		if c.in.String() != c.text {
			t.Errorf("%q, want %q", c.in, c.text)
		}
		for _, x := range c.has {
			if !c.in.Has(x) {
				t.Errorf("%v does not have %v", c.in, x)
			}
		}
		for _, x := range append(c.misses, math.NaN()) {
			if c.in.Has(x) {
				t.Errorf("%v has %v", c.in, x)
			}
		}
	}
}
