package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A kinship makes clients of similar people, so that enrolled clients differ from others in the
// target of learning.
//
// The training rows are halved again and again, as in a k-d tree: into clients 0 to ⌊n/2⌋−1, which
// have the smaller values of the first covariate, and the others; each half by the next covariate
// of the list, and after the last by the first again. Rows with the same value are ordered by the
// covariates that follow in the same order, then by their place in the file. In the end clients
// have ⌊m/n⌋ or ⌈m/n⌉ of m rows, the first ones of them more. Test rows go to the side on which
// they would have been as training rows, where place in the file is counted as a share of it.
type kinship struct {
	by []int // positions of covariates
}

// newKinship declares how a source with covariates makes its clients.
func newKinship(p *fl.Params, covariates []string) kinship {
	names := p.Texts("clients_by", "covariates by which people are sorted into clients that are "+
		"similar, halved by each in turn; all, "+strings.Join(covariates, ", ")+", when not given")
	if names == nil {
		names = covariates
	}
	var k kinship
	for i, name := range names {
		at := slices.Index(covariates, name)
		switch {
		case at < 0:
			p.Fail("clients_by", "there is no covariate %q; there are %s", name,
				strings.Join(covariates, ", "))
		case slices.Contains(k.by, at):
			p.Fail("clients_by", "%q is there twice, at last in place %d", name, i+1)
		}
		k.by = append(k.by, at)
	}
	if len(names) == 0 {
		p.Fail("clients_by", "is empty; there are %s", strings.Join(covariates, ", "))
	}
	return k
}

// settle sets the owners of all rows, for n clients. There may be no test data.
func (k kinship) settle(n int, train, test *fl.Dataset) error {
	if m := train.Len(); m < n {
		return fmt.Errorf("%d clients cannot be made of %d training rows", n, m)
	}
	var crowds [2][]person
	for part, d := range []*fl.Dataset{train, test} {
		if d == nil {
			continue
		}
		d.Owner = make([]int, d.Len())
		crowds[part] = make([]person, d.Len())
		for r := range d.Len() {
			x, place := d.Covariates.Row(r), (float64(r)+0.5)/float64(d.Len())
			crowds[part][r] = person{&d.Owner[r], x, place}
		}
	}
	k.halve(0, n, 0, crowds)
	return nil
}

// A person is a row that is looking for its client.
type person struct {
	owner *int
	x     fl.Vector // covariates
	place float64   // in the file, in (0, 1)
}

// halve makes clients lo to hi−1 of a crowd, training rows and test rows; depth counts the
// halvings before.
func (k kinship) halve(lo, hi, depth int, crowd [2][]person) {
	if hi-lo == 1 {
		for _, part := range crowd {
			for _, p := range part {
				*p.owner = lo
			}
		}
		return
	}
	order := func(a, b person) int { return k.compare(a, b, depth) }
	for _, part := range crowd {
		slices.SortFunc(part, order)
	}
	n, m, below := hi-lo, len(crowd[0]), (hi-lo)/2
	cut := below*(m/n) + min(below, m%n) // a share for each client, one more for the first m%n
	test, _ := slices.BinarySearchFunc(crowd[1], crowd[0][cut], order)
	k.halve(lo, lo+below, depth+1, [2][]person{crowd[0][:cut], crowd[1][:test]})
	k.halve(lo+below, hi, depth+1, [2][]person{crowd[0][cut:], crowd[1][test:]})
}

// compare orders people at a depth of the tree.
func (k kinship) compare(a, b person, depth int) int {
	for j := range k.by {
		at := k.by[(depth+j)%len(k.by)]
		if c := cmp.Compare(a.x[at], b.x[at]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.place, b.place)
}
