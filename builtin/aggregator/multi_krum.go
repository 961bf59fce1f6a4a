// Multi-Krum — the mean of the models that lie closest to their neighbours.
//
//	P. Blanchard, E. M. El Mhamdi, R. Guerraoui, J. Stainer. Machine Learning with Adversaries:
//	Byzantine Tolerant Gradient Descent. NIPS 2017, Section 6: Multi-Krum.
//
// Notation: as for Krum; the m models of least score are averaged, each counting the same.
//
// Departures: those of Krum. The paper leaves m open; m = 0 stands for n − f, as many as are not
// faulty.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// MultiKrum describes the aggregator that averages several to the registry.
var MultiKrum = fl.AggregatorEntry{
	Name:       "multi-krum",
	Summary:    "mean of the m models that are closest to their neighbours",
	Paper:      "blanchard2017",
	Deviations: krumDeviations,
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &krum{faulty: newFaulty(p, krumNeeds),
			chosen: p.Int("m", 0, fl.AtLeast(0), "m, models that are averaged; 0: n − f")}, nil
	},
}
