package reportstest

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Examples are small enough to check by hand.
func Examples() []*Example {
	return []*Example{Figure(), Swept(), Blocks(), Labels(), Broken(),
		Short("three", 3), Short("two", 2), Short("one", 1), Ablated(), Slight(), OneShot("shot"),
		WithLook("across", Swept(), infer.Look{Transposed: true}),
		WithLook("sideways", Labels(), infer.Look{Transposed: true, Delta: true}),
		WithLook("behind", Figure(), infer.Look{Delta: true, Argmax: true}),
		WithLook("turned", Ablated(), infer.Look{Transposed: true}),
	}
}

// WithLook is an example under another name and in another look.
func WithLook(name string, x *Example, look infer.Look) *Example {
	x.Name, x.Look = name, look
	return x
}

// Figure has one point, every kind of comparison and every kind of footnote on values.
func Figure() *Example {
	x := NewExample("figure", "FedAVOT Fig. 1a — restricted availability", Loss, Floor, Upload)
	base := []float64{10, 11, 12, 13, 14}
	add := func(c study.Cell, loss []float64, up float64) {
		x.Add(c, loss, Shifted(loss, -9.5), All(5, up))
	}
	add(study.Cell{Method: "FedAvg (full)", Role: "upper-bound"}, All(5, 0.031), 1e6)
	add(study.Cell{Method: "FedAvg (K = 2)"}, base, 20_000)
	add(study.Cell{Method: "uniform"}, Shifted(base, 1, -1, 1, -1, 0.5), 20_000) // mean +0.1
	add(study.Cell{Method: "scaled"}, Shifted(base, 170_000, 171_000, 169_000), 20_000)
	add(study.Cell{Method: "shifted"}, Shifted(base, -3), 20_000) // always −25 %
	add(study.Cell{Method: "the same"}, base, 20_000)
	loose := study.Cell{Method: "FedAVOT, loose", Parent: "FedAVOT"}
	add(loose, Shifted(base, -9, -9.5, -10), 20_512)
	add(study.Cell{Method: "FedAVOT"}, Shifted(base, -9.25, -9.75, -10.25), 20_512)
	for seed := range 5 {
		infeasible := "infeasible: max-flow 0.66; the weights realise p̃ " +
			"at total variation 0.34 from p"
		x.Results[IDOf("FedAVOT", nil, seed)].Notes = []string{infeasible}
		x.Results[IDOf("FedAVOT, loose", nil, seed)].Notes = []string{infeasible,
			fmt.Sprintf("scaling stopped at residual %de-3", 3+seed)}
	}
	x.Results[IDOf("uniform", nil, 3)].Notes = []string{"2 rounds were empty"}
	x.Results[IDOf("scaled", nil, 0)].Law = engine.LawFacts{Draws: 100_000}
	x.Report.Baseline = "FedAvg (K = 2)"
	x.References = []study.Reference{
		{Row: "FedAVOT", Col: "loss", Value: 0.35, Source: "Fig. 1a, read off"},
		{Row: "scaled", Col: "loss", Value: 1.8e5, Source: "Fig. 1a, read off"},
		{Row: "FedAVOT", Col: "upload", Value: 20000, Source: "§4"},
		{Row: "FedAVOT", Claim: "reaches full participation", Source: "§4.2"},
		{Claim: "availability is all there is", Source: "abstract"},
	}
	return x
}

// Swept is accuracy over two axes, with stars and gaps.
func Swept() *Example {
	x := NewExample("swept", "Test accuracy under skewed importance", Accuracy)
	base := []float64{90, 91, 92, 93, 94}
	for d, data := range []string{"MNIST", "Fashion-MNIST"} {
		for k, part := range []string{"IID", "Dir(1)", "Dir(0.1)"} {
			down := -float64(10*d + 5*k)
			add := func(method, role string, v []float64) {
				p := At("dataset", data, "partition", part)
				x.Add(study.Cell{Method: method, Role: role, Point: p}, Shifted(v, down))
			}
			add("FedAvg (full)", "upper-bound", Shifted(base, 5, 3))
			add("FedAvg (K = 2)", "", base)
			add("FedProx", "", Shifted(base, 1, -1, 2, 0.5, 1)) // undecided
			add("FedIPW", "", Shifted(base, 2, 2.5, 3))
			add("one more", "", Shifted(base, 1))
			add("again", "", base)
			if d == 1 && k == 2 {
				add("FedAVOT", "", []float64{94, Gone, 96, 95, Gone})
			} else {
				add("FedAVOT", "", Shifted(base, 4, 4.5, 5))
			}
		}
	}
	for k, c := range x.Cells {
		if r := x.Results[x.IDs[k]]; r != nil && c.Method != "FedAVOT" {
			r.Notes = append(r.Notes, fmt.Sprintf("%d of 100 clients are enrolled", 40+k%7))
		}
		if r := x.Results[x.IDs[k]]; r != nil && c.Method == "FedIPW" {
			r.Observed = []fl.Observation{{Name: "effective sample size", Rounds: 9,
				Mean: 10 + float64(k%5), Least: 8, Most: 20 + float64(k)}}
		}
	}
	last := At("dataset", "Fashion-MNIST", "partition", "Dir(0.1)")
	x.Failures[IDOf("FedAVOT", last, 1)] = "round 17: update of client 5 is NaN"
	x.Failures[IDOf("FedAVOT", last, 4)] = "round 41: update of client 5 is NaN"
	x.Report.Baseline = "FedAvg (K = 2)"
	x.References = []study.Reference{
		{Row: "FedIPW", Col: "accuracy", Point: []string{"Dir(1)", "MNIST"},
			Value: 93.1, Source: "Table 2"},
	}
	return x
}

