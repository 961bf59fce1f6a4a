package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

func TestCompressionsOnAllPaths(t *testing.T) {
	samePaths(t, 3000, func(p path, m *maker[float64]) []float64 {
		x := m.slice(m.length())
		mask := make([]uint64, (len(x)+63)/64)
		large(p, mask, x, math.Abs(m.number()))
		out := make([]float64, 0, len(mask))
		for _, bits := range mask {
			out = append(out, float64(bits>>32), float64(bits&(1<<32-1)))
		}
		dst := m.slice(len(x))
		dither(p, dst, x, Grid{math.Abs(m.number()), float64(m.IntN(200)), m.number()}, m.Uint64())
		dither(p, x, x, Grid{3, 2, 0.5}, m.Uint64())
		return out
	})
}

// What is rounded is one of the two whole numbers beside it, by the draw of its place, wherever a
// slice begins.
func TestDitherAgainstItsDefinition(t *testing.T) {
	const seed, first = 12345, 3
	x := random(rand.New(rand.NewPCG(3, 9)), 1001)
	g := Grid{Inverse: 4, Most: 6, Step: 0.25}
	dst, again := make([]float64, len(x)), make([]float64, len(x)-34)
	Dither(dst, x, g, seed, first)
	Dither(again, x[34:], g, seed, first+17)
	for i, v := range x {
		u := float64(Draw(seed, first+i/2)>>(32*(i%2))&(1<<32-1)) * 0x1p-32
		want := math.Copysign(min(6, math.Floor(4*math.Abs(v)+u))*0.25, v) + 0
		if dst[i] != want || i >= 34 && again[i-34] != want || math.Signbit(dst[i]) && want == 0 {
			t.Fatalf("%v becomes %v, want %v", v, dst[i], want)
		}
	}
}

// The draws are those of the first numbers of SplitMix64 with the seed 1234567, as its authors'
// code returns them.
func TestDrawsAreSplitMix64(t *testing.T) {
	for k, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423,
		4593380528125082431, 16408922859458223821} {
		if got := Draw(1234567, k); got != want {
			t.Errorf("number %d is %d, want %d", k, got, want)
		}
	}
}

func TestLargeAgainstItsDefinition(t *testing.T) {
	x := random(rand.New(rand.NewPCG(4, 9)), 150)
	x[7], x[70], x[149] = math.NaN(), math.Inf(-1), math.Copysign(0, -1)
	for _, floor := range []float64{0, 0.5, math.Inf(1)} {
		mask := []uint64{1, 2, 1 << 63}
		Large(mask, x, floor)
		for i := range 192 {
			want := i < len(x) && !(math.Abs(x[i]) < floor)
			if got := mask[i/64]>>(i%64)&1 == 1; got != want {
				t.Errorf("floor %v: bit %d is %t", floor, i, got)
			}
		}
	}
}

func TestCompressionsWantWhatFits(t *testing.T) {
	x, y := make([]float64, 65), make([]float64, 64)
	kerneltest.Panics(t, map[string]func(){
		"Dither": func() { Dither(x, y, Grid{}, 0, 0) },
		"Large":  func() { Large(make([]uint64, 1), x, 0) },
	})
	kerneltest.None(t, func() {
		Dither(y, x[:64], Grid{}, 0, 0)
		Large(make([]uint64, 1), y, 0)
	})
}
