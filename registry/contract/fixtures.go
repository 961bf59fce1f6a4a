package contract

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// clients is the size of the population of a fixture; an Entry's Example is meant for as many.
const clients = 6

// A fixture is a world small enough to see through: six clients with data, how much each
// counts, and a model to train.
type fixture struct {
	name       string
	setting    fl.Setting
	population *fl.Population
	roster     *fl.Roster
	model      fl.Model
}

// newFixtures returns a world of regression, two of classification, two of images, and one of
// tokens.
func newFixtures(seed uint64) []*fixture {
	return []*fixture{
		newFixture("regression", seed,
			fl.Shape{Features: 3, Owned: true, Tested: true, Covariates: covariates(),
				Domains: []string{"ink", "neon"}}),
		newFixture("classification", seed,
			fl.Shape{Features: 3, Classes: 3, Owned: true, Tested: true, Covariates: covariates(),
				Domains: []string{"ink", "neon"}}),
		newFixture("two classes", seed,
			fl.Shape{Features: 3, Classes: 2, Owned: true, Tested: true, Covariates: covariates()}),
		newFixture("images", seed, pictures(16)),
		newFixture("larger images", seed, pictures(32)),
		newFixture("tokens", seed, fl.Shape{Features: 4, Classes: 5, Tokens: 5, Labels: 4,
			Owned: true, Tested: true}),
	}
}

// pictures is the shape of grey images with so many pixels to a side.
func pictures(side int) fl.Shape {
	return fl.Shape{Features: side * side, Classes: 3, Image: fl.Image{C: 1, H: side, W: side},
		Owned: true, Tested: true}
}

func newFixture(name string, seed uint64, shape fl.Shape) *fixture {
	t := &fixture{
		name: name,
		setting: fl.Setting{Clients: clients, Rounds: 20, Shape: shape, Law: true, Solvable: true,
			Head: shape.Classes > 0, Assigned: true, Disclosure: fl.DiscloseFull,
			Expected: true, Public: true, Labelled: true, Rate: &fl.Schedule{First: 0.1}},
		model: newToyLinear(shape),
		roster: &fl.Roster{
			N: clients, Importance: fl.Vector{0.10, 0.13, 0.16, 0.18, 0.20, 0.23},
			Samples: []int{10, 14, 18, 22, 26, 30}, // all different, so that an order shows
		},
	}
	rng := fl.NewStream(seed, "contract "+name).Rand()
	train, start := newData(shape, t.roster.Samples, rng)
	test, testStart := newData(shape, slices.Repeat([]int{5}, clients), rng)
	addCovariates(t.roster, rng)
	t.population = &fl.Population{Train: train, Start: start, Test: test, TestStart: testStart,
		Public: public(test)}
	addMoments(t.population)
	return t
}

// public returns samples as public data.
func public(d *fl.Dataset) *fl.Dataset {
	return &fl.Dataset{X: d.X, Y: d.Y, Target: d.Target, Shape: fl.Shape{
		Features: d.Shape.Features, Classes: d.Shape.Classes, Image: d.Shape.Image}}
}

// addMoments adds the moments that the engine keeps of regression data.
func addMoments(pop *fl.Population) {
	var all []fl.Moments
	for i := range clients {
		if c := pop.Client(i); c.Data.Target != nil {
			all = append(all, *fl.NewMoments(&c.Data, nil))
		}
	}
	pop.Moments = all
}

// newData returns samples of clients that differ a little, and where each client's begin.
// Classes lie far apart; targets are nearly linear.
func newData(shape fl.Shape, sizes []int, rng *rand.Rand) (*fl.Dataset, []int) {
	d, start := &fl.Dataset{Shape: shape}, []int{0}
	for i, n := range sizes {
		for range n {
			x := normals(rng, shape.Features, 0.4)
			if shape.Tokens > 0 {
				d.Y = append(d.Y, tokens(x, shape.Tokens, rng)...)
			} else if shape.Classes > 0 {
				y := rng.IntN(shape.Classes)
				x[y] += 3
				d.Y = append(d.Y, y)
			} else {
				d.Target = append(d.Target, x.Sum()-2*x[0]+0.1*float64(i)+0.1*rng.NormFloat64())
			}
			if shape.Image != (fl.Image{}) {
				squash(x)
			}
			d.X.Data = append(d.X.Data, x...)
			d.Owner = append(d.Owner, i)
			if shape.Domains != nil {
				d.Domain = append(d.Domain, i%len(shape.Domains))
			}
		}
		start = append(start, start[i]+n)
	}
	d.X.Rows, d.X.Cols = len(d.Owner), shape.Features
	d.Covariates = fl.Matrix{Rows: d.X.Rows, Cols: len(shape.Covariates),
		Data: normals(rng, d.X.Rows*len(shape.Covariates), 1)}
	return d, start
}

