package preprocess

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// domains returns clients whose classes are so far apart, in shares of their own, and whose features
// are those of one law under a map of each client.
func domains(rng *rand.Rand, apart, shift float64, shares ...fl.Vector) []*fl.Dataset {
	var list []*fl.Dataset
	for k, share := range shares {
		d := &fl.Dataset{Shape: fl.Shape{Features: 4, Classes: 3}, X: fl.NewMatrix(400, 4)}
		for i := range 400 {
			y, u := 0, (float64(i)+0.5)/400
			for y < 2 && u > share[y] {
				u -= share[y]
				y++
			}
			d.Y = append(d.Y, y)
			row := d.X.Row(i)
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			row[y] += apart
			for j := range row {
				row[j] *= 1 + 0.3*shift*float64(k)
			}
			row[k%3] += 4 * shift // among the classes
		}
		list = append(list, d)
	}
	return list
}

// even are shares of classes that are the same.
var even = fl.Vector{1.0 / 3, 1.0 / 3, 1.0 / 3}

// TestTheoremHeadOfMoments: moments by class of aligned features, made of what clients send, are
// those of the aligned features, at every share of the way.
func TestTheoremHeadOfMoments(t *testing.T) {
	clients := domains(rand.New(rand.NewPCG(42, 1)), 12, 1, even, fl.Vector{0.6, 0.3, 0.1})
	var own []classes
	for _, d := range clients {
		m := stats.NewClassMoments(3, 4) // without shrinkage
		m.Add(d.X, d.Y)
		c := classes{count: fl.Vector{float64(m.Count[0]), float64(m.Count[1]), float64(m.Count[2])},
			mean: m.Mean, within: m.Within}
		fl.Vector(c.within.Data).Scale(1 / 400.0)
		own = append(own, c)
	}
	to := own[0].law()
	to.Mean.AddConst(3)
	for _, share := range []float64{0, 0.4, 1} {
		all, err := alignedClasses(own, to, share)
		if err != nil {
			t.Fatal(err)
		}
		want := stats.NewClassMoments(3, 4)
		for k, d := range clients {
			x, err := way{tau: share}.move(&fl.TransformInput{Rows: d.X, Notes: new(fl.Notes)},
				own[k].law(), to)
			if err != nil {
				t.Fatal(err)
			}
			more := stats.NewClassMoments(3, 4)
			more.Add(x, d.Y)
			want.Merge(more)
		}
		fl.Vector(want.Within.Data).Scale(1 / 800.0)
		if d := fl.Vector(all.mean.Data).Distance(want.Mean.Data); d > 1e-9 {
			t.Errorf("share %v: means are off by %v", share, d)
		}
		if d := fl.Vector(all.within.Data).Distance(want.Within.Data); d > 1e-9 {
			t.Errorf("share %v: covariances are off by %v", share, d)
		}
	}
}

// TestTheoremPseudoLabels: where classes are far apart and domains differ by little, all
// pseudo-labels are right, and rows are moved as by labels, of which one client alone has some;
// where labels alone differ, rows stay nearly where they are, and slot-align moves them far.
//
//hansa:verifies theorem preprocess/slot-align-pseudo
func TestTheoremPseudoLabels(t *testing.T) {
	skewed := []fl.Vector{even, {0.5, 0.3, 0.2}, {0.25, 0.25, 0.5}}
	clients := domains(rand.New(rand.NewPCG(42, 2)), 12, 0.2, skewed...)
	of := func(given map[string]any) ([]fl.Matrix, []*fl.TransformInput) {
		given["tau"] = 1.0
		moved, _, m := aligned(t, made(t, SLOTAlignPseudo, given), clients)
		return moved, m
	}
	labels, _ := of(map[string]any{"labels": "own"})
	pseudo, m := of(map[string]any{})
	for k := range clients {
		if right := m[k].Notes.Observations()[0].Mean; right < 1 {
			t.Errorf("client %d: %v of the pseudo-labels are right", k, right)
		}
		if !slices.Equal(labels[k].Data, pseudo[k].Data) {
			t.Errorf("client %d: other rows by pseudo-labels that are right", k)
		}
	}
	_, m = of(map[string]any{"labelled": int64(1)})
	for k := range clients {
		if right := m[k].Notes.Observations()[0].Mean; right < 0.99 {
			t.Errorf("one client with labels, client %d: %v are right", k, right)
		}
	}
	clients = domains(rand.New(rand.NewPCG(42, 3)), 12, 0, skewed...)
	pseudo, _ = of(map[string]any{})
	slot, _, _ := aligned(t, made(t, SLOTAlign, map[string]any{"tau": 1.0}), clients)
	near, far := 0.0, 0.0
	for k, d := range clients {
		near += fl.Vector(pseudo[k].Data).Distance(d.X.Data)
		far += fl.Vector(slot[k].Data).Distance(d.X.Data)
	}
	if near > 0.2*far {
		t.Errorf("labels alone: moved by %v, by slot-align %v", near, far)
	}
}

