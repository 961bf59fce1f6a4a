package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

func TestExponentialsOnAllPaths(t *testing.T) {
	const times = 2000
	samePathsOfBoth(t, times,
		func(p path, m *maker[float32]) []float32 {
			x := m.slice(m.length())
			stretchOut(x, 30)
			z, prob := m.slice(len(x)), m.slice(len(x))
			sum := expSum32(p, z, x, 1.5)
			shift, total := probabilities32(p, prob, x, 1)
			return []float32{sum, shift, total}
		},
		func(p path, m *maker[float64]) []float64 {
			x := m.slice(m.length())
			stretchOut(x, 200)
			y, z, prob := m.slice(len(x)), m.slice(len(x)), m.slice(len(x))
			exp64(p, y, x)
			sum := expSum64(p, z, x, 1.5)
			return []float64{sum, softmax64(p, prob, x), logSumExp64(p, x)}
		})
}

// stretchOut makes the numbers of every other slice so many times larger.
func stretchOut[T float](x []T, times T) {
	if len(x)%2 == 0 {
		for i := range x {
			x[i] *= times
		}
	}
}

func TestCrossEntropyOnAllPaths(t *testing.T) {
	const times = 500
	samePathsOfBoth(t, times,
		func(p path, m *maker[float32]) []float32 {
			classes, labels := 1+m.IntN(40), make([]int, m.IntN(9))
			for i := range labels {
				labels[i] = m.IntN(classes)
			}
			x := m.slice(classes * len(labels))
			return []float32{float32(crossEntropy32(p, x, x, labels, 0.125))}
		},
		func(p path, m *maker[float64]) []float64 {
			classes, labels := 1+m.IntN(40), make([]int, m.IntN(9))
			for i := range labels {
				labels[i] = m.IntN(classes)
			}
			x := m.slice(classes * len(labels))
			return []float64{crossEntropy64(p, x, x, labels, 0.125)}
		})
}

