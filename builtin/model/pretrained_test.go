package model

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/weights"
)

// Norms that are folded into convolutions do what they did, and ResNet-18 for ImageNet makes the
// features that PyTorch makes.
func TestFoldedNetworksArePyTorchs(t *testing.T) {
	const rows = 6
	want := torchNets(t)["resnet18 for ImageNet"]
	a := &Pretrained{Name: "narrow", Side: 64, Beside: []string{"fc."},
		layers: func(norm string) []nn.Layer { return averaged(resNetForImageNet(4, norm)) }}
	whole, err1 := a.net("batch")
	net, err2 := a.Net()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	numbers, theta := congruence(want.Seed), make(fl.Vector, whole.Params())
	numbers.fillAs(t, theta, whole.Layout())
	x := make(fl.Vector, rows*net.In().Len())
	numbers.take(x)
	params, err := fold(net.Layout(), whole.Layout(), theta)
	if err != nil {
		t.Fatal(err)
	}
	top := want.Scores.NormInf()
	for what, c := range map[string]struct {
		net    *nn.Net
		params fl.Vector
	}{"with norms": {whole, theta}, "folded": {net, params}} {
		single := make([]float32, len(c.params))
		for i, v := range c.params {
			single[i] = float32(v)
		}
		tape := c.net.Tape(rows)
		for i, v := range tape.Forward(single, tape.Gather(x, nil), rows) {
			if off := float64(v) - want.Scores[i]; !(off < 1e-5*top && off > -1e-5*top) {
				t.Errorf("%s: feature %d is %v, PyTorch has %v", what, i, v, want.Scores[i])
			}
		}
	}
}

// All architectures take images of their size and make as many features as they say; a variance below
// zero is refused.
func TestArchitectures(t *testing.T) {
	for _, a := range Architectures() {
		net, err := a.Net()
		if err != nil {
			t.Fatal(err)
		}
		if got := net.Out().Len(); got != a.Features || net.In() != (nn.Shape{H: a.Side, W: a.Side, C: 3}) {
			t.Errorf("%s: %d features of %v, want %d", a.Name, got, net.In(), a.Features)
		}
		if _, err := weights.Names(net.Layout()); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
	a := Architectures()[2]
	whole, err1 := a.net("batch")
	net, err2 := a.Net()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	wrong := make(fl.Vector, whole.Params())
	wrong[len(wrong)-1] = -1
	if _, err := fold(net.Layout(), whole.Layout(), wrong); err == nil {
		t.Error("a variance below zero is taken")
	}
}
