package reports

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// gone stands for a seed without a result.
var gone = math.Float64frombits(0x7ff8_dead_0000_0001)

// An example is an Input that grows arm by arm.
type example struct {
	infer.Input
	name    string
	metrics []engine.Series // keys, units and directions
}

func newExample(name, title string, metrics ...engine.Series) *example {
	x := &example{name: name, metrics: metrics}
	x.Input = infer.Input{Title: title, Results: map[string]*engine.Result{},
		Failures: map[string]string{}, Volatile: map[string][]engine.Series{},
		Report: study.Report{Final: 20}, Command: "hansa table example", Hash: "sha256:41c0d9"}
	for _, m := range metrics {
		x.Report.Metrics = append(x.Report.Metrics, m.Key)
	}
	return x
}

// at makes a point from axis, label, axis, label, …
func at(names ...string) []study.Coordinate {
	var p []study.Coordinate
	for i := 0; i < len(names); i += 2 {
		p = append(p, study.Coordinate{Axis: names[i], Label: names[i+1]})
	}
	return p
}

func idOf(label string, point []study.Coordinate, seed int) string {
	return fmt.Sprint(label, point, seed)
}

// add adds one method at one point: finals[m][s] is the final value of metric m with seed
// s. Every run is measured before training and in rounds 10 and 20.
func (x *example) add(cell study.Cell, finals ...[]float64) {
	for seed := range finals[0] {
		c := cell
		c.Seed = uint64(seed)
		id := idOf(c.Method, c.Point, seed)
		if slices.Contains(x.IDs, id) {
			id += " again"
		}
		x.Cells, x.IDs = append(x.Cells, c), append(x.IDs, id)
		if math.Float64bits(finals[0][seed]) == math.Float64bits(gone) {
			continue
		}
		r := &engine.Result{ID: id, Seed: c.Seed, Rounds: []int{0, 10, 20}}
		r.Law.Exact = true
		for m, s := range x.metrics {
			v := finals[m][seed]
			s.Values = engine.Floats{1e9, v, v}
			if infer.Cumulative(s.Unit) {
				s.Values = engine.Floats{0, v / 2, v}
			}
			r.Series = append(r.Series, s)
		}
		x.Results[id] = r
	}
}

// around returns n values with mean about m and standard deviation about sd, of which a
// part rho is common to all calls with the same n.
func around(name uint64, n int, m, sd, rho float64) []float64 {
	common, own := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(1, name))
	v := make([]float64, n)
	for i := range v {
		v[i] = m + sd*(math.Sqrt(rho)*common.NormFloat64()+math.Sqrt(1-rho)*own.NormFloat64())
	}
	return v
}

// all returns n times the same value.
func all(n int, v float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = v
	}
	return list
}

var (
	loss     = engine.Series{Key: "loss"}
	floor    = engine.Series{Key: "suboptimality"}
	accuracy = engine.Series{Key: "accuracy", Unit: "%", Higher: true}
	upload   = engine.Series{Key: "upload", Unit: "floats"}
	seconds  = engine.Series{Key: "time", Unit: "s"}
)

// shifted returns the sums of two lists.
func shifted(v []float64, by ...float64) []float64 {
	list := make([]float64, len(v))
	for i := range v {
		list[i] = v[i] + by[i%len(by)]
	}
	return list
}

// examples are small enough to check by hand.
func examples() []*example {
	return []*example{figure(), swept(), blocks(), labels(), broken(),
		short("two", 2), short("one", 1), ablated(), slight(),
		looking("across", swept(), infer.Look{Transposed: true}),
		looking("sideways", labels(), infer.Look{Transposed: true, Delta: true}),
		looking("behind", figure(), infer.Look{Delta: true, Argmax: true}),
		looking("turned", ablated(), infer.Look{Transposed: true}),
	}
}

// looking is an example under another name and in another look.
func looking(name string, x *example, look infer.Look) *example {
	x.name, x.Look = name, look
	return x
}

