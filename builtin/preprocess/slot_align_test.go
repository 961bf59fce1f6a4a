package preprocess

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// made builds a preprocessor from an entry.
func made(t *testing.T, e fl.PreprocessorEntry, given map[string]any) fl.Preprocessor {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 3, Shape: fl.Shape{Classes: 4}}, nil)
	c, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return c
}

// parts returns clients whose features are of m dimensions, each with a law of its own.
func parts(rng *rand.Rand, m int, sizes ...int) []*fl.Dataset {
	list := make([]*fl.Dataset, len(sizes))
	for k, n := range sizes {
		mix, at := fl.NewMatrix(m, m), make(fl.Vector, m)
		for i := range mix.Data {
			mix.Data[i] = rng.NormFloat64()
		}
		for i := range at {
			at[i] = 3 * rng.NormFloat64()
		}
		d := &fl.Dataset{Shape: fl.Shape{Features: m, Classes: 4}, X: fl.NewMatrix(n, m)}
		for r := range n {
			d.Y = append(d.Y, rng.IntN(4))
			z := make(fl.Vector, m)
			for i := range z {
				z[i] = rng.NormFloat64() + float64(d.Y[r]*i%3)
			}
			for i := range z {
				d.X.Row(r)[i] = at[i] + mix.Row(i).Dot(z)
			}
		}
		list[k] = d
	}
	return list
}

// aligned has clients summarise, the server combine, and every client move its own rows.
func aligned(t *testing.T, p fl.Preprocessor, clients []*fl.Dataset) (
	moved []fl.Matrix, reference fl.Tensors, moving []*fl.TransformInput,
) {
	t.Helper()
	c := &fl.CombineInput{Shape: clients[0].Shape, Notes: new(fl.Notes)}
	for k, d := range clients {
		payload, err := p.Summarize(&fl.SummaryInput{Client: k, Data: d})
		if err != nil {
			t.Fatal(err)
		}
		c.Uploads = append(c.Uploads, fl.Update{Client: k, Samples: d.Len(), Payload: payload})
	}
	reference, err := p.Combine(c)
	if err != nil {
		t.Fatal(err)
	}
	for k, d := range clients {
		m := &fl.TransformInput{Client: k, Own: d, Rows: d.X, Shape: d.Shape, Reference: reference,
			Notes: new(fl.Notes)}
		x, err := p.Transform(m)
		if err != nil {
			t.Fatal(err)
		}
		if list := m.Notes.List(); len(list) > 0 {
			t.Errorf("client %d: %q", k, list)
		}
		moved, moving = append(moved, x), append(moving, m)
	}
	return moved, reference, moving
}

// pushed returns the image of a law under a map that is read off rows and their images: rows are
// moved by x ↦ Bx + b, which as many rows as dimensions plus one determine.
func pushed(t *testing.T, p fl.Preprocessor, own *fl.Dataset, reference fl.Tensors) ot.Gaussian {
	t.Helper()
	law, err := momentsOf(own.X)
	if err != nil {
		t.Fatal(err)
	}
	m := len(law.Mean)
	probe := fl.NewMatrix(m+1, m)
	for i := range m {
		probe.Row(i + 1)[i] = 1
	}
	out, err := p.Transform(&fl.TransformInput{Own: own, Rows: probe, Shape: own.Shape,
		Reference: reference, Notes: new(fl.Notes)})
	if err != nil {
		t.Fatal(err)
	}
	b := fl.NewMatrix(m, m)
	for i := range m {
		for j := range m {
			b.Row(j)[i] = out.Row(i + 1)[j] - out.Row(0)[j]
		}
	}
	g := ot.Gaussian{Mean: fl.Vector(out.Row(0)).Clone(), Cov: fl.NewMatrix(m, m)}
	for i := range m {
		g.Mean[i] += b.Row(i).Dot(law.Mean)
		for j := range m {
			for k := range m {
				g.Cov.Row(i)[j] += b.Row(i)[k] * law.Cov.Row(k).Dot(b.Row(j))
			}
		}
	}
	return g
}

// TestTheoremContraction: what τ leaves of the distance to the reference is 1 − τ of it, for every
// client and every reference; with τ = 1 the moments are those of the reference.
//
//hansa:verifies theorem preprocess/slot-align
func TestTheoremContraction(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(1, 2)), 5, 40, 90, 7)
	for _, reference := range []string{barycenter, arithmetic, euclidean} {
		for _, tau := range []float64{0.25, 0.4, 1} {
			p := made(t, SLOTAlign, map[string]any{"tau": tau, "reference": reference})
			_, broadcast, _ := aligned(t, p, clients)
			to := received(broadcast)
			for k, d := range clients {
				from, err := momentsOf(d.X)
				if err != nil {
					t.Fatal(err)
				}
				var b ot.Bures
				before, err1 := b.Distance(from, to)
				after, err2 := b.Distance(pushed(t, p, d, broadcast), to)
				if err1 != nil || err2 != nil || math.Abs(after-(1-tau)*before) > 1e-6*before {
					t.Errorf("%s, τ = %v, client %d: W₂ from %v to %v", reference, tau, k, before, after)
				}
			}
		}
	}
}

