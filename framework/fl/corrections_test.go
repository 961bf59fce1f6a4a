package fl_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// bowl is a worker of f(θ) = ½ Σ aᵢ(θᵢ − bᵢ)².
type bowl struct {
	fl.Worker
	a, b fl.Vector
}

func (w bowl) Gradient(grad, params fl.Vector, _ *fl.Dataset, _ []int) {
	for i := range grad {
		grad[i] += w.a[i] * (params[i] - w.b[i])
	}
}

// rolling is plain descent.
type rolling struct{}

func (rolling) Slots() int      { return 0 }
func (rolling) Rule() fl.Rule   { return fl.Rule{} }
func (rolling) Step(s *fl.Step) { s.Params.AddScaled(-s.Rate, s.Grad) }

// rolls makes steps from the global model (1, 2, 3) in the bowl, as change asks for them.
func rolls(steps int, change func(d *fl.Descent)) fl.Vector {
	global := fl.Vector{1, 2, 3}
	task := &fl.Task{Client: new(fl.Client), Global: global, Params: global.Clone(),
		RNG: rand.New(rand.NewPCG(1, 2))}
	d := task.Descent()
	d.Optimizer, d.Rate, d.Steps = rolling{}, 0.1, steps
	change(d)
	d.Follow(bowl{a: fl.Vector{1, 2, 0.5}, b: fl.Vector{-1, 4, 0.25}})
	return task.Params
}

// Corrections that are there and zero change no bit; the first step of a proximal term is none.
func TestCorrectionsOfZeroChangeNoBit(t *testing.T) {
	plain := func(*fl.Descent) {}
	for name, change := range map[string]func(d *fl.Descent){
		"shift":  func(d *fl.Descent) { d.Shift = make(fl.Vector, 3) },
		"anchor": func(d *fl.Descent) { d.Anchor = fl.Vector{9, 9, 9} },
		"clip":   func(d *fl.Descent) { d.Clip = 1e9 },
		"freeze": func(d *fl.Descent) { d.Freeze = []fl.Block{} },
	} {
		if got, want := rolls(7, change), rolls(7, plain); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	pulled := func(d *fl.Descent) { d.Pull = 3 }
	if got, want := rolls(1, pulled), rolls(1, plain); !slices.Equal(got, want) {
		t.Errorf("one proximal step ends at %v, a plain one at %v", got, want)
	}
}

// With corrections descent converges to where the corrected gradient is zero.
func TestCorrectedDescentConverges(t *testing.T) {
	a, b, global := fl.Vector{1, 2, 0.5}, fl.Vector{-1, 4, 0.25}, fl.Vector{1, 2, 3}
	shift, anchor := fl.Vector{0.5, -1, 2}, fl.Vector{7, 0, -7}
	for name, c := range map[string]struct {
		change func(d *fl.Descent)
		want   func(i int) float64
	}{
		"shift": {func(d *fl.Descent) { d.Shift = shift },
			func(i int) float64 { return b[i] - shift[i]/a[i] }},
		"proximal": {func(d *fl.Descent) { d.Pull = 2 },
			func(i int) float64 { return (a[i]*b[i] + 2*global[i]) / (a[i] + 2) }},
		"anchored": {func(d *fl.Descent) { d.Pull, d.Anchor = 2, anchor },
			func(i int) float64 { return (a[i]*b[i] + 2*anchor[i]) / (a[i] + 2) }},
		"all": {func(d *fl.Descent) { d.Shift, d.Pull, d.Anchor = shift, 2, anchor },
			func(i int) float64 { return (a[i]*b[i] + 2*anchor[i] - shift[i]) / (a[i] + 2) }},
	} {
		got := rolls(2000, c.change)
		for i, x := range got {
			if math.Abs(x-c.want(i)) > 1e-12 {
				t.Errorf("%s: ends at %v, element %d is %v where the gradient is 0", name, got, i,
					c.want(i))
			}
		}
	}
}

// A clipped step has the length of rate times the bound and the direction of the gradient.
func TestClippedStep(t *testing.T) {
	grad := fl.Vector{1 * (1 + 1), 2 * (2 - 4), 0.5 * (3 - 0.25)}
	got := rolls(1, func(d *fl.Descent) { d.Clip = 0.5 })
	for i, g := range grad {
		if want := float64(1+i) - 0.1*0.5*g/grad.Norm(); math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("element %d is %v, want %v", i, got[i], want)
		}
	}
}

