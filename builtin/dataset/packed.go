package dataset

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Rows of files are packed while they are read: bytes, or numbers of single precision.

// stored returns labelled images of bytes, which stand for themselves.
func stored(b []byte, y []int, shape fl.Shape) *fl.Dataset {
	return &fl.Dataset{Shape: shape, X: fl.Matrix{Rows: len(y), Cols: shape.Features},
		Packed: fl.NewBytes(b, shape.Features), Y: y}
}

// byteImages returns room for n labelled images of bytes.
func byteImages(n int, shape fl.Shape) *fl.Dataset {
	return stored(make([]byte, n*shape.Features), make([]int, n), shape)
}

// labelled returns n images of which the pixels are there, and then the classes.
func labelled(b []byte, n int, shape fl.Shape) *fl.Dataset {
	pixels, y := n*shape.Features, make([]int, n)
	for i, class := range b[pixels:] {
		y[i] = int(class)
	}
	return stored(b[:pixels:pixels], y, shape)
}

// withClasses appends classes, at most 256 ones, to pixels.
func withClasses(pixels []byte, y []int) []byte {
	for _, class := range y {
		pixels = append(pixels, byte(class))
	}
	return pixels
}

// recalled returns what is decoded of some files, or was before.
func recalled(l *fl.LoadInput, how string, paths []string, decode func() ([]byte, error)) (
	[]byte, error,
) {
	if l.Decoded == nil {
		return decode()
	}
	of, err := data.SumOf(paths)
	if err != nil {
		return nil, err
	}
	return l.Decoded.Recall(how+": "+of, decode)
}

// partsOf returns training rows, and test rows where there are some.
func partsOf(train, test *fl.Dataset) []*fl.Dataset {
	if test == nil {
		return []*fl.Dataset{train}
	}
	return []*fl.Dataset{train, test}
}

// divide divides numbers by top. Bytes stand for other numbers then; real numbers stay packed only
// where nothing changes.
func divide(d *fl.Dataset, top float64) {
	switch {
	case d.Packed.Bytes != nil:
		was := d.Packed.Levels
		d.Packed.Levels = fl.NewLevels(func(b float64) float64 { return was.Wide[int(b)] / top })
	case top == 1:
	default:
		d.Unpack()
		for k := range d.X.Data {
			d.X.Data[k] /= top
		}
	}
}

// rangeOf returns the largest number of some rows, and the largest absolute one; 0 of none.
func rangeOf(d *fl.Dataset) (most, absolute float64) {
	most = math.Inf(-1)
	take := func(v float64) { most, absolute = max(most, v), max(absolute, math.Abs(v)) }
	if p := &d.Packed; p.Bytes != nil {
		var there [256]bool
		for r := range d.Len() {
			for _, b := range p.Bytes[p.At(r) : p.At(r)+p.Cols] {
				there[b] = true
			}
		}
		for b, is := range there {
			if is {
				take(p.Levels.Wide[b])
			}
		}
		return most, absolute
	}
	room := make(fl.Vector, d.X.Cols)
	for r := range d.Len() {
		for _, v := range d.Row(r, room) {
			take(v)
		}
	}
	return most, absolute
}

// concatenated returns the packed rows of several files of one form, one after another: bytes stand
// for themselves.
func concatenated(sets []*fl.Dataset) fl.Packed {
	var bytes [][]uint8
	var floats [][]float32
	for _, d := range sets {
		bytes, floats = append(bytes, d.Packed.Bytes), append(floats, d.Packed.Floats)
	}
	if sets[0].Packed.Bytes != nil {
		return fl.NewBytes(slices.Concat(bytes...), sets[0].X.Cols)
	}
	return fl.Packed{Floats: slices.Concat(floats...), Cols: sets[0].X.Cols}
}
