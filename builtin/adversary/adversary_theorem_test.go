package adversary

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Min-max and min-sum go to the bound of their definition and not beyond: a factor larger by 1e-6
// violates it.
//
//hansa:verifies theorem adversary/min-max adversary/min-sum
func TestPerturbationsAreAsLargeAsTheyMayBe(t *testing.T) {
	v := golden(t)
	for _, along := range []string{"inverse-unit", "inverse-std", "inverse-sign"} {
		for r, updates := range v.Updates {
			pairs := tensor.NewMatrix(honest, honest)
			tensor.SquaredDistances(pairs, updates[:honest])
			var sums []float64
			for k := range honest {
				sums = append(sums, pairs.Row(k).Sum())
			}
			for _, c := range []struct {
				e     fl.AdversaryEntry
				bound float64
				of    func(squares []float64) float64
			}{
				{MinMax, slices.Max(pairs.Data), slices.Max[[]float64]},
				{MinSum, slices.Max(sums), func(x []float64) float64 { return fl.Vector(x).Sum() }},
			} {
				e := built(t, c.e, map[string]any{"perturbation": along})
				u := sent(t, e, attackOf(updates, honest, nil))
				mean := make(fl.Vector, len(u))
				for _, x := range updates[:honest] {
					mean.AddScaled(1./honest, x)
				}
				measure := func(u fl.Vector) float64 {
					var squares []float64
					for _, x := range updates[:honest] {
						d := u.Distance(x)
						squares = append(squares, d*d)
					}
					return c.of(squares)
				}
				beyond := u.Clone()
				beyond.AddScaled(1e-6, u)
				beyond.AddScaled(-1e-6, mean)
				if at, past := measure(u), measure(beyond); math.Abs(at/c.bound-1) > 1e-9 ||
					past <= c.bound {
					t.Errorf("%s, %s, round %d: %v and beyond %v, bound %v", c.e.Name, along, r, at,
						past, c.bound)
				}
			}
		}
	}
}

// With ε = 0 IPM is zero, to the bit; with z = 0 all faulty clients of ALIE send the mean.
//
//hansa:verifies equivalence adversary/ipm adversary/zero adversary/alie
func TestAttacksReduce(t *testing.T) {
	for _, updates := range golden(t).Updates {
		a, b := attackOf(updates, honest, nil), attackOf(updates, honest, nil)
		sent(t, built(t, IPM, map[string]any{"epsilon": 0.0}), a)
		sent(t, built(t, Zero, nil), b)
		for k := range a.Updates {
			if !slices.Equal(a.Updates[k].Params, b.Updates[k].Params) {
				t.Errorf("ipm with ε = 0 sends %v, zero %v", a.Updates[k].Params, b.Updates[k].Params)
			}
		}
		none := sent(t, built(t, ALIE, map[string]any{"z": 0.0}), attackOf(updates, honest, nil))
		mean := sent(t, built(t, IPM, map[string]any{"epsilon": 1.0}), attackOf(updates, honest, nil))
		mean.Scale(-1)
		near(t, "alie with z = 0", none, mean, 1e-14)
	}
}

// The z of ALIE is the one whose normal probability its formula states, and grows with the faulty
// clients while these are a minority; half of the clients or more are no error.
//
//hansa:verifies theorem adversary/alie
func TestDeviationsOfALIE(t *testing.T) {
	for _, n := range []int{3, 10, 25, 50} {
		last := math.Inf(-1)
		for f := 1; f < n; f++ {
			z := Deviations(n, f)
			if s := n/2 + 1 - f; s >= 1 {
				p := float64(n-f-s) / float64(n-f)
				if back := 0.5 * math.Erfc(-z/math.Sqrt2); p > 0 && math.Abs(back-p) > 1e-12 {
					t.Errorf("n = %d, f = %d: Φ(%v) is %v, want %v", n, f, z, back, p)
				}
				if p > 0 && z < last {
					t.Errorf("n = %d, f = %d: z = %v is less than with one faulty client less", n, f, z)
				}
				last = z
			}
			if math.IsNaN(z) || math.IsInf(z, 0) {
				t.Errorf("n = %d, f = %d: z = %v", n, f, z)
			}
		}
	}
}

// Which number an honest client has is irrelevant: faulty clients send the same, to 1e-12.
//
//hansa:verifies invariance adversary/alie adversary/ipm adversary/min-max adversary/min-sum
func TestAttacksDoNotCountClients(t *testing.T) {
	for _, e := range []fl.AdversaryEntry{ALIE, IPM, MinMax, MinSum} {
		for _, updates := range golden(t).Updates {
			turned := slices.Clone(updates)
			slices.Reverse(turned[:honest])
			near(t, e.Name, sent(t, built(t, e, nil), attackOf(turned, honest, nil)),
				sent(t, built(t, e, nil), attackOf(updates, honest, nil)), 1e-12)
		}
	}
}

