package ot_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A square is a matrix as JSON has it.
type square [][]float64

func (s square) matrix() tensor.Matrix {
	m := tensor.NewMatrix(len(s), len(s[0]))
	for i, row := range s {
		copy(m.Row(i), row)
	}
	return m
}

// rows is the inverse of matrix.
func rows(m tensor.Matrix) square {
	s := make(square, m.Rows)
	for i := range s {
		s[i] = m.Row(i)
	}
	return s
}

// times returns a·b.
func times(a, b tensor.Matrix) tensor.Matrix {
	c := tensor.NewMatrix(a.Rows, b.Cols)
	tensor.Mul(c, a, b)
	return c
}

// turned returns Σᵢ λᵢ·vᵢ·vᵢᵀ for the eigenvectors v of the symmetric matrix m.
func turned(t *testing.T, m tensor.Matrix, lambda tensor.Vector) tensor.Matrix {
	t.Helper()
	_, v, err := new(tensor.Eigen).Factor(m)
	if err != nil {
		t.Fatal(err)
	}
	s := tensor.NewMatrix(m.Rows, m.Rows)
	for k, x := range lambda {
		for i := range m.Rows {
			s.Row(i).AddScaled(x*v.Row(k)[i], v.Row(k))
		}
	}
	for i := range m.Rows {
		for j := range i {
			s.Row(i)[j] = s.Row(j)[i]
		}
	}
	return s
}

// symmetric returns a symmetric matrix of random elements.
func symmetric(rng *rand.Rand, d int) tensor.Matrix {
	m := tensor.NewMatrix(d, d)
	for i := range d {
		for j := range i + 1 {
			m.Row(i)[j] = rng.NormFloat64()
			m.Row(j)[i] = m.Row(i)[j]
		}
	}
	return m
}

// gaussian returns a random law whose covariance has eigenvalues from 1 to condition.
func gaussian(t *testing.T, rng *rand.Rand, d int, condition float64) ot.Gaussian {
	lambda := make(tensor.Vector, d)
	for i := range lambda {
		lambda[i] = math.Pow(condition, rng.Float64())
	}
	return ot.Gaussian{Mean: gauss(rng, d, 1), Cov: turned(t, symmetric(rng, d), lambda)}
}

// several returns so many random laws, and weights for them.
func several(
	t *testing.T, rng *rand.Rand, k, d int, condition float64,
) (tensor.Vector, []ot.Gaussian) {
	gs, w := make([]ot.Gaussian, k), make(tensor.Vector, k)
	for i := range gs {
		gs[i], w[i] = gaussian(t, rng, d, condition), 0.2+rng.Float64()
	}
	w.Scale(1 / w.Sum())
	return w, gs
}

// far returns how far matrices are from each other, relative to the second.
func far(a, b tensor.Matrix) float64 {
	return tensor.Vector(a.Data).Distance(b.Data) / tensor.Vector(b.Data).Norm()
}

