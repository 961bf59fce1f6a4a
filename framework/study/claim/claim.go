package claim

import (
	"encoding/json"
	"slices"
)

// An Expr is a claim: the conjunction of its predicates.
type Expr []Predicate

// A Kind is what a predicate says.
type Kind string

// The kinds of predicates.
const (
	Better     Kind = "better"
	Worse      Kind = "worse"
	Order      Kind = "order"
	Equivalent Kind = "equivalent"
	Increases  Kind = "increases"
	Decreases  Kind = "decreases"
	Constant   Kind = "constant"
	Reaches    Kind = "reaches"
	Value      Kind = "value"
	Exponent   Kind = "exponent"
)

// A Predicate is one statement about numbers.
type Predicate struct {
	Kind Kind `json:"kind"`
	// Methods are labels: of Better, Worse and Equivalent two, of Order two or more from the best
	// to the worst, of Reaches, Value and Exponent one; else one or none, which means all that
	// are ranked.
	Methods []string `json:"methods,omitempty"`
	// Minus are as many methods where the predicate is about gains, the values of Methods less
	// those of Minus, in every seed; else none. Of all kinds but Reaches and Exponent.
	Minus  Baselines `json:"minus,omitempty"`
	Metric string    `json:"metric"`
	Over   string    `json:"over,omitempty"`   // full name of an axis
	Margin *Margin   `json:"margin,omitempty"` // nil: 0
	Bound  *Bound    `json:"bound,omitempty"`  // of Reaches, Value and Exponent
	Round  int       `json:"round,omitempty"`  // of Reaches: the last that counts; 0: of all
}

// A Term is a method, or the gain of one over another where Minus is not empty.
type Term struct{ Method, Minus string }

// Terms returns what a predicate is about, in the order of Methods.
func (p *Predicate) Terms() []Term {
	list := make([]Term, len(p.Methods))
	for k, m := range p.Methods {
		list[k].Method = m
		if k < len(p.Minus) {
			list[k].Minus = p.Minus[k]
		}
	}
	return list
}

// String returns the term as Parse reads it.
func (t Term) String() string {
	if t.Minus == "" {
		return quoted(t.Method)
	}
	return quoted(t.Method) + " - " + quoted(t.Minus)
}

// Baselines are methods over which gains are taken.
type Baselines []string

// UnmarshalJSON reads a list, or the one name that is in plans of earlier versions.
func (b *Baselines) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*b = Baselines{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(b))
}

// Directional reports whether an expression says which of two values is larger, or which way a
// metric goes, and by no margin how much.
func (e Expr) Directional() bool {
	directions := []Kind{Better, Worse, Order, Increases, Decreases}
	return len(e) > 0 && !slices.ContainsFunc(e, func(p Predicate) bool {
		return p.Margin != nil || !slices.Contains(directions, p.Kind)
	})
}

// A Margin is a difference that matters: Size in the unit of the metric, or per cent of the value
// that is compared with.
type Margin struct {
	Size    float64 `json:"size"` // > 0
	Percent bool    `json:"percent,omitempty"`
}

// The relations of a Bound.
const (
	Equal   = "="
	AtMost  = "<="
	AtLeast = ">="
)

// A Bound is what a number is held to: Value ± Tolerance, or Value from one side.
type Bound struct {
	Relation  string  `json:"relation"` // Equal, AtMost or AtLeast
	Value     float64 `json:"value"`
	Tolerance float64 `json:"tolerance,omitempty"` // > 0 of Equal, 0 of the others
}

// A form is how predicates of a kind are written.
type form struct {
	kind      Kind
	methods   int // before the metric; chain: two or more with > between them
	required  []string
	optional  []string
	relations []string // of a bound; none where there is no bound
	minus     bool     // A - B may stand in place of a method
	usage     string
}

const chain = -1

// forms are those of all kinds.
var forms = []form{
	{Better, 2, nil, []string{"by"}, nil, true,
		"better(A, B, METRIC, by = MARGIN), or of gains: better(A - B, C - D, …)"},
	{Worse, 2, nil, []string{"by"}, nil, true,
		"worse(A, B, METRIC, by = MARGIN), or of gains: worse(A - B, C - D, …)"},
	{Order, chain, nil, nil, nil, true,
		"order(A > B > C, METRIC), or of gains: order(A - B > C - D, …)"},
	{Equivalent, 2, []string{"within"}, nil, nil, true,
		"equivalent(A, B, METRIC, within = MARGIN), or of gains: equivalent(A - B, C - D, …)"},
	{Increases, 0, []string{"over"}, []string{"of"}, nil, true,
		"increases(METRIC, over = AXIS, of = A), or of = A - B"},
	{Decreases, 0, []string{"over"}, []string{"of"}, nil, true,
		"decreases(METRIC, over = AXIS, of = A), or of = A - B"},
	{Constant, 0, []string{"over", "within"}, []string{"of"}, nil, true,
		"constant(METRIC, over = AXIS, within = MARGIN, of = A), or of = A - B"},
	{Reaches, 1, nil, []string{"by"}, []string{AtMost, AtLeast}, false,
		"reaches(A, METRIC, <= NUMBER, by = round N)"},
	{Value, 1, nil, nil, []string{Equal, AtMost, AtLeast}, true,
		"value(A, METRIC, = NUMBER ± NUMBER), or value(A - B, …)"},
	{Exponent, 1, []string{"over"}, nil, []string{Equal, AtMost, AtLeast}, false,
		"exponent(A, METRIC, over = AXIS, = NUMBER ± NUMBER)"},
}

// Kinds lists the kinds of predicates.
func Kinds() []Kind {
	var list []Kind
	for _, f := range forms {
		list = append(list, f.kind)
	}
	return list
}

// formOf returns the form of the kind with a name.
func formOf(name string) (form, bool) {
	k := slices.IndexFunc(forms, func(f form) bool { return string(f.kind) == name })
	if k < 0 {
		return form{}, false
	}
	return forms[k], true
}
