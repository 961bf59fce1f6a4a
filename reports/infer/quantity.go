package infer

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
)

// quantityOf returns what one cell measures under a key; nil for nothing.
func (p *Plan) quantityOf(i int, key string) study.Quantity {
	c := &p.In.Cells[i]
	k := slices.IndexFunc(c.Measures, func(m study.Measure) bool { return m.Key == key })
	if k < 0 {
		return nil
	}
	if p.In.Quantity == nil {
		return c.Quantity(&c.Measures[k], study.Traits{All: true})
	}
	return p.In.Quantity(c, &c.Measures[k])
}

// distinctSettings returns one of the cells of a place for each setting that they have.
func (p *Plan) distinctSettings(cells []int) []int {
	if len(cells) == 0 {
		return nil
	}
	list, known := p.leading[cells[0]]
	if known {
		return list
	}
	for _, i := range cells {
		same := func(k int) bool { return p.In.Cells[k].SameButSeed(&p.In.Cells[i]) }
		if !slices.ContainsFunc(list, same) {
			list = append(list, i)
		}
	}
	p.leading[cells[0]] = list
	return list
}

// Quantity returns what the cells of a place measure under a key: one quantity, in which
// values in which they differ are joined.
func (p *Plan) Quantity(cells []int, key string) study.Quantity {
	var all study.Quantity
	for _, i := range p.distinctSettings(cells) {
		q := p.quantityOf(i, key)
		if all == nil || q == nil {
			all = q
			continue
		}
		all = all.Joint(q)
	}
	return all
}
