package guard

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/framework/fl"
)

// An attack is a round of eleven clients, of which the first ones send the same point, far away.
type attack struct {
	updates        []fl.Vector
	mean           fl.Vector // of honest updates
	diameter, most float64   // of honest updates: largest distance, largest norm
}

func attackBy(many int, far float64) attack {
	const n, size = 11, 5
	rng := rand.New(rand.NewPCG(3, uint64(many)))
	a := attack{mean: make(fl.Vector, size), diameter: 1}
	for k := range n {
		d := make(fl.Vector, size)
		for i := range d {
			if d[i] = rng.NormFloat64(); k < many {
				d[i] = far
			}
		}
		if a.updates = append(a.updates, d); k < many {
			continue
		}
		a.mean.AddScaled(1/float64(n-many), d)
		a.most = max(a.most, d.Norm())
		for _, other := range a.updates[many:] {
			a.diameter = max(a.diameter, d.Distance(other))
		}
	}
	return a
}

// moved returns what a rule makes of the updates that a guard leaves.
func moved(t *testing.T, g *fl.Guarding, e fl.AggregatorEntry) fl.Vector {
	t.Helper()
	given := map[string]any{}
	if e.Name == "fedavg" {
		given["weights"] = "uniform"
	}
	rule, err := e.New(fl.NewParams(given, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	out, err := rule.Aggregate(&fl.Round{Global: g.Global, Updates: g.Updates, Notes: g.Notes,
		State: fl.NewStore(), Roster: &fl.Roster{N: len(g.Updates)}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Params
}

// off returns how far what a rule makes of a guarded round is from the mean of honest updates, in
// diameters of these.
func (a *attack) off(t *testing.T, apply func(g *fl.Guarding) error, e fl.AggregatorEntry) float64 {
	t.Helper()
	g := centredAt0(a.updates...)
	if err := apply(g); err != nil {
		t.Fatal(err)
	}
	return moved(t, g, e).Distance(a.mean) / a.diameter
}

// Of eleven clients so many may send anything, and what comes after a guard stays within two
// diameters of honest updates; with one more it goes wherever they want. ARC with f = 2 shortens
// three updates, and gives a plain mean that breakdown point; a median keeps its own, five. NNM
// with f = 2 gives none to a mean, as the mix of a faulty update has it, and two to a median.
//
//hansa:verifies breakdown guard/arc guard/nnm
func TestBreakdownAfterGuards(t *testing.T) {
	two := map[string]any{"f": int64(2)}
	for _, one := range []struct {
		g      fl.GuardEntry
		e      fl.AggregatorEntry
		stands int
	}{{ARC, aggregator.FedAvg, 3}, {ARC, aggregator.CoordinateMedian, 5},
		{NNM, aggregator.FedAvg, 0}, {NNM, aggregator.CoordinateMedian, 2}} {
		guard := built(t, one.g, two)
		for many := range one.stands + 1 {
			for _, far := range []float64{30, 1e9, -1e200} {
				a := attackBy(many, far)
				if off := a.off(t, guard.Apply, one.e); !(off < 2) {
					t.Errorf("%s before %s: %d at %v move it by %v diameters", one.g.Name,
						one.e.Name, many, far, off)
				}
			}
		}
		a := attackBy(one.stands+1, 1e9)
		if off := a.off(t, guard.Apply, one.e); off < 1e6 {
			t.Errorf("%s before %s: %d move it by %v diameters only", one.g.Name, one.e.Name,
				one.stands+1, off)
		}
	}
}

// However many clients send whatever they want, a plain mean of clipped updates moves by no more
// than the radius, and f of n clients change it by no more than 2f/n of that. Without the guard one
// client takes it anywhere.
//
//hansa:verifies breakdown guard/clip
func TestClippingBoundsAMean(t *testing.T) {
	const radius = 1.5
	guard := built(t, Clip, map[string]any{"radius": radius})
	for many := 1; many <= 11; many++ {
		var before fl.Vector
		for _, far := range []float64{0.1, 30, -1e9, -1e200} {
			g := centredAt0(attackBy(many, far).updates...)
			if err := guard.Apply(g); err != nil {
				t.Fatal(err)
			}
			got := moved(t, g, aggregator.FedAvg)
			if norm := got.Norm(); norm > radius*(1+1e-12) {
				t.Errorf("%d at %v move it by %v", many, far, norm)
			}
			if before == nil {
				before = got
			}
			if d := got.Distance(before); d > 2*radius*float64(many)/11*(1+1e-12) {
				t.Errorf("%d at %v change it by %v", many, far, d)
			}
		}
	}
	a := attackBy(1, 1e9)
	if off := a.off(t, fl.NoGuard{}.Apply, aggregator.FedAvg); off < 1e7 {
		t.Errorf("without a guard one client moves the mean by %v diameters only", off)
	}
}

// With γ = 0.5 the radius of adaptive clipping stays near the norms of honest updates as long as
// five of eleven clients send what is far away, in every one of 300 rounds, and so do the moves of
// a plain mean; with six it grows without end.
//
//hansa:verifies breakdown guard/adaptive-clip
func TestAdaptiveRadiusBreaksWithTheMedian(t *testing.T) {
	const rate = 1.0
	for many := range 7 {
		a, state := attackBy(many, 1e30), fl.NewStore()
		guard := built(t, AdaptiveClip, map[string]any{"initial": 1.0, "rate": rate})
		largest := 0.0
		for range 300 {
			g := centredAt0(a.updates...)
			g.State = state
			if err := guard.Apply(g); err != nil {
				t.Fatal(err)
			}
			largest = max(largest, moved(t, g, aggregator.FedAvg).Norm())
		}
		if limit := a.most * math.Exp(rate/2); many <= 5 && largest > limit {
			t.Errorf("%d clients move the mean by %v, at most %v", many, largest, limit)
		} else if many == 6 && largest < 1e4 {
			t.Errorf("six clients move the mean by %v only", largest)
		}
	}
}

// f of eleven clients spoil at most f of six buckets of two, in any order: a median of buckets
// stands two, where one of clients stands five, and with three it depends on the order. A mean of
// buckets stands none.
//
//hansa:verifies breakdown guard/bucketing
func TestBucketsSpreadFaultyClients(t *testing.T) {
	b := built(t, Bucketing, map[string]any{"size": int64(2)}).(*bucketing)
	rng := rand.New(rand.NewPCG(11, 12))
	broken, whole := 0, 0
	for range 200 {
		order := rng.Perm(11)
		apply := func(g *fl.Guarding) error {
			b.fill(g, slices.Clone(order))
			return nil
		}
		for many := range 4 {
			a := attackBy(many, 1e9)
			off := a.off(t, apply, aggregator.CoordinateMedian)
			switch {
			case many < 3 && off > 2:
				t.Errorf("%d in the order %v: %v diameters", many, order, off)
			case many == 3 && off > 1e7:
				broken++
			case many == 3:
				whole++
			}
		}
		a := attackBy(1, 1e9)
		if off := a.off(t, apply, aggregator.FedAvg); off < 1e7 {
			t.Errorf("one client moves a mean of buckets by %v diameters only", off)
		}
	}
	if broken == 0 || whole == 0 {
		t.Errorf("three clients break %d orders of %d", broken, broken+whole)
	}
}
