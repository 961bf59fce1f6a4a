package fl

import (
	"math"
	"slices"
)

// Packed are rows in the form in which they are stored: one of Bytes, Floats and Ints holds them,
// one row after another. They are never changed: parts and selections of them share their memory,
// and tell rows by Index. The zero value holds none.
type Packed struct {
	Bytes  []uint8
	Floats []float32
	Ints   []int32 // tokens
	Levels *Levels // what each byte stands for
	Cols   int     // numbers of a row
	Index  []int32 // row r is the one stored at Index[r]; nil: at r
}

// Levels are the numbers that bytes stand for.
type Levels struct {
	Wide   [256]float64
	Narrow [256]float32 // Wide, rounded

	// By is what each byte divided by, as numbers of single precision, gives Narrow; 0: there is
	// no such number.
	By float32
}

// NewLevels returns levels by the number that each byte stands for.
func NewLevels(of func(b float64) float64) *Levels {
	l := new(Levels)
	for b := range l.Wide {
		l.Wide[b] = of(float64(b))
		l.Narrow[b] = float32(l.Wide[b])
	}
	l.By = float32(1 / l.Wide[1])
	for b, v := range l.Narrow {
		if math.Float32bits(v) != math.Float32bits(float32(b)/l.By) {
			l.By = 0
		}
	}
	return l
}

// NewBytes returns rows of so many bytes, which stand for themselves.
func NewBytes(b []uint8, cols int) Packed {
	return Packed{Bytes: b, Cols: cols, Levels: NewLevels(func(v float64) float64 { return v })}
}

// Any reports whether there are packed rows at all. Rows that are none in number are some, too.
func (p *Packed) Any() bool { return p.Bytes != nil || p.Floats != nil || p.Ints != nil }

// Len returns how many rows there are.
func (p *Packed) Len() int {
	if p.Index != nil {
		return len(p.Index)
	}
	return max(len(p.Bytes), len(p.Floats), len(p.Ints)) / max(1, p.Cols)
}

// At returns where row r begins: outside, where it is not said how long rows are, or all of them
// would be the first one.
func (p *Packed) At(r int) int {
	if p.Cols == 0 && max(len(p.Bytes), len(p.Floats), len(p.Ints)) > 0 {
		return -1
	}
	if p.Index != nil {
		r = int(p.Index[r])
	}
	return r * p.Cols
}

// Slice returns rows lo to hi.
func (p *Packed) Slice(lo, hi int) Packed {
	if p.Index != nil {
		part := *p
		part.Index = p.Index[lo:hi]
		return part
	}
	lo, hi = lo*p.Cols, hi*p.Cols
	return Packed{Bytes: window(p.Bytes, lo, hi), Floats: window(p.Floats, lo, hi),
		Ints: window(p.Ints, lo, hi), Levels: p.Levels, Cols: p.Cols}
}

// Pick returns the given rows, in that order.
func (p *Packed) Pick(rows []int) Packed {
	some := *p
	some.Index = make([]int32, len(rows))
	for k, r := range rows {
		if p.Index != nil {
			r = int(p.Index[r])
		}
		some.Index[k] = int32(r)
	}
	return some
}

// Widen sets dst to row r.
func (p *Packed) Widen(dst Vector, r int) {
	at := p.At(r)
	switch {
	case p.Bytes != nil:
		p.Levels.widen(dst, p.Bytes[at:at+p.Cols])
	case p.Floats != nil:
		for k, v := range p.Floats[at : at+p.Cols] {
			dst[k] = float64(v)
		}
	default:
		for k, v := range p.Ints[at : at+p.Cols] {
			dst[k] = float64(v)
		}
	}
}

// widen sets dst to what bytes stand for: eight a turn, which is twice as fast.
func (l *Levels) widen(dst Vector, src []uint8) {
	for ; len(src) >= 8; src, dst = src[8:], dst[8:] {
		b, to := (*[8]uint8)(src), (*[8]float64)(dst)
		to[0], to[1], to[2], to[3] = l.Wide[b[0]], l.Wide[b[1]], l.Wide[b[2]], l.Wide[b[3]]
		to[4], to[5], to[6], to[7] = l.Wide[b[4]], l.Wide[b[5]], l.Wide[b[6]], l.Wide[b[7]]
	}
	for k, b := range src {
		dst[k] = l.Wide[b]
	}
}

// Matrix returns the rows as numbers of double precision.
func (p *Packed) Matrix() Matrix {
	x := NewMatrix(p.Len(), p.Cols)
	for r := range x.Rows {
		p.Widen(x.Row(r), r)
	}
	return x
}

// Unpack moves packed rows to X.
func (d *Dataset) Unpack() {
	if d == nil || !d.Packed.Any() {
		return
	}
	d.X, d.Packed = d.Packed.Matrix(), Packed{}
}

// Row returns row r, in room where it is packed, which has the length of a row.
func (d *Dataset) Row(r int, room Vector) Vector {
	if !d.Packed.Any() {
		return d.X.Row(r)
	}
	d.Packed.Widen(room, r)
	return room
}

// A PackedWorker is a Worker whose Loss, Gradient and Descend read packed rows.
type PackedWorker interface {
	Worker
	// PackedScores is Scores of rows, as many as dst has.
	PackedScores(dst Matrix, params Vector, rows Packed)
}

// Scores fills dst with the outputs of a model for the rows of d from lo on, as many as dst has.
func Scores(w Worker, dst Matrix, params Vector, d *Dataset, lo int) {
	hi := lo + dst.Rows
	if !d.Packed.Any() {
		w.Scores(dst, params, d.X.Slice(lo, hi))
		return
	}
	w.(PackedWorker).PackedScores(dst, params, d.Packed.Slice(lo, hi))
}

// Packs reports whether the model reads packed rows, whatever a client is assigned.
func (t ModelFacts) Packs() bool {
	return t.Packed && !slices.ContainsFunc(t.Variants, func(m Model) bool {
		return !m.Facts().Packs()
	})
}
