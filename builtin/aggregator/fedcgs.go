// FedCGS — a linear head from moments of features, as discriminant analysis has it.
//
//	Z. Guan, Y. Zhou, X. Gu. Capture Global Feature Statistics for One-Shot Federated
//	Learning. AAAI 2025, Section 3.
//
// Notation: features z ∈ ℝᵈ; N_c samples of class c with mean μ_c, N in all with mean μ; Σ a
// covariance; scores W·z + b, of which W_c and b_c are of class c.
//
//	W = M·Σ⁻¹, M the rows μ_c;  b_c = −½ μ_cᵀ Σ⁻¹ μ_c + log(N_c/N)
//
// Σ = "total" is as published, the covariance about μ with the divisor N − 1; "within" is that
// about the means of classes with the divisor N, with which the head is that of Gaussian classes
// of equal covariance.
//
// Departures. Clients send moments about means, and those of all clients are merged as such:
// nothing cancels, and the result does not depend on how samples are split. Rows of M are μ_c − μ,
// which adds the same to all scores of a sample, so that neither decisions nor probabilities
// change; a feature that never varies then has no weight. Σ is raised by ridge times the mean of
// its diagonal, where the authors' code has a ridge of 0 and fails for N < d or a constant feature:
// 1e-6 moves a variance that is as large as the mean one by a millionth, and bounds its condition
// number by a million times d. A class without samples is NaN in the authors' code; here it has the
// row of the class with most samples and a score that is less by 1000, of which the exponential is
// 0: it is never predicted, and other classes are unaffected.
//
// Every round stands for itself, and nothing is gained by a second.

package aggregator

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// FedCGS describes the aggregator to the registry.
var FedCGS = fl.AggregatorEntry{
	Name:    "fedcgs",
	Summary: "linear head by discriminant analysis of the moments that clients send",
	Paper:   "guan2025",
	Deviations: "moments are merged about means; a ridge of 1e-6 where the authors' code has 0; " +
		"a class that no client has never wins, where theirs is NaN",
	OneLabel: true,
	New:      newFedCGS,
	Fits:     needsHead,
	Traits:   fl.AggregatorTraits{Statistics: "class moments"},
}

// fedCGS keeps nothing in State.
type fedCGS struct {
	within  bool    // Σ is within classes, not total
	uniform bool    // all classes are as likely, not N_c/N
	ridge   float64 // γ ≥ 0, in units of tr Σ/d
}

var _ fl.Aggregator = (*fedCGS)(nil)

func newFedCGS(p *fl.Params) (fl.Aggregator, error) {
	return &fedCGS{
		within: p.Choice("covariance", "total", "Σ about the mean of all samples, as published, "+
			"or about those of classes", "total", "within") == "within",
		uniform: p.Choice("prior", "counts", "probability of a class: N_c/N, as published, or the "+
			"same for all", "counts", "uniform") == "uniform",
		ridge: p.Float("ridge", 1e-6, fl.AtLeast(0),
			"what Σ is raised by, in units of its mean variance; more if it stays singular"),
	}, nil
}

// needsHead is why a rule that finds a linear head does not fit other models.
func needsHead(s fl.Setting) error {
	if !s.Head {
		return errors.New("finds a linear head, W·x + b with a score for each class: " +
			"model = \"softmax\", with its bias")
	}
	return nil
}

// Aggregate returns W and b.
func (a *fedCGS) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	next := r.Scratch(len(r.Global))
	w, b, err := headOf(r, next)
	if err != nil {
		return fl.Outcome{}, err
	}
	m := stats.NewClassMoments(w.Rows, w.Cols)
	for _, k := range byClient(r) {
		own, err := stats.ReadClassMoments(r.Updates[k].Payload)
		if err == nil && (own.Mean.Rows != w.Rows || own.Mean.Cols != w.Cols) {
			err = fmt.Errorf("moments of %d classes and %d features, for a head of %d and %d",
				own.Mean.Rows, own.Mean.Cols, w.Rows, w.Cols)
		}
		if err != nil {
			return fl.Outcome{}, fmt.Errorf("client %d: %w", r.Updates[k].Client, err)
		}
		m.Merge(own)
	}
	return fl.Outcome{Params: next}, a.fit(r, m, w, b)
}

