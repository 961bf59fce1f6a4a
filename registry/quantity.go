package registry

import (
	"math"
	"slices"
	"strconv"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// Quantity returns what a measure of a resolved cell measures, by what the components of this
// registry say of themselves. Of a component that is not in it the worst is assumed: the
// metric reads everything, the loss is one like no other, test rows depend on all of the
// dataset.
func (r *Registry) Quantity(c *study.Cell, m *study.Measure) study.Quantity {
	t := study.Traits{All: true}
	if reads := traits[fl.MetricTraits](&r.Metrics, m.Name).Reads; reads != nil {
		t.All = false
		for _, reading := range reads(m.Params) {
			t.Reads = append(t.Reads, string(reading))
		}
	}
	model := c.Picks["model"]
	if lossBy := traits[fl.ModelTraits](&r.Models, model.Name).Loss; lossBy != nil {
		loss := lossBy(model.Params)
		t.Loss = []study.Setting{{Path: "model.loss", Value: strconv.Quote(loss.Name)},
			{Path: "model.l2", Value: strconv.FormatFloat(loss.Penalty, 'g', -1, 64)}}
		if loss.Penalty != 0 { // it is one on the parameters of this model, for these features
			t.Loss = append(t.Loss, c.Predictor()...)
		}
	}
	data := c.Picks["dataset"]
	if untested := traits[fl.SourceTraits](&r.Sources, data.Name).Untested; untested != nil {
		t.Untested = untested(data.Params)
	}
	return c.Quantity(m, t)
}

// Range returns between which numbers the values of a measure of a resolved cell lie, by what the
// components of this registry say of themselves: −Inf and +Inf where nothing is known, as of the
// loss of a model that does not name it.
func (r *Registry) Range(c *study.Cell, m *study.Measure) (low, high float64) {
	t := traits[fl.MetricTraits](&r.Metrics, m.Name)
	named := traits[fl.ModelTraits](&r.Models, c.Picks["model"].Name).Loss != nil
	ofLoss := t.Reads == nil || slices.Contains(t.Reads(m.Params), fl.ReadsLoss)
	if t.Range == nil || ofLoss && !named {
		return math.Inf(-1), math.Inf(1)
	}
	return t.Range(m.Params)
}

// traits returns those of the entry called name, none where there is no such entry.
func traits[R fl.Traits[T], T any](t *Table[T], name string) R {
	e, _ := t.Get(name)
	return fl.TraitsOf[R](e)
}
