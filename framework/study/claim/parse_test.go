package claim

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// words are what the claims of these tests may name. Suggest names what it was asked.
func words() *Vocabulary {
	return &Vocabulary{
		Methods: []string{"FedAvg", "FedAvg (full)", "FedAvg, loose", "FedAVOT", "a > b", "it's", "O-FedAvg",
			"a - b"},
		Metrics: []string{"loss", "accuracy", "worst, 10 %"},
		Axes:    []string{"availability.k", "rounds", "local.k", "skew"},
		Suggest: func(word string, allowed []string) string {
			return fmt.Sprintf("%s? %d", word, len(allowed))
		},
	}
}

// Every form is read, with its optional parts, in ASCII and in Unicode, and is printed so that it
// is read again as the same.
func TestParseReadsEveryForm(t *testing.T) {
	percent := func(x float64) *Margin { return &Margin{x, true} }
	for text, want := range map[string]Expr{
		"better(FedAVOT, FedAvg, loss)": {{Kind: Better, Methods: []string{"FedAVOT", "FedAvg"},
			Metric: "loss"}},
		"  better ( FedAVOT ,FedAvg (full) , loss,by=.5 ) ": {{Kind: Better,
			Methods: []string{"FedAVOT", "FedAvg (full)"}, Metric: "loss", Margin: &Margin{0.5, false}}},
		"worse(FedAvg, loose, FedAVOT, worst, 10 %, by = 10%)": {{Kind: Worse,
			Methods: []string{"FedAvg, loose", "FedAVOT"}, Metric: "worst, 10 %", Margin: percent(10)}},
		"order(FedAVOT > a > b > FedAvg, accuracy)": {{Kind: Order,
			Methods: []string{"FedAVOT", "a > b", "FedAvg"}, Metric: "accuracy"}},
		`order("FedAVOT">'it''s', 'loss')`: {{Kind: Order, Methods: []string{"FedAVOT", "it's"},
			Metric: "loss"}},
		"equivalent(FedAVOT, FedAvg (full), loss, within = 10 %)": {{Kind: Equivalent,
			Methods: []string{"FedAVOT", "FedAvg (full)"}, Metric: "loss", Margin: percent(10)}},
		"increases(loss, over = rounds)": {{Kind: Increases, Metric: "loss", Over: "rounds"}},
		"decreases(loss, of = FedAVOT, over = availability.k)": {{Kind: Decreases,
			Methods: []string{"FedAVOT"}, Metric: "loss", Over: "availability.k"}},
		"constant(loss, over = skew, within = 1e-3, of = it's)": {{Kind: Constant,
			Methods: []string{"it's"}, Metric: "loss", Over: "skew", Margin: &Margin{1e-3, false}}},
		"reaches(FedAVOT, accuracy, ≥ 90, by = round 100)": {{Kind: Reaches,
			Methods: []string{"FedAVOT"}, Metric: "accuracy", Bound: &Bound{AtLeast, 90, 0},
			Round: 100}},
		"reaches(FedAVOT, loss, <= 1e-2)": {{Kind: Reaches, Methods: []string{"FedAVOT"},
			Metric: "loss", Bound: &Bound{AtMost, 0.01, 0}}},
		"value(FedAVOT, loss, = 0.32 ± 0.02)": {{Kind: Value, Methods: []string{"FedAVOT"},
			Metric: "loss", Bound: &Bound{Equal, 0.32, 0.02}}},
		"value(FedAVOT, loss, = −4 +- 5 %)": {{Kind: Value, Methods: []string{"FedAVOT"},
			Metric: "loss", Bound: &Bound{Equal, -4, 0.2}}},
		"exponent(FedAVOT, loss, over = rounds, ≤ -0.4)": {{Kind: Exponent,
			Methods: []string{"FedAVOT"}, Metric: "loss", Over: "rounds",
			Bound: &Bound{AtMost, -0.4, 0}}},
		"increases(loss, over = skew, of = FedAVOT - FedAvg, loose)": {{Kind: Increases,
			Methods: []string{"FedAVOT"}, Minus: Baselines{"FedAvg, loose"}, Metric: "loss", Over: "skew"}},
		"constant(loss, over = skew, of = O-FedAvg − 'a - b', within = 1)": {{Kind: Constant,
			Methods: []string{"O-FedAvg"}, Minus: Baselines{"a - b"}, Metric: "loss", Over: "skew",
			Margin: &Margin{1, false}}},
		"value(a - b - O-FedAvg, accuracy, >= 7)": {{Kind: Value, Methods: []string{"a - b"},
			Minus: Baselines{"O-FedAvg"}, Metric: "accuracy", Bound: &Bound{AtLeast, 7, 0}}},
		"better(FedAVOT - FedAvg, loose, O-FedAvg − FedAvg (full), accuracy, by = 2)": {{Kind: Better,
			Methods: []string{"FedAVOT", "O-FedAvg"}, Minus: Baselines{"FedAvg, loose", "FedAvg (full)"},
			Metric: "accuracy", Margin: &Margin{2, false}}},
		"worse('it''s' - 'FedAVOT', 'a - b' - FedAvg, loss)": {{Kind: Worse,
			Methods: []string{"it's", "a - b"}, Minus: Baselines{"FedAVOT", "FedAvg"}, Metric: "loss"}},
		"order(FedAVOT - FedAvg > a - b - it's > a > b - FedAvg, loss)": {{Kind: Order,
			Methods: []string{"FedAVOT", "a - b", "a > b"}, Minus: Baselines{"FedAvg", "it's", "FedAvg"},
			Metric: "loss"}},
		"equivalent(FedAVOT - FedAvg, it's - FedAVOT, loss, within = 5 %)": {{Kind: Equivalent,
			Methods: []string{"FedAVOT", "it's"}, Minus: Baselines{"FedAvg", "FedAVOT"}, Metric: "loss",
			Margin: percent(5)}},
		"value(FedAVOT, loss, >= 1_000) and better(FedAVOT, FedAvg, loss)and increases(loss,over=skew)": {
			{Kind: Value, Methods: []string{"FedAVOT"}, Metric: "loss", Bound: &Bound{AtLeast, 1000, 0}},
			{Kind: Better, Methods: []string{"FedAVOT", "FedAvg"}, Metric: "loss"},
			{Kind: Increases, Metric: "loss", Over: "skew"}},
	} {
		got, problems := Parse(text, words())
		if len(problems) > 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n is %v %v\nnot %v", text, got, problems, want)
			continue
		}
		again, problems := Parse(got.String(), words())
		if len(problems) > 0 || !reflect.DeepEqual(again, want) {
			t.Errorf("%s\nis printed as %s\n which is %v %v", text, got, again, problems)
		}
	}
}

