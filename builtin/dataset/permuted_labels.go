// Permuted labels — clusters of clients call the same classes by other labels: a concept shift that
// no common model can follow.
//
//	F. Sattler, K.-R. Müller, W. Samek. Clustered Federated Learning: Model-Agnostic Distributed
//	Multitask Optimization under Privacy Constraints. IEEE Transactions on Neural Networks and
//	Learning Systems 32(8), 2021, Section VI: permuted labels.
//
// Notation: k clusters, C classes. Client i is in cluster c = i mod k, and a label y of its rows
// becomes π_c(y). π_0 is the identity, so that cluster 0 is as the wrapped data set has it; the
// others are drawn uniformly from all permutations of the classes. The clusters are the domains of
// rows, and features stay as they are.
//
// π_c depends on the seed and on c, not on k and N. The client of a row is the one of the wrapped
// data set, or else one drawn at random, in equal shares but for a row. Test rows belong to
// clients, too, and have their labels, unless test says otherwise.
//
// Departures: one cluster keeps its labels.

package dataset

import "github.com/hansa-fl/hansa/framework/fl"

// PermutedLabels describes the data set to the registry.
var PermutedLabels = fl.SourceEntry{
	Name:       "permuted-labels",
	Summary:    "another data set, with a permutation of labels for every cluster of clients",
	Paper:      "sattler2021",
	Deviations: "one cluster keeps its labels",
	New:        newPermutedLabels,
	Example:    map[string]any{"of": map[string]any{"name": "glyphs", "train": int64(60)}},
}

type permutedLabels struct{ clusters }

var _ fl.Source = (*permutedLabels)(nil)

func newPermutedLabels(p *fl.Params) (fl.Source, error) {
	s := &permutedLabels{newClusters(p, newWrapped(p, "of classes"), "permutation")}
	if p.Setting().Known() && s.of != nil && s.of.Shape().Classes == 0 {
		p.Fail("of", "labels are of classes; %v has targets", wrappedName(p))
	}
	return s, nil
}

// Load loads the wrapped data set, and changes its labels.
func (s *permutedLabels) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	return s.load(l, func(d *fl.Dataset, seed uint64) error {
		draws := fl.NewStream(seed, "permutation")
		var of [][]int
		for c := range s.names {
			of = append(of, draws.At(0, c).Rand().Perm(d.Shape.Classes))
		}
		labels := d.Shape.PerRow()
		own := make([]int, len(d.Y))
		for k, y := range d.Y {
			if own[k] = y; d.Domain[k/labels] > 0 {
				own[k] = of[d.Domain[k/labels]][y]
			}
		}
		d.Y = own
		return nil
	})
}
