package contract

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/fl"
)

// apart says where two vectors differ by more than a tolerance, relative to 1 or to their
// largest element if that is larger. A tolerance of 0 demands the same bits.
func apart(a, b fl.Vector, tolerance float64) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d elements against %d", len(a), len(b))
	}
	first := 0 // where bits differ; mostly nowhere, and then norms are not needed
	for first < len(a) && math.Float64bits(a[first]) == math.Float64bits(b[first]) {
		first++
	}
	if first == len(a) {
		return ""
	}
	scale := math.Max(1, math.Max(floats.Norm(a, math.Inf(1)), floats.Norm(b, math.Inf(1))))
	for k := first; k < len(a); k++ {
		same := math.Float64bits(a[k]) == math.Float64bits(b[k])
		if !same && !(tolerance > 0 && math.Abs(a[k]-b[k]) <= tolerance*scale) {
			return fmt.Sprintf("element %d is %v against %v", k, a[k], b[k])
		}
	}
	return ""
}

// differ is apart for single numbers.
func differ(a, b, tolerance float64) string {
	if apart(fl.Vector{a}, fl.Vector{b}, tolerance) != "" {
		return fmt.Sprintf("%v against %v", a, b)
	}
	return ""
}

// at puts before what was found where it was found, unless nothing was.
func at(where, what string) string {
	if what == "" {
		return ""
	}
	return where + ": " + what
}

// A digest identifies what was written to it, bit by bit, in this process: two that differ have
// the same sum once in 2⁶⁴ times, which is rare enough where no one looks for such.
type digest struct{ *maphash.Hash }

var digestSeed = maphash.MakeSeed()

func newDigest() digest {
	h := new(maphash.Hash)
	h.SetSeed(digestSeed)
	return digest{h}
}

func (d digest) sum() string { return string(d.Sum(nil)) }

func (d digest) ints(xs ...int) {
	for _, x := range append([]int{len(xs)}, xs...) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(x))
		d.Write(b[:])
	}
}

func (d digest) floats(xs []float64) {
	d.ints(len(xs))
	var b [8 * 64]byte
	for block := range slices.Chunk(xs, 64) {
		for i, x := range block {
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(x))
		}
		d.Write(b[:8*len(block)])
	}
}

func (d digest) reports(told map[int]fl.Report) {
	for i := range clients {
		d.floats(told[i].Update)
	}
}

func (d digest) text(s string) {
	d.ints(len(s))
	d.Write([]byte(s))
}

func (d digest) matrix(m fl.Matrix) {
	d.ints(m.Rows, m.Cols)
	d.floats(m.Data)
}

func (d digest) tensors(t fl.Tensors) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		d.text(name)
		d.matrix(t[name])
	}
}

func (d digest) mail(mail map[int]fl.Tensors) {
	for _, i := range slices.Sorted(maps.Keys(mail)) {
		d.ints(i)
		d.tensors(mail[i])
	}
}

func (d digest) dataset(data *fl.Dataset) {
	if data == nil {
		d.text("no data")
		return
	}
	d.text(fmt.Sprint(data.Shape))
	d.matrix(data.X)
	d.floats(data.Target)
	d.ints(data.Y...)
	d.ints(data.Owner...)
	d.ints(data.Domain...)
	d.matrix(data.Covariates)
	if m := data.Moments; m != nil {
		d.matrix(m.XX)
		d.floats(m.XY)
		d.floats(m.X)
		d.floats([]float64{m.YY, m.Y})
	}
}

func (d digest) roster(r *fl.Roster) {
	d.ints(r.N)
	d.floats(r.Importance)
	d.ints(r.Samples...)
	d.text(fmt.Sprint(r.Enrolled))
	d.matrix(r.Covariates)
	d.matrix(r.Products)
	d.floats(r.Moments)
	d.floats(r.Above)
}

func (d digest) oracle(o *fl.Oracle) {
	if o == nil {
		d.text("no oracle")
		return
	}
	d.floats(o.Enrollment)
	d.floats(o.Inclusion)
}

func (d digest) law(l *fl.Law) {
	if l == nil {
		d.text("no law")
		return
	}
	d.text(fmt.Sprint(l.Everyone, l.Exact))
	d.ints(len(l.Sets), l.Size, l.Draws)
	for _, set := range l.Sets {
		d.ints(set...)
	}
	d.floats(l.Q)
	d.floats(l.Chance)
	d.floats(l.Inclusion)
	d.floats([]float64{l.Empty})
	for _, list := range l.Repeats {
		for _, r := range list {
			d.ints(r.Times...)
			d.floats([]float64{r.Q})
		}
	}
	d.floats(l.Expected)
}

func (d digest) updates(updates []fl.Update) {
	d.ints(len(updates))
	for _, u := range updates {
		d.ints(u.Client, u.Samples, u.Steps)
		d.floats(u.Params)
		d.tensors(u.Payload)
	}
}
