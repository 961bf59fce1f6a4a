package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

func TestLayersOnAllPaths(t *testing.T) {
	samePaths(t, 3000, func(p path, m *maker[float32]) []float32 {
		cols, rows := 1+m.length(), m.IntN(12)
		bias, x, y := m.slice(cols), m.slice(rows*cols), m.slice(rows*cols)
		addBias(p, x, bias, lowest())
		addBias(p, y, bias, 0)
		reluBack32(p, x, y)
		addColumns(p, bias, x)
		if m.IntN(2) == 0 {
			cols = (cols + 7) &^ 7
		}
		a, z, dst, row := m.slice(cols), m.slice(rows*cols), m.slice(rows*cols), m.slice(cols)
		for _, s := range []scaling{
			{dst, z, a, row, m.IntN(2) == 0}, {z, z, a, dst, m.IntN(2) == 0}, {dst, z, a, dst, false},
		} {
			s.run(p)
		}
		return nil
	})
}

func TestMomentsOnAllPaths(t *testing.T) {
	for seed := range uint64(1000) {
		var want []float64
		for _, p := range usable() {
			m := &maker[float32]{Rand: rand.New(rand.NewPCG(seed, 3)), wild: seed%2 == 1}
			cols, rows := 1+m.length(), m.IntN(12)
			if m.IntN(2) == 0 {
				cols = (cols + 15) &^ 15
			}
			room := random(m.Rand, 2*cols+9) // with canaries between and behind
			x, y := m.slice(rows*cols), m.slice(rows*cols)
			moments(p, room[:cols], room[cols+4:][:cols], x, y)
			if p == generic {
				want = room
			}
			if err := sameBits(room, want); err != nil {
				t.Fatalf("seed %d: %v and generic differ: %v", seed, p, err)
			}
			if m.wild {
				continue
			}
			for c := range cols {
				sum, dot := 0.0, 0.0
				for i := c; i < len(x); i += cols {
					sum += float64(x[i])
					dot += float64(x[i]) * float64(y[i])
				}
				near(t, "Moments32", []float64{room[c], room[cols+4+c]}, []float64{sum, dot})
			}
		}
	}
}

func TestPoolsOnAllPaths(t *testing.T) {
	samePaths(t, 3000, func(p path, m *maker[float32]) []float32 {
		channels, pixels := 1+m.IntN(70), 1+m.IntN(4)
		n := channels * pixels
		top, bottom, largest, mean := m.slice(2*n), m.slice(2*n), m.slice(n), m.slice(n)
		for i := range top {
			top[i] = bottom[m.IntN(2*n)] // some are equal
		}
		p = pools(p, mean, top, bottom, channels)
		choice := make([]uint8, n+64)
		maxPool32(p, largest, choice[:n], top, bottom, channels)
		meanPool32(p, mean, top, bottom, channels)
		top2, bottom2 := m.slice(2*n), m.slice(2*n)
		maxPoolBack32(p, top2, bottom2, largest, choice[:n], channels)
		meanPoolBack32(p, top, bottom, mean, channels)
		which := make([]float32, len(choice))
		for i, k := range choice {
			which[i] = float32(k)
		}
		return which
	})
}

func TestLayersAgainstNaiveLoops(t *testing.T) {
	m := &maker[float32]{Rand: rand.New(rand.NewPCG(4, 4))}
	for range 300 {
		cols, rows := 1+m.length(), m.IntN(12)
		x, bias, sums := m.slice(rows*cols), m.slice(cols), m.slice(cols)
		plain, rectified, want := widen(x), widen(x), widen(sums)
		for i := range x {
			plain[i] += float64(bias[i%cols])
			rectified[i] = max(0, plain[i])
			want[i%cols] += rectified[i]
		}
		linear, grad := slices.Clone(x), slices.Clone(x)
		AddBias32(linear, bias)
		AddBiasReLU32(x, bias)
		AddColumns32(sums, x)
		close32(t, "AddBias32", linear, plain, 1e-6)
		close32(t, "AddBiasReLU32", x, rectified, 1e-6)
		close32(t, "AddColumns32", sums, want, 1e-5)
		a, z, scaled := m.slice(cols), m.slice(rows*cols), m.slice(rows*cols)
		for i, v := range x {
			plain[i] = float64(v)*float64(a[i%cols]) + float64(bias[i%cols])
			rectified[i] = max(0, float64(v)*float64(a[i%cols])+float64(z[i]))
		}
		ScaleRows32(scaled, x, a, bias, false)
		ScaleRows32(z, x, a, z, true)
		close32(t, "ScaleRows32, a row", scaled, plain, 1e-6)
		close32(t, "ScaleRows32, a matrix", z, rectified, 1e-6)
		ReLUBackward32(grad, x)
		for i, out := range x {
			if out > 0 != (grad[i] != 0) {
				t.Fatalf("the gradient is %v where the output is %v", grad[i], out)
			}
		}
	}
}

func TestReLUKeepsNaN(t *testing.T) {
	nan := float32(math.NaN())
	for _, p := range usable() {
		x, grad := []float32{nan, -1, 2}, []float32{7, 7, 7}
		wide := make([]float32, 16)
		wide[3] = nan
		s := scaling{wide, wide, wide[4:12], make([]float32, 8), true}
		s.run(p)
		if wide[3] == wide[3] || wide[5] != 0 {
			t.Errorf("%v: scaled %v", p, wide)
		}
		addBias(p, x, make([]float32, 3), 0)
		reluBack32(p, grad, x)
		if x[0] == x[0] || x[1] != 0 || x[2] != 2 || !slices.Equal(grad, []float32{7, 0, 7}) {
			t.Errorf("%v: outputs %v, gradients %v", p, x, grad)
		}
	}
}

