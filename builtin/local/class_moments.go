// Class-moments — counts, means and squares of the client's features by class.
//
//	Z. Guan, Y. Zhou, X. Gu. Capture Global Feature Statistics for One-Shot Federated
//	Learning. AAAI 2025, Section 3: what a client of FedCGS sends.
//
// Notation: features z ∈ ℝᵈ, N_c samples of class c of C, μ_c their mean, and
// S = Σ (z − μ_c)(z − μ_c)ᵀ over all of them, μ_c that of the sample's class.
//
// With a radius R and noise a client clips features to R and sends what it makes of N_c, Σ z by
// class and Σ z·zᵀ with Gaussian noise (privacy.Moments, which derives how far one sample moves
// them): counts rounded, and 0 below ½; means no longer than R; S without negative eigenvalues. So
// a sample of the client is private by metric sample-epsilon, and a class that it lacks has noise,
// too. Without noise features are clipped, and with R = 0, too, nothing changes, to the bit.
//
// Departures: the paper's clients send N_c, Σ z by class and Σ z·zᵀ, of which the server has
// μ_c and S by differences of large numbers. Here they are taken about means, and of the
// symmetric S half is sent: C + C·d + d(d+1)/2 floats, the same numbers in other coordinates. The
// paper has no noise.

package local

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
	"github.com/hansa-fl/hansa/framework/stats"
)

// ClassMoments describes the local rule to the registry.
var ClassMoments = fl.LocalRuleEntry{
	Name:    "class-moments",
	Summary: "sends counts, means and squares of features by class; no local training",
	Paper:   "guan2025",
	Deviations: "moments are taken about means, not about 0; of a symmetric matrix half is sent; " +
		"noise is ours",
	OneLabel: true,
	New: func(p *fl.Params) (fl.LocalRule, error) {
		return &classMoments{newSampleNoise(p)}, nil
	},
	Fits: needsClasses,
	Traits: fl.LocalTraits{Statistics: "class moments", NoModel: true,
		PerSample: sampleNoiseOf},
}

// classMoments keeps nothing in State.
type classMoments struct{ private privacy.Moments }

var _ fl.LocalRule = (*classMoments)(nil)

// Run implements fl.LocalRule.
func (l *classMoments) Run(t *fl.Task) (fl.Update, error) {
	d := &t.Client.Data
	m, x := stats.NewClassMoments(d.Shape.Classes, d.X.Cols), clippedRows(l.private, t)
	if l.private.Noise == 0 {
		m.Add(x, d.Y)
		return fl.Update{Payload: m.Tensors()}, nil
	}
	sums := make([]noisySum, len(m.Count))
	noisySums(l.private, t, x, sums, false)
	m.Within = sums[0].square
	for c, s := range sums {
		m.Count[c] = s.count
		copy(m.Mean.Row(c), s.mean)
		about(m.Within, s.count, s.mean)
	}
	if err := stats.NearestPositive(m.Within); err != nil {
		return fl.Update{}, err
	}
	return fl.Update{Payload: m.Tensors()}, nil
}

// needsClasses is why statistics by class do not fit regression data.
func needsClasses(s fl.Setting) error {
	if s.Shape.Classes == 0 {
		return errors.New("needs classes; these data have a regression target")
	}
	return nil
}
