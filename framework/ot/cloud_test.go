package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// cloudOf returns n points of ℝᵈ in some place.
func cloudOf(rng *rand.Rand, d, n int, at, wide float64) tensor.Matrix {
	x := tensor.NewMatrix(d, n)
	for k := range x.Data {
		x.Data[k] = at + wide*rng.NormFloat64()
	}
	return x
}

// columns returns the cloud with these points.
func columns(points []tensor.Vector) tensor.Matrix {
	x := tensor.NewMatrix(len(points[0]), len(points))
	for i, p := range points {
		for k, v := range p {
			x.Row(k)[i] = v
		}
	}
	return x
}

// points returns those of a cloud.
func points(x tensor.Matrix) []tensor.Vector {
	list := make([]tensor.Vector, x.Cols)
	for i := range list {
		for k := range x.Rows {
			list[i] = append(list[i], x.Row(k)[i])
		}
	}
	return list
}

func mustFit(t *testing.T, m *ot.CloudMap, from, to tensor.Matrix) ot.CloudPlan {
	t.Helper()
	plan, err := m.Fit(from, to)
	if err != nil || !plan.Converged {
		t.Fatalf("%+v, %v", plan, err)
	}
	return plan
}

func mustApply(t *testing.T, m *ot.CloudMap, x tensor.Matrix) tensor.Matrix {
	t.Helper()
	y := tensor.NewMatrix(x.Rows, x.Cols)
	if err := m.Apply(y, x); err != nil {
		t.Fatal(err)
	}
	return y
}

// TestCloudGolden has the pixels of POT's SinkhornTransport, those that were fitted and others.
func TestCloudGolden(t *testing.T) {
	count := 0
	for _, g := range readGolden(t, "colour_alignment.json") {
		var in struct {
			Pixels []tensor.Vector `json:"source_pixels"`
			All    []tensor.Vector `json:"all_pixels"`
			Lambda float64         `json:"transport_reg"`
		}
		if g.inputs(t, &in); in.Pixels == nil {
			continue
		}
		count++
		var target []tensor.Vector
		for _, row := range g.Expected["target_points"].([]any) {
			target = append(target, nil)
			for _, x := range row.([]any) {
				target[len(target)-1] = append(target[len(target)-1], x.(float64))
			}
		}
		m := &ot.CloudMap{Lambda: in.Lambda, Epsilon: 1e-13, MaxSweeps: 10_000}
		mustFit(t, m, columns(in.Pixels), columns(target))
		g.check(t, "mapped_source_pixels", points(m.Image()))
		g.check(t, "mapped_all_pixels", points(mustApply(t, m, columns(in.All))))
	}
	if count != 2 {
		t.Errorf("%d cases, want 2", count)
	}
}

// The plan is that of the solvers, and the projection what it says, for clouds of other sizes far
// from the origin.
func TestCloudMapIsProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, lambda := range []float64{0, 0.02, 0.3} {
		for _, size := range [][3]int{{1, 9, 7}, {3, 20, 31}, {2, 1, 5}, {3, 40, 1}} {
			x := cloudOf(rng, size[0], size[1], 5, 0.3)
			y := cloudOf(rng, size[0], size[2], 4, 0.2)
			m := &ot.CloudMap{Lambda: lambda, Epsilon: 1e-11, MaxSweeps: 100_000}
			mustFit(t, m, x, y)
			p := ot.Transport{Cost: tensor.NewMatrix(x.Cols, y.Cols), A: even(x.Cols),
				B: even(y.Cols)}
			for i, a := range points(x) {
				for j, b := range points(y) {
					p.Cost.Row(i)[j] = math.Pow(a.Distance(b), 2)
				}
			}
			plan := tensor.NewMatrix(x.Cols, y.Cols)
			if lambda == 0 {
				var e ot.Exact
				e.Solve(p)
				e.Plan(plan)
			} else {
				e := ot.Entropic{Lambda: lambda, Epsilon: 1e-11, MaxSweeps: 100_000}
				e.Solve(p)
				e.Plan(plan)
			}
			for i, got := range points(m.Image()) {
				want := make(tensor.Vector, size[0])
				for j, b := range points(y) {
					want.AddScaled(plan.Row(i)[j]*float64(x.Cols), b)
				}
				if e := got.Distance(want); e > 1e-8 {
					t.Errorf("λ = %v, %v: point %d is %v away", lambda, size, i, e)
				}
			}
		}
	}
}

