package audit

import (
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A Risk is what a method does to an objective that is not the mean of losses, such as the loss of
// the worst clients, which a metric of the experiment names.
type Risk struct {
	Key     string  `json:"key"`     // of the metric
	Optimum float64 `json:"optimum"` // the least that the objective can be
	AtMean  float64 `json:"at_mean"` // what it is above that at θ*, where the mean is least
	Floor   float64 `json:"floor"`   // the same at θ_p̃: what the weights of the method alone cost
	Unknown string  `json:"unknown,omitempty"`
}

// risks returns those of all metrics that are objectives, where a method ends at theta.
func risks(s *engine.Setup, o engine.Options, w *engine.World, theta fl.Vector) ([]Risk, error) {
	var list []Risk
	for _, m := range s.Measures {
		of, ok := m.Metric.(fl.ObjectiveMetric)
		if !ok || m.Average || m.Best {
			continue
		}
		mean, err := engine.Optimum(s, o, w)
		if err != nil {
			return nil, err
		}
		at := fl.Snapshot{Worker: s.Model.Worker(), Model: s.Model, Roster: w.Environment,
			Population: w.Population}
		r := Risk{Key: m.Key}
		best, err := of.Least(&at)
		if err != nil {
			r.Unknown = err.Error()
			list = append(list, r)
			continue
		}
		r.Optimum = best.Value
		for _, x := range []struct {
			theta fl.Vector
			above *float64
		}{{mean.Params, &r.AtMean}, {theta, &r.Floor}} {
			at.Params = x.theta
			at.Reset()
			value, err := of.Value(&at)
			if err != nil {
				return nil, err
			}
			*x.above = value - best.Value
		}
		list = append(list, r)
	}
	return list, nil
}