// TestTauZero: nothing is moved, to the bit.
func TestTauZero(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(3, 4)), 6, 20, 30)
	for _, e := range []fl.PreprocessorEntry{SLOTAlign, SLOTAlignLabelled} {
		moved, _, _ := aligned(t, made(t, e, map[string]any{"tau": 0.0}), clients)
		for k, d := range clients {
			if !slices.Equal(moved[k].Data, d.X.Data) {
				t.Errorf("%s: client %d was moved", e.Name, k)
			}
		}
	}
}

// TestHigherMomentsStay: clients with the same mean and the same variance are not moved, though one
// is symmetric and the other skewed. What differs beyond two moments is not aligned.
func TestHigherMomentsStay(t *testing.T) {
	var clients []*fl.Dataset
	for _, x := range [][]float64{{-1, 1, -1, 1}, {-2, 0.5, 0.5, 0.5, 0.5}} {
		clients = append(clients, &fl.Dataset{Shape: fl.Shape{Features: 1, Classes: 2},
			X: fl.Matrix{Rows: len(x), Cols: 1, Data: x}, Y: make([]int, len(x))})
	}
	moved, _, _ := aligned(t, made(t, SLOTAlign, map[string]any{"tau": 1.0}), clients)
	for k, d := range clients {
		for r, x := range d.X.Data {
			if got := moved[k].Data[r]; math.Abs(got-x) > 1e-6 {
				t.Errorf("client %d: %v was moved to %v", k, x, got)
			}
		}
	}
}

// TestCommuting: covariances that commute have the closed form Σ_b = (Σ wₖ Σₖ^½)², after one
// iteration, and the map of a client scales its axes by √(target/source).
func TestCommuting(t *testing.T) {
	laws := []ot.Gaussian{
		{Mean: fl.Vector{0, 0}, Cov: fl.Matrix{Rows: 2, Cols: 2, Data: []float64{4, 0, 0, 9}}},
		{Mean: fl.Vector{4, 8}, Cov: fl.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 0, 0, 25}}},
	}
	c := &fl.CombineInput{Notes: new(fl.Notes)}
	for k, g := range laws {
		c.Uploads = append(c.Uploads, fl.Update{Client: k, Samples: 10 * (1 + k), Payload: sent(g)})
	}
	for _, of := range []struct {
		given      map[string]any
		mean, cov1 float64 // of the first feature
	}{
		{nil, 8.0 / 3, math.Pow(2.0/3+2.0/3, 2)},
		{map[string]any{"iteration": "plain"}, 8.0 / 3, math.Pow(2.0/3+2.0/3, 2)},
		{map[string]any{"weights": "equal"}, 2, math.Pow(1+0.5, 2)},
		{map[string]any{"reference": arithmetic}, 8.0 / 3, 4.0/3 + 2.0/3},
		{map[string]any{"reference": euclidean, "weights": "equal"}, 2, 2 + 0.5 + 4},
	} {
		reference, err := made(t, SLOTAlign, of.given).Combine(c)
		if err != nil {
			t.Fatal(err)
		}
		g := received(reference)
		if math.Abs(g.Mean[0]-of.mean) > 1e-12 || math.Abs(g.Cov.Row(0)[0]-of.cov1) > 1e-7 {
			t.Errorf("%v: mean %v, covariance %v", of.given, g.Mean, g.Cov.Data)
		}
	}
}

// TestSchedule compares the rising τ with the values that the published code has for ten epochs.
func TestSchedule(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(5, 6)), 3, 20, 30)
	if _, _, m := aligned(t, made(t, SLOTAlign, nil), clients); m[0].Blend != nil {
		t.Error("a constant τ is blended")
	}
	given := map[string]any{"tau": 0.4, "schedule": "cosine", "tau_min": 0.1}
	_, _, m := aligned(t, made(t, SLOTAlign, given), clients)
	for e := range 10 {
		s := 9 - e // the code counts down
		want := 0.1 + (0.4-0.1)/2*(1+math.Cos(math.Pi*float64(s)/10))
		if got := 0.4 * m[1].Blend(e, 10); math.Abs(got-want) > 1e-15 {
			t.Errorf("epoch %d: τ = %v, want %v", e, got, want)
		}
	}
	if last := m[0].Blend(9, 10); last != 1 {
		t.Errorf("the last epoch is at %v of τ", last)
	}
	p := fl.NewParams(map[string]any{"tau": 0.2, "tau_min": 0.3, "schedule": "cosine"}, fl.Setting{}, nil)
	if _, err := newSLOTAlign(p); err != nil || len(p.Finish()) != 1 {
		t.Error("a schedule that falls is accepted")
	}
}

