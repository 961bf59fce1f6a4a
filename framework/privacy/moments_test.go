package privacy

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// contribution returns what a sample of a class adds, in coordinates whose lengths are those of the
// mechanism: counts, sums over R, and squares over R² with √2 for what stands on both sides.
func contribution(m Moments, x tensor.Vector, class, classes int, byClass bool) tensor.Vector {
	u := x.Clone()
	m.Clip(u)
	u.Scale(1 / m.Radius)
	d := len(u)
	var out tensor.Vector
	at := func(c int, v float64) float64 {
		if c == class {
			return v
		}
		return 0
	}
	for c := range classes {
		if m.Classes {
			out = append(out, at(c, 1))
		}
		for _, v := range u {
			out = append(out, at(c, v))
		}
		for i := range d {
			for j := range i {
				if byClass {
					out = append(out, at(c, math.Sqrt2*u[i]*u[j]))
				} else if c == 0 {
					out = append(out, math.Sqrt2*u[i]*u[j])
				}
			}
			if byClass {
				out = append(out, at(c, u[i]*u[i]))
			} else if c == 0 {
				out = append(out, u[i]*u[i])
			}
		}
	}
	return out
}

// A sample that is another one moves counts, sums and squares by Δ at most, by brute force over a
// grid of directions, lengths and classes; the grid comes within a thousandth of Δ.
func TestSensitivityOfMoments(t *testing.T) {
	var rows []tensor.Vector
	for _, length := range []float64{0, 0.3, 0.6, 0.9, 1, 1.7} { // in radii
		for k := range 24 {
			a := 2 * math.Pi * float64(k) / 24
			rows = append(rows, tensor.Vector{2.5 * length * math.Cos(a), 2.5 * length * math.Sin(a)})
		}
	}
	for _, c := range []struct {
		m       Moments
		classes int
		byClass bool
	}{
		{Moments{Radius: 2.5}, 1, false},
		{Moments{Radius: 2.5, Classes: true}, 2, false},
		{Moments{Radius: 2.5, Classes: true}, 2, true},
	} {
		most := 0.0
		for _, x := range rows {
			for _, y := range rows {
				for class := range c.classes {
					one := contribution(c.m, x, 0, c.classes, c.byClass)
					other := contribution(c.m, y, class, c.classes, c.byClass)
					most = max(most, one.Distance(other))
				}
			}
		}
		if delta := c.m.Sensitivity(); most > delta+1e-12 || most < 0.999*delta {
			t.Errorf("%+v: a sample moves them by %v, Δ is %v", c, most, delta)
		}
	}
}

// The noise has the standard deviations zΔ, zΔR, zΔR² and, beside the diagonal, zΔR²/√2, within five
// standard deviations over 20,000 draws; squares stay symmetric.
func TestNoiseOfMoments(t *testing.T) {
	const draws, d = 20_000, 3
	m := Moments{Radius: 0.7, Noise: 1.9, Classes: true}
	rng := rand.New(rand.NewPCG(6, 6))
	var counts, sums, diagonal, beside float64
	for range draws {
		n, s, q := make(tensor.Vector, 1), make(tensor.Vector, 1), tensor.NewMatrix(d, d)
		m.Counts(n, rng)
		m.Sums(s, rng)
		m.Squares(q, rng)
		counts += n[0] * n[0] / draws
		sums += s[0] * s[0] / draws
		diagonal += q.Row(1)[1] * q.Row(1)[1] / draws
		beside += q.Row(2)[0] * q.Row(2)[0] / draws
		if q.Row(0)[1] != q.Row(1)[0] || q.Row(0)[2] != q.Row(2)[0] {
			t.Fatal("squares are not symmetric")
		}
	}
	unit := 1.9 * math.Sqrt(6)
	for name, c := range map[string][2]float64{"counts": {counts, unit}, "sums": {sums, unit * 0.7},
		"diagonal": {diagonal, unit * 0.49}, "beside": {beside, unit * 0.49 / math.Sqrt2}} {
		if got, want := c[0], c[1]*c[1]; math.Abs(got/want-1) > 5*math.Sqrt(2.0/draws) {
			t.Errorf("%s: a variance of %v, want %v", name, got, want)
		}
	}
	// The closed form of Balle and Wang, by bisection in Python; three uploads are one with z/√3.
	for _, c := range []struct {
		uploads int
		want    float64
	}{{0, 0}, {1, 4.3771780956812245}, {3, 8.385418924216829}} {
		got, err := Moments{Radius: 1, Noise: 1}.Epsilon(1e-5, c.uploads)
		if err != nil || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d uploads: ε = %v, want %v (%v)", c.uploads, got, c.want, err)
		}
	}
	if (Moments{Noise: 1}).Check() == nil || (Moments{Radius: 1, Noise: -1}).Check() == nil {
		t.Error("no radius, or less than no noise, was accepted")
	}
}