// Blocks has one table per value of the axis that is not across.
func Blocks() *Example {
	x := NewExample("blocks", "One change at a time", Loss, seconds)
	for _, k := range []string{"k = 2", "k = 5"} {
		for _, tau := range []string{"τ = 0.5", "τ = 1"} {
			add := func(method string, v []float64) {
				p := At("availability.k", k, "tau", tau)
				time := Around(uint64(len(x.Cells)), 5, 30, 2, 0)
				x.Add(study.Cell{Method: method, Point: p}, v, time)
			}
			add("FedAvg", []float64{1e-5, 1.1e-5, 1.3e-5, 0.9e-5, 1e-5})
			add("FedAVOT", []float64{0.9e-5, 1e-5, 1.2e-5, 0.8e-5, 1e-5})
		}
	}
	x.Report.Columns = []string{"tau"}
	x.Report.Spread = "ci"
	x.Report.Baseline = "FedAvg"
	return x
}

// Ablated compares ablations with the methods that they change: every outcome, a method
// that is not complete, a metric that is not tested and one without a direction.
func Ablated() *Example {
	x := NewExample("ablated", "Alignment on top of one round", Accuracy, Loss, Upload)
	base := []float64{64, 65, 63.5, 66, 64.5}
	for k, part := range []string{"IID", "Dir(0.1)"} {
		add := func(method, parent, role string, v []float64) {
			drop := Shifted(v, -8.25*float64(k))
			x.Add(study.Cell{Method: method, Parent: parent, Role: role,
				Point: At("partition", part)}, drop, Shifted(All(5, 2), scaled(drop, -0.02)...),
				All(5, 40_000))
		}
		add("one place", "", "upper-bound", Shifted(base, 20))
		add("one place, longer", "one place", "upper-bound", Shifted(base, 21, 22))
		add("O-FedAvg", "", "", base)
		add("O-FedAvg, + SLOT", "O-FedAvg", "", Shifted(base, 7.5, 8, 8.2, 7.9, 7.7)) // +7.86
		add("O-FedAvg, + noise", "O-FedAvg", "", Shifted(base, 1, -1, 0.5, -1.5, 1.01))
		add("O-FedAvg, + constant", "O-FedAvg", "", Shifted(base, -0.5))
		add("O-FedAvg, + nothing", "O-FedAvg", "", base)
		prox := Shifted(base, 1.5, 1, 2)
		add("O-FedProx, + SLOT", "O-FedProx", "", Shifted(base, 14, 15, 13, 14.5, 14))
		if k == 1 {
			prox[2] = Gone
		}
		add("O-FedProx", "", "", prox)
	}
	x.Report.Against = "parent"
	return x
}

// Slight has one point and small numbers, and ablations that change little and much.
func Slight() *Example {
	x := NewExample("slight", "How close the server is", Floor)
	base := []float64{1e-5, 1.1e-5, 1.3e-5, 0.9e-5, 1e-5}
	x.Add(study.Cell{Method: "FedAVOT"}, base)
	x.Add(study.Cell{Method: "FedAVOT, loose", Parent: "FedAVOT"},
		Shifted(base, 2e-9, 1e-9, 3e-9))
	x.Add(study.Cell{Method: "FedAVOT, tight", Parent: "FedAVOT"},
		Shifted(base, -2e-6, 1e-6, -3e-6))
	x.Add(study.Cell{Method: "FedAVOT, off", Parent: "FedAVOT"}, Shifted(base, 1.5, 1.25))
	x.Report.Against = "parent"
	return x
}

