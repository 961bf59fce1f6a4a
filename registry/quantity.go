package registry

import (
	"strconv"

	"github.com/hansa-fl/hansa/framework/study"
)

// Quantity returns what a measure of a resolved cell measures, by what the components of this
// registry say of themselves. Of a component that is not in it the worst is assumed: the
// metric reads everything, the loss is one like no other, test rows depend on all of the
// dataset.
func (r *Registry) Quantity(c *study.Cell, m *study.Measure) study.Quantity {
	t := study.Traits{All: true}
	if e, ok := r.Metrics.Get(m.Name); ok && e.Reads != nil {
		t.All = false
		for _, reading := range e.Reads(m.Params) {
			t.Reads = append(t.Reads, string(reading))
		}
	}
	model := c.Picks["model"]
	if e, ok := r.Models.Get(model.Name); ok && e.Loss != nil {
		loss := e.Loss(model.Params)
		t.Loss = []study.Setting{{Path: "model.loss", Value: strconv.Quote(loss.Name)},
			{Path: "model.l2", Value: strconv.FormatFloat(loss.Penalty, 'g', -1, 64)}}
		if loss.Penalty != 0 { // it is one on the parameters of this model, for these features
			t.Loss = append(t.Loss, c.Predictor()...)
		}
	}
	data := c.Picks["dataset"]
	if e, ok := r.Sources.Get(data.Name); ok && e.Untested != nil {
		t.Untested = e.Untested(data.Params)
	}
	return c.Quantity(m, t)
}
