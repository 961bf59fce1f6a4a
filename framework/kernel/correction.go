package kernel

// A Correction is what is added to the gradient at parameters w: s + μ(w − a).
type Correction struct {
	Shift  []float32 // s; nil: none
	Anchor []float32 // a; nil: no proximal term
	Pull   float64   // μ
}

// Part is the correction of elements lo to hi alone.
func (o *Correction) Part(lo, hi int) Correction {
	p := *o
	if p.Shift != nil {
		p.Shift = p.Shift[lo:hi]
	}
	if p.Anchor != nil {
		p.Anchor = p.Anchor[lo:hi]
	}
	return p
}

// Add does dst ← dst + fμ(w − a) + f·s, f a factor, by one fused multiply-add for each term. With
// dst = w and f = −η it is the part of a step of gradient descent that the correction makes; at
// w = a, the proximal term changes no bit of what is not −0. Each term takes a pass: for speed, s
// can be left out and a − s/μ be the anchor. Slices but dst and w do not overlap.
func (o *Correction) Add(dst, w []float32, f float64) { o.add(active, dst, w, f) }

func (o *Correction) add(p path, dst, w []float32, f float64) {
	fit(len(w) == len(dst) && (o.Shift == nil || len(o.Shift) == len(dst)) &&
		(o.Anchor == nil || len(o.Anchor) == len(dst)))
	if o.Anchor != nil { // first: dst may be w
		pull32(p, dst, w, o.Anchor, float32(f*o.Pull))
	}
	if o.Shift != nil {
		axpy32(p, dst, float32(f), o.Shift)
	}
}

func pullGeneric(dst, w, anchor []float32, alpha float32) {
	for i, x := range w {
		dst[i] = fma32(alpha, x-anchor[i], dst[i])
	}
}
