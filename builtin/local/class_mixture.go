// Class-mixture — a Gaussian mixture of the client's features for every class it has.
//
//	M. Beitollahi, A. Bie, S. Hemati, L. M. Brunswic, X. Li, X. Chen, G. Zhang. Parametric
//	Feature Transfer: One-shot Federated Learning with Foundation Models. arXiv:2402.01862,
//	2024, Algorithm 1: what a client of FedPFT sends.
//
// Notation: n_c samples of class c with features in ℝᵈ, G components, w, μ, Σ the weights, means
// and covariances of a mixture. Per class are sent G(d + 2), G(2d + 1) or G(1 + d + d(d+1)/2)
// floats for covariances that are spherical, diagonal or full, and beside them n_c and G of all
// classes.
//
// With a radius R and noise a client clips features to R and sends, of each class, one Gaussian of
// the count, the sum and the squares with noise (privacy.Moments, with squares by class): means no
// longer than R, and covariances without negative eigenvalues, raised as those of EM are. This is
// the paper's private variant, G = 1 and the Gaussian mechanism on μ and Σ; metric sample-epsilon
// says what it costs. Without noise features are clipped, and with R = 0, too, nothing changes, to
// the bit.
//
// Departures: EM begins at k-means and adds 1e-6 to variances, as in the authors' baseline for
// Flower; it stops once the mean log-likelihood gains less than 1e-6 (theirs: 1e-12, of up to
// 10,000 iterations). A class of n_c ≤ G samples gets max(1, n_c/2) components, where theirs
// leaves it out: few = "drop". A float16 beyond the largest is that, not infinite; n_c and G are
// never rounded. The paper's noise is on μ and Σ, for a number n_c that is known, by the classical
// bound; here n_c has noise, too, since a sample may be of another class, and the bound is exact.

package local

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
	"github.com/hansa-fl/hansa/framework/stats"
)

// ClassMixture describes the local rule to the registry.
var ClassMixture = fl.LocalRuleEntry{
	Name:    "class-mixture",
	Summary: "sends a Gaussian mixture of the features of every class; no local training",
	Paper:   "beitollahi2024",
	Deviations: "EM stops at a gain of 1e-6, not 1e-12; a class of few samples gets fewer " +
		"components, where the authors' code leaves it out (few = \"drop\"); noise is on sums, " +
		"not on μ and Σ, and on counts",
	OneLabel: true,
	New:      newClassMixture,
	Fits:     needsClasses,
	Traits: fl.LocalTraits{Statistics: "class mixtures", NoModel: true,
		PerSample: sampleNoiseOf},
}

// classMixture keeps nothing in State.
type classMixture struct {
	em      stats.EM
	drop    bool // classes of n ≤ G samples
	halve   bool // send float16
	private privacy.Moments
}

var _ fl.LocalRule = (*classMixture)(nil)

func newClassMixture(p *fl.Params) (fl.LocalRule, error) {
	m := &classMixture{}
	m.em.Components = p.Int("components", 10, fl.AtLeast(1), "G, Gaussians for each class")
	m.em.Spread = map[string]stats.Spread{
		"spherical": stats.Spherical, "diagonal": stats.Diagonal, "full": stats.Full,
	}[p.Choice("covariance", "diagonal", "what form covariances have",
		"spherical", "diagonal", "full")]
	m.em.Regular = p.Float("regular", 1e-6, fl.AtLeast(0), "what variances are raised by")
	m.em.Tolerance = p.Float("tolerance", 1e-6, fl.AtLeast(0),
		"EM stops when the mean log-likelihood gains no more than that")
	m.em.MaxIterations = p.Int("max_iterations", 1000, fl.AtLeast(1),
		"EM stops after so many, with a note")
	m.drop = p.Choice("few", "reduce", "a class of n ≤ G samples gets max(1, n/2) components, or "+
		"is left out", "reduce", "drop") == "drop"
	m.halve = p.Bool("float16", false, "send float16, of which two count as one float")
	if m.private = newSampleNoise(p); m.private.Noise > 0 && m.em.Components != 1 {
		p.Clash("noise", "components", "with noise there is one Gaussian of each class: "+
			"components = 1")
	}
	return m, nil
}

// Run implements fl.LocalRule.
func (m *classMixture) Run(t *fl.Task) (fl.Update, error) {
	var u fl.Update
	data := &t.Client.Data
	sent := stats.ClassMixtures{Count: make([]int, data.Shape.Classes),
		Mixtures: make([]stats.Mixture, data.Shape.Classes)}
	x := clippedRows(m.private, t)
	if m.private.Noise > 0 {
		return m.noisy(t, x, &sent)
	}
	for _, c := range data.Y {
		sent.Count[c]++
	}
	for c, n := range sent.Count {
		if n == 0 {
			continue
		}
		if n <= m.em.Components && m.drop {
			u.Remarks = append(u.Remarks, "classes with too few samples for a mixture are left out")
			continue
		}
		fit, err := m.em.Fit(ofClass(t, x, c, n), t.RNG)
		if err != nil {
			return u, fmt.Errorf("class %d: %w", c, err)
		}
		sent.Mixtures[c] = fit.Mixture
		u.Remarks = m.remarks(u.Remarks, &sent.Mixtures[c], fit)
	}
	u.Payload = sent.Tensors()
	if m.halve {
		u.Halves = u.Payload.Floats() - 2*len(sent.Count)
	}
	return u, nil
}

// ofClass returns the rows of class c, of which there are n.
func ofClass(t *fl.Task, all fl.Matrix, c, n int) fl.Matrix {
	x := fl.Matrix{Cols: all.Cols, Data: t.Scratch(n * all.Cols)}
	for i, y := range t.Client.Data.Y {
		if y == c {
			x.Rows++
			copy(x.Row(x.Rows-1), all.Row(i))
		}
	}
	return x
}

// noisy returns one Gaussian of each class, of sums with noise.
func (m *classMixture) noisy(t *fl.Task, x fl.Matrix, sent *stats.ClassMixtures) (
	u fl.Update, err error,
) {
	sums := make([]noisySum, len(sent.Count))
	noisySums(m.private, t, x, sums, true)
	for c, s := range sums {
		if sent.Count[c] = s.count; s.count == 0 {
			continue
		}
		about(s.square, s.count, s.mean)
		fl.Vector(s.square.Data).Scale(1 / float64(s.count))
		mix, err := stats.OneGaussian(m.em.Spread, s.mean, s.square, m.em.Regular)
		if err != nil {
			return u, fmt.Errorf("class %d: %w", c, err)
		}
		sent.Mixtures[c] = mix
		u.Remarks = m.remarks(u.Remarks, &sent.Mixtures[c], stats.MixtureFit{Mixture: mix,
			Converged: true})
	}
	u.Payload = sent.Tensors()
	if m.halve {
		u.Halves = u.Payload.Floats() - 2*len(sent.Count)
	}
	return u, nil
}

// remarks adds what there is to say of a fit, and lets its mixture travel.
func (m *classMixture) remarks(all []string, sent *stats.Mixture, fit stats.MixtureFit) []string {
	if !fit.Converged {
		all = append(all, fmt.Sprintf("some mixtures did not converge in %d iterations: raise "+
			"max_iterations or tolerance, or lower components", m.em.MaxIterations))
	}
	if !m.halve {
		return all
	}
	arrived, clamped := fit.Half()
	*sent = arrived
	if clamped > 0 {
		all = append(all, "some numbers of mixtures lie beyond float16 and were clamped to it")
	}
	return all
}
