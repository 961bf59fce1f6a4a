// Population logistic — logistic regression in a population whose covariates, known before
// training, say how clients differ.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Section 7.1: clients "differ in pre-enrollment covariates, and these covariates
//	affect both their local data distribution and their probability of being selected".
//
// Notation: N clients with k covariates and d features; h the heterogeneity, c the curvature.
// Client i has covariates Xᵢ ~ N(0, I), coefficients
//
//	βᵢ = β₀ + B·Xᵢ + c·(Xᵢ₁² − 1)·v
//
// and rows x ~ N(0, I) with labels y = 1 of probability σ(⟨βᵢ, x⟩). β₀, v and the columns of B
// have random directions; β₀ and v are of length 1, the columns of B of length h, so that every
// covariate moves the coefficients by as much. With c = 0 the mean of X says what
// the population wants; with c > 0 it does not, and calibration to means is partial.
//
// Departures: the paper gives no formulas and no constants; these are ours.

package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// PopulationLogistic describes the data set to the registry.
var PopulationLogistic = fl.SourceEntry{
	Name:       "population-logistic",
	Summary:    "logistic regression of clients whose covariates say how they differ",
	Paper:      "fedipw",
	Deviations: "the paper describes these data in words; the formulas are ours",
	New:        newPopulationLogistic,
}

type populationLogistic struct {
	shape         fl.Shape // with d features and k covariates
	samples       int      // training rows of every client
	tests         int      // test rows of every client; none are made when 0
	heterogeneity float64  // h
	curvature     float64  // c
}

var _ fl.Source = (*populationLogistic)(nil)

func newPopulationLogistic(p *fl.Params) (fl.Source, error) {
	s := &populationLogistic{shape: fl.Shape{Classes: 2, Owned: true}}
	s.shape.Features = p.Int("features", 5, fl.AtLeast(1), "number of features")
	covariates := p.Int("covariates", 3, fl.Closed(1, 10_000),
		"number of covariates, which are called x1, x2, …")
	for j := range covariates {
		s.shape.Covariates = append(s.shape.Covariates, fmt.Sprintf("x%d", j+1))
	}
	s.samples = p.Int("samples_per_client", 20, fl.AtLeast(1), "training rows of every client")
	s.tests = p.Int("test_samples_per_client", 10, fl.AtLeast(0),
		"test rows of every client; 0 for none")
	s.shape.Tested = s.tests > 0
	s.shape.Rows = p.Setting().Clients * (s.samples + s.tests)
	s.heterogeneity = p.Float("heterogeneity", 1, fl.Closed(0, 100),
		"how far one unit of a covariate moves the coefficients; 0 makes clients homogeneous")
	s.curvature = p.Float("curvature", 0, fl.Closed(0, 100),
		"how far x1² moves them, of which means of covariates know nothing")
	return s, nil
}

// Shape is that of two classes whose rows come with a client.
func (s *populationLogistic) Shape() fl.Shape { return s.shape }

// Load draws β₀, B and v, then client by client its covariates and its rows, training rows
// first: these are the same however many test rows are asked for.
func (s *populationLogistic) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	d, k := s.shape.Features, len(s.shape.Covariates)
	base := direction(d, l.RNG)
	slopes := fl.NewMatrix(k, d) // Bᵀ
	for j := range slopes.Rows {
		slopes.Row(j).AddScaled(s.heterogeneity, direction(d, l.RNG))
	}
	bent := direction(d, l.RNG)
	bent.Scale(s.curvature)
	train = s.empty(l.Clients * s.samples)
	test = s.empty(l.Clients * s.tests)
	streams, reseedable := fl.NewStream(l.RNG.Uint64(), "client"), fl.NewReseedableRand()
	c := voter{covariates: make(fl.Vector, k), beta: make(fl.Vector, d)}
	for i := range l.Clients {
		rng := reseedable.Open(streams.At(0, i))
		clear(c.covariates)
		c.covariates.AddNoise(1, rng)
		copy(c.beta, base)
		slopes.AddMulTVec(c.beta, c.covariates)
		first := c.covariates[0]
		c.beta.AddScaled(first*first-1, bent)
		c.id = i
		c.fill(train, i*s.samples, (i+1)*s.samples, rng)
		c.fill(test, i*s.tests, (i+1)*s.tests, rng)
	}
	if s.tests == 0 {
		test = nil
	}
	return train, test, nil
}

// empty returns a data set of n rows to be filled.
func (s *populationLogistic) empty(n int) *fl.Dataset {
	return &fl.Dataset{
		Shape:      s.shape,
		X:          fl.NewMatrix(n, s.shape.Features),
		Y:          make([]int, n),
		Owner:      make([]int, n),
		Covariates: fl.NewMatrix(n, len(s.shape.Covariates)),
	}
}

// A voter is the distribution of one client's rows.
type voter struct {
	id         int
	covariates fl.Vector // Xᵢ
	beta       fl.Vector // βᵢ
}

// fill draws rows lo to hi of d.
func (c *voter) fill(d *fl.Dataset, lo, hi int, rng *rand.Rand) {
	for r := lo; r < hi; r++ {
		x := d.X.Row(r)
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		if rng.Float64() < 1/(1+math.Exp(-c.beta.Dot(x))) {
			d.Y[r] = 1
		}
		copy(d.Covariates.Row(r), c.covariates)
		d.Owner[r] = c.id
	}
}

// direction returns a vector of length 1 in a random direction.
func direction(n int, rng *rand.Rand) fl.Vector {
	v := normal(n, rng)
	v.Scale(1 / v.Norm())
	return v
}
