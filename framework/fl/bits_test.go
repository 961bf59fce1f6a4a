package fl_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Words of any widths come back as they were written, through bytes, and reading more is an error.
func TestBitsComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b, c fl.Bits
	for range 200 {
		b.Reset()
		var words []uint64
		var widths []int
		bits := 0
		for range rng.IntN(40) {
			width := rng.IntN(65)
			word := rng.Uint64()
			b.Append(word, width)
			if width < 64 {
				word &= 1<<width - 1
			}
			words, widths, bits = append(words, word), append(widths, width), bits+width
		}
		if b.Len() != bits || len(b.Bytes()) != (bits+7)/8 {
			t.Fatalf("%d bits in %d bytes, want %d", b.Len(), len(b.Bytes()), bits)
		}
		c.SetBytes(b.Bytes(), b.Len())
		for k, word := range words {
			if x, y := b.Read(widths[k]), c.Read(widths[k]); x != word || y != word {
				t.Fatalf("word %d of %d bits is %x, and %x by bytes, want %x", k, widths[k], x, y, word)
			}
		}
		if c.Unread() != 0 || c.Err() != nil {
			t.Fatalf("%d bits are left, %v", c.Unread(), c.Err())
		}
		if c.Read(1); c.Err() == nil {
			t.Fatal("more was read than there is")
		}
	}
}

// Formats round to the nearest number, of two to the even one, and saturate; these are the values
// that NumPy's float16 and float32 have.
func TestFormatsRound(t *testing.T) {
	for _, c := range []struct {
		what    string
		round   func(float64) float64
		x, want float64
	}{
		{"float16", fl.RoundFloat16, 1 + 0x1p-11, 1},
		{"float16", fl.RoundFloat16, 1 + 0x3p-11, 1 + 0x1p-9},
		{"float16", fl.RoundFloat16, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10},
		{"float16", fl.RoundFloat16, 0.1, 0.0999755859375},
		{"float16", fl.RoundFloat16, 3e-6, 0x1.9p-19},
		{"float16", fl.RoundFloat16, 0x1p-25, 0},
		{"float16", fl.RoundFloat16, 0x1.8p-25, 0x1p-24},
		{"float16", fl.RoundFloat16, -7e4, -65504},
		{"bfloat16", fl.RoundBFloat16, 1 + 0x1p-8, 1},
		{"bfloat16", fl.RoundBFloat16, 0.1, 0.10009765625},
		{"bfloat16", fl.RoundBFloat16, math.MaxFloat64, 0x1.fep127},
		{"float32", fl.RoundFloat32, 0.1, float64(float32(0.1))},
		{"float32", fl.RoundFloat32, -1e300, -math.MaxFloat32},
		{"float32 above", fl.CeilFloat32, 0.1, float64(float32(0.1))},
		{"float32 above", fl.CeilFloat32, 1 + 0x1p-50, 1 + 0x1p-23},
		{"float32 above", fl.CeilFloat32, 0.7, 0x1.666668p-1},
		{"float32 above", fl.CeilFloat32, 0, 0},
	} {
		if got := c.round(c.x); got != c.want {
			t.Errorf("%v as %s is %v, want %v", c.x, c.what, got, c.want)
		}
	}
}

// Every number of 16 bits is written and read as it is: it is rounded to itself.
func TestEveryHalfComesBack(t *testing.T) {
	var b fl.Bits
	for half := range uint64(1 << 16) {
		for _, c := range []struct {
			read   func() float64
			append func(x float64)
		}{{b.ReadFloat16, b.AppendFloat16}, {b.ReadBFloat16, b.AppendBFloat16}} {
			b.Reset()
			b.Append(half, 16)
			x := c.read()
			if exponent := half >> 10 & 31; math.IsNaN(x) || math.IsInf(x, 0) || exponent == 31 {
				continue // no update has them
			}
			b.Reset()
			if c.append(x); b.Read(16) != half {
				t.Fatalf("%#x, which is %v, is written as something else", half, x)
			}
		}
	}
}
