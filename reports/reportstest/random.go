package reportstest

import (
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// Random returns an example with ties, gaps and several points, compared with a baseline or
// ablations with their parents.
func Random(rng *rand.Rand) *Example {
	x := NewExample("random", "", Loss, Accuracy, Upload)
	methods, ablates := 2+rng.IntN(6), rng.IntN(2) == 0
	for p := range 1 + rng.IntN(3) {
		for m := range methods {
			v := Around(rng.Uint64(), 5, 10+float64(rng.IntN(3)), 0.5, 0.7)
			if rng.IntN(5) == 0 {
				v = All(5, 10)
			}
			if rng.IntN(6) == 0 {
				v[rng.IntN(5)] = Gone
			}
			role := ""
			if m == 1 {
				role = "upper-bound"
			}
			label, point := string(rune('a'+m)), At("p", string(rune('0'+p)))
			parent := ""
			if ablates && m > 1 {
				parent = string("ab"[m%2])
			}
			x.Add(study.Cell{Method: label, Role: role, Parent: parent, Point: point},
				v, Shifted(v, 80), All(5, 1000))
		}
	}
	if x.Report.Baseline = "a"; ablates {
		x.Report.Baseline, x.Report.Against = "", "parent"
	}
	return x
}

// SevenPartitions has seven conditions and eight seeds, so that all tests can decide, and curves
// that reach a target or do not.
func SevenPartitions() *Example {
	x := NewExample("raced", "Seven partitions", Accuracy, Upload)
	for k, part := range []string{"IID", "Dir(5)", "Dir(1)", "Dir(0.5)", "Dir(0.3)", "Dir(0.1)",
		"Dir(0.05)"} {
		for m, method := range []string{"FedAvg (full)", "FedAvg", "FedProx", "FedIPW", "FedAVOT"} {
			c := study.Cell{Method: method, Point: At("partition", part), Clients: 20,
				Measures: []study.Measure{{Key: "accuracy"}, {Key: "upload"}}}
			if m == 0 {
				c.Role = "upper-bound"
			}
			gain := []float64{9, 0, 0.1, 2, 2.5}[m] * float64(k+4) / 5
			finals := Shifted(Around(uint64(k), 8, 85-4*float64(k), 1, 0.5), gain)
			finals = Shifted(finals, Around(uint64(90+10*k+m), 8, 0, 0.4, 0)...)
			x.Add(c, finals, All(8, 30_000))
			for seed := range 8 {
				r := x.Results[IDOf(method, c.Point, seed)]
				r.Rounds = []int{0, 10, 20, 30}
				v := finals[seed]
				r.Series[0].Values = engine.Floats{10, v - 20, v - 5, v}
				r.Series[1].Values = engine.Floats{0, 10_000, 20_000, 30_000}
			}
		}
	}
	x.Report.Final = 1
	x.Report.Baseline = "FedAvg"
	return x
}
