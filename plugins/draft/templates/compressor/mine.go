// Package mine sends a part of every update, another one in every round.
package mine

import "github.com/hansa-fl/hansa/framework/fl"

// Mine describes the compressor. New declares a parameter by reading it: name, default, range,
// meaning. All compressors have one more, feedback, which the engine sees to.
var Mine = fl.CompressorEntry{
	Name:    "mine",
	Summary: "one number of several, in turn",
	New: func(p *fl.Params) (fl.Compressor, error) {
		return &mine{
			p.Int("every", 10, fl.AtLeast(1), "numbers of which one is sent in a round"),
		}, nil
	},
}

type mine struct{ every int }

// Encode writes k.In to k.Code. The length of the code is what the update costs. It draws from
// k.RNG and nothing else, so that a run can be repeated. What a client keeps from one round to the
// next belongs in k.State.
func (m *mine) Encode(k *fl.Coding) error {
	for j := k.T % m.every; j < len(k.In); j += m.every {
		k.Code.AppendFloat32(k.In[j])
	}
	return nil
}

// Decode reads k.Code, all of it, and sets k.Out, which is zero before. It knows no more than the
// server does: the code, the round, the layout, and k.Shared, draws that both sides know.
func (m *mine) Decode(k *fl.Coding) error {
	for j := k.T % m.every; j < len(k.Out); j += m.every {
		k.Out[j] = k.Code.ReadFloat32()
	}
	return nil
}

// Guarantee returns what is lost at most, E‖Out − In‖² ≤ Omega·‖In‖² for every In of n numbers, and
// whether anything is known of it. What it says is tested.
func (m *mine) Guarantee(n int) (fl.Guarantee, bool) {
	return fl.Guarantee{Omega: 1 + 1e-9}, true // zeros in place of numbers; float32 for the rest
}
