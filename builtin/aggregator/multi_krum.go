// Multi-Krum — the mean of the models that lie closest to their neighbours.
//
//	P. Blanchard, E. M. El Mhamdi, R. Guerraoui, J. Stainer. Machine Learning with Adversaries:
//	Byzantine Tolerant Gradient Descent. NIPS 2017, Section 6: Multi-Krum.
//
// Notation: as for Krum; the m models of least score are averaged, each counting the same.
//
// With weights = "samples" each of the m models counts by the samples that its client reports, as
// in Flower (aggregate_krum, which ends in the weighted mean of what it keeps). No breakdown point
// holds then: one faulty client among the m that reports enough of them is the mean.
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
		a := &krum{faulty: newFaulty(p, krumNeeds),
			chosen: p.Int("m", 0, fl.AtLeast(0), "m, models that are averaged; 0: n − f"),
			bySamples: p.Choice("weights", "uniform", "whether each of these counts the same, as "+
				"published, or by the samples that its client reports", "uniform",
				"samples") == "samples"}
		p.Later("weights")
		return a, nil
	},
}