// The gradient of a sharpness-aware step is that at θ + ρg/‖g‖ (Foret et al., ICLR 2021, eq. 2 and
// Algorithm 1), and without a direction that at θ.
func TestAscendingStep(t *testing.T) {
	a, b, theta := fl.Vector{1, 2, 0.5}, fl.Vector{-1, 4, 0.25}, fl.Vector{1, 2, 3}
	grad := make(fl.Vector, 3)
	bowl{a: a, b: b}.Gradient(grad, theta, nil, nil)
	got := rolls(1, func(d *fl.Descent) { d.Ascent = 0.3 })
	for i := range got {
		up := theta[i] + 0.3*grad[i]/grad.Norm()
		if want := theta[i] - 0.1*a[i]*(up-b[i]); math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("element %d is %v, want %v", i, got[i], want)
		}
	}
	task := &fl.Task{Client: new(fl.Client), Params: b.Clone()}
	d := task.Descent()
	d.Optimizer, d.Rate, d.Steps, d.Ascent = rolling{}, 0.1, 3, 0.3
	d.Follow(bowl{a: a, b: b})
	if !slices.Equal(task.Params, b) {
		t.Errorf("at a minimum steps lead to %v", task.Params)
	}
}

// Frozen blocks keep their bits, whatever an optimizer and a projection do, and count in no norm.
func TestFrozenBlocks(t *testing.T) {
	middle := []fl.Block{{Rows: 1, Cols: 1, Offset: 1}, {Rows: 4, Cols: 1, Offset: 3}}
	got := rolls(5, func(d *fl.Descent) {
		d.Freeze, d.Shift, d.Pull, d.Radius = middle, fl.Vector{1, 1, 1}, 1, 0.5
	})
	if got[1] != 2 || got[0] == 1 || got[2] == 3 {
		t.Errorf("ends at %v", got)
	}
	clipped := rolls(1, func(d *fl.Descent) { d.Freeze, d.Clip = middle, 0.5 })
	if step := math.Hypot(clipped[0]-1, clipped[2]-3); math.Abs(step-0.05) > 1e-15 {
		t.Errorf("a clipped step of what is not frozen has length %v", step)
	}
	up := rolls(1, func(d *fl.Descent) { d.Freeze, d.Ascent = middle, 0.3 })
	g0, g2 := 2.0, 0.5*2.75
	if want := 1 - 0.1*(1+0.3*g0/math.Hypot(g0, g2)+1); math.Abs(up[0]-want) > 1e-15 {
		t.Errorf("an ascending step leads to %v, want %v", up[0], want)
	}
}

// Corrections allocate nothing once a task has room.
func TestCorrectionsCostNoMemory(t *testing.T) {
	task := &fl.Task{Client: new(fl.Client), Global: fl.Vector{1, 2, 3}, Params: fl.Vector{1, 2, 3}}
	shift, freeze := fl.Vector{1, 2, 3}, []fl.Block{{Rows: 1, Cols: 1, Offset: 1}}
	var w fl.Worker = bowl{a: fl.Vector{1, 2, 0.5}, b: fl.Vector{-1, 4, 0.25}}
	var by fl.Optimizer = rolling{}
	run := func() {
		task.Recycle()
		d := task.Descent()
		d.Optimizer, d.Rate, d.Steps = by, 0.1, 3
		d.Shift, d.Pull, d.Clip, d.Ascent, d.Freeze = shift, 1, 1, 0.1, freeze
		d.Follow(w)
	}
	run()
	if n := testing.AllocsPerRun(20, run); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Many descents of one task take the memory of one, and leave what was lent before as it is.
func TestDescentsGiveMemoryBack(t *testing.T) {
	global := fl.Vector{1, 2, 3}
	task := &fl.Task{Client: new(fl.Client), Global: global, Params: global.Clone(),
		RNG: rand.New(rand.NewPCG(1, 2))}
	w := bowl{a: fl.Vector{1, 2, 0.5}, b: fl.Vector{-1, 4, 0.25}}
	before := task.Scratch(3)
	before.Fill(7)
	frozen := []fl.Block{{Name: "b", Rows: 1, Cols: 1}}
	descend := func(times int) (bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range times {
			d := task.Descent()
			d.Optimizer, d.Rate, d.Steps = rolling{}, 0.1, 2
			d.Ascent, d.Freeze = 0.1, frozen
			d.Follow(&w)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	descend(2)
	if n := descend(10000); n > 10000 { // their gradients alone would be 240,000 bytes
		t.Errorf("%d bytes for 10000 descents", n)
	}
	after := task.Scratch(3)
	if !slices.Equal(before, fl.Vector{7, 7, 7}) || &before[0] == &after[0] {
		t.Errorf("what was lent before holds %v", before)
	}
}
