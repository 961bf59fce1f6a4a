// Make-regression — the linear regression of the FedAVOT authors' code: scikit-learn's.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Authors' code of Figure 1(a).
//	F. Pedregosa et al. Scikit-learn: Machine Learning in Python. JMLR 12, 2011:
//	make_regression, StandardScaler.
//
// The recipe: X, y = make_regression(samples, features, noise, random_state = s); every column of X
// standardised; rows permuted by RandomState(s); client i has the i-th run of samples/N rows. All
// clients have one distribution and one relation.
//
// The data depend on the parameters alone, not on the seed of the experiment: as for the authors,
// seeds differ in participation, on the same data. They are those of NumPy's generator, call by
// call.
//
// Departures: none. There are no test data.

package dataset

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// MakeRegression describes the data set to the registry.
var MakeRegression = fl.SourceEntry{
	Name:    "make-regression",
	Summary: "scikit-learn's make_regression, standardised, shuffled and assigned in order",
	Paper:   "fedavot",
	New:     newMakeRegression,
}

type makeRegression struct {
	samples     int // n, of all clients together
	features    int
	informative int     // features that matter; all of them when there are fewer
	noise       float64 // standard deviation of the targets
	state       uint32  // s
}

var _ fl.Source = (*makeRegression)(nil)

func newMakeRegression(p *fl.Params) (fl.Source, error) {
	m := &makeRegression{
		samples:     p.Int("samples", 3000, fl.AtLeast(1), "rows of all clients together"),
		features:    p.Int("features", 100, fl.AtLeast(1), "number of features"),
		informative: p.Int("informative", 10, fl.AtLeast(1), "features whose coefficient is not 0"),
		noise:       p.Float("noise", 0.1, fl.AtLeast(0), "standard deviation of the targets"),
		state: uint32(p.Int("random_state", 0, fl.Closed(0, math.MaxUint32),
			"seed of the data, whatever the seed of the experiment")),
	}
	if s := p.Setting(); s.Known() {
		if err := m.divisible(s.Clients); err != nil {
			p.Fail("samples", "%v", err)
		}
	}
	return m, nil
}

// Shape is that of regression data whose rows come with a client.
func (m *makeRegression) Shape() fl.Shape {
	return fl.Shape{Features: m.features, Owned: true, Rows: m.samples}
}

// Load follows the recipe. It draws nothing from the generator of the experiment.
func (m *makeRegression) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	if err := m.divisible(l.Clients); err != nil {
		return nil, nil, fmt.Errorf("samples: %w", err)
	}
	rng := data.NewRandomState(m.state)
	x, y := m.draw(rng)
	rows, cols := rng.Permutation(m.samples), rng.Permutation(m.features)
	train = &fl.Dataset{
		Shape:  m.Shape(),
		X:      fl.NewMatrix(m.samples, m.features),
		Target: make(fl.Vector, m.samples),
		Owner:  make([]int, m.samples),
	}
	for r, from := range data.NewRandomState(m.state).Permutation(m.samples) {
		source := x.Row(rows[from])
		for k, c := range cols {
			train.X.Row(r)[k] = source[c]
		}
		train.Target[r] = y[rows[from]]
		train.Owner[r] = r / (m.samples / l.Clients)
	}
	data.Standardize(train.X)
	return train, nil, nil
}

// draw returns X and y as make_regression has them before it shuffles.
func (m *makeRegression) draw(rng *data.RandomState) (x fl.Matrix, y fl.Vector) {
	x, y = fl.NewMatrix(m.samples, m.features), make(fl.Vector, m.samples)
	for k := range x.Data {
		x.Data[k] = rng.StandardNormal()
	}
	theta := make(fl.Vector, m.features)
	for k := range min(m.informative, m.features) {
		theta[k] = 100 * rng.Float64()
	}
	x.MulVec(y, theta)
	if m.noise > 0 { // without noise nothing is drawn, which matters for what follows
		for r := range y {
			y[r] += rng.Normal(0, m.noise)
		}
	}
	return x, y
}

// divisible says why n clients cannot have equal numbers of rows.
func (m *makeRegression) divisible(n int) error {
	if m.samples%n != 0 {
		return fmt.Errorf("%d rows do not divide among %d clients", m.samples, n)
	}
	return nil
}