// Mimic sends what an honest client sends; which one stays after the warm-up. Where the updates
// differ along one line alone, it is the one farthest along it, from the second round on.
//
//hansa:verifies theorem adversary/mimic
func TestMimicFindsTheFarthest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	e, state := built(t, Mimic, map[string]any{"warmup": int64(6)}), fl.NewStore()
	for round := range 12 {
		far := 6 // the one farthest on one side, and 0 on the other
		if round >= 6 {
			far = 3
		}
		var updates [][]float64
		for k := range 9 {
			x := float64(k) - 3
			if k == far {
				x = 20
			}
			updates = append(updates, []float64{x, 0.01 * rng.NormFloat64(), 1})
		}
		a := attackOf(updates, honest, state)
		sent(t, e, a)
		z := state.Vector("direction", 3)
		if round > 0 && math.Abs(z[0]) < 0.99 {
			t.Errorf("round %d: direction %v", round, z)
		}
		want := 6
		if z[0] < 0 {
			want = 0
		}
		for _, u := range a.Updates {
			if round > 0 && !slices.Equal(u.Params, a.Honest[want].Params) {
				t.Errorf("round %d: %v is not what client %d sends", round, u.Params, want)
			}
		}
	}
}

// A label that is reversed twice, or shifted as often as there are classes, is what it was; a
// backdoor poisons the same samples in every round, and leaves the rest.
//
//hansa:verifies theorem adversary/label-flip adversary/backdoor
func TestPoisonIsTheSameInEveryRound(t *testing.T) {
	for mapping, times := range map[string]int{"reverse": 2, "shift": 5} {
		e := built(t, LabelFlip, map[string]any{"mapping": mapping}).(*fl.PoisonedData)
		d := &fl.Dataset{Shape: fl.Shape{Classes: 5}, Y: []int{0, 1, 2, 3, 4}}
		for k := range times {
			if err := e.Poisoner.Poison(&fl.Poisoning{Data: d}); err != nil {
				t.Fatal(err)
			}
			if same := slices.Equal(d.Y, []int{0, 1, 2, 3, 4}); same != (k == times-1) {
				t.Errorf("%s %d times: %v", mapping, k+1, d.Y)
			}
		}
	}
	e := built(t, Backdoor, map[string]any{"fraction": 0.3}).(*fl.PoisonedData)
	const n, side = 1000, 4
	poisoned := func() (d *fl.Dataset) {
		image := fl.Image{C: 1, H: side, W: side}
		d = &fl.Dataset{Shape: fl.Shape{Classes: 3, Features: side * side, Image: image},
			X: fl.NewMatrix(n, side*side), Y: make([]int, n)}
		for k := range d.Y {
			d.Y[k] = 1
		}
		p := &fl.Poisoning{Data: d, RNG: rand.New(rand.NewPCG(5, 6))}
		if err := e.Poisoner.Poison(p); err != nil {
			t.Fatal(err)
		}
		return d
	}
	one, other := poisoned(), poisoned()
	hits := 0
	for k, y := range one.Y {
		ink := one.X.Row(k).Sum()
		if y != other.Y[k] || (y == 0) != (ink == 9) || y == 1 && ink != 0 {
			t.Errorf("sample %d: label %d, %v pixels, and %d in the next round", k, y, ink, other.Y[k])
		}
		if y == 0 {
			hits++
		}
	}
	// Chebyshev's bound for 6 standard deviations is 1/36; the seed is fixed.
	if off := math.Abs(float64(hits) - 300); off > 6*math.Sqrt(n*0.3*0.7) {
		t.Errorf("%d of %d samples are poisoned, with probability 0.3", hits, n)
	}
}

// Gaussian noise has mean 0 and deviation σ about the model that was sent, or about the update; the
// noise of two faulty clients is not the same.
//
//hansa:verifies theorem adversary/gaussian-noise
func TestNoiseIsNormal(t *testing.T) {
	const n, sigma = 200_000, 2.5
	for _, add := range []bool{false, true} {
		update := make([]float64, n)
		fl.Vector(update).Fill(3)
		a := attackOf([][]float64{update, update}, 0, nil)
		e := built(t, GaussianNoise, map[string]any{"sigma": sigma, "add": add})
		u := sent(t, e, a)
		if slices.Equal(a.Updates[0].Params, a.Updates[1].Params) {
			t.Error("two clients send the same noise")
		}
		mean := u.Sum() / n
		u.AddConst(-mean)
		center := 0.0
		if add {
			center = 3
		}
		// Six standard errors, beyond which a normal mean lies with probability 2e-9.
		if variance := u.Dot(u) / n; math.Abs(mean-center) > 6*sigma/math.Sqrt(n) ||
			math.Abs(variance/(sigma*sigma)-1) > 6*math.Sqrt(2./n) {
			t.Errorf("add = %t: mean %v, variance %v", add, mean, variance)
		}
	}
}
