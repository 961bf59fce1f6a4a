package fl

import "slices"

// Packed are rows in the form in which they are stored: one of Bytes, Floats and Ints holds them,
// one row after another. The zero value holds none.
type Packed struct {
	Bytes  []uint8
	Floats []float32
	Ints   []int32 // tokens
	Levels *Levels // what each byte stands for; nil: itself
}

// Levels are the numbers that bytes stand for.
type Levels struct {
	Wide   [256]float64
	Narrow [256]float32 // Wide, rounded
}

// NewLevels returns levels by the number that each byte stands for.
func NewLevels(of func(b float64) float64) *Levels {
	l := new(Levels)
	for b := range l.Wide {
		l.Wide[b] = of(float64(b))
		l.Narrow[b] = float32(l.Wide[b])
	}
	return l
}

// NewBytes returns rows of bytes, which stand for themselves.
func NewBytes(b []uint8) Packed {
	return Packed{Bytes: b, Levels: NewLevels(func(v float64) float64 { return v })}
}

// Any reports whether there are packed rows at all. Rows of no numbers are none.
func (p *Packed) Any() bool { return p.Bytes != nil || p.Floats != nil || p.Ints != nil }

// Len returns how many numbers there are.
func (p *Packed) Len() int { return max(len(p.Bytes), len(p.Floats), len(p.Ints)) }

// Slice returns numbers lo to hi, which share memory with p.
func (p *Packed) Slice(lo, hi int) Packed {
	return Packed{Bytes: window(p.Bytes, lo, hi), Floats: window(p.Floats, lo, hi),
		Ints: window(p.Ints, lo, hi), Levels: p.Levels}
}

// Widen sets dst to numbers from at on, as many as it has.
func (p *Packed) Widen(dst Vector, at int) {
	switch {
	case p.Bytes != nil:
		for k, b := range p.Bytes[at : at+len(dst)] {
			dst[k] = p.Levels.Wide[b]
		}
	case p.Floats != nil:
		for k, v := range p.Floats[at : at+len(dst)] {
			dst[k] = float64(v)
		}
	default:
		for k, v := range p.Ints[at : at+len(dst)] {
			dst[k] = float64(v)
		}
	}
}

// pick returns the given rows of so many numbers each, copied.
func (p *Packed) pick(rows []int, cols int) Packed {
	return Packed{Bytes: picked(p.Bytes, rows, cols), Floats: picked(p.Floats, rows, cols),
		Ints: picked(p.Ints, rows, cols), Levels: p.Levels}
}

// picked returns the given rows of x, copied, or nil where there is no x.
func picked[T any](x []T, rows []int, cols int) []T {
	if x == nil {
		return nil
	}
	own := make([]T, 0, len(rows)*cols)
	for _, r := range rows {
		own = append(own, x[r*cols:(r+1)*cols]...)
	}
	return own
}

// Unpack moves packed rows to X.
func (d *Dataset) Unpack() {
	if d == nil || !d.Packed.Any() {
		return
	}
	x := NewMatrix(d.X.Rows, d.X.Cols)
	d.Packed.Widen(x.Data, 0)
	d.X, d.Packed = x, Packed{}
}

// Row returns row r, in room where it is packed, which has the length of a row.
func (d *Dataset) Row(r int, room Vector) Vector {
	if !d.Packed.Any() {
		return d.X.Row(r)
	}
	d.Packed.Widen(room, r*d.X.Cols)
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
	rows := d.Packed.Slice(lo*d.X.Cols, hi*d.X.Cols)
	w.(PackedWorker).PackedScores(dst, params, rows)
}

// Packs reports whether the model reads packed rows, whatever a client is assigned.
func (t ModelFacts) Packs() bool {
	return t.Packed && !slices.ContainsFunc(t.Variants, func(m Model) bool {
		return !m.Facts().Packs()
	})
}
