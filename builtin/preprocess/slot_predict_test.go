package preprocess

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// mixtures returns the moments of clients whose classes have one covariance, and whose labels
// differ.
func mixtures(rng *rand.Rand, m, count, clients int) []ot.Gaussian {
	means, within := fl.NewMatrix(count, m), fl.NewMatrix(m, m)
	for i := range means.Data {
		means.Data[i] = 2 * rng.NormFloat64()
	}
	for range 2 * m {
		v := make(fl.Vector, m)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		for i, x := range v {
			within.Row(i).AddScaled(x/float64(m), v)
		}
	}
	var laws []ot.Gaussian
	for range clients {
		share := make(fl.Vector, count)
		for c := range share {
			share[c] = rng.ExpFloat64()
		}
		share.Scale(1 / share.Sum())
		laws = append(laws, classes{mean: means, within: within}.mixed(share))
	}
	return laws
}

// TestTheoremLabelShiftIsExplained: of clients whose labels alone differ nothing is beyond label
// shift, and their predicted share of τ is 0, whatever the shares of classes are; an affine map of
// one client, or classes fewer than there are, leave something.
//
//hansa:verifies theorem preprocess/slot-align
func TestTheoremLabelShiftIsExplained(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	samples := []int{100_000, 300_000, 50_000, 200_000}
	for range 10 {
		laws := mixtures(rng, 12, 5, 4)
		p, err := predict(laws, samples, 5)
		if err != nil || p.share() > 1e-6 {
			t.Errorf("labels alone: %+v, %v", p, err)
		}
		if few, err := predict(laws, samples, 3); err != nil || few.share() < 0.9 {
			t.Errorf("fewer classes than there are: %+v, %v", few, err)
		}
		for i := range 12 { // features of one client have other scales
			by := math.Exp(0.5 * rng.NormFloat64())
			laws[1].Mean[i] *= by
			for j := range 12 {
				laws[1].Cov.Row(i)[j] *= by
				laws[1].Cov.Row(j)[i] *= by
			}
		}
		if p, err = predict(laws, samples, 5); err != nil || p.share() < 0.9 {
			t.Errorf("a domain of its own: %+v, %v", p, err)
		}
	}
}

// TestNoiseOfSecondMoments: V is the mean of E where clients are alike, and the predicted share is
// small then.
func TestNoiseOfSecondMoments(t *testing.T) {
	const draws = 300
	rng, seen, square, share := rand.New(rand.NewPCG(23, 24)), 0.0, 0.0, 0.0
	samples, noise := []int{200, 500, 1000}, 0.0
	for range draws {
		var laws []ot.Gaussian
		for _, n := range samples {
			g, _, err := estimator{shrinkage: unshrunk}.of(normals(rng, n, 1, 2, 3, 1, 1).X)
			if err != nil {
				t.Fatal(err)
			}
			laws = append(laws, g)
		}
		second, rows, err := whitened(laws, samples)
		if err != nil {
			t.Fatal(err)
		}
		energy := 0.0
		for k, apart := range second {
			energy += float64(samples[k]) / rows * fl.Vector(apart.Data).Dot(apart.Data)
		}
		p, err := predict(laws, samples, 3)
		if err != nil {
			t.Fatal(err)
		}
		noise = p.noise
		seen += energy / draws
		square += energy * energy / draws
		share += p.share() / draws
	}
	if by := math.Sqrt((square - seen*seen) / draws); math.Abs(seen-noise) > 4*by+0.02*noise {
		t.Errorf("E = %v ± %v, V = %v", seen, by, noise)
	}
	if share > 0.15 {
		t.Errorf("clients that are alike: %v of τ", share)
	}
}

// TestNoStatisticTells: the same features are those of label shift with three classes and of an
// offset with two, so that one prediction has to serve both.
func TestNoStatisticTells(t *testing.T) {
	of := func(labels ...int) []*fl.Dataset {
		var list []*fl.Dataset
		for k := range 2 {
			d := &fl.Dataset{Shape: fl.Shape{Features: 1, Classes: 3}, X: fl.NewMatrix(20, 1)}
			for i := range 20 {
				d.X.Data[i] = float64(k + i%2)
				d.Y = append(d.Y, labels[2*k+i%2])
			}
			list = append(list, d)
		}
		return list
	}
	// apart is how far features of one class are apart on two clients after alignment.
	apart := func(clients []*fl.Dataset) (gap float64) {
		moved, _, _ := aligned(t, made(t, SLOTAlign, map[string]any{"tau": 1.0}), clients)
		for i, a := range clients[0].Y {
			for j, b := range clients[1].Y {
				if a == b {
					gap = max(gap, math.Abs(moved[0].Data[i]-moved[1].Data[j]))
				}
			}
		}
		return gap
	}
	labels, domains := apart(of(0, 1, 1, 2)), apart(of(0, 1, 0, 1))
	if labels < 0.9 || domains > 0.1 {
		t.Errorf("classes are %v and %v apart after alignment", labels, domains)
	}
}

// TestPredictionIsUsed: all clients have the predicted share of τ, and shapes of which nothing can
// be predicted are refused.
func TestPredictionIsUsed(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(25, 26)), 6, 200, 300)
	given := map[string]any{"tau": 1.0, "tau_by": byPrediction}
	moved, reference, _ := aligned(t, made(t, SLOTAlign, given), clients)
	share := reference["share"].Data[0]
	want, _, _ := aligned(t, made(t, SLOTAlign, map[string]any{"tau": share}), clients)
	for k := range clients {
		if d := fl.Vector(moved[k].Data).Distance(want[k].Data); share < 0.5 || d > 1e-9 {
			t.Errorf("client %d: share %v, off by %v", k, share, d)
		}
	}
	const advice = "leave out predict"
	few := fl.Shape{Features: 9, Classes: 10}
	if _, err := made(t, SLOTAlign, given).Shape(few); err == nil ||
		!strings.Contains(err.Error(), advice) {
		t.Errorf("%+v: %v", few, err)
	}
	p := fl.NewParams(given, fl.Setting{Clients: 3, Shape: fl.Shape{Features: 9}}, nil)
	_, err := SLOTAlign.New(p)
	if wrong := p.Finish(); err != nil || !strings.Contains(fmt.Sprint(wrong), advice) {
		t.Errorf("rows without classes: %v, %v", err, wrong)
	}
}
