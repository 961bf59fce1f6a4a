package page

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/infer"
)

// hostile is a label that HTML, attributes, scripts and tables would read as their own.
const hostile = `</script><script>alert(1)</script> "a" 'b' | & <b>zz`

// A shape says how large an example is.
type shape struct{ methods, points, seeds, rounds int }

// methodLabel returns the label of a method: among them are a bound, a baseline and a hostile one.
func methodLabel(m int) string {
	label := []string{"full", "mean", hostile, "FedAVOT"}[m%4]
	if m >= 4 {
		label += fmt.Sprint(" ", m)
	}
	return label
}

// example is a page with everything on it. The loss of method m falls to about 4 − m.
func example(s shape) *Page {
	p := &Page{Name: "example", Input: infer.Input{Title: "Example " + hostile,
		Results: map[string]*engine.Result{}, Failures: map[string]string{},
		Volatile: map[string][]engine.Series{},
		Report: study.Report{Final: 2, Metrics: []string{"loss", "accuracy"},
			Baseline: methodLabel(1)},
		Command: "hansa run example.toml", Hash: "41c0d9", Builds: []string{"12ab"}}}
	rng := rand.New(rand.NewPCG(9, 9))
	for m := range s.methods {
		for at := range s.points {
			for seed := range s.seeds {
				cell := study.Cell{Method: methodLabel(m), Seed: uint64(seed), Rounds: s.rounds}
				if s.points > 1 {
					cell.Point = []study.Coordinate{{Axis: "k", Label: fmt.Sprint("k = ", at)}}
				}
				if m == 0 {
					cell.Role = "upper-bound"
				}
				id := fmt.Sprint(m, " ", at, " ", seed)
				p.Input.Cells, p.Input.IDs = append(p.Input.Cells, cell), append(p.Input.IDs, id)
				p.Input.Results[id] = resultOf(id, uint64(seed), float64(m), s.rounds, rng)
			}
		}
	}
	return p
}

// resultOf is the result of a cell of method m.
func resultOf(id string, seed uint64, m float64, rounds int, rng *rand.Rand) *engine.Result {
	r := &engine.Result{ID: id, Seed: seed}
	loss, accuracy := engine.Series{Key: "loss"}, engine.Series{Key: "accuracy", Unit: "%", Higher: true}
	upload := engine.Series{Key: "upload", Unit: "B"}
	shift := 0.2 * rng.NormFloat64()
	for t := range rounds + 1 {
		v := 4 - m/2 + shift + 400*math.Exp(-float64(t)) + 0.05*rng.NormFloat64()
		r.Rounds = append(r.Rounds, t)
		loss.Values = append(loss.Values, v)
		accuracy.Values = append(accuracy.Values, 90-5*v/4)
		upload.Values = append(upload.Values, 1000*float64(t)*(m+1))
	}
	r.Series = []engine.Series{loss, accuracy, upload}
	return r
}

// furnished adds to an example the other parts of a run: three clients, the last of which never
// participates, a plan, settings, a cell that failed and a strategy.
func furnished(p *Page) *Page {
	id := p.Input.IDs[len(p.Input.IDs)-1]
	delete(p.Input.Results, id)
	p.Input.Failures[id] = "round 3: NaN in " + hostile
	p.Gaps = []Gap{{Cell: "FedAVOT · " + hostile, Why: "NaN in " + hostile,
		Command: "hansa run example.toml --only seed=2"}}
	p.Resume = "hansa run example.toml"
	p.World = &World{Samples: []int{10, 20, 30}, Arms: 2, Dealings: []chart.ClientCounts{
		{Title: hostile, Samples: [][]int{{10, 0}, {0, 20}, {15, 15}}}}}
	for m := range 2 {
		p.World.Findings = append(p.World.Findings, audit.Finding{Method: methodLabel(2 * m),
			Clients: 3, Importance: fl.Vector{0.2, 0.3, 0.5}, Inclusion: fl.Vector{1, 0.5, 0},
			Realised: fl.Vector{0.5, 0.5, 0}, TV: 0.5, Effective: &audit.Effective{Cohort: 1.5}})
	}
	p.Plans = &figure.Matrices{Label: "plan " + hostile, Panels: []figure.Matrix{
		{Title: "CODE", Rows: 2, Cols: 2, Data: []float64{0.5, 0, 0, 0.5}}}}
	p.PlansNote = "plan in round 1"
	p.Settings = Settings{Methods: []string{"mean", hostile}, Paths: []string{"aggregator"},
		Differ: [][]string{{"fedavg"}, {hostile}}, Sweep: []Fact{{"k", "1 | 2"}},
		Groups: []SettingSet{{"every run", []Fact{{"clients", "3"}, {"note", hostile}}}}}
	p.Facts = []Fact{{"command", "hansa run example.toml"}, {"plan", "sha256:41c0d9"}}
	p.Strategies = []Strategy{{Path: "mine.go", Digest: "sha256:77", Source: "package mine // " +
		hostile}}
	return p
}

// written returns the file of a page.
func written(t *testing.T, p *Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
