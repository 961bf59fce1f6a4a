package privacy

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// ε of both laws, with and without sampling, is that which 60 digits give, to 1e-9.
func TestGoldenDistributed(t *testing.T) {
	text, err := os.ReadFile("testdata/distributed.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Clients, Dim, Bits, Rounds, Drawn, Of                 int
		Range, Noise, Bias, Radii, Delta, Epsilon, Order, Tau float64
		Law                                                   string
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	var orders []float64
	for a := 2.0; a <= 256; a++ {
		orders = append(orders, a)
	}
	for _, g := range all {
		d := Distributed{Skellam: g.Law == "skellam", Noise: g.Noise, Clients: g.Clients,
			Dim: g.Dim, Bits: g.Bits, Range: g.Range, Bias: g.Bias}
		r, err := NewRDP(orders...)
		if err == nil {
			err = r.AddDistributed(d, g.Radii, float64(g.Drawn)/float64(g.Of), g.Rounds)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Epsilon(g.Delta)
		if err != nil || math.Abs(got.Epsilon/g.Epsilon-1) > 1e-9 || got.Order != g.Order {
			t.Errorf("%+v: ε = %v at %v (%v)", g, got.Epsilon, got.Order, err)
		}
		if tau := d.excess(); math.Abs(tau-g.Tau) > 1e-9*g.Tau+1e-300 {
			t.Errorf("%+v: τ = %v", g, tau)
		}
	}
}

// The bound is above the divergence of one coordinate, for sums of discrete Gaussians as they are,
// and tends to that of a Gaussian; it grows with the number of clients.
func TestDistributedDivergence(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		for _, z := range []float64{0.3, 1, 3} {
			d := Distributed{Noise: z, Clients: n, Dim: 1, Bits: 5, Range: 2, Bias: 0}
			two := math.Floor(d.Norm())
			law := sumOfDiscrete(d.Variance()/float64(n), n)
			for _, order := range []float64{1.5, 2, 8} {
				sum := 0.0
				for x := range law {
					if y := x - int(two); y >= 0 && law[x] > 0 && law[y] > 0 {
						sum += math.Exp(order*math.Log(law[x]) + (1-order)*math.Log(law[y]))
					}
				}
				exact, bound := math.Log(sum)/(order-1), d.divergence(1)(order)
				if exact > bound*(1+1e-9) || bound < order*two*two/(2*d.Variance()) {
					t.Errorf("n = %d, z = %v, order %v: %v, above %v", n, z, order, exact, bound)
				}
			}
		}
	}
	small := Distributed{Noise: 1, Clients: 2, Dim: 16, Bits: 8, Range: 4}
	for n := 3; n < 40; n++ {
		large := small
		large.Clients = n
		if large.excess() < small.excess() {
			t.Errorf("%d clients: τ = %v, less than %v", n, large.excess(), small.excess())
		}
		small = large
	}
}

// sumOfDiscrete returns the law of the sum of n discrete Gaussians with σ² = s, around the middle.
func sumOfDiscrete(s float64, n int) []float64 {
	const reach = 400
	one := make([]float64, 2*reach+1)
	total := 0.0
	for k := range one {
		x := float64(k - reach)
		one[k] = math.Exp(-x * x / (2 * s))
		total += one[k]
	}
	for k := range one {
		one[k] /= total
	}
	sum := append([]float64(nil), one...)
	for range n - 1 {
		next := make([]float64, len(one))
		for k := range next {
			for j, p := range one {
				if i := k - j + reach; i >= 0 && i < len(sum) {
					next[k] += p * sum[i]
				}
			}
		}
		sum = next
	}
	return sum
}

// The ring holds k standard deviations of a coordinate, and what is rounded is as long as is said:
// always without β, and else with probability 1 − β at least.
func TestDistributedScaleAndNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, d := range []Distributed{
		{Noise: 1, Clients: 10, Dim: 64, Bits: 8, Range: 4, Bias: 0.6},
		{Noise: 0.2, Clients: 100, Dim: 256, Bits: 10, Range: 3, Bias: 0},
		{Noise: 5, Clients: 3, Dim: 16, Bits: 6, Range: 2, Bias: 0.1},
	} {
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		s, n := d.Scale(), float64(d.Clients)
		deviation := math.Sqrt(s*s*(n*n/float64(d.Dim)+d.Noise*d.Noise) + n/4)
		if got := d.Range * deviation; math.Abs(got/math.Exp2(float64(d.Bits-1))-1) > 1e-12 {
			t.Errorf("%+v: the range is %v", d, got)
		}
		const draws = 20_000
		x, k, long := make(tensor.Vector, d.Dim), make([]int64, d.Dim), 0
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		x.Scale(1 / math.Sqrt(x.Dot(x)))
		ring := WrappingRing(1<<d.Bits, s, d.Clients)
		for range draws {
			if _, err := ring.Quantise(k, x, rng); err != nil {
				t.Fatal(err)
			}
			square := 0.0
			for _, v := range k {
				square += float64(v * v)
			}
			if math.Sqrt(square) > d.Norm() {
				long++
			}
		}
		share := float64(long) / draws
		if share > d.Bias+5*math.Sqrt(d.Bias/draws) {
			t.Errorf("%+v: %v of what is rounded is longer than %v", d, share, d.Norm())
		}
	}
	for _, bad := range []Distributed{
		{Noise: -1, Clients: 1, Dim: 1, Bits: 8, Range: 4}, {Clients: 0, Dim: 1, Bits: 8, Range: 4},
		{Clients: 1, Dim: 1, Bits: 1, Range: 4}, {Clients: 1, Dim: 1, Bits: 8},
		{Clients: 1, Dim: 1, Bits: 8, Range: 4, Bias: 1}, {Clients: 900, Dim: 1, Bits: 4, Range: 4},
	} {
		if bad.Check() == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	r, err := NewRDP()
	if err == nil {
		err = r.AddDistributed(Distributed{Clients: 2, Dim: 4, Bits: 8, Range: 4}, 2, 0.5, 3)
	}
	if err != nil || !math.IsInf(r.divergence[0], 1) {
		t.Errorf("without noise: %v (%v)", r.divergence[0], err)
	}
}

// A rotation is the matrix H·D: orthogonal, with entries ±1/√d, and its own inverse but for signs.
func TestRotation(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8, 33} {
		var r Rotation
		r.Draw(n, rand.New(rand.NewPCG(1, uint64(n))))
		d := Padded(n)
		columns := make([]tensor.Vector, d)
		for j := range columns {
			columns[j] = make(tensor.Vector, d)
			columns[j][j] = 1
			r.Apply(columns[j])
			for i, v := range columns[j] {
				if math.Abs(math.Abs(v)*math.Sqrt(float64(d))-1) > 1e-12 {
					t.Fatalf("n = %d: entry %d, %d is %v", n, i, j, v)
				}
			}
			for i := range j {
				if dot := columns[i].Dot(columns[j]); math.Abs(dot) > 1e-12 {
					t.Errorf("n = %d: columns %d and %d have the product %v", n, i, j, dot)
				}
			}
		}
		x := make(tensor.Vector, d)
		for i := range n {
			x[i] = float64(i + 1)
		}
		y := x.Clone()
		r.Apply(y)
		r.Undo(y)
		if y.Distance(x) > 1e-12*float64(n) {
			t.Errorf("n = %d: %v comes back as %v", n, x, y)
		}
	}
}

func BenchmarkSkellam(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		if _, err := Skellam(10_000, rng); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRotation(b *testing.B) {
	var r Rotation
	const n = 1 << 19
	r.Draw(n, rand.New(rand.NewPCG(1, 2)))
	x := make(tensor.Vector, n)
	x[0] = 1
	b.SetBytes(8 * n)
	for b.Loop() {
		r.Apply(x)
	}
}
