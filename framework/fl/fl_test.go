package fl_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

func TestStoreKeepsAndClones(t *testing.T) {
	s := fl.NewStore()
	s.Vector("a", 3)[1] = 5
	if s.Vector("a", 3)[1] != 5 {
		t.Error("a vector did not last")
	}
	c := s.Clone()
	s.Vector("a", 3)[1] = 6
	if c.Vector("a", 3)[1] != 5 {
		t.Error("a clone shares memory")
	}
	if s.Vector("a", 4)[1] != 0 {
		t.Error("another length did not start anew")
	}
	s.Matrix("b", 2, 3)
	if !slices.Equal(s.Names(), []string{"a", "b"}) {
		t.Errorf("names %v", s.Names())
	}
}

func TestNotesAreMadeOnce(t *testing.T) {
	n := new(fl.Notes)
	n.Add("first")
	n.Observe("cohort", 3)
	n.Add("second")
	n.Add("first")
	c := n.Clone()
	n.Observe("cohort", 6)
	n.Observe("same", 2)
	n.Observe("cohort", math.NaN())
	if got := n.List(); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("%q", got)
	}
	if got := n.All(); !slices.Equal(got, []string{"first", "second", "cohort 4.5 (3 to 6)",
		"same 2"}) {
		t.Errorf("%q", got)
	}
	if got := c.All(); !slices.Equal(got, []string{"first", "second", "cohort 3"}) {
		t.Errorf("a clone shares memory: %q", got)
	}
}

// regression is a population of three clients with 4, 1 and 3 rows.
func regression() *fl.Population {
	rng := fl.NewStream(1, "test").Rand()
	d := &fl.Dataset{Shape: fl.Shape{Features: 2}, X: fl.NewMatrix(8, 2)}
	for i := range d.X.Data {
		d.X.Data[i] = rng.NormFloat64()
	}
	for range 8 {
		d.Target = append(d.Target, rng.NormFloat64())
	}
	return &fl.Population{Train: d, Start: []int{0, 4, 5, 8}}
}

func TestMomentsAreMeans(t *testing.T) {
	pop := regression()
	w := fl.Vector{0.5, 0.2, 0.3}
	mix := pop.Mix(w)
	var want fl.Moments
	want.XX, want.XY, want.X = fl.NewMatrix(2, 2), make(fl.Vector, 2), make(fl.Vector, 2)
	for i := range pop.N() {
		c := pop.Client(i)
		m := fl.NewMoments(&c.Data, nil)
		fl.Vector(want.XX.Data).AddScaled(w[i], m.XX.Data)
		want.XY.AddScaled(w[i], m.XY)
		want.X.AddScaled(w[i], m.X)
		want.YY += w[i] * m.YY
		want.Y += w[i] * m.Y
	}
	if fl.Vector(mix.XX.Data).Distance(want.XX.Data) > 1e-15 || mix.XY.Distance(want.XY) > 1e-15 ||
		mix.X.Distance(want.X) > 1e-15 || math.Abs(mix.YY-want.YY) > 1e-15 || math.Abs(mix.Y-want.Y) > 1e-15 {
		t.Errorf("the mixture has moments %+v, the clients' mix to %+v", mix, want)
	}
	if c := pop.Client(1); c.Data.Len() != 1 || c.Data.Target[0] != pop.Train.Target[4] {
		t.Errorf("client 1 has %+v", c.Data)
	}
}

func TestCombining(t *testing.T) {
	r := &fl.Round{Global: fl.Vector{1, 1}, Updates: []fl.Update{
		{Client: 2, Params: fl.Vector{2, 0}}, {Client: 5, Params: fl.Vector{0, 4}}}}
	w := fl.Vector{0.5, 0.25}
	if got := r.Combine(w); got[0] != 1 || got[1] != 1 {
		t.Errorf("Σ wθ = %v", got)
	}
	if got := r.CombineDeltas(w); got[0] != 1.25 || got[1] != 1.25 {
		t.Errorf("θ + Σ wΔ = %v", got)
	}
	if got := r.Models(); len(got) != 2 || &got[1][0] != &r.Updates[1].Params[0] {
		t.Errorf("models %v", got)
	}
	if room := r.Room(3); len(room) != 0 || cap(room) < 3 {
		t.Errorf("room for %d", cap(room))
	}
	if got := r.Cohort(); !slices.Equal(got, []int{2, 5}) {
		t.Errorf("cohort %v", got)
	}
}

// What was lent stays as it was until the memory is taken back, however much is asked for.
func TestScratchDoesNotOverlap(t *testing.T) {
	r := new(fl.Round)
	for range 3 {
		var lent []fl.Vector
		for n := range 50 {
			v := r.Scratch(n)
			for i := range v {
				if v[i] != 0 {
					t.Fatal("scratch is not zero")
				}
				v[i] = float64(n)
			}
			lent = append(lent, v)
		}
		for n, v := range lent {
			for _, x := range v {
				if x != float64(n) {
					t.Fatal("two scratch vectors overlap")
				}
			}
		}
		r.Recycle()
	}
	if n := testing.AllocsPerRun(20, func() { r.Recycle(); r.Scratch(100); r.Scratch(200) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTensorsAndLayouts(t *testing.T) {
	if n := (fl.Tensors{"a": fl.NewMatrix(2, 3), "b": fl.NewMatrix(1, 4)}).Floats(); n != 10 {
		t.Errorf("%d floats", n)
	}
	l := fl.Layout{
		Blocks: []fl.Block{{Name: fl.Weight, Rows: 2, Cols: 3},
			{Name: fl.Bias, Rows: 2, Cols: 1, Offset: 6}},
		Layers: []fl.Layer{{Kind: fl.KindReLU}, {Kind: fl.KindDense, Blocks: []int{0, 1}}},
	}
	if n := l.Len(); n != 8 {
		t.Errorf("%d parameters", n)
	}
	if b := l.Block(1, fl.Bias); b == nil || b.Offset != 6 || l.Block(0, fl.Bias) != nil {
		t.Errorf("the bias of the second layer is %v, that of the first %v", b, l.Block(0, fl.Bias))
	}
}