// Labels hold whatever a format could read as its own.
func Labels() *Example {
	x := NewExample("labels", `50 % of |S| & 100 $ in #1_a ~ ^x {y} \z *b* <c> "d" `+"`e`", Loss)
	for i, method := range []string{
		"a|b_c%d&e#f$g~h^i{j}k*l*m<n>o", `back\slash and "quotes" 'n' ` + "`ticks`",
		"θ α ± ↑ ↓ − ~ Σ p̃ π θᵗ uᵢ ‖x‖² 𝒜 ≤ ∞", "Müller–Łukasz ‘çĥ’ Wałęsa ĳ đ", "联邦平均 🚀",
		"[link](x) ![i](y) ~~s~~ __u__ $x$", "--dash '' ,, ?`", "= 1 + 2", "",
	} {
		x.Add(study.Cell{Method: method}, Shifted([]float64{1, 2, 3, 4, 6}, float64(i)))
	}
	x.Results[IDOf("", nil, 0)].Notes = []string{"- a note\nof two lines\twith 5 % & _more_ | less"}
	x.Report.Baseline = "= 1 + 2"
	x.Command = "hansa table 'a b' --format md --> x\n"
	return x
}

// Broken has all that can go wrong.
func Broken() *Example {
	x := NewExample("broken", "", Loss, Accuracy)
	base := []float64{1, 2, 3, 4, 6}
	x.Add(study.Cell{Method: "fine"}, base, Shifted(base, 80))
	wild := []float64{1, math.NaN(), 3, 4, math.Inf(1)}
	x.Add(study.Cell{Method: "diverges"}, wild, Shifted(base, 70))
	x.Add(study.Cell{Method: "overflows"}, All(5, math.Inf(1)), All(5, 10))
	x.Add(study.Cell{Method: "fails"}, All(5, Gone), All(5, Gone))
	x.Add(study.Cell{Method: "fails and waits"}, All(5, Gone), All(5, Gone))
	x.Add(study.Cell{Method: "waits"}, All(5, Gone), All(5, Gone))
	x.Add(study.Cell{Method: "half-way"}, []float64{1, 2, Gone, 4, Gone}, Shifted(base, 60))
	x.Add(study.Cell{Method: "unmeasured"}, Shifted(base, 1, 2, -1), base)
	x.Add(study.Cell{Method: "mixed", Rounds: 10}, Shifted(base, 3, 1), Shifted(base, 50))
	x.Add(study.Cell{Method: "mixed", Rounds: 20}, Shifted(base, 4, 1), Shifted(base, 50))
	for seed := range 5 {
		reason := fmt.Sprintf("round %d: update of client 5 is NaN", 3+seed)
		x.Failures[IDOf("fails", nil, seed)] = reason
		r := x.Results[IDOf("unmeasured", nil, seed)]
		r.Series = r.Series[:1]
	}
	x.Failures[IDOf("fails and waits", nil, 2)] = "reading data: no such file"
	x.Builds = []string{"1a2b3c4", "5d6e7f8"}
	x.Report.Baseline = "half-way"
	return x
}

// Short has few seeds: less than three are too few to test.
func Short(name string, seeds int) *Example {
	x := NewExample(name, "Few seeds", Loss)
	base := []float64{0.34, 0.36, 0.31}[:seeds]
	x.Add(study.Cell{Method: "FedAvg"}, base)
	x.Add(study.Cell{Method: "FedAVOT"}, Shifted(base, -0.05, -0.07))
	x.Report.Baseline = "FedAvg"
	return x
}

// OneShot has methods of one round at two points, and what their runs took: of one method the
// seconds of the server are not known, of another one run has no cost, as those of before.
func OneShot(name string) *Example {
	x := NewExample(name, "One round", Accuracy)
	base := []float64{64, 65, 63.5, 66, 64.5}
	for k, part := range []string{"IID", "Dir(0.1)"} {
		for m, method := range []string{"O-FedAvg", "SLOT", "GH-OT", "30 rounds"} {
			c := study.Cell{Method: method, Rounds: 1, Point: At("partition", part)}
			if method == "30 rounds" {
				c.Rounds = 30
			}
			x.Add(c, Shifted(base, 7*float64(m), -5*float64(k*m)))
			for seed := range base {
				cost := &engine.Cost{Uploaded: int64(1e6 * (m + 1)), Downloaded: int64(4e5 * m * m),
					Timed: true, Clients: float64(2+m) * (1 + 0.02*float64(seed)),
					Server: 0.02 * float64(1+m+k) * (1 + 0.01*float64(seed))}
				if method == "SLOT" {
					cost.Preprocess = 1.5 + 0.1*float64(seed)
				}
				if method == "30 rounds" {
					cost.Timed, cost.Clients, cost.Server = false, 0, 0
				}
				x.Costs[IDOf(method, c.Point, seed)] = cost
			}
		}
	}
	for _, part := range []string{"IID", "Dir(0.1)"} {
		delete(x.Costs, IDOf("GH-OT", At("partition", part), 3))
	}
	x.Report.Baseline = "O-FedAvg"
	return x
}
