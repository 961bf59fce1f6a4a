package builtin

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// A featureSpace is how a frozen encoder scales its features.
type featureSpace struct {
	name   string
	scale  float64 // of every feature, where rows are not of unit length
	offset float64 // added to every feature before scaling
	unit   bool    // rows are divided by their length
	decay  float64 // the j-th feature is divided by so many to the j-th; 0: none is
}

// featureSpaces are scales that occur: standardised, with a large mean, large, in rows of unit
// length, and with the spectrum of an encoder, which decays.
var featureSpaces = []featureSpace{
	{name: "standardised", scale: 1},
	{name: "off-centre", scale: 0.3, offset: 2},
	{name: "large", scale: 4},
	{name: "unit length", scale: 1, offset: 3, unit: true},
	{name: "decaying", scale: 1, decay: 1.08},
	{name: "decaying, unit length", scale: 1, decay: 1.08, offset: 1, unit: true},
}

// scaledFeatures is the data set of a feature space, by its place in the list.
var scaledFeatures = fl.SourceEntry{Name: "scaled-features",
	New: func(p *fl.Params) (fl.Source, error) {
		k := p.Int("space", 0, fl.Closed(0, float64(len(featureSpaces)-1)), "of featureSpaces")
		return gaussianHeads{featureSpaces[k]}, nil
	}}

// inSpace picks the data set of the k-th feature space.
func inSpace(k int) study.Pick {
	return study.Pick{Name: "scaled-features", Params: map[string]any{"space": int64(k)}}
}

// gaussianHeads are samples of ten normal classes in 32 dimensions.
type gaussianHeads struct{ featureSpace }

func (gaussianHeads) Shape() fl.Shape { return fl.Shape{Features: 32, Classes: 10, Tested: true} }

// Load implements fl.Source.
func (g gaussianHeads) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	shape := g.Shape()
	means := fl.NewMatrix(shape.Classes, shape.Features)
	fl.Vector(means.Data).AddNoise(0.6, l.RNG)
	draw := func(n int) *fl.Dataset {
		d := &fl.Dataset{Shape: shape, X: fl.NewMatrix(n, shape.Features)}
		for i := range n {
			d.Y = append(d.Y, i%shape.Classes)
			x := d.X.Row(i)
			copy(x, means.Row(d.Y[i]))
			x.AddNoise(1, l.RNG)
			x.AddConst(g.offset)
			x.Scale(g.scale)
			for j := range x {
				if g.decay > 0 {
					x[j] /= math.Pow(g.decay, float64(j))
				}
			}
			if g.unit {
				x.Scale(1 / math.Sqrt(x.Dot(x)))
			}
		}
		return d
	}
	return draw(1500), draw(4000), nil
}

// trainedHead returns the accuracy of a head that is trained on all samples in one place until
// nothing is gained: standardised features, and so many full steps of all clients together.
func trainedHead(t *testing.T) float64 {
	t.Helper()
	s := head(t, one(0.5), fedavg("samples"), map[string]study.Pick{"dataset": inSpace(0)})
	s.Rounds, s.Every = 300, 300
	last, _ := play(t, s)
	return last["accuracy"]
}

// Every aggregator of statistics that clients send instead of models is examined by its
// defaults, with every local rule that sends them: on held-out features the head is within a few
// points of one that is trained well on all samples in one place, whatever the scale of features.
func TestHeadsAreGoodByTheirDefaults(t *testing.T) {
	const margin = 5 // points
	r, examined, best := menu(t), 0, trainedHead(t)
	if best < 70 || best > 99 {
		t.Fatalf("a head that is trained well reaches %v %%: too hard or too easy", best)
	}
	for k, in := range featureSpaces {
		data := map[string]study.Pick{"dataset": inSpace(k)}
		for _, pair := range statisticsPairs(r) {
			examined++
			local, aggregator := study.Pick{Name: pair[0]}, study.Pick{Name: pair[1]}
			last, _ := play(t, head(t, local, aggregator, data))
			t.Logf("%s, %s: %.1f %% of %.1f %%", in.name, pair, last["accuracy"], best)
			if last["accuracy"] < best-margin {
				t.Errorf("%s: %s reach %.1f %% by their defaults; a head that is trained well, "+
					"%.1f %%", in.name, pair, last["accuracy"], best)
			}
		}
	}
	if examined < 2*len(featureSpaces) {
		t.Errorf("%d heads were examined", examined)
	}
}

// statisticsPairs returns the local rules and aggregators that go together because the one sends
// and the other takes statistics of one kind. Rules that start from a model, or train models on
// public data, are left out: how good these are depends on more than the defaults.
func statisticsPairs(r *registry.Registry) (pairs [][2]string) {
	for _, aggregator := range r.Aggregators.Names() {
		a, _ := r.Aggregators.Get(aggregator)
		for _, local := range r.LocalRules.Names() {
			l, _ := r.LocalRules.Get(local)
			takes := fl.TraitsOf[fl.AggregatorTraits](a).Statistics
			sends := fl.TraitsOf[fl.LocalTraits](l)
			if takes != "" && sends.Statistics == takes && sends.NoModel && !sends.Public {
				pairs = append(pairs, [2]string{local, aggregator})
			}
		}
	}
	return pairs
}
