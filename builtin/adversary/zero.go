// Zero — a faulty client sends the model that it was sent.
//
//	θᵢ = θᵗ⁻¹, an update of zero.
//
// It is what a client does that takes part and does no work (a free rider). It is IPM with ε = 0.

package adversary

import "github.com/hansa-fl/hansa/framework/fl"

// Zero describes the adversary to the registry.
var Zero = fl.AdversaryEntry{
	Name:    "zero",
	Summary: "faulty clients send the model that they were sent",
	New:     func(*fl.Params) (fl.Adversary, error) { return zero{}, nil },
}

type zero struct{}

var _ fl.Adversary = zero{}

// Corrupt implements fl.Adversary.
func (zero) Corrupt(a *fl.Attack) error {
	for k := range a.Updates {
		copy(a.Updates[k].Params, a.Global)
	}
	return nil
}
