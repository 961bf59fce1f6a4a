package fl

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// Bits are a sequence of bits: the code of an update, whose length is what it costs to send. Words
// are appended at the end, and read from the beginning in the same order.
type Bits struct {
	words []uint64 // the first bit is the lowest one of the first word
	n     int      // bits that were appended
	at    int      // bits that were read
	short bool     // more was read than there is
}

// Len returns how many bits there are.
func (b *Bits) Len() int { return b.n }

// Unread returns how many bits have not been read.
func (b *Bits) Unread() int { return b.n - b.at }

// Reset removes all bits. Memory is kept for those that follow.
func (b *Bits) Reset() { b.words, b.n, b.at, b.short = b.words[:0], 0, 0, false }

// Rewind has the next word read from the beginning.
func (b *Bits) Rewind() { b.at, b.short = 0, false }

var errShort = errors.New("more bits are read than were written")

// Err says that more bits were read than there are.
func (b *Bits) Err() error {
	if b.short {
		return errShort
	}
	return nil
}

// Append appends the lowest bits of a word: width of them, 0 to 64, the lowest first.
func (b *Bits) Append(word uint64, width int) {
	if width <= 0 {
		return
	}
	word &= ^uint64(0) >> (64 - width)
	used := b.n & 63
	if used == 0 {
		b.words = append(b.words, word)
	} else {
		b.words[len(b.words)-1] |= word << used
		if used+width > 64 {
			b.words = append(b.words, word>>(64-used))
		}
	}
	b.n += width
}

// Read reads a word of so many bits, 0 to 64. Where fewer are left it is 0, and Err says so.
func (b *Bits) Read(width int) uint64 {
	if width <= 0 {
		return 0
	}
	if b.at+width > b.n {
		b.at, b.short = b.n, true
		return 0
	}
	k, used := b.at>>6, b.at&63
	word := b.words[k] >> used
	if used+width > 64 {
		word |= b.words[k+1] << (64 - used)
	}
	b.at += width
	return word & (^uint64(0) >> (64 - width))
}

// AppendFloat32 appends x as RoundFloat32 rounds it, in 32 bits.
func (b *Bits) AppendFloat32(x float64) {
	b.Append(uint64(math.Float32bits(float32(RoundFloat32(x)))), 32)
}

// ReadFloat32 reads what AppendFloat32 appended.
func (b *Bits) ReadFloat32() float64 {
	return float64(math.Float32frombits(uint32(b.Read(32))))
}

// AppendBFloat16 appends x as RoundBFloat16 rounds it, in 16 bits.
func (b *Bits) AppendBFloat16(x float64) {
	b.Append(uint64(math.Float32bits(float32(RoundBFloat16(x)))>>16), 16)
}

// ReadBFloat16 reads what AppendBFloat16 appended.
func (b *Bits) ReadBFloat16() float64 {
	return float64(math.Float32frombits(uint32(b.Read(16)) << 16))
}

// AppendFloat16 appends x as RoundFloat16 rounds it, in 16 bits.
func (b *Bits) AppendFloat16(x float64) {
	x = RoundFloat16(x)
	var half uint64
	if math.Signbit(x) {
		half, x = 1<<15, -x
	}
	if x < 0x1p-14 {
		half |= uint64(x * 0x1p24) // a whole number of the smallest one
	} else {
		all := math.Float64bits(x)
		half |= (all>>52-1023+15)<<10 | all>>42&(1<<10-1)
	}
	b.Append(half, 16)
}

// ReadFloat16 reads what AppendFloat16 appended.
func (b *Bits) ReadFloat16() float64 {
	half := b.Read(16)
	x := float64(half&(1<<10-1)) * 0x1p-24
	if exponent := half >> 10 & 31; exponent > 0 {
		x = math.Float64frombits((exponent+1023-15)<<52 | half&(1<<10-1)<<42)
	}
	if half>>15 == 1 {
		x = -x
	}
	return x
}

// Bytes returns the bits as bytes, the first bit the lowest of the first byte. The last byte may
// be filled up with zeros.
func (b *Bits) Bytes() []byte {
	var out []byte
	for _, word := range b.words {
		out = binary.LittleEndian.AppendUint64(out, word)
	}
	return out[:(b.n+7)/8]
}

// SetBytes makes b the first n bits of bytes as Bytes returns them, to be read from the beginning.
func (b *Bits) SetBytes(bytes []byte, n int) {
	b.Reset()
	for at := 0; at < n; at += 8 {
		b.Append(uint64(bytes[at/8]), min(8, n-at))
	}
}

// BitsFor returns how many bits tell n values apart: ⌈log₂ n⌉.
func BitsFor(n int) int { return bits.Len(uint(max(n, 1) - 1)) }

// The largest numbers of the formats.
const (
	maxFloat16  = 65504
	maxBFloat16 = 0x1.fep127
)

// RoundFloat32 returns the float32 that is nearest to x, that with an even last digit of two. What
// is too large is the largest one.
func RoundFloat32(x float64) float64 {
	y := float64(float32(x))
	if math.Abs(y) > math.MaxFloat32 {
		y = math.Copysign(math.MaxFloat32, y)
	}
	return y
}

// CeilFloat32 returns the smallest float32 that is not below x.
func CeilFloat32(x float64) float64 {
	y := RoundFloat32(x)
	if y < x {
		y = min(float64(math.Nextafter32(float32(y), math.MaxFloat32)), math.MaxFloat32)
	}
	return y
}

// RoundFloat16 returns the float16 that is nearest to x: 11 significant binary digits, multiples
// of 2⁻²⁴. Of two the one with an even last digit; what is too large is the largest one.
func RoundFloat16(x float64) float64 { return rounded(x, 11, -14, maxFloat16) }

// RoundBFloat16 returns the bfloat16 that is nearest to x: 8 significant binary digits, multiples
// of 2⁻¹³³. Of two the one with an even last digit; what is too large is the largest one.
func RoundBFloat16(x float64) float64 { return rounded(x, 8, -126, maxBFloat16) }

// rounded returns x with so many significant binary digits, or fewer below 2^least.
func rounded(x float64, digits, least int, most float64) float64 {
	exponent := int(math.Float64bits(x)>>52&2047) - 1023
	unit := math.Float64frombits(uint64(max(exponent, least)-digits+1+1023) << 52)
	return max(-most, min(math.RoundToEven(x/unit)*unit, most))
}
