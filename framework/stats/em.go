package stats

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// An EM fits Gaussian mixtures by expectation and maximisation, as scikit-learn does.
type EM struct {
	Spread        Spread
	Components    int     // G ≥ 1; of n ≤ G rows max(1, n/2) are fitted
	Regular       float64 // what every variance is raised by in each iteration, ≥ 0: 1e-6, say
	Tolerance     float64 // of MixtureFit.Gain, ≥ 0
	MaxIterations int     // ≥ 0
}

// A MixtureFit is a mixture, and how it was found.
type MixtureFit struct {
	Mixture
	LogLikelihood float64 // the mean of the log-density over the rows
	Gain          float64 // of the last iteration in that; below 0, the one before is returned
	Iterations    int     // maximisations, without that of the start
	Reseeded      int     // components that nothing belonged to, and that began anew
	Converged     bool    // Gain ≤ ε
}

// Fit fits a mixture to the rows of x, from the clusters of k-means. It allocates.
func (e EM) Fit(x tensor.Matrix, rng *rand.Rand) (MixtureFit, error) {
	if x.Rows == 0 {
		return MixtureFit{}, ErrNoSamples
	}
	if !kernel.Finite(x.Data) {
		return MixtureFit{}, ErrNotFinite
	}
	if x.Rows <= e.Components {
		e.Components = max(1, x.Rows/2)
	}
	clusters := KMeans(x, e.Components, 300, rng)
	f := newFitting(e, x)
	for i, g := range clusters.Labels {
		f.share.Row(i)[g] = 1
		f.density[i] = -kernel.SquaredDistance(x.Row(i), clusters.Centers.Row(g))
	}
	f.maximise()
	return f.run()
}

// From fits a mixture to the rows of x, beginning with start, which stays as it is and whose
// Spread is that of e. It allocates.
func (e EM) From(start Mixture, x tensor.Matrix) (MixtureFit, error) {
	if x.Rows == 0 {
		return MixtureFit{}, ErrNoSamples
	}
	if start.Spread != e.Spread {
		return MixtureFit{}, fmt.Errorf("mixture of form %d, not %d", start.Spread, e.Spread)
	}
	e.Components = len(start.Weights)
	f := newFitting(e, x)
	copyMixture(f.fit.Mixture, start)
	return f.run()
}

// A fitting is an EM on its way.
type fitting struct {
	EM
	fit     MixtureFit
	before  Mixture       // that of the iteration before
	x       tensor.Matrix // n×d
	share   tensor.Matrix // n×G: responsibilities
	density tensor.Vector // n: log-density of each row
	begun   bool          // a component began anew in the last maximisation
	lenses  densities
	cross   crossing
	row     tensor.Vector // d
}

func newFitting(e EM, x tensor.Matrix) *fitting {
	f := &fitting{EM: e, x: x, share: tensor.NewMatrix(x.Rows, e.Components),
		density: make(tensor.Vector, x.Rows), row: make(tensor.Vector, x.Cols)}
	f.fit.Mixture = newMixture(e.Spread, e.Components, x.Cols)
	f.before = newMixture(e.Spread, e.Components, x.Cols)
	return f
}

// run expects and maximises in turns.
func (f *fitting) run() (MixtureFit, error) {
	last := math.Inf(-1)
	for f.begun = true; ; f.fit.Iterations++ {
		if err := f.expect(); err != nil {
			return f.fit, err
		}
		f.fit.Gain = f.fit.LogLikelihood - last
		f.fit.Converged = !f.begun && f.fit.Gain <= f.Tolerance
		if f.fit.Converged && f.fit.Gain < 0 {
			f.fit.Mixture, f.fit.LogLikelihood = f.before, last
		}
		if f.fit.Converged || f.fit.Iterations >= f.MaxIterations {
			return f.fit, nil
		}
		last = f.fit.LogLikelihood
		copyMixture(f.before, f.fit.Mixture)
		f.maximise()
	}
}

// copyMixture copies a mixture into one of the same shape.
func copyMixture(to, from Mixture) {
	copy(to.Weights, from.Weights)
	copy(to.Means.Data, from.Means.Data)
	copy(to.Cov.Data, from.Cov.Data)
}

