package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/study/claim"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// Claims stand below the last table of several, behind all other notes, and say how they were
// tested.
func TestClaimsStandBelowTheLastTable(t *testing.T) {
	x := reportstest.Blocks()
	better := claim.Predicate{Kind: claim.Better, Methods: []string{"FedAVOT", "FedAvg"}, Metric: "loss"}
	x.Claims = []study.Claim{{Source: "§4", Says: "it is better", Holds: "better(FedAVOT, FedAvg, loss)",
		Expr: claim.Expr{better}}, {Source: "§5", Says: "it is fast", Needs: "a clock"}}
	list := reportstest.Tables(t, x.Input)
	last := list[len(list)-1]
	if len(list) != 2 || len(list[0].Claims) != 0 || len(last.Claims) != 2 {
		t.Fatalf("%d tables, %v", len(list), last.Claims)
	}
	var terms []string
	for _, n := range last.Notes {
		if strings.HasPrefix(n.Term, "claim ") {
			terms = append(terms, n.Term)
		}
	}
	if !slices.Equal(terms, []string{"claim holds (direction)", "claim cannot be run here"}) {
		t.Errorf("notes %v", terms)
	}
	set := table.JudgeClaims("blocks", &x.Input)
	if got := set.Summary(); got != "2 claims: 1 holds (the direction only), 1 cannot be run here" {
		t.Error(got)
	}
	if end := last.Notes[len(last.Notes)-1].Text; end != set.Method() || end == "" {
		t.Errorf("the last note is %q", end)
	}
}

// Claims about methods whose labels have a path are judged, and shown, as if these were short.
func TestClaimsHaveNoPaths(t *testing.T) {
	x := reportstest.NewExample("paths", "", reportstest.Loss)
	base := []float64{10, 11, 12, 13, 14}
	long := "features /home/me/secret/a.npz"
	x.Add(study.Cell{Method: long}, base)
	x.Add(study.Cell{Method: "B"}, reportstest.Shifted(base, 1, 2, 3))
	e := claim.Expr{{Kind: claim.Better, Methods: []string{long, "B"}, Metric: "loss"}}
	gain := claim.Expr{{Kind: claim.Value, Methods: []string{"B"}, Minus: claim.Baselines{long}, Metric: "loss",
		Bound: &claim.Bound{Relation: claim.AtLeast}}}
	x.Claims = []study.Claim{{Source: "/home/me/paper.pdf", Says: "so", Holds: e.String(), Expr: e},
		{Source: "§2", Says: "a gain", Holds: gain.String(), Expr: gain}}
	last := reportstest.Tables(t, x.Input)[0]
	c := last.Claims[0]
	if c.Verdict != verdict.Holds || c.Of != "features a.npz − B in loss" {
		t.Errorf("%+v", c)
	}
	if c := last.Claims[1]; c.Verdict != verdict.Holds || c.Of != "loss of B − features a.npz" {
		t.Errorf("%+v", c)
	}
	for _, text := range []string{c.Source, c.Holds, c.Of, c.Why, last.Notes[len(last.Notes)-2].Text} {
		if strings.Contains(text, "/home") {
			t.Errorf("a path is left: %s", text)
		}
	}
	if x.Claims[0].Expr[0].Methods[0] != long {
		t.Error("the input was changed")
	}
	x.Whole, x.Cells, x.IDs = x.Cells, x.Cells[:len(base)], x.IDs[:len(base)]
	c = reportstest.Tables(t, x.Input)[0].Claims[0]
	if want := "the part that is judged, method = features a.npz, has no method B"; c.Why != want {
		t.Errorf("%q, want %q", c.Why, want)
	}
}

// A verdict tells a direction from a difference of some size, and the words of a set say what that
// means; of what does not hold nothing is added.
func TestClaimsWithoutMarginAreToldApart(t *testing.T) {
	x := reportstest.NewExample("margins", "", reportstest.Loss)
	base := []float64{10, 11, 12, 13, 14}
	x.Add(study.Cell{Method: "A"}, base)
	x.Add(study.Cell{Method: "B"}, reportstest.Shifted(base, 1.1, 1.2, 0.9, 1, 1.05))
	pair := func(kind claim.Kind, size float64, methods ...string) claim.Predicate {
		p := claim.Predicate{Kind: kind, Methods: methods, Metric: "loss"}
		if size > 0 {
			p.Margin = &claim.Margin{Size: size}
		}
		return p
	}
	plain, sized := pair(claim.Better, 0, "A", "B"), pair(claim.Better, 0.5, "A", "B")
	for _, e := range []claim.Expr{{plain}, {sized}, {plain, sized}, {pair(claim.Better, 0, "B", "A")},
		{pair(claim.Equivalent, 3, "A", "B")}, {pair(claim.Order, 0, "A", "B"), plain}} {
		x.Claims = append(x.Claims, study.Claim{Source: "§", Says: "so", Holds: e.String(), Expr: e})
	}
	set := table.JudgeClaims("margins", &x.Input)
	var words []string
	for i := range set.Claims {
		words = append(words, set.Claims[i].Word())
	}
	if want := []string{"holds (direction)", "holds", "holds", "refuted", "holds",
		"holds (direction)"}; !slices.Equal(words, want) {
		t.Errorf("%q, want %q", words, want)
	}
	if got := set.Summary(); got != "6 claims: 5 hold (2 the direction only), 1 refuted" {
		t.Error(got)
	}
	const meaning = "holds (direction): the claim has no margin"
	if how := set.Method(); !strings.Contains(how, meaning) {
		t.Error(how)
	}
	x.Claims = x.Claims[1:5]
	set = table.JudgeClaims("margins", &x.Input)
	if how := set.Method(); strings.Contains(how, meaning) || !strings.Contains(how, "one-sided") {
		t.Error(how)
	}
}
