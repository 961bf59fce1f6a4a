package preprocess

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// normals returns n rows of N(0, diag(scale²)).
func normals(rng *rand.Rand, n int, scale ...float64) *fl.Dataset {
	d := &fl.Dataset{Shape: fl.Shape{Features: len(scale), Classes: 2}, Y: make([]int, n)}
	d.X = fl.NewMatrix(n, len(scale))
	for i := range n {
		for j, s := range scale {
			d.X.Row(i)[j] = s * rng.NormFloat64()
		}
	}
	return d
}

// TestNoiseOfMoments: V is what W₂² between the law of rows and the law that is estimated from n
// of them is in the mean, to first order in 1/n.
func TestNoiseOfMoments(t *testing.T) {
	const n, draws = 400, 2000
	scale := []float64{1, 2, 0.5, 3}
	truth := ot.Gaussian{Mean: make(fl.Vector, 4), Cov: fl.NewMatrix(4, 4)}
	for i, s := range scale {
		truth.Cov.Row(i)[i] = s * s
	}
	for _, e := range []estimator{{shrinkage: unshrunk}, {shrinkage: unshrunk, diagonal: true}} {
		rng, seen, square := rand.New(rand.NewPCG(1, 2)), 0.0, 0.0
		for range draws {
			g, _, err := e.of(normals(rng, n, scale...).X)
			if err != nil {
				t.Fatal(err)
			}
			w, err := new(ot.Bures).Distance(g, truth)
			if err != nil {
				t.Fatal(err)
			}
			seen += w * w / draws
			square += w * w * w * w / draws
		}
		v, err := e.noiseOf(truth, 0, n)
		deviation := math.Sqrt((square - seen*seen) / draws)
		if err != nil || math.Abs(seen-v) > 4*deviation+2*v/n {
			t.Errorf("%+v: V = %v, drawn %v ± %v, %v", e, v, seen, deviation, err)
		}
	}
}

// TestShrinkageOfTau: clients of one law are hardly moved, whichever their size, and a client of
// another law nearly all of the way.
//
//hansa:verifies invariance preprocess/slot-align
func TestShrinkageOfTau(t *testing.T) {
	const draws = 60
	rng := rand.New(rand.NewPCG(3, 4))
	p := made(t, SLOTAlign, map[string]any{"tau": 1.0, "tau_by": byShrinkage})
	shares := make(fl.Vector, 4)
	for range draws {
		clients := []*fl.Dataset{normals(rng, 300, 1, 2, 3), normals(rng, 100, 1, 2, 3),
			normals(rng, 1000, 1, 2, 3), normals(rng, 300, 1, 2, 3)}
		_, _, same := aligned(t, p, clients)
		for k := range 3 {
			shares[k] += same[k].Notes.Observations()[0].Mean / draws
		}
		for i := range clients[3].X.Rows {
			clients[3].X.Row(i)[0] += 5
		}
		_, _, moved := aligned(t, p, clients)
		shares[3] += moved[3].Notes.Observations()[0].Mean / draws
	}
	for k, s := range shares {
		if alike := k < 3; alike && s > 0.25 || !alike && s < 0.98 {
			t.Errorf("client %d: %v of τ", k, s)
		}
	}
	equal := normals(rng, 50, 1, 2)
	moved, _, m := aligned(t, p, []*fl.Dataset{equal, equal})
	if d := fl.Vector(moved[1].Data).Distance(equal.X.Data); d > 1e-6 {
		t.Errorf("clients with the same rows are moved by %v, share %v", d,
			m[1].Notes.Observations())
	}
}

// TestTheoremOtherCovariances: with every estimator the moments that it estimates become those of
// the reference; with variances alone a client sends 2m numbers.
//
//hansa:verifies theorem preprocess/slot-align
func TestTheoremOtherCovariances(t *testing.T) {
	clients := parts(rand.New(rand.NewPCG(19, 20)), 5, 40, 90, 30)
	for _, covariance := range []string{"full", "diagonal"} {
		for _, shrinkage := range []string{ledoitWolf, oas, unshrunk} {
			p := made(t, SLOTAlign, map[string]any{"tau": 1.0, "covariance": covariance,
				"shrinkage": shrinkage}).(*slotAlign)
			moved, broadcast, _ := aligned(t, p, clients)
			to := received(broadcast)
			for k, d := range clients {
				from, _, err := p.estimator.of(d.X)
				if err != nil {
					t.Fatal(err)
				}
				want, err := way{tau: 1}.move(&fl.TransformInput{Rows: d.X, Notes: new(fl.Notes)},
					from, to)
				if err != nil || fl.Vector(moved[k].Data).Distance(want.Data) > 1e-9 {
					t.Errorf("%s, %s: client %d: other rows, %v", covariance, shrinkage, k, err)
				}
				sent, err := p.Summarize(&fl.SummaryInput{Data: d})
				if n := map[string]int{"full": 20, "diagonal": 10}[covariance]; err != nil ||
					sent.Floats() != n {
					t.Errorf("%s: %d floats, %v", covariance, sent.Floats(), err)
				}
				if shrinkage == unshrunk {
					image, _, err := p.estimator.of(moved[k])
					if err != nil {
						t.Fatal(err)
					}
					sameLaw(t, k, image, to, 1e-6)
				}
			}
		}
	}
}
