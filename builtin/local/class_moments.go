// Class-moments — counts, means and squares of the client's features by class.
//
//	Z. Guan, Y. Zhou, X. Gu. Capture Global Feature Statistics for One-Shot Federated
//	Learning. AAAI 2025, Section 3: what a client of FedCGS sends.
//
// Notation: features z ∈ ℝᵈ, N_c samples of class c of C, μ_c their mean, and
// S = Σ (z − μ_c)(z − μ_c)ᵀ over all of them, μ_c that of the sample's class.
//
// Departures: the paper's clients send N_c, Σ z by class and Σ z·zᵀ, of which the server has
// μ_c and S by differences of large numbers. Here they are taken about means, and of the
// symmetric S half is sent: C + C·d + d(d+1)/2 floats, the same numbers in other coordinates.

package local

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// ClassMoments describes the local rule to the registry.
var ClassMoments = fl.LocalRuleEntry{
	Name:       "class-moments",
	Summary:    "sends counts, means and squares of features by class; no local training",
	Paper:      "guan2025",
	Deviations: "moments are taken about means, not about 0; of a symmetric matrix half is sent",
	New:        func(*fl.Params) (fl.LocalRule, error) { return classMoments{}, nil },
	Fits:       needsClasses,
	Traits:     fl.LocalTraits{Statistics: "class moments", NoModel: true},
}

// classMoments keeps nothing in State.
type classMoments struct{}

var _ fl.LocalRule = classMoments{}

// Run implements fl.LocalRule.
func (classMoments) Run(t *fl.Task) (fl.Update, error) {
	d := &t.Client.Data
	m := stats.NewClassMoments(d.Shape.Classes, d.X.Cols)
	m.Add(d.X, d.Y)
	return fl.Update{Payload: m.Tensors()}, nil
}

// needsClasses is why statistics by class do not fit regression data.
func needsClasses(s fl.Setting) error {
	if s.Shape.Classes == 0 {
		return errors.New("needs classes; these data have a regression target")
	}
	return nil
}