// exactExp returns eˣ to 200 bits: (e^(x/2ᵏ))^(2ᵏ) by Taylor's series.
func exactExp(x float64) *big.Float {
	const halvings = 20
	newFloat := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	r := newFloat(math.Ldexp(x, -halvings))
	sum, term := newFloat(1), newFloat(1)
	for k := 1; k < 40; k++ {
		term.Mul(term, r).Quo(term, newFloat(float64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExpIsRightToOneUlp(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	x := []float64{0, 1, -1, 0x1p-60, -0x1p-1074, 0.34657359, 709.782712893384, -745.13, -708.4}
	for range 5000 {
		x = append(x, 1450*rng.Float64()-745, rng.NormFloat64())
	}
	y := make([]float64, len(x))
	Exp(y, x)
	worst := 0.0
	for i, v := range x {
		exact := exactExp(v)
		want, _ := exact.Float64()
		if math.IsInf(want, 0) || math.IsInf(y[i], 0) {
			if want != y[i] {
				t.Fatalf("exp(%v) is %v, want %v", v, y[i], want)
			}
			continue
		}
		ulp := math.Nextafter(want, math.Inf(1)) - want
		exact.Sub(exact, new(big.Float).SetFloat64(y[i]))
		gap, _ := exact.Quo(exact, new(big.Float).SetFloat64(ulp)).Float64()
		worst = max(worst, math.Abs(gap))
	}
	if worst > 1 {
		t.Errorf("off by %v ulp", worst)
	}
	t.Logf("at most %.3f ulp", worst)
}

// Softmax in float32 is as right as eˣ is, which is what is added up there.
func TestExponentialsOfFloat32AreRightToOneUlp(t *testing.T) {
	worst := 0.0
	const n = 1 << 16
	x, y := make([]float32, n), make([]float32, n)
	for lo := uint64(0); lo < 1<<32; lo += n * 257 {
		for i := range x {
			x[i] = math.Float32frombits(uint32(lo + uint64(i)*257))
		}
		expSum32(active, y, x, 0)
		for i, v := range x {
			want := math.Exp(float64(v))
			if single := float32(want); v != v || single > math.MaxFloat32 || y[i] > math.MaxFloat32 {
				if (v == v || y[i] == y[i]) && single != y[i] {
					t.Fatalf("exp(%v) is %v, want %v", v, y[i], single)
				}
				continue
			}
			single := float32(want)
			ulp := float64(math.Nextafter32(single, float32(math.Inf(1)))) - float64(single)
			worst = max(worst, math.Abs(float64(y[i])-want)/ulp)
		}
	}
	if worst > 1 {
		t.Errorf("off by %v ulp", worst)
	}
	t.Logf("at most %.3f ulp", worst)
}

func TestExpAtTheEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := []float64{inf, -inf, nan, 710, -746, 0, math.Copysign(0, -1), 1e300, -1e300}
	want := []float64{inf, 0, nan, inf, 0, 1, 1, inf, 0}
	x32, want32 := make([]float32, len(x)), make([]float32, len(x))
	for i := range x {
		x32[i], want32[i] = float32(x[i]), float32(want[i])
	}
	for _, p := range usable() {
		got, got32 := make([]float64, len(x)), make([]float32, len(x))
		exp64(p, got, x)
		expSum32(p, got32, x32, 0)
		for _, err := range []error{sameBits(got, want), sameBits(got32, want32)} {
			if err != nil {
				t.Errorf("%v: %v", p, err)
			}
		}
	}
}

func TestLogSumExpAgainstNaiveLoops(t *testing.T) {
	m := &maker[float64]{Rand: rand.New(rand.NewPCG(9, 9))}
	for range 500 {
		x := m.slice(1 + m.length())
		x32, prob := make([]float32, len(x)), make([]float64, len(x))
		sum := 0.0
		for i, v := range x {
			sum += math.Exp(v)
			x32[i] = float32(v)
			x[i] += 1000
		}
		want := []float64{1000 + math.Log(sum)}
		near(t, "LogSumExp", []float64{LogSumExp(x)}, want)
		near(t, "Softmax", []float64{Softmax(prob, x)}, want)
		for i := range prob {
			near(t, "probability", prob[i:i+1], []float64{math.Exp(x[i] - want[0])})
		}
		shift, total := probabilities32(active, x32, x32, 1)
		close32(t, "log sum", []float32{shift + float32(math.Log(float64(total)))},
			[]float64{math.Log(sum)}, 1e-5)
		close32(t, "probability", x32, prob, 1e-5)
	}
}

func TestLogSumExpAtTheEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{nil, -inf}, {[]float64{-inf, -inf}, -inf}, {[]float64{-inf, 3}, 3}, {[]float64{inf, 3}, inf},
		{[]float64{nan, 3}, nan}, {[]float64{nan, inf}, nan}, {[]float64{nan, -inf}, nan},
		{[]float64{-1e300, -1e300}, -1e300}, {[]float64{1e308, 1e308}, 1e308},
	} {
		for _, p := range usable() {
			if err := sameBits([]float64{logSumExp64(p, c.x)}, []float64{c.want}); err != nil {
				t.Errorf("%v: of %v: %v", p, c.x, err)
			}
		}
	}
}

// TestCrossEntropyIsTheGradientOfItsLoss compares with differences of the loss.
func TestCrossEntropyIsTheGradientOfItsLoss(t *testing.T) {
	m := &maker[float64]{Rand: rand.New(rand.NewPCG(10, 10))}
	const classes, scale = 11, 0.25
	labels := []int{3, 0, 10, 3}
	x, grad := m.slice(classes*len(labels)), m.slice(classes*len(labels))
	room := make([]float64, len(x))
	loss := CrossEntropy(grad, x, labels, scale)
	x32 := make([]float32, len(x))
	for i, v := range x {
		const step = 1e-5
		x32[i] = float32(v)
		x[i] = v + step
		up := CrossEntropy(room, x, labels, scale)
		x[i] = v - step
		down := CrossEntropy(room, x, labels, scale)
		x[i] = v
		if slope := scale * (up - down) / (2 * step); math.Abs(slope-grad[i]) > 1e-9 {
			t.Errorf("score %d: gradient %v, the loss rises by %v", i, grad[i], slope)
		}
	}
	close32(t, "CrossEntropy32", []float32{float32(CrossEntropy32(x32, x32, labels, scale))},
		[]float64{loss}, 1e-6)
	close32(t, "CrossEntropy32", x32, grad, 1e-6)
}

func TestExponentialsThatDoNotFitPanic(t *testing.T) {
	x, y := make([]float64, 3), make([]float64, 4)
	x32 := make([]float32, 3)
	kerneltest.Panics(t, map[string]func(){
		"Exp":             func() { Exp(x, y) },
		"Softmax":         func() { Softmax(x, y) },
		"ragged scores":   func() { CrossEntropy(x, x, []int{0, 0}, 1) },
		"short gradient":  func() { CrossEntropy(x, y, []int{0}, 1) },
		"no label":        func() { CrossEntropy(x, x, nil, 1) },
		"no such class":   func() { CrossEntropy(x, x, []int{3}, 1) },
		"no such class32": func() { CrossEntropy32(x32, x32, []int{-1}, 1) },
	})
}

func TestExponentialsAllocateNothing(t *testing.T) {
	var x [200]float64
	var x32 [200]float32
	labels := []int{0, 1, 2, 3}
	kerneltest.None(t, func() {
		Exp(x[:], x[:])
		LogSumExp(x[:])
		CrossEntropy(x[:], x[:], labels, 1)
		CrossEntropy32(x32[:], x32[:], labels, 1)
	})
}