func mustDistance(t *testing.T, p, q ot.Gaussian) float64 {
	t.Helper()
	w, err := new(ot.Bures).Distance(p, q)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustMap(t *testing.T, p, q ot.Gaussian) ot.GaussianMap {
	t.Helper()
	m, err := new(ot.Bures).Map(p, q)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustBarycenter(t *testing.T, b *ot.Bures, w tensor.Vector, gs []ot.Gaussian) ot.Barycenter {
	t.Helper()
	c, err := b.Barycenter(w, gs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGaussianGolden(t *testing.T) {
	for _, g := range readGolden(t, "gaussian_ot.json") {
		var in struct {
			MeanSource tensor.Vector `json:"mean_source"`
			MeanTarget tensor.Vector `json:"mean_target"`
			CovSource  square        `json:"cov_source"`
			CovTarget  square        `json:"cov_target"`
			Taus       []float64
			Points     square
		}
		g.inputs(t, &in)
		if in.CovSource == nil {
			continue // see TestGaussiansOfSamplesGolden
		}
		from := ot.Gaussian{Mean: in.MeanSource, Cov: in.CovSource.matrix()}
		to := ot.Gaussian{Mean: in.MeanTarget, Cov: in.CovTarget.matrix()}
		if in.MeanSource == nil {
			from.Mean = make(tensor.Vector, from.Cov.Rows)
			to.Mean = from.Mean
		}
		bures := mustDistance(t, from, still(to, from))
		g.check(t, "bures_squared", bures*bures)
		m := mustMap(t, from, to)
		if g.Name == "singular_source_diagonal" {
			g.check(t, "A_on_range", rows(m.A))
			if m.Converged || m.Rank != 2 || math.Abs(m.Residual-1/math.Sqrt(83)) > 1e-12 {
				t.Errorf("the map that does not exist: %+v", m)
			}
			continue
		}
		g.check(t, "A", rows(m.A))
		if !m.Converged || m.Rank != m.A.Rows {
			t.Errorf("%s: residual %v, rank %d", g.Name, m.Residual, m.Rank)
		}
		if in.Taus == nil {
			continue
		}
		var b ot.Bures
		var means, covariances, left []any
		w := mustDistance(t, from, to)
		for _, tau := range in.Taus {
			between := b.Interpolate(m, from, tau)
			means, covariances = append(means, between.Mean), append(covariances, rows(between.Cov))
			left = append(left, mustDistance(t, between, to))
		}
		g.check(t, "interpolated_means", means)
		g.check(t, "interpolated_covariances", covariances)
		g.check(t, "w2_to_target_by_tau", left)
		g.check(t, "w2", w)
		g.check(t, "w2_squared", w*w)
		points := in.Points.matrix()
		b.Apply(points, points, m, 0.4)
		g.check(t, "mapped_points_tau_0.4", rows(points))
		origin := tensor.NewMatrix(1, points.Cols)
		b.Apply(origin, origin, m, 1)
		g.check(t, "b", origin.Data)
	}
}

func TestBarycenterGolden(t *testing.T) {
	for _, g := range readGolden(t, "bw_barycenter.json") {
		var in struct {
			Means       []tensor.Vector
			Covariances []square
			Weights     tensor.Vector
		}
		g.inputs(t, &in)
		var gs []ot.Gaussian
		for k, s := range in.Covariances {
			gs = append(gs, ot.Gaussian{Mean: in.Means[k], Cov: s.matrix()})
		}
		if gs == nil {
			continue // see TestGaussiansOfSamplesGolden
		}
		for _, b := range []ot.Bures{{}, {Plain: true, Tolerance: 1e-13, MaxIterations: 5000}} {
			c := mustBarycenter(t, &b, in.Weights, gs)
			if !c.Converged || c.Rank != len(c.Mean) {
				t.Errorf("%s: %+v", g.Name, c)
			}
			g.check(t, "mean", c.Mean)
			g.check(t, "covariance", rows(c.Cov))
			if _, asked := g.Expected["objective"]; asked {
				g.check(t, "objective", c.Objective)
			}
		}
	}
}

// The whole of an alignment, from features to features, and the map of POT between samples.
func TestGaussiansOfSamplesGolden(t *testing.T) {
	var b ot.Bures
	cases := append(readGolden(t, "bw_barycenter.json"), readGolden(t, "gaussian_ot.json")...)
	for _, g := range cases {
		var in struct {
			Features []square
			Tau      float64
			Xs, Xt   square
			Reg      float64
		}
		g.inputs(t, &in)
		if in.Xs != nil {
			from, to := law(in.Xs.matrix()), law(in.Xt.matrix())
			for i := range from.Mean {
				from.Cov.Row(i)[i] += in.Reg
				to.Cov.Row(i)[i] += in.Reg
			}
			m := mustMap(t, from, to)
			origin := tensor.NewMatrix(1, len(from.Mean))
			b.Apply(origin, origin, m, 1)
			g.check(t, "A", rows(m.A))
			g.check(t, "b", origin.Data)
		}
		if in.Features == nil {
			continue
		}
		var gs []ot.Gaussian
		var w, shrinkage tensor.Vector
		var covariances, aligned []any
		for _, x := range in.Features {
			s, err := stats.LedoitWolf(x.matrix())
			if err != nil {
				t.Fatal(err)
			}
			gs, w = append(gs, ot.Gaussian{Mean: s.Mean, Cov: s.Cov}), append(w, float64(len(x)))
			shrinkage = append(shrinkage, s.Shrinkage)
			covariances = append(covariances, rows(s.Cov))
		}
		c := mustBarycenter(t, &b, w, gs)
		for k, x := range in.Features {
			moved := x.matrix()
			b.Apply(moved, moved, mustMap(t, gs[k], c.Gaussian), in.Tau)
			aligned = append(aligned, rows(moved))
		}
		g.check(t, "shrinkage", shrinkage)
		g.check(t, "covariances", covariances)
		g.check(t, "barycenter_mean", c.Mean)
		g.check(t, "barycenter_covariance", rows(c.Cov))
		g.check(t, "aligned_features", aligned)
	}
}
