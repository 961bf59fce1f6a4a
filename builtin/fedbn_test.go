package builtin

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedBN on a network with norms: of eight normalised convolutions scale and offset, and of batch
// norms mean and variance, stay with the client; all else is sent.
func TestFedBNKeepsNorms(t *testing.T) {
	const width = 2
	channels := 0 // of conv layers: w, 2w, 2w, 2w, 4w, 8w, 8w, 8w
	for _, times := range []int{1, 2, 2, 2, 4, 8, 8, 8} {
		channels += times * width
	}
	for norm, each := range map[string]int{"group": 2, "batch": 4} {
		c := personal(descends("fedbn"))
		c.Rounds, c.Every = 2, 2
		c.Picks["dataset"] = pick("glyphs", "train", int64(60), "test", int64(60))
		c.Picks["model"] = pick("resnet9", "width", int64(width), "norm", norm)
		p, s, m := ends(t, c)
		layout := s.Model.Layout()
		stays := fl.Layout{Blocks: layout.Norms()}.Len()
		if stays != each*channels {
			t.Errorf("%s: %d numbers stay, want %d", norm, stays, each*channels)
		}
		if want := float64(4 * 2 * 3 * (layout.Len() - stays)); m[0] != want || m[1] != want {
			t.Errorf("%s: %v bytes up and %v down, want %v", norm, m[0], m[1], want)
		}
		first, own := s.Model.Init(fl.NewStream(s.Seed, "init").Rand()), ownModels(t, c)
		changed := make([]bool, s.Clients)
		for _, b := range layout.Blocks {
			norms := slices.Contains(layout.Norms(), b)
			stayed := slices.Equal(b.Of(p.Global).Data, b.Of(first).Data)
			// A bias before a norm of its channel has no gradient, and may stay.
			if norms != stayed && b.Name != fl.Bias {
				t.Errorf("%s: global %s of layer %d is that of θ⁰: %t", norm, b.Name, b.Layer, stayed)
			}
			for i, v := range own {
				same := slices.Equal(b.Of(v).Data, b.Of(p.Global).Data)
				if !norms && !same {
					t.Errorf("%s: client %d has a %s of its own", norm, i, b.Name)
				}
				changed[i] = changed[i] || norms && !same
			}
		}
		if n := len(slices.DeleteFunc(changed, func(c bool) bool { return !c })); n < 3 {
			t.Errorf("%s: %d clients have norms of their own", norm, n)
		}
	}
}

// SiloBN on a network with batch norms: means and variances stay with the client, and are its own;
// all else is sent, and is that of the global model.
//
//hansa:verifies invariance local/silobn
func TestSiloBNKeepsStatistics(t *testing.T) {
	const width = 3
	c := personal(descends("silobn"))
	c.Rounds, c.Every = 2, 2
	c.Picks["dataset"] = pick("glyphs", "train", int64(60), "test", int64(60))
	c.Picks["model"] = pick("resnet20", "width", int64(width), "depth", int64(8), "norm", "batch")
	p, s, m := ends(t, c)
	layout := s.Model.Layout()
	stays := 2 * width * (3 + 2*2 + 2*4) // mean and variance of each of the seven norms
	if want := float64(4 * 2 * 3 * (layout.Len() - stays)); m[0] != want || m[1] != want {
		t.Errorf("%v bytes up and %v down, want %v", m[0], m[1], want)
	}
	changed := 0
	for i, v := range ownModels(t, c) {
		for _, b := range layout.Blocks {
			same := slices.Equal(b.Of(v).Data, b.Of(p.Global).Data)
			if b.Name != fl.RunningMean && b.Name != fl.RunningVariance {
				if !same {
					t.Errorf("client %d has a %s of its own", i, b.Name)
				}
			} else if !same {
				changed++
			}
		}
	}
	if changed < 3*14 {
		t.Errorf("%d statistics are those of a client", changed)
	}
}