func TestMaxPoolFindsTheLargest(t *testing.T) {
	m := &maker[float32]{Rand: rand.New(rand.NewPCG(5, 5))}
	for range 300 {
		channels, pixels := 1+m.IntN(40), 1+m.IntN(4)
		n := channels * pixels
		top, bottom, dst, choice := m.slice(2*n), m.slice(2*n), m.slice(n), make([]uint8, n)
		mean := m.slice(n)
		MaxPoolRow32(dst, choice, top, bottom, channels)
		MeanPoolRow32(mean, top, bottom, channels)
		for i, best := range dst {
			at := i/channels*2*channels + i%channels
			window := []float32{top[at], top[at+channels], bottom[at], bottom[at+channels]}
			if best != slices.Max(window) || window[choice[i]] != best {
				t.Fatalf("%v, number %d, is the largest of %v", best, choice[i], window)
			}
			sum := float64(window[0]) + float64(window[1]) + float64(window[2]) + float64(window[3])
			close32(t, "MeanPoolRow32", mean[i:i+1], []float64{sum / 4}, 1e-6)
		}
		checkPoolGradients(t, dst, choice, channels)
	}
}

// checkPoolGradients tells the pooled gradient from what becomes of it.
func checkPoolGradients(t *testing.T, grad []float32, choice []uint8, channels int) {
	t.Helper()
	top, bottom := make([]float32, 2*len(grad)), make([]float32, 2*len(grad))
	MaxPoolRowBackward32(top, bottom, grad, choice, channels)
	top2, bottom2 := slices.Clone(top), slices.Clone(bottom)
	MeanPoolRowBackward32(top2, bottom2, grad, channels)
	for i, g := range grad {
		at := i/channels*2*channels + i%channels
		for k, j := range []int{at, at + channels, at, at + channels} {
			chosen, mean, want := top, top2, float32(0)
			if k >= 2 {
				chosen, mean = bottom, bottom2
			}
			if k == int(choice[i]) {
				want = g
			}
			if chosen[j] != want || mean[j] != g/4 {
				t.Fatalf("gradients %v and %v, want %v and %v", chosen[j], mean[j], want, g/4)
			}
		}
	}
}

func TestMaxPoolPrefersTheFirstAndNaN(t *testing.T) {
	nan := float32(math.NaN())
	for _, p := range usable() {
		const channels = 16
		dst, choice := make([]float32, channels), make([]uint8, channels)
		top, bottom := make([]float32, 2*channels), make([]float32, 2*channels)
		top[0], bottom[channels] = nan, 5
		top[1], bottom[1] = 5, nan
		maxPool32(p, dst, choice, top, bottom, channels)
		if dst[0] == dst[0] || dst[1] == dst[1] || choice[0] != 0 || choice[1] != 2 || choice[2] != 0 {
			t.Errorf("%v: largest %v, choices %v", p, dst[:3], choice[:3])
		}
	}
}

func TestLayersThatDoNotFitPanic(t *testing.T) {
	x, y, bytes := make([]float32, 8), make([]float32, 3), make([]uint8, 2)
	wide := make([]float64, 2)
	kerneltest.Panics(t, map[string]func(){
		"AddBias32":            func() { AddBias32(x, y) },
		"AddBiasReLU32":        func() { AddBiasReLU32(x, y) },
		"AddBias32, no column": func() { AddBias32(x, nil) },
		"ScaleRows32, x":       func() { ScaleRows32(x, x[:4], y[:2], y[:2], false) },
		"ScaleRows32, z":       func() { ScaleRows32(x, x, y[:2], y, false) },
		"ScaleRows32, a":       func() { ScaleRows32(x, x, y, y, false) },
		"Moments32, y":         func() { Moments32(wide, wide, x, x[:4]) },
		"Moments32, sums":      func() { Moments32(wide, wide[:1], x, x) },
		"Moments32, columns":   func() { Moments32(nil, nil, x, x) },
		"ReLUBackward32":       func() { ReLUBackward32(x, y) },
		"AddColumns32":         func() { AddColumns32(y, x) },
		"MaxPoolRow32":         func() { MaxPoolRow32(x[:4], bytes, x, x, 2) },
		"MaxPoolRowBackward32": func() { MaxPoolRowBackward32(x, x, x[:4], bytes, 2) },
		"MeanPoolRow32":        func() { MeanPoolRow32(x[:4], x, y, 2) },
		"MeanPoolRowBackward":  func() { MeanPoolRowBackward32(x, x, x[:4], 3) },
		"no channels":          func() { MeanPoolRow32(x[:4], x, x, 0) },
	})
}

func TestLayersAllocateNothing(t *testing.T) {
	var x, y [64]float32
	var choice [16]uint8
	var sum, dot [16]float64
	kerneltest.None(t, func() {
		AddBiasReLU32(x[:], y[:16])
		ReLUBackward32(x[:], y[:])
		AddColumns32(y[:8], x[:])
		ScaleRows32(y[:], x[:], x[:16], x[:16], true)
		Moments32(sum[:], dot[:], x[:], y[:])
		MaxPoolRow32(y[:16], choice[:], x[:32], x[32:], 16)
		MaxPoolRowBackward32(x[:32], x[32:], y[:16], choice[:], 16)
		MeanPoolRow32(y[:16], x[:32], x[32:], 16)
		MeanPoolRowBackward32(x[:32], x[32:], y[:16], 16)
	})
}
