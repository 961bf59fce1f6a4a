// Calibrated — corrects enrolment by what is known of the population as a whole.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Section 5, eqs. (17)–(19), Proposition C.7.
//	J.-C. Deville, C.-E. Särndal. Calibration Estimators in Survey Sampling. JASA 87, 1992.
//
// Notation: E the enrolled, h their covariates X, some of them, or squares, products and indicators
// of them, too; h̄ = Σ pᵢh(Xᵢ) over the population, ŝᵢ the estimated probability that one of the
// enrolled participates. The weights are wᵢ/ŝᵢ for w ≥ 0 over E that sum to 1 and satisfy
// Σ wᵢhᵢ = h̄, as close as can be to p over E: in squares ("quadratic", eq. (18)), or in relative
// entropy ("entropy").
//
// Departures. p is any importance, 1/N in the paper. Moments that no weights attain are replaced by
// the nearest that some do. moment_noise is the experiment's: the server receives h̄ + σ·sd(h)·ε,
// with ε standard normal, drawn once, and sd the standard deviation over E. Where everyone is
// enrolled there is nothing to calibrate: w = p.
//
// With noise_aware the solver knows σ and attains the moments in part. Its prior on the shift δ
// between the means of E and h̄ is normal, with mean 0 and covariance τ²S, where S is the
// covariance of the covariates over E and τ is the parameter shift. It then attains τ²S(τ²S +
// σ²diag S)⁻¹ of the shift given. By default τ = 1, a unit-information prior: R. E. Kass, L.
// Wasserman. A Reference Bayesian Test for Nested Hypotheses and its Relationship to the Schwarz
// Criterion. JASA 90, 1995. In a principal direction of the standardised h, in units of its
// standard deviation, given with a noise of s, the expected squared error falls from s² to b²s² +
// (1 − b)²δ² with b = τ²/(τ² + s²). That is less for any s, as long as |δ| ≤ √2·τ. τ is not
// estimated: an estimate grows with the noise, and boundless noise would not leave w = p.

package aggregator

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Calibrated describes the aggregator to the registry.
var Calibrated = fl.AggregatorEntry{
	Name:       "calibrated",
	Summary:    "weights that meet population means, over estimated participation",
	Paper:      "fedipw",
	Deviations: "unattainable moments are replaced by the nearest attainable ones",
	New:        newCalibrated,
	Fits: func(s fl.Setting) error {
		var undisclosed error
		if s.Disclosure != fl.DiscloseFull && s.Disclosure != fl.DiscloseAggregate {
			undisclosed = errors.New("needs the population's mean covariates: " +
				"disclosure = \"aggregate\" or \"full\"")
		}
		return errors.Join(needsCovariates(s), undisclosed)
	},
}

// calibrated keeps in State: calibration, length N+1, w, and 1 once it is found, and what its
// participation model keeps.
type calibrated struct {
	weights       inverse
	participation *participationModel
	balance       featureMap // h
	entropy       bool
	noise         float64 // σ of the moments, in standard deviations of the covariates
	aware         bool    // the solver knows σ
	shift         float64 // τ of its prior, in the same units
}

var _ fl.Weigher = (*calibrated)(nil)

func newCalibrated(p *fl.Params) (fl.Aggregator, error) {
	a := &calibrated{
		weights:       newInverse(p, usualFloor),
		participation: newParticipationModel(p),
		balance:       newFeatureMap(p, "balance", "calibration", true),
		entropy: p.Choice("distance", "quadratic",
			"what weights are to be close to p in: squares, or relative entropy",
			"quadratic", "entropy") == "entropy",
		noise: p.Float("moment_noise", 0, fl.AtLeast(0), "standard deviation of what is added to "+
			"each moment, in those of its covariate: how roughly the population is known"),
		aware: p.Bool("noise_aware", false, "tell the solver of moment_noise; it then meets "+
			"moments in part"),
		shift: p.Float("shift", 1, fl.Above(0), "noise_aware: typical difference between the "+
			"means of the enrolled and of the population, in standard deviations of the covariate"),
	}
	return fl.WeighThen(a, a.weights.rate), nil
}

// Weights returns wᵢ/ŝᵢ of deltas, over their sum where that is asked for.
func (a *calibrated) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	came, err := a.participation.chances(r)
	if err != nil {
		return fl.Weights{}, err
	}
	share := importance(r)
	if r.Roster.Enrolled != nil {
		n := r.Roster.N
		w := r.State.Vector("calibration", n+1)
		if w[n] == 0 {
			if err := a.calibrate(w[:n], r); err != nil {
				return fl.Weights{}, err
			}
			w[n] = 1
		}
		for k := range r.Updates {
			share[k] = w[r.Updates[k].Client]
		}
	}
	return a.weights.of(r, share, stats.Propensities{Came: came})
}

// calibrate sets w to the weights of the enrolled, and leaves those of others at 0.
func (a *calibrated) calibrate(w fl.Vector, r *fl.Round) error {
	target, err := a.balance.population(nil, r.Roster)
	if err != nil {
		return err
	}
	m := stats.Moments{Target: target, X: fl.Matrix{Cols: len(target)}}
	var ids []int
	for i, p := range r.Roster.Importance {
		if r.Roster.Enrolled[i] && p > 0 {
			ids, m.Base = append(ids, i), append(m.Base, p)
			m.X.Data = a.balance.add(m.X.Data, r.Roster.Covariates.Row(i), r.Roster.Moments)
		}
	}
	m.X.Rows = len(ids)
	if len(ids) == 0 {
		return nil // no enrolled client has p > 0: all weights are 0
	}
	a.blur(&m, r)
	found, solve := make(fl.Vector, len(ids)), m.Quadratic
	if a.entropy {
		solve = m.Entropy
	}
	c := solve(found)
	if math.IsNaN(c.Residual) {
		return errors.New("covariates of an enrolled client or their means are not finite")
	}
	for k, i := range ids {
		w[i] = found[k]
	}
	if !c.Reach.Feasible {
		r.Notes.Add(fmt.Sprintf("no weights of the enrolled meet the population's moments, which "+
			"lie %.3g of the covariates' ranges outside: the nearest attainable ones take their "+
			"place", c.Reach.Distance))
	}
	if !c.Converged {
		other := ""
		if a.entropy {
			other = `, or use distance = "quadratic"`
		}
		r.Notes.Add(fmt.Sprintf("calibration did not converge: residual %.1e after %d steps: "+
			"leave out covariates that others almost determine%s", c.Residual, c.Steps, other))
	}
	return nil
}

// blur adds noise to the moments, and tells the solver where it is to know.
func (a *calibrated) blur(m *stats.Moments, r *fl.Round) {
	if a.noise == 0 {
		return
	}
	sd := deviations(m.X, m.Base)
	for j, s := range sd {
		m.Target[j] += a.noise * s * r.RNG.NormFloat64()
	}
	if !a.aware {
		return
	}
	m.Noise = sd
	for j, s := range sd {
		if s == 0 { // all weights meet this moment, or none does
			sd[j] = 1
		}
	}
	m.Noise.Scale(a.noise / a.shift)
}

// deviations returns the standard deviation of every column of x, whose rows count w.
func deviations(x fl.Matrix, w fl.Vector) fl.Vector {
	mean, square, total := make(fl.Vector, x.Cols), make(fl.Vector, x.Cols), w.Sum()
	for i := range x.Rows {
		mean.AddScaled(w[i]/total, x.Row(i))
	}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			square[j] += w[i] / total * (v - mean[j]) * (v - mean[j])
		}
	}
	square.Sqrt()
	return square
}