// headOf returns W and b as parts of params.
func headOf(r *fl.Round, params fl.Vector) (w fl.Matrix, b fl.Vector, err error) {
	weight, bias := r.Layout.Head()
	if weight == nil {
		return w, b, errors.New("the model is no linear head")
	}
	return weight.Of(params), bias.Of(params).Data, nil
}

// fit sets W and b to the head of these moments.
func (a *fedCGS) fit(r *fl.Round, m *stats.ClassMoments, w fl.Matrix, b fl.Vector) error {
	all := m.Total()
	n, mean, sigma := float64(all.Count[0]), all.Mean.Row(0), all.Within
	if n == 0 {
		return errors.New("clients have no samples")
	}
	divisor := math.Max(1, n-1)
	if a.within {
		sigma, divisor = m.Within, n
	}
	fl.Vector(sigma.Data).Scale(1 / divisor)
	centred := fl.NewMatrix(w.Rows, w.Cols)
	for c, count := range m.Count {
		if count > 0 {
			copy(centred.Row(c), m.Mean.Row(c))
			centred.Row(c).Sub(mean)
		}
	}
	if err := a.solve(r.Notes, w, sigma, centred); err != nil {
		return err
	}
	for c, count := range m.Count {
		m.Mean.Row(c).Add(mean) // −½(μ_cᵀΣ⁻¹μ_c − μᵀΣ⁻¹μ) = −½(μ_c − μ)ᵀΣ⁻¹(μ_c + μ)
		b[c] = -w.Row(c).Dot(m.Mean.Row(c)) / 2
		if !a.uniform {
			b[c] += math.Log(float64(count) / n)
		}
	}
	a.exclude(r.Notes, m.Count, w, b)
	return nil
}

// worst is the condition number above which a matrix is singular: less than three digits of 16
// would be right.
const worst = 1e13

// solve sets the rows of w to (Σ + γI)⁻¹ times those of rhs, for the ridge or, where that leaves
// Σ singular, for the least of ten times as much, a hundred times, … that does not.
func (a *fedCGS) solve(notes *fl.Notes, w, sigma, rhs fl.Matrix) error {
	if !fl.Vector(sigma.Data).Finite() {
		return errors.New("features are so large that their covariance is not finite")
	}
	diagonal, unit := make(fl.Vector, sigma.Rows), 0.0
	for k := range diagonal {
		diagonal[k] = sigma.Row(k)[k]
		unit += diagonal[k] / float64(sigma.Rows)
	}
	if unit == 0 {
		unit = 1
	}
	condition, err := math.Inf(1), error(nil)
	gamma := a.ridge
	for ; condition > worst && gamma <= math.Max(1, a.ridge); gamma = math.Max(10*gamma, 1e-12) {
		for k, v := range diagonal {
			sigma.Row(k)[k] = v + gamma*unit
		}
		if condition, err = tensor.SolvePositiveRows(w, sigma, rhs); condition <= worst {
			break
		}
	}
	if err != nil {
		return err
	}
	notes.Observe("condition number of Σ", condition)
	if gamma > a.ridge {
		notes.Add(fmt.Sprintf("Σ is singular with a ridge of %.3g; it was made %.3g",
			a.ridge, gamma))
	}
	return nil
}

// never is the difference between the score of another class and that of a class without samples:
// e⁻¹⁰⁰⁰ is 0.
const never = 1000

// exclude gives classes without samples a score that is always below that of another class.
func (a *fedCGS) exclude(notes *fl.Notes, count []int, w fl.Matrix, b fl.Vector) {
	most, missing := 0, 0
	for c, n := range count {
		if n > count[most] {
			most = c
		}
	}
	for c, n := range count {
		if n == 0 {
			copy(w.Row(c), w.Row(most))
			b[c] = b[most] - never
			missing++
		}
	}
	if missing > 0 {
		notes.Add(fmt.Sprintf("%d of %d classes have no samples, and never "+
			"win", missing, len(count)))
	}
}
