package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
)

// pictures is the shape of small colour images in four classes.
var pictures = fl.Shape{Features: 3 * 16 * 16, Classes: 4, Image: fl.Image{C: 3, H: 16, W: 16}}

// nets are small networks of every kind, with data that they fit.
func nets(t *testing.T) map[string]fl.Model {
	t.Helper()
	flat := fl.Shape{Features: 12, Classes: 3}
	one := map[string]any{"width": int64(2)}
	batch := map[string]any{"width": int64(2), "norm": "batch"}
	large := pictures
	large.Image.H, large.Image.W, large.Features = 32, 32, 3*32*32
	return map[string]fl.Model{
		"mlp":        build(t, MLP, map[string]any{"widths": []any{int64(9), int64(7)}}, flat),
		"regression": build(t, MLP, map[string]any{"widths": []any{int64(9)}}, fl.Shape{Features: 5}),
		"cnn":        build(t, CNN, map[string]any{"channels": int64(2)}, pictures),
		"resnet9":    build(t, ResNet9, one, pictures),
		"batch norm": build(t, ResNet9, batch, pictures),
		"vgg11":      build(t, VGG11, one, large),
		"resnet18":   build(t, ResNet18, map[string]any{"width": int64(2), "groups": int64(1)}, pictures),
		"resnet20": build(t, ResNet20, map[string]any{"width": int64(2), "depth": int64(8),
			"groups": int64(1)}, pictures),
		"wide": build(t, WideResNet, map[string]any{"width": int64(2), "depth": int64(10),
			"widen": int64(1), "groups": int64(1)}, pictures),
		"mcmahan": build(t, McMahanCNN, map[string]any{"channels": int64(2), "units": int64(5)}, pictures),
		"lenet5":  build(t, LeNet5, nil, pictures),
	}
}

// shapeOf returns the shape of the data that a network was built for.
func shapeOf(m fl.Model) fl.Shape {
	n := m.(*network)
	in := n.net.In()
	shape := fl.Shape{Features: in.Len(), Classes: n.classes}
	if in.H > 1 {
		shape.Image = fl.Image{C: in.C, H: in.H, W: in.W}
	}
	return shape
}

// task returns that of a client with 11 samples.
func task(m fl.Model) *fl.Task {
	pop := population(shapeOf(m), 11)
	c := pop.Client(0)
	theta := m.Init(rand.New(rand.NewPCG(1, 1)))
	return &fl.Task{Client: &c, Global: theta, Params: theta.Clone(), Model: m, Worker: m.Worker(),
		RNG: rand.New(rand.NewPCG(5, 6))}
}

// unstated is an optimizer that does not say what it does.
type unstated struct{ fl.Optimizer }

func (unstated) Rule() fl.Rule { return fl.Rule{} }

// optimizers are rules of every form.
func optimizers(t *testing.T) map[string]fl.Optimizer {
	t.Helper()
	made := map[string]fl.Optimizer{}
	for name, c := range map[string]struct {
		entry fl.OptimizerEntry
		given map[string]any
	}{
		"plain":    {optimizer.SGD, nil},
		"decay":    {optimizer.SGD, map[string]any{"weight_decay": 0.1}},
		"momentum": {optimizer.SGD, map[string]any{"momentum": 0.9, "weight_decay": 0.01}},
		"nesterov": {optimizer.SGD, map[string]any{"momentum": 0.9, "nesterov": true}},
		"adam":     {optimizer.Adam, map[string]any{"weight_decay": 0.01, "epsilon": 1e-4}},
		"adamw":    {optimizer.AdamW, map[string]any{"weight_decay": 0.1, "epsilon": 1e-4}},
	} {
		p := fl.NewParams(c.given, fl.Setting{Clients: 1}, nil)
		o, err := c.entry.New(p)
		if problems := p.Finish(); err != nil || len(problems) > 0 {
			t.Fatalf("%s: %v, %v", name, err, problems)
		}
		made[name] = o
	}
	return made
}

