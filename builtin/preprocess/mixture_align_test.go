package preprocess

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// TestTheoremOneComponent: with one component rows are moved as slot-align moves them, whatever the
// covariances and weights, and as many floats are sent and one more.
//
//hansa:verifies theorem preprocess/mixture-align
func TestTheoremOneComponent(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(41, 1)), 5, 40, 90, 17)
	for _, given := range []map[string]any{{"tau": 1.0}, {"tau": 0.3, "weights": "equal"},
		{"tau": 1.0, "covariance": "diagonal", "shrinkage": "oas"}} {
		slot := made(t, SLOTAlign, given)
		want, _, _ := aligned(t, slot, clients)
		one := map[string]any{"components": int64(1)}
		for k, v := range given {
			one[k] = v
		}
		p := made(t, MixtureAlign, one)
		got, _, _ := aligned(t, p, clients)
		for k, d := range clients {
			if off := fl.Vector(got[k].Data).Distance(want[k].Data); off > 1e-9 {
				t.Errorf("%v, client %d: off by %v", given, k, off)
			}
			a, err := slot.Summarize(&fl.SummaryInput{Data: d})
			b, failed := p.Summarize(&fl.SummaryInput{Data: d})
			if err != nil || failed != nil || b.Floats() != a.Floats()+1 {
				t.Errorf("%v: %d floats, slot-align %d", given, b.Floats(), a.Floats())
			}
		}
	}
}

// heaps returns rows of a mixture of components that are far apart, of which none is round.
func heaps(rng *rand.Rand, n int) fl.Matrix {
	x := fl.NewMatrix(n, 3)
	for i := range n {
		g := float64(i % 3)
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		copy(x.Row(i), []float64{12*g + a, 5*g*g + 0.5*a + b, -9*g + 0.3*b + 0.5*c})
	}
	return x
}

// TestTheoremAffineCopy: of two clients of which one has the rows of the other under a symmetric
// positive map, every row meets its copy, half of the way, with both targets' components.
//
//hansa:verifies theorem preprocess/mixture-align
func TestTheoremAffineCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 2))
	x := heaps(rng, 300)
	a := [][]float64{{1.3, 0.2, 0.1}, {0.2, 0.8, -0.1}, {0.1, -0.1, 1.1}}
	y := fl.NewMatrix(x.Rows, 3)
	for i := range x.Rows {
		for j := range 3 {
			y.Row(i)[j] = 4 + float64(j) + fl.Vector(a[j]).Dot(x.Row(i))
		}
	}
	shape := fl.Shape{Features: 3, Classes: 4}
	clients := []*fl.Dataset{{Shape: shape, X: x}, {Shape: shape, X: y}}
	given := map[string]any{"tau": 1.0, "shrinkage": unshrunk}
	moved, _, _ := aligned(t, made(t, MixtureAlign, given), clients)
	gap := fl.Vector(moved[0].Data).Distance(moved[1].Data)
	if before := fl.Vector(x.Data).Distance(y.Data); gap > 1e-5*before {
		t.Errorf("rows and copies are %v apart after alignment, %v before", gap, before)
	}
	for k := range x.Data {
		if d := moved[0].Data[k] - (x.Data[k]+y.Data[k])/2; d > 1e-5 || d < -1e-5 {
			t.Fatalf("number %d is %v from half of the way", k, d)
		}
	}
	given["components"] = int64(1)
	if moved, _, _ = aligned(t, made(t, MixtureAlign, given), clients); fl.Vector(
		moved[0].Data).Distance(moved[1].Data) > 1e-5 {
		t.Error("one component does not recover an affine copy")
	}
}

// TestComponentsMeet: components of two clients, of which one has them farther apart, are at the
// same places after alignment, with both targets, and as many floats are sent back as components
// have.
func TestComponentsMeet(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 3))
	client := func(apart float64) *fl.Dataset {
		d := &fl.Dataset{Shape: fl.Shape{Features: 2, Classes: 2}, X: fl.NewMatrix(400, 2)}
		for i := range 400 {
			side := float64(i%2*2 - 1)
			d.X.Row(i)[0] = side*apart + rng.NormFloat64()*0.2*apart
			d.X.Row(i)[1] = rng.NormFloat64()
		}
		return d
	}
	clients := []*fl.Dataset{client(4), client(9)}
	centre := func(x fl.Matrix) (sum float64) { // of the right component
		for i := 1; i < x.Rows; i += 2 {
			sum += x.Row(i)[0] / float64(x.Rows/2)
		}
		return sum
	}
	for _, target := range []string{barycenter, "pooled"} {
		given := map[string]any{"tau": 1.0, "components": int64(2), "target": target}
		p := made(t, MixtureAlign, given)
		moved, reference, _ := aligned(t, p, clients)
		gap := centre(moved[0]) - centre(moved[1])
		if gap > 0.3 || gap < -0.3 {
			t.Errorf("%s: components are %v apart", target, gap)
		}
		want := map[string]int{barycenter: 2 * (1 + 2 + 3), "pooled": 4 * (1 + 2 + 3)}[target]
		if n := reference.Floats(); n != want {
			t.Errorf("%s: %d floats are sent back, want %d", target, n, want)
		}
	}
}

// TestMixtureShare: τ = 0 leaves rows to the bit and sends nothing, and what is moved does not depend on the call.
func TestMixtureShare(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(41, 4)), 3, 60, 50)
	still := made(t, MixtureAlign, map[string]any{"tau": 0.0})
	none, back, _ := aligned(t, still, clients)
	if sent, err := still.Summarize(&fl.SummaryInput{Data: clients[0]}); err != nil ||
		sent.Floats()+back.Floats() > 0 {
		t.Errorf("τ = 0: %d floats are sent, and %d back", sent.Floats(), back.Floats())
	}
	p := made(t, MixtureAlign, map[string]any{"tau": 1.0})
	first, _, _ := aligned(t, p, clients)
	again, _, _ := aligned(t, p, clients)
	for k, d := range clients {
		if !slices.Equal(none[k].Data, d.X.Data) {
			t.Errorf("client %d was moved", k)
		}
		if !slices.Equal(first[k].Data, again[k].Data) {
			t.Errorf("client %d: another mixture in another call", k)
		}
	}
}
