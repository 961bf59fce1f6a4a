package study

import (
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/study/claim"
)

// The claims of a file are read, with full names of axes.
func TestClaims(t *testing.T) {
	s, err := Read("testdata/claims.toml", Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Claim{
		{Source: "FedAVOT, §4, Fig. 1(a)",
			Says:  "FedAVOT follows almost the same trajectory as full participation",
			Holds: "equivalent(FedAVOT, FedAvg (full), loss, mean, within = 10 %)",
			Expr: claim.Expr{{Kind: claim.Equivalent, Methods: []string{"FedAVOT", "FedAvg (full)"},
				Metric: "loss, mean", Margin: &claim.Margin{Size: 10, Percent: true}}}},
		{Source: "FedAVOT, §4", Says: "more clients help",
			Holds: "decreases(loss, over = k) and better(FedAVOT, 'FedAvg (full)', loss)",
			At:    []string{"k = 2", "k = 5"},
			Expr: claim.Expr{
				{Kind: claim.Decreases, Metric: "loss", Over: "availability.k"},
				{Kind: claim.Better, Methods: []string{"FedAVOT", "FedAvg (full)"}, Metric: "loss"}}},
		{Source: "SLOT-Align, Table 1", Says: "alignment helps on PACS",
			Needs: "PACS images, DINOv2 features"},
	}
	if !reflect.DeepEqual(s.Claims, want) {
		t.Errorf("got  %+v\nwant %+v", s.Claims, want)
	}
}

// Claims are no part of the identity of a cell.
func TestClaimsHaveNoIdentity(t *testing.T) {
	with, err := Read("testdata/claims.toml", Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := with.Expand()
	if err != nil {
		t.Fatal(err)
	}
	with.Claims = nil
	without, err := with.Expand()
	if err != nil {
		t.Fatal(err)
	}
	for i := range cells {
		if cells[i].ID() != without[i].ID() {
			t.Errorf("%s: another identity", cells[i].Label())
		}
	}
}

// The number of a label is the one it consists of, or the first behind an equals sign.
func TestLabelNumber(t *testing.T) {
	for label, want := range map[string]float64{"100": 100, "rounds = 100": 100, "T=1e-3": 1e-3,
		"T = 100, s = 5": 100, "1_000": 1000, "μ = -0.5": -0.5} {
		if got, ok := LabelNumber(label); !ok || got != want {
			t.Errorf("%s: %v, %v", label, got, ok)
		}
	}
	for _, label := range []string{"", "iid", "Dir(0.1)", "k = ", "k = 2 x", "..", "a, k = 2"} {
		if got, ok := LabelNumber(label); ok {
			t.Errorf("%q is %v", label, got)
		}
	}
}