// train makes six steps and returns where they end.
func train(t *fl.Task, o fl.Optimizer, batch int, radius float64) fl.Vector {
	t.Recycle()
	copy(t.Params, t.Global)
	t.RNG = rand.New(rand.NewPCG(5, 6))
	d := t.Descent()
	d.Optimizer, d.Rate, d.Steps, d.Radius = o, 0.01, 6, radius
	d.Batches = t.Batches(batch)
	t.Worker.Descend(d)
	return t.Params.Clone()
}

// Steps in float32 by a Rule end where those in float64 by Step end, running statistics
// included.
func TestRulesStepAsOptimizersDo(t *testing.T) {
	for name, m := range nets(t) {
		job := task(m)
		for rule, o := range optimizers(t) {
			for _, batch := range []int{0, 4} {
				for _, radius := range []float64{0, 0.9 * job.Global.Norm()} {
					stated, stepped := train(job, o, batch, radius), train(job, unstated{o}, batch, radius)
					moved := stepped.Distance(job.Global)
					if off := stated.Distance(stepped); !(off <= 2e-4*moved+1e-6) || moved == 0 {
						t.Errorf("%s, %s, batches of %d, radius %.2g: off by %.2g of %.2g",
							name, rule, batch, radius, off, moved)
					}
				}
			}
		}
	}
}

// What was trained before leaves no trace.
func TestDescentsDoNotDependOnEachOther(t *testing.T) {
	for name, m := range nets(t) {
		job := task(m)
		for rule, o := range optimizers(t) {
			first := train(job, o, 4, 0)
			train(job, o, 0, 0)
			if again := train(job, o, 4, 0); !slices.Equal(first, again) {
				t.Errorf("%s, %s: the second time it ends elsewhere", name, rule)
			}
		}
	}
}

// At rate 0 not a bit changes, though the server's parameters are no float32 numbers.
func TestRateZeroKeepsEveryBit(t *testing.T) {
	for name, m := range nets(t) {
		if name == "batch norm" { // whose running statistics move all the same
			continue
		}
		job := task(m)
		for i := range job.Global {
			job.Global[i] += 1e-12 * float64(i%7)
		}
		d := job.Descent()
		copy(job.Params, job.Global)
		d.Optimizer, d.Steps, d.Batches = optimizers(t)["adam"], 3, job.Batches(4)
		job.Worker.Descend(d)
		if !slices.Equal(job.Params, job.Global) {
			t.Errorf("%s: parameters moved by %g", name, job.Params.Distance(job.Global))
		}
	}
}

// A batch that is too large to run at once has the gradient of all its samples.
func TestLargeBatchesRunInParts(t *testing.T) {
	m := nets(t)["mlp"]
	const n = 2*atOnce + 37
	pop := population(shapeOf(m), n)
	theta := m.Init(rand.New(rand.NewPCG(1, 1)))
	want, part := make(fl.Vector, len(theta)), make(fl.Vector, len(theta))
	var rows []int
	for r := range n {
		rows = append(rows, n-1-r)
	}
	for lo := 0; lo < n; lo += 100 {
		hi := min(lo+100, n)
		clear(part)
		m.Worker().Gradient(part, theta, pop.Train, rows[lo:hi])
		want.AddScaled(float64(hi-lo)/n, part)
	}
	for what, list := range map[string][]int{"all": nil, "listed": rows} {
		got := make(fl.Vector, len(theta))
		m.Worker().Gradient(got, theta, pop.Train, list)
		if off := got.Distance(want); !(off <= 1e-5*want.Norm()) {
			t.Errorf("%s: off by %g of %g", what, off, want.Norm())
		}
	}
}

// After the first task of its size no task allocates.
func TestNetworksAllocateNothing(t *testing.T) {
	for name, m := range nets(t) {
		job := task(m)
		for rule, o := range optimizers(t) {
			d := func() {
				job.Recycle()
				copy(job.Params, job.Global)
				x := job.Descent()
				x.Optimizer, x.Rate, x.Steps, x.Batches = o, 0.01, 3, job.Batches(4)
				job.Worker.Descend(x)
			}
			d()
			if n := testing.AllocsPerRun(5, d); n != 0 {
				t.Errorf("%s, %s: %v allocations", name, rule, n)
			}
		}
	}
}

