package preprocess

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
)

// An estimator estimates the Gaussian of features. The zero value is that of SLOT-Align: a full
// covariance by Ledoit–Wolf, with a floor.
type estimator struct {
	diagonal  bool   // covariances of different features are 0
	shrinkage string // "" is ledoitWolf
}

// What a covariance is shrunk by.
const (
	ledoitWolf = "ledoit-wolf"
	oas        = "oas"
	unshrunk   = "none"
)

// newEstimator declares the parameters of an estimator.
func newEstimator(p *fl.Params) estimator {
	e := estimator{diagonal: p.Choice("covariance", "full", "Σₖ is full, or has variances alone, "+
		"of which a client then sends m", "full", "diagonal") == "diagonal"}
	e.shrinkage = p.Choice("shrinkage", ledoitWolf, "of Σₖ towards a multiple of the identity: by "+
		"Ledoit and Wolf; oracle approximating, for Gaussian samples; or none. A floor under the "+
		"eigenvalues follows", ledoitWolf, oas, unshrunk)
	return e
}

// of returns the Gaussian, and δ, the share of the shrinkage.
func (e estimator) of(x fl.Matrix) (ot.Gaussian, float64, error) {
	by := stats.LedoitWolf
	switch e.shrinkage {
	case oas:
		by = stats.OAS
	case unshrunk:
		by = stats.SampleCovariance
	}
	s, err := by(x)
	if err != nil {
		return ot.Gaussian{}, 0, err
	}
	e.cut(s.Cov)
	if _, err := stats.Floor(s.Cov); err != nil {
		return ot.Gaussian{}, 0, err
	}
	return ot.Gaussian{Mean: s.Mean, Cov: s.Cov}, s.Shrinkage, nil
}

// cut sets what is not on the diagonal to 0 where variances alone are wanted.
func (e estimator) cut(cov fl.Matrix) {
	if !e.diagonal {
		return
	}
	for i := range cov.Rows {
		row := cov.Row(i)
		v := row[i]
		clear(row)
		row[i] = v
	}
}

// sent returns a Gaussian as it is sent: of a diagonal covariance, the diagonal.
func (e estimator) sent(g ot.Gaussian) fl.Tensors {
	t := sent(g)
	if e.diagonal {
		v := make(fl.Vector, g.Cov.Rows)
		for i := range v {
			v[i] = g.Cov.Row(i)[i]
		}
		t["covariance"] = vector(v)
	}
	return t
}

// momentsOf estimates the Gaussian of features as SLOT-Align does.
func momentsOf(x fl.Matrix) (ot.Gaussian, error) {
	g, _, err := estimator{}.of(x)
	return g, err
}

// sent returns a Gaussian as it is sent.
func sent(g ot.Gaussian) fl.Tensors {
	return fl.Tensors{"mean": vector(g.Mean), "covariance": packed(g.Cov)}
}

// received returns the Gaussian that was sent. As many numbers as features are a diagonal: half of
// a covariance of two features or more has more.
func received(t fl.Tensors) ot.Gaussian {
	mean, half := t["mean"].Data, t["covariance"].Data
	d := len(mean)
	if len(half) > d {
		return ot.Gaussian{Mean: mean, Cov: unpacked(half, d)}
	}
	g := ot.Gaussian{Mean: mean, Cov: fl.NewMatrix(d, d)}
	for i, v := range half {
		g.Cov.Row(i)[i] = v
	}
	return g
}
