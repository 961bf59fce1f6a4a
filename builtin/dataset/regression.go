// Regression — linear regression in which every client has features and a relation of its
// own, as far apart as one number says.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Numerical results: features "Gaussian with
//	user-specific mean and variance", "different underlying feature-label relations".
//
// Notation: N clients, d features, δ the drift, z ~ N(0, I) and ε ~ N(0, 1) fresh for every
// row. Client i has rows and targets
//
//	x = μᵢ + σᵢz              μᵢ = δgᵢ/√d, gᵢ ~ N(0, I);  σᵢ = 2^{δuᵢ}, uᵢ uniform on [−1, 1]
//	y = ⟨θᵢ, x⟩ + noise·ε     θᵢ = θ* + δsᵢv, θ* ~ N(0, I), sᵢ from −1 for client 0 to 1 for
//	                          client N−1; v of random direction, as long as θ*
//
// so δ = 0 is the case of one relation and homogeneous clients. Relations move with the index, as
// importance and availability do: so exclusion of clients shows in the model.
//
// Departures: the paper gives no formulas; these are ours.

package dataset

import (
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Regression describes the data set to the registry.
var Regression = fl.SourceEntry{
	Name:       "regression",
	Summary:    "linear regression, with features and a relation of its own for every client",
	Paper:      "fedavot",
	Deviations: "the paper describes these data in words; the formulas are ours",
	New:        newRegression,
}

type regression struct {
	features int     // d
	samples  int     // training rows of every client
	tests    int     // test rows of every client; none are made when 0
	noise    float64 // standard deviation of the targets about ⟨θᵢ, x⟩
	drift    float64 // δ
	clients  int     // of the setting that this is made for; 0: none
}

var _ fl.Source = (*regression)(nil)

func newRegression(p *fl.Params) (fl.Source, error) {
	return &regression{
		features: p.Int("features", 20, fl.AtLeast(1), "number of features"),
		samples:  p.Int("samples_per_client", 30, fl.AtLeast(1), "training rows of every client"),
		tests: p.Int("test_samples_per_client", 10, fl.AtLeast(0),
			"test rows of every client; 0 for none"),
		noise: p.Float("noise", 0.1, fl.AtLeast(0), "standard deviation of the targets"),
		drift: p.Float("drift", 1, fl.Closed(0, 10), "how much clients differ in features and "+
			"relation; 0 makes them homogeneous"),
		clients: p.Setting().Clients,
	}, nil
}

// Shape is that of regression data whose rows come with a client.
func (r *regression) Shape() fl.Shape {
	return fl.Shape{Features: r.features, Owned: true, Tested: r.tests > 0,
		Rows: r.clients * (r.samples + r.tests)}
}

// Load draws θ* and v, then client by client its distribution and its rows, training rows first:
// these are the same for any number of test rows.
func (r *regression) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	theta, v := normal(r.features, l.RNG), normal(r.features, l.RNG)
	v.Scale(theta.Norm() / v.Norm())
	train = r.empty(l.Clients * r.samples)
	test = r.empty(l.Clients * r.tests)
	streams, reseedable := fl.NewStream(l.RNG.Uint64(), "client"), fl.NewReseedableRand()
	c := member{mean: make(fl.Vector, r.features), theta: make(fl.Vector, r.features)}
	for i := range l.Clients {
		rng := reseedable.Open(streams.At(0, i))
		for k := range c.mean {
			c.mean[k] = r.drift / math.Sqrt(float64(r.features)) * rng.NormFloat64()
		}
		c.sd = math.Exp2(r.drift * (2*rng.Float64() - 1))
		copy(c.theta, theta)
		c.theta.AddScaled(r.drift*position(i, l.Clients), v)
		c.id, c.noise = i, r.noise
		c.fill(train, i*r.samples, (i+1)*r.samples, rng)
		c.fill(test, i*r.tests, (i+1)*r.tests, rng)
	}
	if r.tests == 0 {
		test = nil
	}
	return train, test, nil
}

// empty returns a data set of n rows to be filled.
func (r *regression) empty(n int) *fl.Dataset {
	return &fl.Dataset{
		Shape:  r.Shape(),
		X:      fl.NewMatrix(n, r.features),
		Target: make(fl.Vector, n),
		Owner:  make([]int, n),
	}
}

// A member is the distribution of one client's rows.
type member struct {
	id    int
	mean  fl.Vector // μᵢ
	sd    float64   // σᵢ
	theta fl.Vector // θᵢ
	noise float64
}

// fill draws rows lo to hi of d.
func (c *member) fill(d *fl.Dataset, lo, hi int, rng *rand.Rand) {
	for j := lo; j < hi; j++ {
		x := d.X.Row(j)
		for k := range x {
			x[k] = c.mean[k] + c.sd*rng.NormFloat64()
		}
		d.Target[j] = c.theta.Dot(x) + c.noise*rng.NormFloat64()
		d.Owner[j] = c.id
	}
}

// position returns sᵢ: where client i of n stands between −1 and 1.
func position(i, n int) float64 {
	if n == 1 {
		return 0
	}
	return 2*float64(i)/float64(n-1) - 1
}

// normal returns n independent standard normal numbers.
func normal(n int, rng *rand.Rand) fl.Vector {
	v := make(fl.Vector, n)
	for k := range v {
		v[k] = rng.NormFloat64()
	}
	return v
}