// figure has one point, every kind of comparison and every kind of footnote on values.
func figure() *example {
	x := newExample("figure", "FedAVOT Fig. 1a — restricted availability", loss, floor, upload)
	base := []float64{10, 11, 12, 13, 14}
	add := func(c study.Cell, loss []float64, up float64) {
		x.add(c, loss, shifted(loss, -9.5), all(5, up))
	}
	add(study.Cell{Method: "FedAvg (full)", Role: "upper-bound"}, all(5, 0.031), 1e6)
	add(study.Cell{Method: "FedAvg (K = 2)"}, base, 20_000)
	add(study.Cell{Method: "uniform"}, shifted(base, 1, -1, 1, -1, 0.5), 20_000) // mean +0.1
	add(study.Cell{Method: "scaled"}, shifted(base, 170_000, 171_000, 169_000), 20_000)
	add(study.Cell{Method: "shifted"}, shifted(base, -3), 20_000) // always −25 %
	add(study.Cell{Method: "the same"}, base, 20_000)
	loose := study.Cell{Method: "FedAVOT, loose", Parent: "FedAVOT"}
	add(loose, shifted(base, -9, -9.5, -10), 20_512)
	add(study.Cell{Method: "FedAVOT"}, shifted(base, -9.25, -9.75, -10.25), 20_512)
	for seed := range 5 {
		infeasible := "infeasible: max-flow 0.66; the weights realise p̃ " +
			"at total variation 0.34 from p"
		x.Results[idOf("FedAVOT", nil, seed)].Notes = []string{infeasible}
		x.Results[idOf("FedAVOT, loose", nil, seed)].Notes = []string{infeasible,
			fmt.Sprintf("scaling stopped at residual %de-3", 3+seed)}
	}
	x.Results[idOf("uniform", nil, 3)].Notes = []string{"nobody came in 2 rounds"}
	x.Results[idOf("scaled", nil, 0)].Law = engine.LawFacts{Draws: 100_000}
	x.Report.Baseline = "FedAvg (K = 2)"
	x.References = []study.Reference{
		{Row: "FedAVOT", Col: "loss", Value: 0.35, Source: "Fig. 1a, read off"},
		{Row: "scaled", Col: "loss", Value: 1.8e5, Source: "Fig. 1a, read off"},
		{Row: "FedAVOT", Col: "upload", Value: 20000, Source: "§4"},
		{Row: "FedAVOT", Claim: "reaches the full participation of everyone", Source: "§4.2"},
		{Claim: "availability is all there is", Source: "abstract"},
	}
	return x
}

