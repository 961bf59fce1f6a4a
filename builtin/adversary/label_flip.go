// Label flip — faulty clients train on labels that are others.
//
//	V. Tolpegin, S. Truex, M. E. Gursoy, L. Liu. Data Poisoning Attacks Against Federated Learning
//	Systems. ESORICS 2020.
//
// Notation: y a label of C classes, counted from 0:
//
//	reverse: y ← C − 1 − y,    shift: y ← y + 1 modulo C.
//
// Departures: all labels are flipped; Tolpegin et al. flip those of one class to another one.

package adversary

import "github.com/hansa-fl/hansa/framework/fl"

// LabelFlip describes the adversary to the registry.
var LabelFlip = fl.AdversaryEntry{
	Name:       "label-flip",
	Summary:    "faulty clients train on wrong labels",
	Paper:      "tolpegin2020",
	Deviations: "labels of all classes are flipped",
	OneLabel:   true,
	New: func(p *fl.Params) (fl.Adversary, error) {
		return fl.DataAttack(labelFlip{p.Choice("mapping", "reverse", "label y of C classes "+
			"becomes C − 1 − y, or y + 1 modulo C", "reverse", "shift")}), nil
	},
	Fits: needsClasses,
}

type labelFlip struct{ mapping string }

var _ fl.Poisoner = labelFlip{}

// Poison implements fl.Poisoner.
func (f labelFlip) Poison(p *fl.Poisoning) error {
	classes := p.Data.Shape.Classes
	for k, y := range p.Data.Y {
		if f.mapping == "reverse" {
			p.Data.Y[k] = classes - 1 - y
		} else {
			p.Data.Y[k] = (y + 1) % classes
		}
	}
	return nil
}