// TestUpload: a client sends m + m(m+1)/2 floats, however many samples it has.
func TestUpload(t *testing.T) {
	p := made(t, SLOTAlign, nil)
	for _, d := range parts(rand.New(rand.NewPCG(7, 8)), 6, 1, 20, 300) {
		sent, err := p.Summarize(&fl.SummaryInput{Data: d})
		if err != nil || sent.Floats() != 6+21 {
			t.Errorf("%d samples: %d floats, %v", d.Len(), sent.Floats(), err)
		}
	}
}

// TestRowsWithoutClient: what belongs to no client has no map, and the error says what to do.
func TestRowsWithoutClient(t *testing.T) {
	for _, e := range []fl.PreprocessorEntry{SLOTAlign, SLOTAlignLabelled} {
		_, err := made(t, e, nil).Transform(&fl.TransformInput{Client: -1, Rows: fl.NewMatrix(2, 3)})
		if err == nil || !strings.Contains(err.Error(), `partition = "domains"`) {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// TestLabelShiftAlone: clients whose classes have one law each, and which differ in labels alone,
// are moved by slot-align, and left nearly where they are by the variant that knows their labels.
//
//hansa:verifies theorem preprocess/slot-align-labelled
func TestLabelShiftAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var clients []*fl.Dataset
	for k := range 3 {
		d := &fl.Dataset{Shape: fl.Shape{Features: 4, Classes: 3}, X: fl.NewMatrix(4000, 4)}
		for r := range d.X.Rows {
			class := k // of ten samples eight are of its own class
			if rng.IntN(10) > 7 {
				class = rng.IntN(3)
			}
			d.Y = append(d.Y, class)
			for i := range d.X.Row(r) {
				d.X.Row(r)[i] = rng.NormFloat64()
			}
			d.X.Row(r)[class] += 4
		}
		clients = append(clients, d)
	}
	far := func(e fl.PreprocessorEntry) float64 {
		moved, _, _ := aligned(t, made(t, e, map[string]any{"tau": 1.0}), clients)
		worst := 0.0
		for k, d := range clients {
			apart := fl.Vector(moved[k].Data).Distance(d.X.Data) / math.Sqrt(float64(d.Len()))
			worst = max(worst, apart)
		}
		return worst
	}
	if blind, told := far(SLOTAlign), far(SLOTAlignLabelled); blind < 1 || told > 0.15 {
		t.Errorf("rows are moved by %v, and by %v when labels are known", blind, told)
	}
}

// TestGoldenGaussianMaps: the map of a client between the Gaussians of the reference vectors.
//
//hansa:verifies golden preprocess/slot-align
func TestGoldenGaussianMaps(t *testing.T) {
	src, err := os.ReadFile("../../framework/ot/testdata/gaussian_ot.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name   string
			Inputs struct {
				MeanSource fl.Vector   `json:"mean_source"`
				CovSource  [][]float64 `json:"cov_source"`
				MeanTarget fl.Vector   `json:"mean_target"`
				CovTarget  [][]float64 `json:"cov_target"`
				Points     [][]float64 `json:"points"`
			}
			Expected map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(src, &file); err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, c := range file.Cases {
		raw, ok := c.Expected["mapped_points_tau_0.4"]
		if !ok {
			continue
		}
		tested++
		var want [][]float64
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		from := ot.Gaussian{Mean: c.Inputs.MeanSource, Cov: rowsOf(c.Inputs.CovSource)}
		to := ot.Gaussian{Mean: c.Inputs.MeanTarget, Cov: rowsOf(c.Inputs.CovTarget)}
		to = received(sent(to)) // as it is sent
		m := &fl.TransformInput{Rows: rowsOf(c.Inputs.Points), Notes: new(fl.Notes)}
		got, err := way{tau: 0.4}.move(m, from, to)
		if err != nil {
			t.Fatal(err)
		}
		if d := fl.Vector(got.Data).Distance(rowsOf(want).Data); d > 1e-8 {
			t.Errorf("%s: points are off by %g", c.Name, d)
		}
	}
	if tested < 3 {
		t.Fatalf("%d cases with points", tested)
	}
}

func rowsOf(list [][]float64) fl.Matrix {
	m := fl.NewMatrix(len(list), len(list[0]))
	for i, row := range list {
		copy(m.Row(i), row)
	}
	return m
}
