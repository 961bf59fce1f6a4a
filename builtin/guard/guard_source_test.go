package guard

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// centredAt0 is a round of clients with these updates, from the model 0.
func centredAt0(updates ...fl.Vector) *fl.Guarding {
	g := guarding(updates, fl.NewStore())
	g.Global.Fill(0)
	for k := range g.Updates {
		copy(g.Updates[k].Params, updates[k])
	}
	return g
}

// same compares the updates of a round with those of another source.
func same(t *testing.T, what string, g *fl.Guarding, want []fl.Vector, tol float64) {
	t.Helper()
	if len(g.Updates) != len(want) {
		t.Fatalf("%s: %d updates, want %d", what, len(g.Updates), len(want))
	}
	for k, u := range g.Updates {
		if d := u.Params.Distance(want[k]); !(d <= tol) {
			t.Errorf("%s: update %d is %v, want %v", what, k, u.Params, want[k])
		}
	}
}

// The examples of ByzFL's documentation (LPD-EPFL/byzfl, preaggregators.py): the vectors (1, 2, 3),
// (4, 5, 6) and (7, 8, 9) with f = 1, c = 2 and s = 2, to the 8 digits that it prints. Its two
// examples of bucketing come from the orders 1, 3, 2 and 2, 3, 1; here buckets are in the order of
// their clients. Seven vectors with f = 2 are what the steps of its NNM and ARC give.
//
//hansa:verifies source guard/clip guard/arc guard/nnm guard/bucketing
func TestByzFLVectors(t *testing.T) {
	three := []fl.Vector{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
	seven := []fl.Vector{{1, 2, 3, 0}, {4, 5, 6, 1}, {7, 8, 9, -2}, {2, 0, 1, 5}, {3, 3, -4, 1},
		{40, -30, 50, 20}, {0, 1, 2, 2}}
	near, wide := fl.Vector{2, 2.2, 1.6, 1.8}, fl.Vector{2.8, 3.2, 4.2, 1.2}
	for _, c := range []struct {
		e     fl.GuardEntry
		given map[string]any
		of    []fl.Vector
		want  []fl.Vector
	}{
		{Clip, map[string]any{"radius": 2.0}, three, []fl.Vector{
			{0.53452248, 1.06904497, 1.60356745}, {0.91168461, 1.13960576, 1.36752692},
			{1.00514142, 1.14873305, 1.29232469}}},
		{ARC, map[string]any{"f": int64(1)}, three, []fl.Vector{three[0], three[1],
			{4.41004009, 5.04004582, 5.67005155}}},
		{NNM, map[string]any{"f": int64(1)}, three, []fl.Vector{{2.5, 3.5, 4.5}, {2.5, 3.5, 4.5},
			{5.5, 6.5, 7.5}}},
		{NNM, map[string]any{"f": int64(2)}, seven, []fl.Vector{near, wide, wide, near, near,
			{10.8, -3, 13.8, 4.8}, near}},
		{ARC, map[string]any{"f": int64(2)}, seven, []fl.Vector{seven[0], seven[1],
			{4.39352140, 5.02116732, 5.64881323, -1.25529183}, seven[3], seven[4],
			{4.80740170, -3.60555128, 6.00925213, 2.40370085}, seven[6]}},
	} {
		g := centredAt0(c.of...)
		if err := built(t, c.e, c.given).Apply(g); err != nil {
			t.Fatal(err)
		}
		same(t, c.e.Name, g, c.want, 2e-8)
	}
	b := built(t, Bucketing, map[string]any{"size": int64(2)}).(*bucketing)
	for _, c := range []struct {
		order []int
		want  []fl.Vector
	}{{[]int{0, 2, 1}, []fl.Vector{{4, 5, 6}, {4, 5, 6}}},
		{[]int{1, 2, 0}, []fl.Vector{{1, 2, 3}, {5.5, 6.5, 7.5}}}} {
		g := centredAt0(three...)
		b.fill(g, c.order)
		same(t, "bucketing", g, c.want, 1e-12)
	}
}

// The radii that the tests of TensorFlow Privacy expect of its geometric quantile estimator
// (tensorflow/privacy, quantile_estimator_query_test.py): two norms, η = log 2, and γ = 0 or 1.
//
//hansa:verifies source guard/adaptive-clip
func TestAdaptiveRadiiOfTensorFlowPrivacy(t *testing.T) {
	for _, c := range []struct {
		norms             [2]float64
		initial, quantile float64
		want              []float64
	}{
		{[2]float64{5, 2.5}, 16, 0, []float64{8, 4, 4 / math.Sqrt2, 2, 2}},
		{[2]float64{1.5, 3}, 0.5, 1, []float64{1, 2, 2 * math.Sqrt2, 4, 4}},
	} {
		state := fl.NewStore()
		guard := built(t, AdaptiveClip, map[string]any{"initial": c.initial,
			"quantile": c.quantile, "rate": math.Ln2})
		for k, want := range c.want {
			g := centredAt0(fl.Vector{c.norms[0], 0}, fl.Vector{0, c.norms[1]})
			g.State = state
			if err := guard.Apply(g); err != nil {
				t.Fatal(err)
			}
			got := c.initial * math.Exp(state.Vector("moved", 1)[0])
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("from %v: radius %d is %v, want %v", c.initial, k, got, want)
			}
		}
	}
}
