package study

import (
	"math"
	"slices"
)

// reportKeys are the keys of [report].
var reportKeys = []string{
	"rows", "metric", "metrics", "against", "baseline", "columns", "final", "spread",
	"across", "tuned", "cost", "worst", "frontier", "tracking",
}

// WorstLabel is the label of the point that Report.Worst adds to an axis.
const WorstLabel = "worst"

// referenceKeys are the keys of [[reference]].
var referenceKeys = []string{"row", "role", "col", "value", "claim", "source", "point"}

// A Report says what the tables of an experiment show.
type Report struct {
	Columns  []string // axes across the table; the others become blocks
	Metrics  []string // keys of measures, the first is the one that is tested
	Against  string   // what is compared with what: "baseline", or ablations with their "parent"
	Baseline string   // label of the method the others are tested against; empty for none

	// Final is of how many of the last rounds a final value is the mean. 0: of the last tenth,
	// of 10 evaluations at most.
	Final  int
	Spread string // what ± is: "sd", "sem" or "ci"

	// Across says that methods are ranked and tested though they measure different quantities.
	Across bool `json:",omitempty"`

	// Worst is an axis at which tables have one more point, WorstLabel: in every seed the run at
	// the point of the axis with the worst final value of the first metric. Empty: none.
	Worst string `json:",omitempty"`

	// Cost says whether tables show what runs took: bytes sent, and seconds of the server and of
	// preprocessing. Nil: those of one-shot methods do.
	Cost *bool `json:",omitempty"`

	// Frontier says that an audit shows the least total variation from p for every variance.
	Frontier bool `json:",omitempty"`

	// Tracking is of how many rounds in a row an audit compares the mean weights with p. 0: none.
	Tracking int `json:",omitempty"`
}

// A Reference is a number from somewhere else, shown beside ours and never ranked; or a claim
// in words, of which numbers do not survive.
type Reference struct {
	Row    string   // label of a method; of a claim it may be empty: it is about all
	Role   string   // "literature": Row is a published result that is not run
	Col    string   // key of a measure; empty of a claim
	Point  []string // labels on the axes it belongs to; empty: all
	Value  float64
	Claim  string // empty of a number
	Source string
}

// report checks [report] and fills in what it leaves out.
func (r *reader) report(s *Spec, t table) Report {
	out := Report{Metrics: s.measured(), Against: "baseline", Spread: "sd"}
	for _, a := range s.Axes {
		out.Columns = append(out.Columns, a.Name)
	}
	t = r.mend(t, "[report]", reportKeys, nil)
	_, one := t.get("metric")
	for _, f := range t {
		what := "report." + f.key
		switch f.key {
		case "metric", "metrics":
			if f.key == "metrics" && one {
				r.fail(f.at.Key, "the first of the metrics is the one that is tested",
					"report: metric and metrics are both given")
				continue
			}
			out.Metrics = r.names(f, "measure", out.Metrics)
		case "rows": // so far rows are methods; the key is what says so in a file
			r.choice(what, f.node, "method")
		case "columns":
			out.Columns = r.columnsOf(s, f)
		case "against":
			out.Against, _ = r.choice(what, f.node, "baseline", "parent")
		case "baseline":
			out.Baseline = r.name(what, "method", f.node, s.Methods)
		case "final":
			v, _ := r.whole(what, f.node, 1)
			out.Final = int(v)
		case "spread":
			out.Spread, _ = r.choice(what, f.node, "sd", "sem", "ci")
		case "tuned":
			r.choice(what, f.node, tunedRequired) // see reader.tuned
		case "across":
			out.Across = r.truth(what, f.node)
		case "worst":
			out.Worst = r.worst(s, f)
		case "cost":
			v := r.truth(what, f.node)
			out.Cost = &v
		case "frontier":
			out.Frontier = r.truth(what, f.node)
		case "tracking":
			v, _ := r.whole(what, f.node, 1)
			out.Tracking = int(v)
		}
	}
	if n, given := t.get("baseline"); given && out.Against == "parent" {
		r.fail(n.at.Key, "each ablation is compared with the method that it changes: leave it out",
			"report: baseline and against = \"parent\" are both given")
	}
	return out
}

// worst returns the axis over which the worst value is shown, and gives it the point that claims
// may name.
func (r *reader) worst(s *Spec, f field) string {
	v, ok := r.text("report.worst", f.node)
	if !ok {
		return ""
	}
	name, ok := r.axisOf(s, "report.worst", node{f.at, v})
	if !ok {
		return ""
	}
	s.WorstAt = f.at
	if slices.Contains(s.axisNamed(name).Labels, WorstLabel) {
		r.fail(f.at.Value, "give the point another label", "report.worst: axis %q has a point %q",
			name, WorstLabel)
	}
	return name
}

// truth returns true or false.
func (r *reader) truth(what string, n node) bool {
	v, ok := n.value.(bool)
	if !ok {
		r.wrongType(what, "true or false", n)
	}
	return v
}

