package kinds

import "github.com/hansa-fl/hansa/framework/fl"

// Stride is a compressor that keeps state.
var Stride = fl.CompressorEntry{
	Name:    "stride",
	Summary: "one number of several, from where it stopped",
	New: func(p *fl.Params) (fl.Compressor, error) {
		return &stride{p.Int("every", 4, fl.AtLeast(1), "numbers of which one is sent")}, nil
	},
}

type stride struct{ every int }

// Encode writes where it begins, and then numbers.
func (s *stride) Encode(k *fl.Coding) error {
	begun := k.State.Vector("begun", 1)
	first := int(begun[0]) % s.every
	begun[0] = float64(first + 1)
	k.Code.Append(uint64(first), fl.BitsFor(s.every))
	for j := first; j < len(k.In); j += s.every {
		k.Code.AppendFloat32(k.In[j])
	}
	return nil
}

// Decode reads them.
func (s *stride) Decode(k *fl.Coding) error {
	for j := int(k.Code.Read(fl.BitsFor(s.every))); j < len(k.Out); j += s.every {
		k.Out[j] = k.Code.ReadFloat32()
	}
	return k.Code.Err()
}

// Guarantee says nothing.
func (s *stride) Guarantee(int) (fl.Guarantee, bool) { return fl.Guarantee{}, false }
