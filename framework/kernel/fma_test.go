package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// rounded returns x·y + z, which is not zero, to the nearest float32.
func rounded(x, y, z float32) float32 {
	exact := func(v float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(v)) }
	sum := exact(0).Add(exact(0).Mul(exact(x), exact(y)), exact(z))
	r, _ := sum.Float32()
	return r
}

func TestFma32RoundsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	twice := 0 // cases in which rounding to float64 first goes wrong
	check := func(x, y, z float32) {
		got, want := fma32(x, y, z), rounded(x, y, z)
		if got != want {
			t.Fatalf("%v·%v + %v = %v, want %v", x, y, z, got, want)
		}
		if float32(float64(x)*float64(y)+float64(z)) != want {
			twice++
		}
	}
	for range 20_000 {
		// Any numbers: all bits are as likely as not, and the sum has any exponent.
		bits := func() float32 {
			v := math.Float32frombits(rng.Uint32())
			for v != v || math.IsInf(float64(v), 0) {
				v = math.Float32frombits(rng.Uint32())
			}
			return v
		}
		check(bits(), bits(), bits())
		// z and half a unit in its last place, give or take very little.
		tiny := math.Ldexp(1, -23) * float64(1+rng.IntN(8))
		z := math.Ldexp(float64(1<<23+rng.IntN(1<<23)), rng.IntN(120)-60-23)
		half := math.Ldexp(0.5, math.Ilogb(z)-23)
		sign := float64(1 - 2*rng.IntN(2))
		check(float32(1+tiny), float32((1-tiny)*half*sign), float32(z))
		check(float32(1+tiny), float32((1-tiny)*half*sign), float32(-z))
		// The same where the result is denormal.
		z = math.Ldexp(float64(1+rng.IntN(1<<20)), -149)
		check(float32((1+tiny)*math.Ldexp(1, -75)), float32((1-tiny)*math.Ldexp(sign, -75)), float32(z))
	}
	if twice < 1000 {
		t.Errorf("only %d cases tell one rounding from two", twice)
	}
}

func TestFma32OfSpecialNumbers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	zero := float32(math.Copysign(0, -1))
	big := float32(math.MaxFloat32)
	for _, c := range []struct{ x, y, z, want float32 }{
		{inf, 1, 1, inf}, {inf, 0, 1, nan}, {inf, 1, -inf, nan}, {nan, 1, 1, nan}, {1, 1, nan, nan},
		{zero, 1, zero, zero}, {zero, 1, 0, 0}, {1, 1, -1, 0}, {big, big, 0, inf}, {big, big, -inf, -inf},
		{big, 1, big, inf}, {-big, 2, big, -big}, {1e-30, -1e-30, 0, zero},
	} {
		got := fma32(c.x, c.y, c.z)
		if err := sameBits([]float32{got}, []float32{c.want}); err != nil {
			t.Errorf("%v·%v + %v: %v", c.x, c.y, c.z, err)
		}
	}
}
