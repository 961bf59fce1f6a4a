package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/weights"
)

// fillAs makes parameters as testdata/residual.py does, tensor by tensor in the order of PyTorch's
// names and elements, and takes them through a file.
func (c *congruence) fillAs(t *testing.T, theta fl.Vector, l fl.Layout) {
	t.Helper()
	tensors, err := weights.Tensors(l, theta)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(tensors, func(a, b weights.Tensor) int { return strings.Compare(a.Name, b.Name) })
	for _, w := range tensors {
		v, scale, offset := make(fl.Vector, len(w.Data)), 0.1, 0.0
		switch {
		case len(w.Shape) > 1:
			scale = 1 / math.Sqrt(float64(len(w.Data)/w.Shape[0]))
		case strings.HasSuffix(w.Name, "weight"), strings.HasSuffix(w.Name, "running_var"):
			offset = 1
		}
		c.take(v)
		for i, x := range v {
			w.Data[i] = float32(offset + scale*x)
		}
	}
	var b bytes.Buffer
	if err := weights.Write(&b, tensors, nil); err != nil {
		t.Fatal(err)
	}
	f, err := weights.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := weights.Fill(theta, l, f, nil); err != nil {
		t.Fatal(err)
	}
}

// A torchNet is what PyTorch makes of a network.
type torchNet struct {
	Name       string
	Parameters int
	Seed       uint64
	Loss       float64
	Scores     fl.Vector
	Tensors    map[string]struct {
		Norm, Largest float64
		Step          int
		Grad          []float64
	}
}

// torchNets reads testdata/residual.json.
func torchNets(t *testing.T) map[string]torchNet {
	t.Helper()
	text, err := os.ReadFile("testdata/residual.json")
	if err != nil {
		t.Fatal(err)
	}
	var content struct{ Cases []torchNet }
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	all := map[string]torchNet{}
	for _, c := range content.Cases {
		all[c.Name] = c
	}
	return all
}

// Names, scores, losses and gradients of the papers' networks are those of PyTorch, to 1e-5 of the
// largest element of a tensor.
//
//hansa:verifies source model/resnet18 model/resnet34 model/resnet20 model/wide-resnet
//hansa:verifies source model/mobilenet-v2 model/mcmahan-cnn model/lenet5
func TestNetworksArePyTorchs(t *testing.T) {
	low, digits, small := pictures, pictures, pictures
	low.Image.H, low.Features = 12, 3*12*16
	digits.Image, digits.Features = fl.Image{C: 1, H: 28, W: 28}, 784
	small.Image, small.Features = fl.Image{C: 1, H: 12, W: 12}, 144
	four, two := int64(4), int64(2)
	want := torchNets(t)
	for name, m := range map[string]fl.Model{
		"resnet18":       build(t, ResNet18, map[string]any{"width": four, "groups": two}, pictures),
		"resnet18 batch": build(t, ResNet18, map[string]any{"width": four, "norm": "batch"}, pictures),
		"resnet34":       build(t, ResNet34, map[string]any{"width": four, "groups": two}, pictures),
		"resnet20 A":     build(t, ResNet20, map[string]any{"width": four, "norm": "batch"}, low),
		"resnet20 B": build(t, ResNet20, map[string]any{"width": four, "groups": two,
			"shortcut": "B"}, low),
		"wide-resnet": build(t, WideResNet, map[string]any{"width": four, "widen": two,
			"norm": "batch"}, pictures),
		"mobilenet-v2": build(t, MobileNet, map[string]any{"multiplier": 0.3, "groups": two},
			pictures),
		"mcmahan-cnn": build(t, McMahanCNN, map[string]any{"channels": int64(3),
			"units": int64(7)}, small),
		"lenet5": build(t, LeNet5, nil, digits),
	} {
		t.Run(name, func(t *testing.T) { want[name].compare(t, m) })
	}
}

func (c torchNet) compare(t *testing.T, m fl.Model) {
	const rows = 6
	w, shape, layout := m.Worker(), shapeOf(m), m.Layout()
	numbers, theta := congruence(c.Seed), make(fl.Vector, layout.Len())
	numbers.fillAs(t, theta, layout)
	d := fl.Dataset{Shape: shape, X: fl.NewMatrix(rows, shape.Features), Y: []int{0, 1, 2, 3, 0, 1}}
	numbers.take(d.X.Data)
	scores := fl.NewMatrix(rows, shape.Classes)
	w.Scores(scores, theta, d.X)
	top := c.Scores.NormInf()
	for i, want := range c.Scores {
		if math.Abs(scores.Data[i]-want) > 1e-5*top {
			t.Errorf("score %d is %v, PyTorch has %v", i, scores.Data[i], want)
		}
	}
	if trained := m.(*network).net.Trained(); trained != c.Parameters {
		t.Errorf("%d parameters are trained, PyTorch has %d", trained, c.Parameters)
	}
	k := w.(*netWorker)
	k.take(theta)
	if got := k.meanLoss(k.tape.Train(k.params, k.tape.Gather(d.X.Data, nil), rows), &d, nil); math.Abs(
		got-c.Loss) > 1e-6*c.Loss {
		t.Errorf("loss %v, PyTorch has %v", got, c.Loss)
	}
	grad := make(fl.Vector, len(theta))
	w.Gradient(grad, theta, &d, nil)
	tensors, err := weights.Tensors(layout, grad)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, g := range tensors {
		want, ok := c.Tensors[g.Name]
		if !ok {
			if !strings.Contains(g.Name, "running_") {
				t.Errorf("PyTorch has no %s", g.Name)
			}
			continue
		}
		seen[g.Name] = true
		square := 0.0
		for _, x := range g.Data {
			square += float64(x) * float64(x)
		}
		if math.Abs(math.Sqrt(square)-want.Norm) > 1e-5*want.Norm {
			t.Errorf("%s: norm %v, PyTorch has %v", g.Name, math.Sqrt(square), want.Norm)
		}
		for j, x := range want.Grad {
			if got := float64(g.Data[j*want.Step]); math.Abs(got-x) > 1e-5*want.Largest {
				t.Errorf("%s: element %d is %v, PyTorch has %v", g.Name, j*want.Step, got, x)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tensors)) {
		if !seen[name] {
			t.Errorf("no tensor %s", name)
		}
	}
}