// expect finds how much each component shares in each row.
func (f *fitting) expect() error {
	if err := f.lenses.prepare(f.fit.Mixture); err != nil {
		return err
	}
	f.lenses.joint(f.share, f.x)
	for i := range f.density {
		f.density[i] = tensor.Softmax(f.share.Row(i), f.share.Row(i))
	}
	f.fit.LogLikelihood = f.density.Sum() / float64(f.x.Rows)
	if !f.density.Finite() {
		return ErrNotFinite
	}
	return nil
}

// maximise finds the mixture that is most likely for these shares.
func (f *fitting) maximise() {
	m, rows := f.fit.Mixture, float64(f.x.Rows)
	clear(m.Weights)
	clear(m.Means.Data)
	clear(m.Cov.Data)
	for i := range f.x.Rows {
		m.Weights.Add(f.share.Row(i))
	}
	f.begun = false
	for g, mass := range m.Weights {
		if mass > nothing*rows {
			f.gather(g, mass)
		}
	}
	if m.Spread == Tied {
		f.level(m.Cov, rows)
	}
	for g, mass := range m.Weights {
		if !(mass > nothing*rows) {
			f.reseed(g)
		}
	}
	m.Weights.Scale(1 / m.Weights.Sum())
}

// nothing is the share of all rows below which a component counts as empty.
const nothing = 1e-12

// gather finds the mean and the covariance of component g, of which that is the mass.
func (f *fitting) gather(g int, mass float64) {
	mean, cov := f.fit.Means.Row(g), f.fit.covariance(g)
	for i := range f.x.Rows {
		mean.AddScaled(f.share.Row(i)[g]/mass, f.x.Row(i))
	}
	for i := range f.x.Rows {
		if share := f.share.Row(i)[g]; share > 0 {
			f.widen(cov, mean, i, share)
		}
	}
	f.cross.flush(cov)
	if f.Spread != Tied {
		f.level(cov, mass)
	}
}

// widen adds share·(x − mean)·(x − mean)ᵀ for row i, or what the form takes of it.
func (f *fitting) widen(cov tensor.Matrix, mean tensor.Vector, i int, share float64) {
	if f.Spread.dense() {
		row := f.cross.row(cov)
		copy(row, f.x.Row(i))
		row.Sub(mean)
		row.Scale(math.Sqrt(share))
		return
	}
	copy(f.row, f.x.Row(i))
	f.row.Sub(mean)
	if f.Spread == Spherical {
		cov.Data[0] += float64(share*f.row.Dot(f.row)) / float64(len(mean))
		return
	}
	f.row.Mul(f.row)
	tensor.Vector(cov.Data).AddScaled(share, f.row)
}

// level divides a covariance by the mass, and makes it regular.
func (f *fitting) level(cov tensor.Matrix, mass float64) {
	tensor.Vector(cov.Data).Scale(1 / mass)
	if !f.Spread.dense() {
		tensor.Vector(cov.Data).AddConst(f.Regular)
		return
	}
	kernel.Mirror64(whole(cov))
	for k := range cov.Rows {
		cov.Row(k)[k] += f.Regular
	}
}

// reseed lets component g begin anew at the row that is least likely, as wide as all rows are.
// Every component may do so a few times only, lest it go on for ever; then it keeps no weight.
func (f *fitting) reseed(g int) {
	const most = 10 // times the number of components
	least, row := 0, f.fit.Means.Row(g)
	for i, density := range f.density {
		if density < f.density[least] {
			least = i
		}
	}
	if f.Spread != Tied {
		cov := f.fit.covariance(g)
		clear(cov.Data)
		clear(row)
		for i := range f.x.Rows {
			row.AddScaled(1/float64(f.x.Rows), f.x.Row(i))
		}
		for i := range f.x.Rows {
			f.widen(cov, row, i, 1)
		}
		f.cross.flush(cov)
		f.level(cov, float64(f.x.Rows))
	}
	copy(row, f.x.Row(least))
	f.fit.Weights[g] = 0
	if f.fit.Reseeded < most*f.Components {
		f.fit.Weights[g] = 1
		f.fit.Reseeded++
		f.begun = true
	}
	f.density[least] = math.Inf(1) // the next begins elsewhere
}
