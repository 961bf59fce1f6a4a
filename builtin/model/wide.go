package model

import "github.com/hansa-fl/hansa/framework/fl"

// A wideRoom is where packed rows become numbers of double precision, some rows at a time.
type wideRoom struct{ data []float64 }

// of returns room for n rows, which holds nothing yet.
func (w *wideRoom) of(n, cols int) fl.Matrix {
	if n *= cols; n > len(w.data) {
		w.data = make([]float64, n)
	}
	m := fl.Matrix{Cols: cols, Data: w.data[:n]}
	if cols > 0 {
		m.Rows = n / cols
	}
	return m
}

// slice returns rows lo to hi of d: those of X where they lie, packed ones in room.
func (w *wideRoom) slice(d *fl.Dataset, lo, hi int) fl.Matrix {
	if !d.Packed.Any() {
		return d.X.Slice(lo, hi)
	}
	return w.packed(&d.Packed, lo, hi)
}

// packed returns packed rows lo to hi.
func (w *wideRoom) packed(p *fl.Packed, lo, hi int) fl.Matrix {
	x := w.of(hi-lo, p.Cols)
	for i := range x.Rows {
		p.Widen(x.Row(i), lo+i)
	}
	return x
}

// pick returns the given rows of d, all when nil, one after another. They are in room, but for all
// rows of X.
func (w *wideRoom) pick(d *fl.Dataset, rows []int) fl.Matrix {
	if rows == nil {
		return w.slice(d, 0, d.Len())
	}
	x := w.of(len(rows), d.X.Cols)
	for i, r := range rows {
		if d.Packed.Any() {
			d.Packed.Widen(x.Row(i), r)
		} else {
			copy(x.Row(i), d.X.Row(r))
		}
	}
	return x
}

// wideTrain returns the training rows of clients with all of them in X.
func wideTrain(pop *fl.Population) *fl.Dataset {
	d := *pop.Train
	d.Unpack()
	return &d
}
