// A random rotation that spreads a vector over all coordinates.
//
// Ailon, Chazelle (2006) "Approximate Nearest Neighbors and the Fast Johnson–Lindenstrauss
// Transform"; Kairouz, Liu, Steinke (2021), Section 4.2: H·D, a Walsh–Hadamard matrix H with
// entries ±1/√d, and random signs D. It is orthogonal; a coordinate of H·D·x is about N(0, ‖x‖²/d).
package privacy

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Padded returns the least power of 2 that is at least n.
func Padded(n int) int { return 1 << bits.Len(uint(max(n, 1)-1)) }

// A Rotation is H·D for vectors that are padded with zeros to a power of 2.
type Rotation struct{ sign tensor.Vector } // of D, by 1/√d

// Draw draws the signs for vectors of n coordinates. It allocates on first use only.
func (r *Rotation) Draw(n int, rng *rand.Rand) {
	d := Padded(n)
	if len(r.sign) != d {
		r.sign = make(tensor.Vector, d)
	}
	unit, word := 1/math.Sqrt(float64(d)), uint64(0)
	for i := range r.sign {
		if i%64 == 0 {
			word = rng.Uint64()
		}
		r.sign[i] = unit
		if word&1 == 1 {
			r.sign[i] = -unit
		}
		word >>= 1
	}
}

// Apply rotates x, of as many coordinates as there are signs.
func (r *Rotation) Apply(x tensor.Vector) {
	for i, s := range r.sign {
		x[i] *= s
	}
	hadamard(x)
}

// Undo is the inverse of Apply.
func (r *Rotation) Undo(x tensor.Vector) {
	hadamard(x)
	for i, s := range r.sign {
		x[i] *= s
	}
}

// hadamard multiplies x by the matrix of entries ±1.
func hadamard(x tensor.Vector) {
	for half := 1; half < len(x); half *= 2 {
		for from := 0; from < len(x); from += 2 * half {
			low, high := x[from:from+half], x[from+half:from+2*half]
			for i, a := range low {
				b := high[i]
				low[i], high[i] = a+b, a-b
			}
		}
	}
}
