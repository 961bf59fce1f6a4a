package store

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/study"
)

// Part returns a plan with some of the cells of this one: those at which kept, which is as long
// as the list of cells, is true. A part knows all cells of the plan that it is one of.
func (p *Plan) Part(kept []bool) *Plan {
	part := *p
	part.Cells, part.IDs = nil, nil
	for i, k := range kept {
		if k {
			part.Cells, part.IDs = append(part.Cells, p.Cells[i]), append(part.IDs, p.IDs[i])
		}
	}
	if len(part.Cells) < len(p.Cells) && p.Whole == nil {
		part.Whole = p.Cells
	}
	return &part
}

// Only returns a plan with the cells that pass filters, as study.Kept reads them.
func (p *Plan) Only(filters []string) (*Plan, error) {
	kept, err := study.Kept(p.Cells, filters)
	if err != nil {
		return nil, err
	}
	return p.Part(kept), nil
}

// Methods lists the labels of the methods, each once, in the order of the cells.
func (p *Plan) Methods() (labels []string) {
	return each(p.Cells, func(c *study.Cell) []string { return []string{c.Method} })
}

// Metrics lists the keys of what is measured, each once.
func (p *Plan) Metrics() (keys []string) {
	return each(p.Cells, func(c *study.Cell) (own []string) {
		for _, m := range c.Measures {
			own = append(own, m.Key)
		}
		return own
	})
}

// Seeds lists the seeds, each once.
func (p *Plan) Seeds() []uint64 {
	return each(p.Cells, func(c *study.Cell) []uint64 { return []uint64{c.Seed} })
}

// Coordinates lists what filters can ask for, each once: methods, points of the sweep, seeds, as
// "key=value".
func (p *Plan) Coordinates() (words []string) {
	for _, m := range p.Methods() {
		words = append(words, "method="+m)
	}
	return append(words, each(p.Cells, func(c *study.Cell) (own []string) {
		for _, at := range c.Point {
			own = append(own, at.Filter())
		}
		return append(own, fmt.Sprint("seed=", c.Seed))
	})...)
}

// each lists what cells have, each value once, in the order of the cells.
func each[T comparable](cells []study.Cell, of func(c *study.Cell) []T) (all []T) {
	known := map[T]bool{}
	for i := range cells {
		for _, v := range of(&cells[i]) {
			if !known[v] {
				known[v] = true
				all = append(all, v)
			}
		}
	}
	return all
}
