package reportstest

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/study/claim"
)

// measureApart has methods measure what no table shows, each of test data of its own.
func (x *Example) measureApart(key string, methods ...string) {
	for i := range x.Cells {
		if c := &x.Cells[i]; slices.Contains(methods, c.Method) {
			c.Measures = append(c.Measures, study.Measure{Pick: study.Pick{Name: key}, Key: key})
		}
	}
	x.Quantity = func(c *study.Cell, _ *study.Measure) study.Quantity {
		return study.Quantity{{Name: study.OfTest,
			Settings: []study.Setting{{Path: "dataset", Value: c.Method}}}}
	}
}

// Claimed is Figure with claims of every verdict, and one that holds without a test.
func Claimed() *Example {
	x := Figure()
	x.Name = "claimed"
	about := func(methods ...string) claim.Predicate {
		return claim.Predicate{Kind: claim.Better, Methods: methods, Metric: "loss"}
	}
	add := func(says string, predicates ...claim.Predicate) {
		e := claim.Expr(predicates)
		x.Claims = append(x.Claims, study.Claim{Source: "FedAVOT, §4, Fig. 1(a)", Says: says,
			Holds: e.String(), Expr: e})
	}
	near := about("FedAVOT", "FedAvg (full)")
	near.Kind, near.Margin = claim.Equivalent, &claim.Margin{Size: 10, Percent: true}
	add("FedAVOT follows almost the same trajectory as full participation", near)
	add("FedAVOT is better than FedAvg by 50 % & more, and |uniform| weights are not worse",
		about("FedAVOT", "FedAvg (K = 2)"), about("FedAVOT", "uniform"))
	add("uniform weights help", about("uniform", "FedAvg (K = 2)"))
	add("a shift helps", about("shifted", "FedAvg (K = 2)"))
	add("scaling helps", about("scaled", "FedAvg (K = 2)"))
	apart := about("scaled", "shifted")
	apart.Metric = "objective"
	add("scaling is better than a shift", apart)
	x.measureApart("objective", "scaled", "shifted")
	x.Claims = append(x.Claims, study.Claim{Source: "SLOT-Align, Table 1",
		Says: "alignment helps on PACS", Needs: "PACS images, DINOv2 features"})
	return x
}

// ClaimedPart is the part of Swept at one of its data sets, with claims that it decides, and one
// that is about both.
func ClaimedPart() *Example {
	x := Swept()
	x.Name = "claimed-part"
	add := func(says string, p claim.Predicate, at ...string) {
		e := claim.Expr{p}
		x.Claims = append(x.Claims, study.Claim{Source: "Table 2", Says: says, Holds: e.String(),
			At: at, Expr: e})
	}
	better := claim.Predicate{Kind: claim.Better, Metric: "accuracy",
		Methods: []string{"FedAVOT", "FedAvg (K = 2)"}}
	add("FedAVOT is better under every partition", better)
	add("and on clothes", better, "Fashion-MNIST")
	add("skew hurts", claim.Predicate{Kind: claim.Decreases, Metric: "accuracy", Over: "partition",
		Methods: []string{"FedAvg (K = 2)"}})
	x.Claims = append(x.Claims, study.Claim{Source: "§5", Says: "on photographs, too",
		Needs: "ImageNet"})
	ids := x.IDs
	x.Whole, x.Cells, x.IDs = x.Cells, nil, nil
	for i, c := range x.Whole {
		if c.Point[0].Label == "MNIST" {
			x.Cells, x.IDs = append(x.Cells, c), append(x.IDs, ids[i])
		}
	}
	return x
}
