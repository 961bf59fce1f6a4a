package kernel

import "math"

// Symmetric sets dst[m] = [zᵐ] ∏ᵢ (off[i] + on[i]·z) for every m < len(dst). With off = 1 these are
// the elementary symmetric polynomials e₀(on), e₁(on), …; with off + on = 1 they are the
// probabilities that exactly m of independent clients come (Poisson-binomial law). No number may be
// negative: then nothing cancels, and every dst[m] is right to 2·len(on) roundings. It takes
// len(on)·len(dst) multiplications.
func Symmetric(dst, off, on []float64) {
	off = off[:len(on)]
	clear(dst)
	dst[0] = 1
	for i, b := range on {
		MulLinear(dst, dst, off[i], b)
	}
}

// SymmetricWithout sets dst[i] = Σₘ w[m]·[zᵐ] ∏_{k≠i} (off[k] + on[k]·z), which leaves
// out each factor in turn: w = (0, …, 0, 1) asks for one coefficient, w = (1, …, 1) for
// the sum of the first len(w). No number may be negative, and nothing cancels.
//
// The factors before i meet the functional w drawn through the factors after i, so all n
// answers together take 4·n·len(w) multiplications. Of the n products from the left only
// about 2√n are held at a time. The length of scratch is SymmetricScratch(n, len(w)).
func SymmetricWithout(dst, off, on, w, scratch []float64) {
	n, k := len(dst), len(w)
	off, on = off[:n], on[:n]
	scratch = scratch[:SymmetricScratch(n, k)]
	block := stride(n)
	tail, rows, heads := scratch[:k], scratch[k:][:block*k], scratch[k+block*k:]

	clear(heads)
	heads[0] = 1
	for at := k; at < len(heads); at += k {
		head := heads[at:][:k]
		copy(head, heads[at-k:])
		for i := (at/k - 1) * block; i < at/k*block; i++ {
			MulLinear(head, head, off[i], on[i])
		}
	}
	copy(tail, w)
	for b := len(heads)/k - 1; b >= 0; b-- {
		copy(rows[:k], heads[b*k:])
		lo, hi := b*block, min(b*block+block, n)
		for i := lo + 1; i < hi; i++ {
			MulLinear(rows[(i-lo)*k:][:k], rows[(i-lo-1)*k:][:k], off[i-1], on[i-1])
		}
		for i := hi - 1; i >= lo; i-- {
			dst[i] = meet(rows[(i-lo)*k:][:k], tail, off[i], on[i])
		}
	}
}

// SymmetricScratch returns how many floats SymmetricWithout needs for n factors and a
// functional of length k.
func SymmetricScratch(n, k int) int {
	block := stride(n)
	return k * (1 + block + max(1, (n+block-1)/block))
}

// stride returns the length of the blocks that n factors are cut into, about √n.
func stride(n int) int { return max(1, int(math.Ceil(math.Sqrt(float64(n))))) }

// MulLinear sets dst to the first len(src) coefficients of src·(off + on·z). It may work in
// place.
func MulLinear(dst, src []float64, off, on float64) {
	dst = dst[:len(src)]
	below := 0.0
	for m, c := range src {
		dst[m] = off*c + on*below
		below = c
	}
}

// meet returns ⟨head, tail⟩ and turns the functional tail into c ↦ ⟨tail, c·(off + on·z)⟩.
func meet(head, tail []float64, off, on float64) float64 {
	head = head[:len(tail)]
	last := len(tail) - 1
	sum, t := 0.0, tail[0]
	for m, above := range tail[1:] {
		sum += head[m] * t
		tail[m] = off*t + on*above
		t = above
	}
	tail[last] = off * t
	return sum + head[last]*t
}

// Tilt divides each factor off[i] + on[i]·z by off[i] + c·on[i] and z by c, in place, for
// one c > 0 that makes Σ on = k to within 1 in 100; then off + on = 1. It returns
//
//	log (∏ᵢ (off[i] + c·on[i]) / cᵏ),
//
// the logarithm of what [zᵏ] ∏ᵢ (off[i] + on[i]·z) has lost. However many, large or small
// the factors, their coefficient of zᵏ is then in the range of a float64, because k is
// among the likeliest numbers of clients to come.
//
// When k is less than the number of off = 0, or more than that of on > 0, then the
// coefficient is 0, Tilt changes nothing and returns −Inf. Numbers must be finite and not
// negative, and off[i] + on[i] > 0.
func Tilt(off, on []float64, k int) float64 {
	off = off[:len(on)]
	forced, possible := 0, 0
	for i, b := range on {
		if off[i] == 0 {
			forced++
		}
		if b > 0 {
			possible++
		}
	}
	if k < forced || k > possible {
		return math.Inf(-1)
	}
	lost, lo, hi := 0.0, math.Inf(1), math.Inf(-1)
	for i, b := range on {
		on[i] = math.Log(b) - math.Log(off[i])
		if off[i] == 0 {
			lost += math.Log(b)
			continue
		}
		lost += math.Log(off[i])
		if b > 0 {
			lo, hi = min(lo, on[i]), max(hi, on[i])
		}
	}
	shift := 0.0
	if lo <= hi {
		shift = balance(on, float64(k), -hi-50, -lo+50)
	}
	for i, logit := range on {
		if off[i] > 0 {
			lost += softplus(logit + shift)
		}
		off[i], on[i] = logistic(-logit-shift), logistic(logit+shift)
	}
	return lost + float64(forced-k)*shift
}

// balance returns a shift between lo and hi with Σᵢ logistic(logits[i] + shift) ≈ k.
func balance(logits []float64, k, lo, hi float64) float64 {
	for range 200 {
		mid, sum := lo+(hi-lo)/2, 0.0
		for _, logit := range logits {
			sum += logistic(logit + mid)
		}
		switch {
		case sum > k+0.01:
			hi = mid
		case sum < k-0.01:
			lo = mid
		default:
			return mid
		}
	}
	return lo
}

// logistic returns 1/(1 + e⁻ˣ).
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softplus returns log(1 + eˣ).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