// Each mistake is reported at the bytes that are wrong, all of a text at once.
func TestParseReportsMistakes(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // what is wrong: message
	}{
		{"", []string{": a predicate is missing"}},
		{"beter(FedAVOT, FedAvg, loss)", []string{`beter: there is no predicate "beter"`}},
		{"better FedAVOT", []string{"F: better: want ( and what it is said of"}},
		{"better(FedAVOT, FedAvg, loss", []string{"better: better: ) is missing"}},
		{"better(FedAVT, FedAvg, lss)",
			[]string{`FedAVT: there is no method "FedAVT"`, `lss: there is no metric "lss"`}},
		{"better(FedAVOT, FedAVOT, loss)", []string{`FedAVOT: better: "FedAVOT" is compared with itself`}},
		{"better(FedAVOT, loss)", []string{`loss: there is no method "loss"`,
			`better(FedAVOT, loss): better: the metric is missing`}},
		{"better(FedAVOT, , loss)", []string{`,: want a method`}},
		{"order(FedAVOT, loss)",
			[]string{"order(FedAVOT,: order: a second method behind > is missing"}},
		{"equivalent(FedAVOT, FedAvg, loss)", []string{
			"equivalent(FedAVOT, FedAvg, loss): equivalent: within = … is missing"}},
		{"equivalent(FedAVOT, FedAvg, loss, within = x)", []string{
			`x: equivalent: want a number as within, have "x"`}},
		{"equivalent(FedAVOT, FedAvg, loss, within = 0)", []string{
			`0: equivalent: within = 0 is not above 0`}},
		{"equivalent(FedAVOT, FedAvg, loss, within = 1, within = 2)", []string{
			`within: equivalent: within is given twice`}},
		{"equivalent(FedAVOT, FedAvg, loss, within 1)", []string{`within: equivalent: want within = …`}},
		{"better(FedAVOT, FedAvg, loss, bye = 3)", []string{
			`bye = 3: better: "bye = 3" is not one of its arguments`}},
		{"better(FedAVOT, FedAvg, loss, over = rounds)", []string{
			`over = rounds: better: "over = rounds" is not one of its arguments`}},
		{"increases(loss, over = k)", []string{`k: there is no axis "k"`}}, // there are two
		{"increases(loss, over = skew, of = loss)", []string{`loss: there is no method "loss"`}},
		{"reaches(FedAVOT, loss, = 3 ± 1)", []string{`=: reaches: "=" is not one of its relations`}},
		{"reaches(FedAVOT, loss, <= 3, by = round 0)", []string{
			`round 0: reaches: want the number of a round, at least 1`}},
		{"value(FedAVOT, loss)", []string{
			"value(FedAVOT, loss): value: a number it is held to is missing"}},
		{"value(FedAVOT, loss, = 3)", []string{"= 3: value: = needs a tolerance behind ±"}},
		{"value(FedAVOT, loss, <= 3 ± 1)", []string{"± 1: value: <= has no tolerance"}},
		{"value(FedAVOT, loss, = 3 ± -1)", []string{"± -1: value: the tolerance is not above 0"}},
		{"value(FedAVOT, accuracy, >= 90 %)", []string{"90 %: value: a percentage of what is not known"}},
		{"value(FedAVOT, loss, = 1 ± 2 3)", []string{`3: value: "3" is not understood`}},
		{"value(FedAVOT, loss, <= 1, >= 0)", []string{`>=: value: two numbers are given`}},
		{"better('FedAVOT, FedAvg, loss)", []string{`'FedAVOT, FedAvg, loss): a quote is not closed`,
			`better: better: ) is missing`}},
		{"better(FedAVOT, FedAvg, loss) or x", []string{`or x: "or x" stands behind a predicate`}},
		{"better(FedAVOT, FedAvg, loss) and", []string{`: a predicate is missing`}},
		{"increases(loss, over = skew, of = FedAVOT - FedAvt)", []string{
			`FedAvt: there is no method "FedAvt"`}},
		{"increases(loss, over = skew, of = FedAVT - FedAvg)", []string{
			`FedAVT: there is no method "FedAVT"`}},
		{"increases(loss, over = skew, of = FedAVOT - FedAVOT)", []string{
			`FedAVOT: increases: "FedAVOT" is compared with itself`}},
		{"increases(loss, over = skew, of = FedAVOT - )", []string{`): want a method`}},
		{"value(FedAVOT - FedAvg - it's, loss, >= 1)", []string{
			`FedAvg - it's: there is no method "FedAvg - it's"`}},
		{"better(FedAVOT - FedAvg, it's, loss)", []string{
			`it's: better: the gain FedAVOT - FedAvg is compared with the value of "it's"`}},
		{"order(a > b > FedAVOT - a - b > it's, loss)", []string{
			`FedAVOT - a - b: order: the value of "a > b" is compared with the gain FedAVOT - 'a - b'`}},
		{"better(FedAVOT - FedAvg, FedAVOT − FedAvg, loss)", []string{
			`FedAVOT − FedAvg: better: FedAVOT - FedAvg is compared with itself`}},
		{"worse(FedAVOT - FedAvg, it's - it's, loss)", []string{
			`it's: worse: "it's" is compared with itself`}},
		{"equivalent(FedAVOT - FedAvt, it's - FedAvg, lss, within = 1)", []string{
			`FedAvt: there is no method "FedAvt"`, `lss: there is no metric "lss"`}},
		{"better(FedAVOT - , it's, loss)", []string{`,: want a method`}},
		{"reaches(FedAVOT - FedAvg, loss, <= 1)", []string{
			`FedAVOT - FedAvg: there is no method "FedAVOT - FedAvg"`}},
		{"better(FedAVOT - it's, FedAvg - it's, loss) and worse(FedAVOT - it's, FedAvg - it's, loss)",
			[]string{`worse(FedAVOT - it's, FedAvg - it's, loss): this cannot hold: FedAVOT - 'it''s' is ` +
				`better than FedAvg - 'it''s' in loss by what stands before`}},
		{"better(FedAVOT, FedAvg, loss) and worse(FedAVOT, FedAvg, loss)", []string{
			`worse(FedAVOT, FedAvg, loss): this cannot hold: "FedAVOT" is better than "FedAvg" in ` +
				`loss by what stands before`}},
		{"order(FedAVOT > FedAvg > it's, loss) and better(it's, FedAVOT, loss)", []string{
			`better(it's, FedAVOT, loss): this cannot hold: "FedAVOT" is better than "it's" in ` +
				`loss by what stands before`}},
		{"increases(loss, over = skew) and decreases(loss, over = skew)", []string{
			`decreases(loss, over = skew): this cannot hold: loss both increases and decreases over skew`}},
		{"value(FedAVOT, loss, <= 1) and value(FedAVOT, loss, = 3 ± 1.5)", []string{
			"value(FedAVOT, loss, = 3 ± 1.5): this cannot hold: no number is <= 1 and = 3 +- 1.5"}},
		{"bettr(x) and better(FedAVT, FedAvg, loss)", []string{
			`bettr: there is no predicate "bettr"`, `FedAVT: there is no method "FedAVT"`}},
	} {
		e, problems := Parse(c.text, words())
		var got []string
		for _, p := range problems {
			got = append(got, c.text[p.At:p.At+p.Len]+": "+p.Message)
		}
		if e != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

// What is not known is taken as it is; an axis is always known.
func TestParseWithoutVocabulary(t *testing.T) {
	e, problems := Parse("better(A (x), B, m) and increases(m, over = k)", &Vocabulary{})
	if len(problems) != 1 || problems[0].Hint != "there is no [sweep]" || e != nil {
		t.Errorf("%v %v", e, problems)
	}
	e, problems = Parse("better(A (x), B, m)", &Vocabulary{})
	if len(problems) > 0 || e[0].Methods[0] != "A (x)" {
		t.Errorf("%v %v", e, problems)
	}
}

// FuzzParse shows that no text makes the parser panic, that it points into the text, and that what
// it reads is printed so that it is read again as the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "better(FedAVOT, FedAvg, loss)", "order(a>b>c,loss", "value(x,y,=1±",
		"reaches(FedAVOT, loss, <= 1e-2, by = round 7) and constant(loss, over=skew, within=1 %)",
		"better(FedAVOT - FedAvg, a - b - it's, loss)", "exponent('it''s', \"loss\", over = rounds, = −.5 +- 5 %)", "better('", "x(((", "θ(θ, θ)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range []*Vocabulary{words(), {Axes: []string{"rounds"}}} {
			e, problems := Parse(text, v)
			if (e == nil) != (len(problems) > 0) {
				t.Fatalf("%v and %v", e, problems)
			}
			for _, p := range problems {
				if p.At < 0 || p.Len < 0 || p.At+p.Len > len(text) || p.Message == "" {
					t.Errorf("%+v of %d bytes", p, len(text))
				}
			}
			if v.Methods != nil || strings.ContainsAny(text, "\"'") || e == nil {
				continue
			}
			again, problems := Parse(e.String(), v)
			if len(problems) > 0 || !reflect.DeepEqual(again, e) {
				t.Errorf("%q is printed as %q: %v %v", text, e, again, problems)
			}
		}
	})
}

