package fl_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// diary is a worker that writes down the rows it is given.
type diary struct {
	fl.Worker
	pages []fl.Vector
	batch []int // sizes
}

func (w *diary) Gradient(_, _ fl.Vector, d *fl.Dataset, rows []int) {
	w.pages = append(w.pages, fl.Vector(d.X.Data).Clone())
	w.batch = append(w.batch, len(rows))
}

// still is an optimizer that does nothing.
type still struct{}

func (still) Slots() int    { return 0 }
func (still) Step(*fl.Step) {}
func (still) Rule() fl.Rule { return fl.Rule{} }

// moved are three rows, before and after the transform.
func moved() fl.Dataset {
	return fl.Dataset{
		Shape: fl.Shape{Features: 2},
		X:     fl.Matrix{Rows: 3, Cols: 2, Data: []float64{1, 0, 0.3, 5, 0.1, 9}},
		Raw:   fl.Matrix{Rows: 3, Cols: 2, Data: []float64{0, 0, 0.1, 1, 1e9, 9}},
		Blend: func(epoch, epochs int) float64 { return float64(epoch) / float64(epochs-1) },
	}
}

// A client whose rows are blended trains in every epoch on rows that went a share of their way,
// and afterwards its data are as they were.
func TestBlendedEpochs(t *testing.T) {
	client := fl.Client{Data: moved()}
	client.Data.Moments = &fl.Moments{}
	task := fl.Task{Client: &client, Params: fl.Vector{0}, RNG: rand.New(rand.NewPCG(1, 2))}
	at := func(share float64) fl.Vector {
		v, d := fl.Vector{}, moved()
		for k, x := range d.X.Data {
			v = append(v, (1-share)*d.Raw.Data[k]+share*x)
		}
		return v
	}
	for _, c := range []struct {
		size, steps int
		batch       []int
		shares      []float64
	}{
		{2, 6, []int{2, 1, 2, 1, 2, 1}, []float64{0, 0, 0.5, 0.5, 1, 1}},
		{2, 5, []int{2, 1, 2, 1, 2}, []float64{0, 0, 0.5, 0.5, 1}}, // the last epoch is not full
		{0, 3, []int{0, 0, 0}, []float64{0, 0.5, 1}},               // all rows at once
	} {
		w := &diary{}
		task.Recycle()
		d := task.Descent()
		d.Optimizer, d.Steps, d.Batches = still{}, c.steps, task.Batches(c.size)
		d.Follow(w)
		if !slices.Equal(w.batch, c.batch) {
			t.Fatalf("batches of %v rows, want %v", w.batch, c.batch)
		}
		if d.Data.Moments != nil {
			t.Error("moments of rows that are not these")
		}
		for k, share := range c.shares {
			for j, want := range at(share) {
				if got := w.pages[k][j]; (share == 1 && got != want) || got-want > 1e-6 || want-got > 1e-6 {
					t.Errorf("step %d: %v, want %v: a share %v of the way", k, w.pages[k], at(share), share)
					break
				}
			}
		}
		if now := moved(); !slices.Equal(client.Data.X.Data, now.X.Data) ||
			!slices.Equal(client.Data.Raw.Data, now.Raw.Data) || client.Data.Moments == nil {
			t.Error("the client's data changed")
		}
	}
}

// Once there is room, rows are blended without allocating; and where none are blended, the
// client's own data are handed out.
func TestBlendingCostsNothing(t *testing.T) {
	client := fl.Client{Data: moved()}
	task := fl.Task{Client: &client, Params: fl.Vector{0}, RNG: rand.New(rand.NewPCG(1, 2))}
	epoch := func() {
		task.Recycle()
		d := task.Descent()
		d.Steps, d.Batches = 4, task.Batches(2)
		for range d.Steps {
			d.Next()
		}
	}
	epoch()
	if n := testing.AllocsPerRun(20, epoch); n > 0 {
		t.Errorf("%v allocations", n)
	}
	client.Data.Blend = nil
	task.Recycle()
	d := task.Descent()
	d.Steps = 1
	if d.Next(); d.Data != &client.Data {
		t.Error("rows that are not blended are copied")
	}
}

// Rows and Pick carry what rows were before, and how they move.
func TestBlendIsCarried(t *testing.T) {
	d := moved()
	part, pick := d.Rows(1, 3), d.Pick([]int{2})
	if !slices.Equal(part.Raw.Data, d.Raw.Data[2:]) || part.Blend(1, 2) != 1 {
		t.Errorf("rows 1 to 3 were %v", part.Raw)
	}
	if !slices.Equal(pick.Raw.Data, d.Raw.Data[4:]) || pick.Blend(1, 2) != 1 {
		t.Errorf("row 2 was %v", pick.Raw)
	}
}

// Joined notes equal one that received every remark.
func TestNotesJoin(t *testing.T) {
	var all, a, b fl.Notes
	for k, n := range []*fl.Notes{&a, &a, &b, &b, &b} {
		for _, to := range []*fl.Notes{n, &all} {
			to.Add([]string{"x", "y", "x", "z", "y"}[k])
			to.Observe([]string{"p", "q", "p", "p", "r"}[k], float64(k*k))
		}
	}
	a.Join(&b)
	if got, want := a.All(), all.All(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