// swept is accuracy over two axes, with stars and gaps.
func swept() *example {
	x := newExample("swept", "Test accuracy under skewed importance", accuracy)
	base := []float64{90, 91, 92, 93, 94}
	for d, data := range []string{"MNIST", "Fashion-MNIST"} {
		for k, part := range []string{"IID", "Dir(1)", "Dir(0.1)"} {
			down := -float64(10*d + 5*k)
			add := func(method, role string, v []float64) {
				p := at("dataset", data, "partition", part)
				x.add(study.Cell{Method: method, Role: role, Point: p}, shifted(v, down))
			}
			add("FedAvg (full)", "upper-bound", shifted(base, 5, 3))
			add("FedAvg (K = 2)", "", base)
			add("FedProx", "", shifted(base, 1, -1, 2, 0.5, 1)) // undecided
			add("FedIPW", "", shifted(base, 2, 2.5, 3))
			add("one more", "", shifted(base, 1))
			add("again", "", base)
			if d == 1 && k == 2 {
				add("FedAVOT", "", []float64{94, gone, 96, 95, gone})
			} else {
				add("FedAVOT", "", shifted(base, 4, 4.5, 5))
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
	last := at("dataset", "Fashion-MNIST", "partition", "Dir(0.1)")
	x.Failures[idOf("FedAVOT", last, 1)] = "round 17: update of client 5 is NaN"
	x.Failures[idOf("FedAVOT", last, 4)] = "round 41: update of client 5 is NaN"
	x.Report.Baseline = "FedAvg (K = 2)"
	x.References = []study.Reference{
		{Row: "FedIPW", Col: "accuracy", Point: []string{"Dir(1)", "MNIST"},
			Value: 93.1, Source: "Table 2"},
	}
	return x
}

// blocks has one table per value of the axis that is not across.
func blocks() *example {
	x := newExample("blocks", "One change at a time", loss, seconds)
	for _, k := range []string{"k = 2", "k = 5"} {
		for _, tau := range []string{"τ = 0.5", "τ = 1"} {
			add := func(method string, v []float64) {
				p := at("availability.k", k, "tau", tau)
				time := around(uint64(len(x.Cells)), 5, 30, 2, 0)
				x.add(study.Cell{Method: method, Point: p}, v, time)
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

// ablated compares ablations with the methods that they change: every outcome, a method
// that is not complete, a metric that is not tested and one without a direction.
func ablated() *example {
	x := newExample("ablated", "Alignment on top of one round", accuracy, loss, upload)
	base := []float64{64, 65, 63.5, 66, 64.5}
	for k, part := range []string{"IID", "Dir(0.1)"} {
		add := func(method, parent, role string, v []float64) {
			drop := shifted(v, -8.25*float64(k))
			x.add(study.Cell{Method: method, Parent: parent, Role: role,
				Point: at("partition", part)}, drop, shifted(all(5, 2), scaled(drop, -0.02)...),
				all(5, 40_000))
		}
		add("one place", "", "upper-bound", shifted(base, 20))
		add("one place, longer", "one place", "upper-bound", shifted(base, 21, 22))
		add("O-FedAvg", "", "", base)
		add("O-FedAvg, + SLOT", "O-FedAvg", "", shifted(base, 7.5, 8, 8.2, 7.9, 7.7)) // +7.86
		add("O-FedAvg, + noise", "O-FedAvg", "", shifted(base, 1, -1, 0.5, -1.5, 1.01))
		add("O-FedAvg, + constant", "O-FedAvg", "", shifted(base, -0.5))
		add("O-FedAvg, + nothing", "O-FedAvg", "", base)
		prox := shifted(base, 1.5, 1, 2)
		add("O-FedProx, + SLOT", "O-FedProx", "", shifted(base, 14, 15, 13, 14.5, 14))
		if k == 1 {
			prox[2] = gone
		}
		add("O-FedProx", "", "", prox)
	}
	x.Report.Against = "parent"
	return x
}

// scaled returns multiples of a list.
func scaled(v []float64, by float64) []float64 {
	list := make([]float64, len(v))
	for i := range v {
		list[i] = v[i] * by
	}
	return list
}

// slight has one point and small numbers, and ablations that change little and much.
func slight() *example {
	x := newExample("slight", "How close the server comes", floor)
	base := []float64{1e-5, 1.1e-5, 1.3e-5, 0.9e-5, 1e-5}
	x.add(study.Cell{Method: "FedAVOT"}, base)
	x.add(study.Cell{Method: "FedAVOT, loose", Parent: "FedAVOT"},
		shifted(base, 2e-9, 1e-9, 3e-9))
	x.add(study.Cell{Method: "FedAVOT, tight", Parent: "FedAVOT"},
		shifted(base, -2e-6, 1e-6, -3e-6))
	x.add(study.Cell{Method: "FedAVOT, off", Parent: "FedAVOT"}, shifted(base, 1.5, 1.25))
	x.Report.Against = "parent"
	return x
}

// labels hold whatever a format could read as its own.
func labels() *example {
	x := newExample("labels", `50 % of |S| & 100 $ in #1_a ~ ^x {y} \z *b* <c> "d" `+"`e`", loss)
	for i, method := range []string{
		"a|b_c%d&e#f$g~h^i{j}k*l*m<n>o", `back\slash and "quotes" 'n' ` + "`ticks`",
		"θ α ± ↑ ↓ − ~ Σ p̃ π θᵗ uᵢ ‖x‖² 𝒜 ≤ ∞", "Müller–Łukasz ‘çĥ’ Wałęsa ĳ đ", "联邦平均 🚀",
		"[link](x) ![i](y) ~~s~~ __u__ $x$", "--dash '' ,, ?`", "= 1 + 2", "",
	} {
		x.add(study.Cell{Method: method}, shifted([]float64{1, 2, 3, 4, 6}, float64(i)))
	}
	x.Results[idOf("", nil, 0)].Notes = []string{"- a note\nof two lines\twith 5 % & _more_ | less"}
	x.Report.Baseline = "= 1 + 2"
	x.Command = "hansa table 'a b' --format md --> x\n"
	return x
}

// broken has all that can go wrong.
func broken() *example {
	x := newExample("broken", "", loss, accuracy)
	base := []float64{1, 2, 3, 4, 6}
	x.add(study.Cell{Method: "fine"}, base, shifted(base, 80))
	wild := []float64{1, math.NaN(), 3, 4, math.Inf(1)}
	x.add(study.Cell{Method: "diverges"}, wild, shifted(base, 70))
	x.add(study.Cell{Method: "overflows"}, all(5, math.Inf(1)), all(5, 10))
	x.add(study.Cell{Method: "fails"}, all(5, gone), all(5, gone))
	x.add(study.Cell{Method: "fails and waits"}, all(5, gone), all(5, gone))
	x.add(study.Cell{Method: "waits"}, all(5, gone), all(5, gone))
	x.add(study.Cell{Method: "half-way"}, []float64{1, 2, gone, 4, gone}, shifted(base, 60))
	x.add(study.Cell{Method: "unmeasured"}, shifted(base, 1, 2, -1), base)
	x.add(study.Cell{Method: "mixed", Rounds: 10}, shifted(base, 3, 1), shifted(base, 50))
	x.add(study.Cell{Method: "mixed", Rounds: 20}, shifted(base, 4, 1), shifted(base, 50))
	for seed := range 5 {
		reason := fmt.Sprintf("round %d: update of client 5 is NaN", 3+seed)
		x.Failures[idOf("fails", nil, seed)] = reason
		r := x.Results[idOf("unmeasured", nil, seed)]
		r.Series = r.Series[:1]
	}
	x.Failures[idOf("fails and waits", nil, 2)] = "reading data: no such file"
	x.Builds = []string{"1a2b3c4", "5d6e7f8"}
	x.Report.Baseline = "half-way"
	return x
}

// short has too few seeds to test.
func short(name string, seeds int) *example {
	x := newExample(name, "Few seeds", loss)
	base := []float64{0.34, 0.36, 0.31}[:seeds]
	x.add(study.Cell{Method: "FedAvg"}, base)
	x.add(study.Cell{Method: "FedAVOT"}, shifted(base, -0.05, -0.07))
	x.Report.Baseline = "FedAvg"
	return x
}