// What does not fit says why.
func TestImagesThatDoNotFit(t *testing.T) {
	small := pictures
	small.Image.H = 15
	for e, want := range map[*fl.ModelEntry]string{
		&CNN:   "needs images of at least 16×16 pixels; these have 15×16",
		&VGG11: "needs images of at least 32×32 pixels; these have 15×16",
	} {
		if err := e.Fits(fl.Setting{Clients: 1, Shape: small}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", e.Name, err)
		}
		const none = "needs images; the rows of these data are none"
		err := e.Fits(fl.Setting{Clients: 1, Shape: fl.Shape{Features: 768, Classes: 4}})
		if err == nil || err.Error() != none {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// The networks of the papers have as many parameters as these say.
//
//hansa:verifies theorem model/vgg11 model/mcmahan-cnn
func TestSizesOfThePapers(t *testing.T) {
	digits := fl.Shape{Features: 784, Classes: 10, Image: fl.Image{C: 1, H: 28, W: 28}}
	colour := fl.Shape{Features: 3072, Classes: 10, Image: fl.Image{C: 3, H: 32, W: 32}}
	wide := colour
	wide.Image.H, wide.Image.W, wide.Features = 224, 224, 3*224*224
	dense := func(in, out int) int { return (in + 1) * out }
	conv := func(in, k, out int) int { return (in*k*k + 1) * out }
	code := map[string]any{"widths": []any{int64(400), int64(200), int64(100)}}
	vgg := conv(3, 3, 64) + conv(64, 3, 128) + conv(128, 3, 256) + conv(256, 3, 256) +
		conv(256, 3, 512) + 3*conv(512, 3, 512)
	for what, c := range map[string]struct{ got, want int }{
		"mlp of CODE": {build(t, MLP, code, digits).Layout().Len(),
			dense(784, 400) + dense(400, 200) + dense(200, 100) + dense(100, 10)},
		"cnn": {build(t, CNN, nil, colour).Layout().Len(), conv(3, 5, 64) + conv(64, 5, 128) +
			dense(3200, 256) + dense(256, 128) + dense(128, 10)},
		"vgg11":        {build(t, VGG11, nil, colour).Layout().Len(), vgg + dense(512, 10)},
		"vgg11 at 224": {build(t, VGG11, nil, wide).Layout().Len(), vgg + dense(49*512, 10)},
		"resnet9": {build(t, ResNet9, map[string]any{"norm": "none"}, colour).Layout().Len(),
			conv(3, 3, 64) + conv(64, 3, 128) + 2*conv(128, 3, 128) + conv(128, 3, 256) +
				conv(256, 3, 512) + 2*conv(512, 3, 512) + dense(512, 10)},
		// The number that the paper states.
		"mcmahan-cnn": {build(t, McMahanCNN, nil, digits).Layout().Len(), 1663370},
		"lenet5":      {build(t, LeNet5, nil, digits).Layout().Len(), 61706},
		// Those of PyTorch's networks, norms with them.
		"resnet18":    {build(t, ResNet18, nil, colour).Layout().Len(), 11173962},
		"resnet34":    {build(t, ResNet34, nil, colour).Layout().Len(), 21282122},
		"resnet20":    {build(t, ResNet20, nil, colour).Layout().Len(), 269722},
		"wide-resnet": {build(t, WideResNet, nil, colour).Layout().Len(), 2748890},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d parameters, want %d", what, c.got, c.want)
		}
	}
}

// Any loss of a network is finite or says that it is not: scores that overflow are +Inf.
func TestOverflowIsInfinite(t *testing.T) {
	m := nets(t)["mlp"]
	job := task(m)
	for i := range job.Params {
		job.Params[i] = 1e30
	}
	if loss := job.Worker.Loss(job.Params, &job.Client.Data); !math.IsInf(loss, 1) {
		t.Errorf("loss %v", loss)
	}
}