// A cloud goes nowhere if it is there already, and where it was shifted if it was; whatever is
// beside it goes along.
func TestCloudMapShifts(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	x := cloudOf(rng, 3, 60, 0.5, 0.2)
	near := cloudOf(rng, 3, 500, 0.5, 0.3)
	for _, shift := range []float64{0, -0.25, 4} {
		y := tensor.NewMatrix(3, 60)
		for i, p := range rng.Perm(60) {
			for k := range 3 {
				y.Row(k)[i] = x.Row(k)[p] + shift
			}
		}
		m := new(ot.CloudMap)
		mustFit(t, m, x, y)
		for k, v := range mustApply(t, m, near).Data {
			if math.Abs(v-near.Data[k]-shift) > 1e-12 {
				t.Fatalf("shift %v: %v goes to %v", shift, near.Data[k], v)
			}
		}
	}
}

// Points at one place go to one place, the mean of where an exact plan takes them; that is where an
// entropic plan takes them as λ → 0. Clouds of few levels, as flat areas of images are.
func TestTiedPointsGoToTheMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 11))
	for _, d := range []int{1, 3} {
		distinct := cloudOf(rng, d, 7, 0.5, 0.2)
		x, y := tensor.NewMatrix(d, 60), cloudOf(rng, d, 60, 0.4, 0.2)
		kind := make([]int, x.Cols)
		for i := range kind {
			kind[i] = rng.IntN(distinct.Cols)
			for k := range d {
				x.Row(k)[i] = distinct.Row(k)[kind[i]]
			}
		}
		exact := new(ot.CloudMap)
		mustFit(t, exact, x, y)
		limit := &ot.CloudMap{Lambda: 1e-6, Epsilon: 1e-9, MaxSweeps: 1_000_000}
		mustFit(t, limit, x, y)
		moved, near := points(exact.Image()), points(limit.Image())
		first, means := make([]tensor.Vector, distinct.Cols), make(tensor.Vector, d)
		for i, p := range moved {
			if off := p.Distance(near[i]); off > 1e-5 {
				t.Errorf("ℝ^%d: point %d is %v from the limit", d, i, off)
			}
			if f := first[kind[i]]; f != nil && !slices.Equal(f, p) {
				t.Errorf("ℝ^%d: point %d goes to %v, one at its place to %v", d, i, p, f)
			}
			first[kind[i]] = p
			means.AddScaled(1.0/60, p)
		}
		for k := range d { // no mass is lost
			if off := means[k] - tensor.Vector(y.Row(k)).Sum()/60; math.Abs(off) > 1e-12 {
				t.Errorf("ℝ^%d: the mean of coordinate %d is %v off", d, k, off)
			}
		}
	}
}

// The nearest point is the one that a search through all of them finds, the first of several, for
// pixels of few levels, where distances are often the same, and of any.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	for _, levels := range []float64{2, 5, 255, 1e300} {
		for _, d := range []int{1, 3, 4, 6} {
			draw := func(n int) tensor.Matrix {
				x := cloudOf(rng, d, n, 0.5, 0.25)
				if levels < 1e300 {
					for k, v := range x.Data {
						x.Data[k] = math.Round(v*levels) / levels
					}
				}
				return x
			}
			x, all := draw(120), draw(400)
			y := cloudOf(rng, d, 120, 0, 1)
			m := new(ot.CloudMap)
			mustFit(t, m, x, y)
			got, image, ps := mustApply(t, m, all), m.Image(), points(x)
			for p, at := range points(all) {
				square := func(a tensor.Vector) float64 {
					var q [8]float64
					for k, v := range a {
						q[k] = (at[k] - v) * (at[k] - v)
					}
					return q[0] + q[1] + (q[2] + q[3]) + (q[4] + q[5] + (q[6] + q[7]))
				}
				nearest := 0
				for i, a := range ps {
					if square(a) < square(ps[nearest]) {
						nearest = i
					}
				}
				for k, v := range at {
					want := image.Row(k)[nearest] + (v - ps[nearest][k])
					if got.Row(k)[p] != want {
						t.Fatalf("%v levels in ℝ^%d: point %d, %v instead of %v",
							levels, d, p, got.Row(k)[p], want)
					}
				}
			}
		}
	}
}

// spreadAround returns Σ wₛ·W₂²(cloudₛ, x).
func spreadAround(t *testing.T, w tensor.Vector, clouds []tensor.Matrix, x tensor.Matrix) float64 {
	sum := 0.0
	for s, c := range clouds {
		p := ot.Transport{Cost: tensor.NewMatrix(x.Cols, c.Cols), A: even(x.Cols), B: even(c.Cols)}
		for i, a := range points(x) {
			for j, b := range points(c) {
				p.Cost.Row(i)[j] = math.Pow(a.Distance(b), 2)
			}
		}
		var e ot.Exact
		sum += w[s] * e.Solve(p).Cost
	}
	return sum
}

