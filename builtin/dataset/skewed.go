package dataset

import (
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// What data sets have in common that change the rows of another one by the client of a row, before
// any partition. So rows have a natural client: the one of the wrapped data set, or else one drawn
// at random, in equal shares but for a row, for training and test rows.

// newWrapped declares the data set that is changed, or says that none is named.
func newWrapped(p *fl.Params, doc string) fl.Source {
	of := p.Source("of", "required: the data set "+doc)
	if of == nil && p.Setting().Known() {
		p.Fail("of", `is required, such as of = { name = "glyphs", image = "colour" }`)
	}
	return of
}

// wrappedName returns what the wrapped data set is called.
func wrappedName(p *fl.Params) any {
	of, _ := p.Resolved()["of"].(map[string]any)
	return of["name"]
}

// assigned returns rows of a shape that belong to clients: to their natural clients, or at random.
// They share memory with d.
func assigned(d *fl.Dataset, shape fl.Shape, clients int, rng *rand.Rand) *fl.Dataset {
	own := *d
	own.Shape = shape
	if own.Owner == nil {
		own.Owner = rng.Perm(d.Len())
		for r := range own.Owner {
			own.Owner[r] %= clients
		}
	}
	return &own
}

// clusters are groups of clients: client i is in number i mod n. They are the domains of rows.
type clusters struct {
	of    fl.Source
	names []string
	clean bool // test rows are as they are
}

// newClusters declares clusters, each of a name of its own.
func newClusters(p *fl.Params, of fl.Source, what string) clusters {
	c := clusters{of: of}
	n := p.Int("clusters", 4, fl.Closed(1, 1<<16), "how many groups of clients there are; client "+
		"i is in number i mod clusters, and rows of number 0 are as they are")
	if clients := p.Setting().Clients; clients > 0 && n > clients {
		p.Fail("clusters", "%d groups of %d clients", n, clients)
	}
	c.clean = p.Choice("test", "own", "test rows are changed as those of their client, or not",
		"own", "clean") == "clean"
	for k := range n {
		c.names = append(c.names, fmt.Sprintf("%s %d", what, k))
	}
	return c
}

// Shape is that of the wrapped data set, with a natural client and a domain for every row.
func (c *clusters) Shape() fl.Shape {
	shape := c.of.Shape()
	shape.Owned, shape.Domains = true, c.names
	return shape
}

// load loads the wrapped data set, and changes the rows of every cluster but the first.
func (c *clusters) load(l *fl.LoadInput, change func(d *fl.Dataset, seed uint64) error) (
	train, test *fl.Dataset, err error) {
	if train, test, err = c.of.Load(l); err != nil {
		return nil, nil, err
	}
	seed := l.RNG.Uint64()
	deals := fl.NewStream(seed, "deal")
	for k, d := range partsOf(train, test) {
		own := assigned(d, c.Shape(), l.Clients, deals.At(k, 0).Rand())
		own.Domain = make([]int, own.Len())
		for r, i := range own.Owner {
			own.Domain[r] = i % len(c.names)
		}
		if k == 0 {
			train = own
		} else {
			test = own
		}
		if k == 1 && c.clean {
			continue
		}
		if err := change(own, seed); err != nil {
			return nil, nil, err
		}
	}
	return train, test, nil
}
