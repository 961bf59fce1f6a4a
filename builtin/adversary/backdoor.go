// Backdoor — faulty clients teach the model that images with a pattern are of one class.
//
//	T. Gu, B. Dolan-Gavitt, S. Garg. BadNets: Identifying Vulnerabilities in the Machine Learning
//	Model Supply Chain. arXiv:1708.06733, 2017, Section 3; among clients: E. Bagdasaryan, A. Veit,
//	Y. Hua, D. Estrin, V. Shmatikov. How To Backdoor Federated Learning. AISTATS 2020.
//
// Each sample of a faulty client is poisoned with a probability, the same ones in every round: a
// square of pixels in the lower right corner is set, in all channels, and its label is the target.
// Metric backdoor measures how often the pattern works on test images.
//
// Departures: what faulty clients send is not scaled up to replace the model (Bagdasaryan et al.,
// eq. (3)). Pixels are set in the rows that clients train on, after preprocessing.

package adversary

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Backdoor describes the adversary to the registry.
var Backdoor = fl.AdversaryEntry{
	Name:       "backdoor",
	Summary:    "faulty clients teach a pattern of pixels that makes every image one class",
	Paper:      "gu2017",
	Deviations: "updates are not scaled up to replace the model",
	OneLabel:   true,
	New: func(p *fl.Params) (fl.Adversary, error) {
		return fl.DataAttack(&backdoor{
			NewPattern(p),
			p.Float("fraction", 0.5, fl.Closed(0, 1), "probability that a sample is poisoned"),
		}), nil
	},
	Fits: func(s fl.Setting) error {
		if s.Shape.Image == (fl.Image{}) {
			return errors.New("needs images")
		}
		return needsClasses(s)
	},
}

type backdoor struct {
	pattern  Pattern
	fraction float64
}

var _ fl.Poisoner = (*backdoor)(nil)

// Poison implements fl.Poisoner.
func (b *backdoor) Poison(p *fl.Poisoning) error {
	for k := range p.Data.Y {
		if p.RNG.Float64() < b.fraction {
			b.pattern.Stamp(p.Data.X.Row(k), p.Data.Shape.Image)
			p.Data.Y[k] = b.pattern.Target
		}
	}
	return nil
}

// A Pattern is a square of pixels in the lower right corner that stands for a class.
type Pattern struct {
	Target int     // the class
	Size   int     // in pixels to a side
	Value  float64 // of the pixels
}

// NewPattern declares the parameters of a pattern.
func NewPattern(p *fl.Params) Pattern {
	b := Pattern{
		Target: p.Int("target", 0, fl.AtLeast(0), "class that images with the pattern are to have"),
		Size:   p.Int("size", 3, fl.AtLeast(1), "pixels to a side of the pattern"),
		Value:  p.Float("value", 1, fl.Anything(), "of its pixels, as the model sees them"),
	}
	s := p.Setting().Shape
	if s.Classes > 0 && b.Target >= s.Classes {
		p.Fail("target", "there is no class %d: there are %d, counted from 0", b.Target, s.Classes)
	}
	if i := s.Image; i != (fl.Image{}) && b.Size > min(i.H, i.W) {
		p.Fail("size", "%d pixels do not fit into images of %d×%d", b.Size, i.H, i.W)
	}
	return b
}

// Stamp sets the pixels of the pattern.
func (b *Pattern) Stamp(row fl.Vector, i fl.Image) {
	for c := range i.C {
		for y := i.H - b.Size; y < i.H; y++ {
			at := (c*i.H + y) * i.W
			row[at+i.W-b.Size : at+i.W].Fill(b.Value)
		}
	}
}
