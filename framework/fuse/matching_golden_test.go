package fuse_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/nn"
)

// matchings are the reference vectors of matching.py.
type matchings struct {
	Weights []struct {
		Sizes      []int
		A, B, Want fl.Vector
	}
	Atoms []struct {
		Own         [][]fl.Vector
		Precision   []fl.Vector
		Mean, Prior fl.Vector
		Gamma       float64
		Passes      int
		Of          [][]int
		Global      []fl.Vector
	}
}

func readMatchings(t *testing.T) (m matchings) {
	t.Helper()
	text, err := os.ReadFile("testdata/matching.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Weight matching agrees with a program of the paper's formulas whose assignments are SciPy's.
func TestGoldenWeightMatching(t *testing.T) {
	for _, c := range readMatchings(t).Weights {
		var layers []nn.Layer
		for k, n := range c.Sizes[1:] {
			if layers = append(layers, nn.Dense(n)); k < len(c.Sizes)-2 {
				layers = append(layers, nn.ReLU())
			}
		}
		net, err := nn.New(nn.Shape{H: 1, W: 1, C: c.Sizes[0]}, layers...)
		if err != nil {
			t.Fatal(err)
		}
		got, l := c.B.Clone(), net.Layout()
		done, err := new(fuse.Matcher).Match(got, c.A, &l, nil)
		if err != nil || !done.Converged {
			t.Fatal(done, err)
		}
		near(t, fmt.Sprint(c.Sizes), got, c.Want, 0)
	}
}

// Matched neurons and global ones agree with a program of PFNM's formulas.
func TestGoldenAtoms(t *testing.T) {
	for n, c := range readMatchings(t).Atoms {
		var own []fl.Matrix
		for _, rows := range c.Own {
			own = append(own, fl.Matrix{Rows: len(rows), Cols: len(rows[0]), Data: slices.Concat(rows...)})
		}
		a := &fuse.Atoms{Mean: c.Mean, Precision: c.Prior, Gamma: c.Gamma, Passes: c.Passes}
		got := a.Match(own, c.Precision, nil)
		if !slices.EqualFunc(got.Of, c.Of, slices.Equal) || got.Found != len(c.Global) {
			t.Errorf("case %d: %v, want %v", n, got.Of, c.Of)
			continue
		}
		near(t, fmt.Sprint("case ", n), got.Global.Data, slices.Concat(c.Global...), 1e-10)
	}
}

// Theorem: of networks whose neurons are far apart, and are the same ones in other orders and in
// part, the global neurons are these, each once, and each neuron is assigned to its own. What is
// left out are those of fewest networks.
func TestAtomsRecover(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 2))
	const dim, all, most = 6, 9, 7
	centres := fl.NewMatrix(all, dim)
	fl.Vector(centres.Data).AddNoise(10, rng)
	for range 10 {
		var own []fl.Matrix
		var truth [][]int
		count := make([]int, all)
		for range 5 {
			ids := rng.Perm(all)[:6]
			m := fl.NewMatrix(len(ids), dim)
			for l, i := range ids {
				copy(m.Row(l), centres.Row(i))
				count[i]++
			}
			own, truth = append(own, m), append(truth, ids)
		}
		precision := make([]fl.Vector, len(own))
		for j := range precision {
			precision[j] = make(fl.Vector, dim)
			precision[j].Fill(1)
		}
		prior := make(fl.Vector, dim)
		prior.Fill(1e-9)
		a := &fuse.Atoms{Mean: make(fl.Vector, dim), Precision: prior, Gamma: 1, Passes: 3}
		got := a.Match(own, precision, rng)
		known := 0
		for _, n := range count {
			if n > 0 {
				known++
			}
		}
		if got.Found != known || got.Global.Rows != known {
			t.Fatalf("%d global neurons, want %d", got.Found, known)
		}
		for j := range own {
			for l, i := range got.Of[j] {
				near(t, "a global neuron", got.Global.Row(i), centres.Row(truth[j][l]), 1e-7)
			}
		}
		a.Most = most
		cut := a.Match(own, precision, rng)
		fewest, left := 5, 0
		for j := range own {
			for l, i := range cut.Of[j] {
				if n := count[truth[j][l]]; i >= 0 {
					fewest = min(fewest, n)
				} else {
					left = max(left, n)
				}
			}
		}
		if cut.Global.Rows != min(most, known) || left > fewest {
			t.Errorf("%d are kept, of %d networks at least; one of %d is left out", cut.Global.Rows,
				fewest, left)
		}
	}
}
