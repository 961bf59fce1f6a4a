package stats

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

func TestLedoitWolfGolden(t *testing.T) {
	type golden struct {
		Name     string
		Inputs   struct{ X []tensor.Vector }
		Expected struct {
			Covariance []tensor.Vector
			Shrinkage  float64
			Mean       tensor.Vector
		}
		Tol tolerance
	}
	for _, g := range readGolden[golden](t, "ledoit_wolf", 6) {
		s, err := LedoitWolf(matrix(g.Inputs.X))
		if err != nil {
			t.Fatal(err)
		}
		g.Tol.one(t, g.Name+": shrinkage", s.Shrinkage, g.Expected.Shrinkage)
		g.Tol.all(t, g.Name+": mean", s.Mean, g.Expected.Mean)
		for i, row := range g.Expected.Covariance {
			g.Tol.all(t, g.Name+": covariance", s.Cov.Row(i), row)
		}
	}
}

// The shrinkage is that of the definition, with ‖xₖxₖᵀ − S‖² summed sample by sample, wherever
// the origin lies, and between 0 and 1.
func TestLedoitWolfIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for _, n := range []int{2, 3, 10, 400} {
		for _, d := range []int{1, 2, 12} {
			x := tensor.Matrix{Rows: n, Cols: d, Data: normals(rng, n*d, 1)}
			for i := range n {
				x.Row(i)[0] *= 5
				x.Row(i).AddConst(1000)
			}
			m := naiveMoments(x, make([]int, n), 1)
			tensor.Vector(m.Within.Data).Scale(1 / float64(n))
			b, beyond, mean := 0.0, 0.0, trace(m.Within)/float64(d)
			for k := range n {
				z := x.Row(k).Clone()
				z.Sub(m.Mean.Row(0))
				for i := range d {
					for j := range d {
						b += math.Pow(z[i]*z[j]-m.Within.Row(i)[j], 2) / float64(n*n)
					}
				}
			}
			for i := range d {
				for j := range d {
					e := m.Within.Row(i)[j]
					if i == j {
						e -= mean
					}
					beyond += e * e
				}
			}
			want := 0.0
			if d > 1 {
				want = min(b, beyond) / beyond
			}
			got, err := LedoitWolf(x)
			if err != nil || math.Abs(got.Shrinkage-want) > 1e-10 {
				t.Errorf("%d×%d: δ = %v, want %v, %v", n, d, got.Shrinkage, want, err)
			}
			if d > 1 && n > d && got.Shrinkage == 0 {
				t.Errorf("%d×%d: nothing is shrunk", n, d)
			}
		}
	}
}

func TestLedoitWolfOfBadSamples(t *testing.T) {
	if _, err := LedoitWolf(tensor.NewMatrix(0, 3)); !errors.Is(err, ErrNoSamples) {
		t.Errorf("no samples: %v", err)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), 1e200} {
		rows := matrix([]tensor.Vector{{x, 1}, {0, 2}, {3, 3}})
		if _, err := LedoitWolf(rows); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%v: %v", x, err)
		}
	}
	s, err := LedoitWolf(matrix([]tensor.Vector{{1, 2, 3}}))
	if err != nil || s.Shrinkage != 0 || tensor.Vector(s.Cov.Data).Norm() != 0 || s.Mean[2] != 3 {
		t.Errorf("one sample: %+v, %v", s, err)
	}
	if lift, err := Floor(s.Cov); err != nil || lift != 1e-8 || s.Cov.Row(1)[1] != 1e-8 {
		t.Errorf("the floor of 0 lifts by %v, %v", lift, err)
	}
}

func TestFloor(t *testing.T) {
	cov := matrix([]tensor.Vector{{5e8, 0}, {0, 0}})
	lift, err := Floor(cov)
	if err != nil || math.Abs(lift-2.5) > 1e-7 || math.Abs(cov.Data[3]-2.5) > 1e-7 {
		t.Errorf("lifted by %v to %v, %v", lift, cov.Data, err)
	}
	cov = matrix([]tensor.Vector{{2, 1}, {1, 2}})
	if lift, err := Floor(cov); err != nil || lift != 0 || cov.Data[0] != 2 {
		t.Errorf("a regular covariance is lifted by %v, %v", lift, err)
	}
	if _, err := Floor(matrix([]tensor.Vector{{math.NaN()}})); err == nil {
		t.Error("NaN has a floor")
	}
	if lift, err := Floor(tensor.Matrix{}); err != nil || lift != 0 {
		t.Errorf("nothing is lifted by %v, %v", lift, err)
	}
}

// Vectors of testdata/oas.py, which has the equation of the paper in exact fractions.
func TestOASGolden(t *testing.T) {
	src, err := os.ReadFile("testdata/oas.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		X, Covariance []tensor.Vector
		Mean          tensor.Vector
		Shrinkage     float64
	}
	if err := json.Unmarshal(src, &cases); err != nil || len(cases) != 6 {
		t.Fatal(len(cases), err)
	}
	for i, c := range cases {
		s, err := OAS(matrix(c.X))
		want := matrix(c.Covariance)
		if err != nil || math.Abs(s.Shrinkage-c.Shrinkage) > 1e-13 ||
			s.Mean.Distance(c.Mean) > 1e-12*(1+c.Mean.Norm()) ||
			tensor.Vector(s.Cov.Data).Distance(want.Data) > 1e-13*tensor.Vector(want.Data).Norm() {
			t.Errorf("case %d: δ = %v, want %v, %v", i, s.Shrinkage, c.Shrinkage, err)
		}
	}
}

func TestOASOfBadSamples(t *testing.T) {
	for _, of := range []func(tensor.Matrix) (Shrunk, error){OAS, SampleCovariance} {
		if _, err := of(tensor.NewMatrix(0, 3)); !errors.Is(err, ErrNoSamples) {
			t.Errorf("no samples: %v", err)
		}
		for _, x := range []float64{math.NaN(), math.Inf(1), 1e200} {
			rows := matrix([]tensor.Vector{{x, 1}, {0, 2}, {3, 3}})
			if _, err := of(rows); !errors.Is(err, ErrNotFinite) {
				t.Errorf("%v: %v", x, err)
			}
		}
		s, err := of(matrix([]tensor.Vector{{1, 2, 3}}))
		if err != nil || tensor.Vector(s.Cov.Data).Norm() != 0 || s.Mean[2] != 3 {
			t.Errorf("one sample: %+v, %v", s, err)
		}
	}
}