// tokens makes x tokens of which each follows from the one before or is drawn, and returns the next
// one at every position.
func tokens(x fl.Vector, count int, rng *rand.Rand) (next []int) {
	token := rng.IntN(count)
	for k := range x {
		x[k] = float64(token)
		if token = (2*token + 1) % count; rng.IntN(4) == 0 {
			token = rng.IntN(count)
		}
		next = append(next, token)
	}
	return next
}

// squash makes numbers pixels, which are between 0 and 1.
func squash(x fl.Vector) {
	for k, v := range x {
		x[k] = 1 / (1 + math.Exp(-v))
	}
}

// normals returns n draws from the normal distribution with this standard deviation.
func normals(rng *rand.Rand, n int, deviation float64) fl.Vector {
	v := make(fl.Vector, n)
	for k := range v {
		v[k] = deviation * rng.NormFloat64()
	}
	return v
}

// upTo returns the numbers 0 to n−1.
func upTo(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

// covariates are the names of what is known of the clients of a toy.
func covariates() []string { return []string{"age", "income"} }

// addCovariates gives every client of a population covariates, and discloses all of them.
func addCovariates(r *fl.Roster, rng *rand.Rand) {
	k := len(covariates())
	r.Covariates = fl.Matrix{Rows: r.N, Cols: k, Data: normals(rng, r.N*k, 1)}
	r.SetMoments(r.Covariates)
}

func cloneRoster(r *fl.Roster) *fl.Roster {
	c := *r
	c.Importance, c.Samples = r.Importance.Clone(), slices.Clone(r.Samples)
	c.Enrolled, c.Moments = slices.Clone(r.Enrolled), r.Moments.Clone()
	c.Covariates.Data = slices.Clone(r.Covariates.Data)
	c.Products.Data, c.Above = slices.Clone(r.Products.Data), r.Above.Clone()
	return &c
}

// copy returns the same world in memory of its own.
func (t *fixture) copy() *fixture { return t.permuted(upTo(clients)) }

// permuted returns the same world, copied, with its clients in another order: client k of
// it is client order[k].
func (t *fixture) permuted(order []int) *fixture {
	p, pop := *t, t.population
	p.roster = &fl.Roster{N: clients}
	for _, i := range order {
		p.roster.Importance = append(p.roster.Importance, t.roster.Importance[i])
		p.roster.Samples = append(p.roster.Samples, t.roster.Samples[i])
		x := &p.roster.Covariates
		x.Rows, x.Cols = clients, t.roster.Covariates.Cols
		x.Data = append(x.Data, t.roster.Covariates.Row(i)...)
	}
	p.roster.Moments, p.roster.Above = t.roster.Moments.Clone(), t.roster.Above.Clone()
	p.roster.Products = t.roster.Products
	p.roster.Products.Data = slices.Clone(t.roster.Products.Data)
	p.population = &fl.Population{Public: pop.Public}
	p.population.Train, p.population.Start = rearranged(pop.Train, pop.Start, order)
	p.population.Test, p.population.TestStart = rearranged(pop.Test, pop.TestStart, order)
	addMoments(p.population)
	return &p
}

// rearranged returns the rows of clients in another order, and where each client's begin.
func rearranged(d *fl.Dataset, start, order []int) (*fl.Dataset, []int) {
	var rows []int
	begin := []int{0}
	for _, i := range order {
		rows = append(rows, upTo(d.Len())[start[i]:start[i+1]]...)
		begin = append(begin, len(rows))
	}
	return d.Pick(rows), begin
}