// TestPseudoSends: what clients send and get is as the text says.
func TestPseudoSends(t *testing.T) {
	clients := domains(rand.New(rand.NewPCG(42, 4)), 12, 0.2, even, even)
	p := made(t, SLOTAlignPseudo, map[string]any{"labelled": int64(1)})
	for k, want := range []int{3 + 12 + 10, 4 + 10} {
		sent, err := p.Summarize(&fl.SummaryInput{Client: k, Data: clients[k]})
		if err != nil || sent.Floats() != want {
			t.Errorf("client %d sends %d floats, want %d, %v", k, sent.Floats(), want, err)
		}
	}
	if _, reference, _ := aligned(t, p, clients); reference.Floats() != 39 {
		t.Errorf("%d floats are sent back", reference.Floats())
	}
	still := made(t, SLOTAlignPseudo, map[string]any{"tau": 0.0})
	moved, reference, _ := aligned(t, still, clients)
	if sent, err := still.Summarize(&fl.SummaryInput{Data: clients[0]}); err != nil ||
		sent.Floats()+reference.Floats() > 0 || !slices.Equal(moved[1].Data, clients[1].X.Data) {
		t.Errorf("τ = 0: %d floats are sent, or rows are moved, %v", sent.Floats(), err)
	}
}

// TestTheoremValidated: with the grid {0} nothing is moved, to the bit; with {1} rows are moved by
// all of the way; of a client in a domain far from the others' all of the way is chosen, and where
// labels alone differ none of it.
//
//hansa:verifies theorem preprocess/slot-align-validated
func TestTheoremValidated(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 5))
	far := domains(rng, 4, 2, even, even, even)
	labels := domains(rng, 4, 0, fl.Vector{0.9, 0.05, 0.05}, fl.Vector{0.05, 0.9, 0.05},
		fl.Vector{0.05, 0.05, 0.9})
	run := func(clients []*fl.Dataset, grid ...any) ([]fl.Matrix, []*fl.TransformInput) {
		given := map[string]any{}
		if grid != nil {
			given["grid"] = grid
		}
		moved, _, m := aligned(t, made(t, SLOTAlignValidated, given), clients)
		return moved, m
	}
	none, _ := run(far, 0.0)
	whole, _ := run(far, 1.0)
	_, chosen := run(far)
	_, kept := run(labels)
	for k, d := range far {
		if !slices.Equal(none[k].Data, d.X.Data) {
			t.Errorf("client %d was moved", k)
		}
		if fl.Vector(whole[k].Data).Distance(d.X.Data) < 10 {
			t.Errorf("client %d was hardly moved by all of the way", k)
		}
		if tau := chosen[k].Notes.Observations()[0].Mean; math.Abs(tau-1) > 0.3 {
			t.Errorf("domains: client %d chooses %v", k, tau)
		}
		if tau := kept[k].Notes.Observations()[0].Mean; tau > 0 {
			t.Errorf("labels alone: client %d chooses %v", k, tau)
		}
	}
}
