package fl

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// stored returns a data set of each packed form, and the same in X.
func stored() (packed, wide []*Dataset) {
	rng := rand.New(rand.NewPCG(1, 2))
	const rows, cols = 7, 5
	bytes, floats, ints := make([]uint8, rows*cols), make([]float32, rows*cols), make([]int32, rows*cols)
	for k := range bytes {
		bytes[k], floats[k], ints[k] = uint8(rng.Uint32()), rng.Float32()-0.5, rng.Int32()
	}
	levels := NewLevels(func(b float64) float64 { return b / 255 })
	for _, p := range []Packed{{Bytes: bytes, Levels: levels, Cols: cols}, NewBytes(bytes, cols),
		{Floats: floats, Cols: cols}, {Ints: ints, Cols: cols}} {
		d := &Dataset{X: Matrix{Rows: rows, Cols: cols}, Packed: p, Y: make([]int, rows)}
		w := &Dataset{X: NewMatrix(rows, cols), Y: d.Y}
		for k := range w.X.Data {
			switch {
			case p.Floats != nil:
				w.X.Data[k] = float64(floats[k])
			case p.Ints != nil:
				w.X.Data[k] = float64(ints[k])
			case p.Levels == levels:
				w.X.Data[k] = float64(bytes[k]) / 255
			default:
				w.X.Data[k] = float64(bytes[k])
			}
		}
		packed, wide = append(packed, d), append(wide, w)
	}
	return packed, wide
}

// Packed rows are the same numbers as those of X, however they are taken apart.
func TestPackedRowsAreThoseOfX(t *testing.T) {
	packed, wide := stored()
	order := []int{6, 0, 3, 3}
	for i, d := range packed {
		room := make(Vector, d.X.Cols)
		for r := range d.Len() {
			if !slices.Equal(d.Row(r, room), wide[i].Row(r, nil)) {
				t.Errorf("form %d: row %d", i, r)
			}
		}
		part, some := d.Rows(2, 5), d.Pick(order)
		if !part.Packed.Any() || !some.Packed.Any() || part.Len() != 3 || some.Len() != 4 ||
			part.Packed.Len() != 3 || some.Packed.Len() != 4 {
			t.Errorf("form %d: %d and %d rows", i, part.Len(), some.Len())
		}
		none, empty := d.Rows(2, 2), d.Pick(nil)
		if none.Len() != 0 || empty.Len() != 0 || !none.Packed.Any() || !empty.Packed.Any() {
			t.Errorf("form %d: no rows are %v and %v", i, none.Packed, empty.Packed)
		}
		own, copied := wide[i].Rows(2, 5), wide[i].Pick(order)
		part.Unpack()
		some.Unpack()
		if !slices.Equal(part.X.Data, own.X.Data) || !slices.Equal(some.X.Data, copied.X.Data) ||
			part.Packed.Any() || !d.Packed.Any() {
			t.Errorf("form %d: parts are others", i)
		}
	}
	(*Dataset)(nil).Unpack() // of test rows that are not there
}

// What reads a row of X where rows are packed fails, and does not go on with none.
func TestPackedRowsAreNotInX(t *testing.T) {
	packed, _ := stored()
	d := packed[0]
	for name, read := range map[string]func(){
		"Row":        func() { d.X.Row(0) },
		"Slice":      func() { d.X.Slice(0, 1) },
		"MulVec":     func() { d.X.MulVec(make(Vector, d.X.Rows), make(Vector, d.X.Cols)) },
		"AddMulTVec": func() { d.X.AddMulTVec(make(Vector, d.X.Cols), make(Vector, d.X.Rows)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s reads nothing and says nothing", name)
				}
			}()
			read()
		}()
	}
}

// Levels are rounded as a batch of a network is.
func TestLevelsAreRounded(t *testing.T) {
	l := NewLevels(func(b float64) float64 { return b / 255 })
	for by, of := range map[float32]func(b float64) float64{255: func(b float64) float64 { return b / 255 },
		16: func(b float64) float64 { return b / 16 }, 1: func(b float64) float64 { return b },
		0: math.Sqrt} {
		if got := NewLevels(of).By; got != by {
			t.Errorf("levels are bytes divided by %v, want %v", got, by)
		}
	}
	if got := NewLevels(func(b float64) float64 { return b * (1.0 / 255) }).By; got != 255 && got != 0 {
		t.Errorf("%v", got)
	}
	for b := range 256 {
		if l.Wide[b] != float64(b)/255 || l.Narrow[b] != float32(float64(b)/255) {
			t.Errorf("level %d is %v and %v", b, l.Wide[b], l.Narrow[b])
		}
	}
}