// What may hold together is read: other metrics, other methods, bounds that meet.
func TestClaimsWithoutContradiction(t *testing.T) {
	for _, text := range []string{
		"better(FedAVOT, FedAvg, loss) and worse(FedAVOT, FedAvg, accuracy)",
		"better(FedAVOT, FedAvg, loss) and better(FedAvg, it's, loss) and better(FedAVOT, it's, loss)",
		"increases(loss, over = skew, of = FedAVOT) and decreases(loss, over = skew, of = FedAvg)",
		"better(FedAVOT, FedAvg, loss) and worse(FedAVOT - it's, FedAvg - a - b, loss)",
		"increases(loss, over = skew, of = FedAVOT) and decreases(loss, over = skew, of = FedAVOT - FedAvg)",
		"value(FedAVOT, loss, <= 1) and value(FedAVOT, loss, >= 1)",
		"reaches(FedAVOT, loss, <= 1) and reaches(FedAVOT, loss, >= 2)",
	} {
		if e, problems := Parse(text, words()); e == nil {
			t.Errorf("%s: %v", text, problems)
		}
	}
}

// Parts of a predicate are found in the text.
func TestLocate(t *testing.T) {
	const text = "better(FedAVOT, FedAvg, loss, by = 10 %)and value( FedAVOT − FedAvg , loss , ≤ 3 )"
	_, places, problems := Locate(text, words())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for k, want := range []map[string]string{
		{"": "better(FedAVOT, FedAvg, loss, by = 10 %)", "metric": "loss", "by": "by = 10 %"},
		{"": "value( FedAVOT − FedAvg , loss , ≤ 3 )", "metric": "loss", "bound": "≤ 3"},
	} {
		got := map[string]string{}
		for key, r := range places[k] {
			got[key] = text[r.At : r.At+r.Len]
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// An expression is about directions only where none of its predicates has a margin or a bound.
func TestDirectional(t *testing.T) {
	for text, want := range map[string]bool{
		"better(A, B, loss)":                                     true,
		"worse(A, B, loss) and order(B > C > D, loss)":           true,
		"increases(loss, over = k) and decreases(gap, over = k)": true,
		"better(A, B, loss, by = 1)":                             false,
		"better(A, B, loss) and worse(A, C, loss, by = 1 %)":     false,
		"equivalent(A, B, loss, within = 1)":                     false,
		"constant(loss, over = k, within = 1)":                   false,
		"better(A, B, loss) and value(A, loss, <= 3)":            false,
		"reaches(A, loss, <= 3)":                                 false,
		"exponent(A, loss, over = k, <= -0.5)":                   false,
	} {
		e, wrong := Parse(text, &Vocabulary{Axes: []string{"k"}})
		if len(wrong) > 0 || e.Directional() != want {
			t.Errorf("%s: %v, want %v; %v", text, e.Directional(), want, wrong)
		}
	}
	if (Expr{}).Directional() {
		t.Error("no predicate has no direction")
	}
}

// Plans of earlier versions have one baseline, not a list.
func TestBaselinesOfEarlierPlans(t *testing.T) {
	for text, want := range map[string]Predicate{
		`{"kind": "value", "methods": ["A"], "minus": "B", "metric": "m"}`: {Kind: Value,
			Methods: []string{"A"}, Minus: Baselines{"B"}, Metric: "m"},
		`{"kind": "better", "methods": ["A", "C"], "minus": ["B", "D"], "metric": "m"}`: {Kind: Better,
			Methods: []string{"A", "C"}, Minus: Baselines{"B", "D"}, Metric: "m"},
		`{"kind": "better", "methods": ["A", "C"], "metric": "m"}`: {Kind: Better,
			Methods: []string{"A", "C"}, Metric: "m"},
	} {
		var got Predicate
		if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v (%v)", text, got, want, err)
		}
		again, _ := json.Marshal(got)
		var back Predicate
		if err := json.Unmarshal(again, &back); err != nil || !reflect.DeepEqual(back, want) {
			t.Errorf("%s: %+v, want %+v (%v)", again, back, want, err)
		}
	}
}