// name returns a string that names one of the things there are.
func (r *reader) name(what, kind string, n node, of []string) string {
	v, ok := r.text(what, n)
	if ok && len(of) > 0 && !slices.Contains(of, v) {
		r.fail(n.at.Value, r.suggest(v, of), "%s: there is no %s %q", what, kind, v)
	}
	return v
}

// names returns the strings of a list that name some of the things there are.
func (r *reader) names(f field, kind string, of []string) []string {
	var out []string
	for _, n := range r.texts("report."+f.key, f.node) {
		out = append(out, r.name("report."+f.key, kind, n, of))
	}
	if l, ok := f.value.(list); ok && len(l) == 0 {
		r.fail(f.at.Value, "", "report.%s: is empty", f.key)
	}
	return out
}

// columnsOf returns the axes that go across the table. An axis may be called by the last
// element of its name.
func (r *reader) columnsOf(s *Spec, f field) []string {
	var out []string
	for _, n := range r.texts("report.columns", f.node) {
		name, _ := r.axisOf(s, "report.columns", n)
		out = append(out, name)
	}
	return out
}

// axisOf returns the axis of the sweep that a text names.
func (r *reader) axisOf(s *Spec, what string, n node) (string, bool) {
	var axes []string
	for _, a := range s.Axes {
		axes = append(axes, a.Name)
	}
	name, ok := axisNamed(n.value.(string), axes)
	if !ok {
		hint := r.suggest(n.value.(string), axes)
		if len(axes) == 0 {
			hint = "there is no [sweep]"
		}
		r.fail(n.at.Value, hint, "%s: there is no axis %q", what, n.value)
	}
	return name, ok
}

// axisNamed returns the axis with a full name; nil for none.
func (s *Spec) axisNamed(name string) *Axis {
	for i := range s.Axes {
		if s.Axes[i].Name == name {
			return &s.Axes[i]
		}
	}
	return nil
}

// axisNamed returns the axis with a name, or else the only one whose name ends in it.
func axisNamed(word string, axes []string) (string, bool) {
	if slices.Contains(axes, word) {
		return word, true
	}
	found := ""
	for _, a := range axes {
		if LastPart(a) == word {
			if found != "" {
				return "", false
			}
			found = a
		}
	}
	return found, found != ""
}

// reference checks a [[reference]].
func (r *reader) reference(s *Spec, t table, at Span) Reference {
	var out Reference
	t = r.mend(t, "[[reference]]", referenceKeys, nil)
	needed := []string{"row", "col", "value", "source"}
	if _, ok := t.get("claim"); ok {
		needed = []string{"source"}
		for _, key := range []string{"col", "value"} {
			if n, ok := t.get(key); ok {
				r.fail(n.at.Value, "make two of it", "a [[reference]] with a claim has no %s", key)
			}
		}
	}
	for _, key := range needed {
		if _, ok := t.get(key); !ok {
			r.fail(at.Value, "", "a [[reference]] has no %s", key)
		}
	}
	if n, ok := t.get("role"); ok {
		out.Role, _ = r.choice("reference.role", n, "literature")
	}
	for _, f := range t {
		what := "reference." + f.key
		switch f.key {
		case "row":
			if out.Role != "" {
				out.Row = r.stranger(f.node, s.Methods)
				continue
			}
			out.Row = r.name(what, "method", f.node, s.Methods)
		case "col":
			out.Col = r.name(what, "measure", f.node, s.measured())
		case "value":
			out.Value = r.number(what, f.node)
		case "claim":
			out.Claim, _ = r.text(what, f.node)
		case "source":
			out.Source, _ = r.text(what, f.node)
		case "point":
			out.Point = r.points(s, what, f.node)
		}
	}
	return out
}

// stranger returns a label that no method has.
func (r *reader) stranger(n node, methods []string) string {
	label, ok := r.text("reference.row", n)
	if ok && slices.Contains(methods, label) {
		r.fail(n.at.Value, "give it another one, or no role",
			"reference.row: %q is a method here, and this one is from the literature", label)
	}
	return label
}

// number returns a finite number.
func (r *reader) number(what string, n node) float64 {
	switch v := n.value.(type) {
	case int64:
		return float64(v)
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v
		}
		r.fail(n.at.Value, "", "%s: want a finite number, have %s", what, show(v))
		return 0
	}
	r.wrongType(what, "a number", n)
	return 0
}

// points returns the labels that say where on the axes something belongs.
func (r *reader) points(s *Spec, what string, n node) []string {
	var labels []string
	for _, a := range s.Axes {
		labels = append(labels, a.Labels...)
	}
	if s.Report.Worst != "" {
		labels = append(labels, WorstLabel)
	}
	var out []string
	for _, item := range r.texts(what, n) {
		label := item.value.(string)
		if !slices.Contains(labels, label) {
			hint := r.suggest(label, labels)
			if len(labels) == 0 {
				hint = "there is no [sweep]"
			}
			r.fail(item.at.Value, hint, "%s: no axis has a point %q", what, label)
		}
		out = append(out, label)
	}
	return out
}