// No step towards the barycenter increases the objective, there is no descent in the end, and the
// order of the clouds does not matter.
func TestTheoremCloudBarycenter(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	w := tensor.Vector{0.5, 0.2, 0.3}
	clouds := []tensor.Matrix{cloudOf(rng, 3, 20, 0, 1), cloudOf(rng, 3, 20, 2, 0.5),
		cloudOf(rng, 3, 31, -1, 2)}
	from := cloudOf(rng, 3, 20, 0, 0.1)
	var m ot.CloudMap
	last := math.Inf(1)
	for steps := 1; steps < 6; steps++ {
		b, err := m.Barycenter(w, clouds, from, 0, steps)
		if now := spreadAround(t, w, clouds, b.Points); err != nil || now > last*(1+1e-12) {
			t.Errorf("%v after %d steps, %v before, %v", now, steps, last, err)
		} else {
			last = now
		}
	}
	b, err := m.Barycenter(w, clouds, from, 1e-9, 1000)
	if err != nil || !b.Converged || b.Unfinished != 0 {
		t.Fatalf("%+v, %v", b, err)
	}
	best := spreadAround(t, w, clouds, b.Points)
	for range 20 {
		other := cloudOf(rng, 3, 20, 0, 1e-3)
		tensor.Vector(other.Data).AddScaled(1, b.Points.Data)
		if now := spreadAround(t, w, clouds, other); now < best {
			t.Errorf("%v beside the barycenter, which has %v", now, best)
		}
	}
	slices.Reverse(clouds)
	c, err := m.Barycenter(tensor.Vector{3, 2, 5}, clouds, from, 1e-9, 1000)
	if e := tensor.Vector(c.Points.Data).Distance(b.Points.Data); err != nil || e > 1e-9 {
		t.Errorf("%v away in another order, %v", e, err)
	}
}

// The barycenter of one cloud is that cloud, and of clouds that are shifted the one between.
func TestCloudBarycenterOfShifts(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	x := cloudOf(rng, 2, 40, 0, 1)
	y := tensor.Matrix{Rows: 2, Cols: 40, Data: slices.Clone(x.Data)}
	tensor.Vector(y.Data).AddConst(3)
	var m ot.CloudMap
	for _, c := range []struct {
		w     tensor.Vector
		shift float64
	}{{tensor.Vector{1, 0}, 0}, {tensor.Vector{2, 1}, 1}} {
		b, err := m.Barycenter(c.w, []tensor.Matrix{x, y}, x, 1e-12, 100)
		if err != nil || !b.Converged {
			t.Fatalf("%+v, %v", b, err)
		}
		for k, v := range b.Points.Data {
			if math.Abs(v-x.Data[k]-c.shift) > 1e-12 {
				t.Fatalf("weights %v: %v became %v", c.w, x.Data[k], v)
			}
		}
	}
}

func TestCloudRefuses(t *testing.T) {
	one, other := tensor.NewMatrix(3, 2), tensor.NewMatrix(2, 2)
	nan := tensor.NewMatrix(3, 2)
	nan.Data[4] = math.NaN()
	var m ot.CloudMap
	for name, pair := range map[string][2]tensor.Matrix{"dimensions": {one, other},
		"empty": {one, tensor.NewMatrix(3, 0)}, "NaN": {one, nan}, "NaN before": {nan, one}} {
		if _, err := m.Fit(pair[0], pair[1]); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (&ot.CloudMap{Lambda: -1}).Fit(one, one); err == nil {
		t.Error("λ = −1: no error")
	}
	mustFit(t, &m, one, one)
	if m.Apply(other, other) == nil {
		t.Error("points of another dimension: no error")
	}
	for _, w := range []tensor.Vector{{1}, {0, 0}, {-1, 2}, {math.NaN(), 1}} {
		if _, err := m.Barycenter(w, []tensor.Matrix{one, one}, one, 0, 1); err == nil {
			t.Errorf("weights %v: no error", w)
		}
	}
}

// Nothing is allocated for maps that are no larger than one before.
func TestCloudMapAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 6))
	x, y, all := cloudOf(rng, 3, 50, 0, 1), cloudOf(rng, 3, 50, 0, 1), cloudOf(rng, 3, 200, 0, 1)
	m := &ot.CloudMap{Lambda: 1, Epsilon: 1e-6, MaxSweeps: 1000}
	work := func() {
		mustFit(t, m, x, y)
		if err := m.Apply(all, all); err != nil {
			t.Fatal(err)
		}
	}
	work()
	if n := testing.AllocsPerRun(5, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
