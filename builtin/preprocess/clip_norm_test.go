package preprocess

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Rows are no longer than the radius, and point where they did; shorter ones keep their bits, unless
// all are to lie on the sphere. Once more changes nothing but rounding.
//
//hansa:verifies theorem preprocess/clip-norm
func TestClippedRowsAreShort(t *testing.T) {
	d := parts(rand.New(rand.NewPCG(4, 4)), 5, 80)[0]
	clear(d.X.Row(7))
	for _, sphere := range []bool{false, true} {
		const radius = 6.0
		p := made(t, ClipNorm, map[string]any{"radius": radius, "sphere": sphere})
		move := func(x fl.Matrix) fl.Matrix {
			out, err := p.Transform(&fl.TransformInput{Client: 0, Own: d, Rows: x, Shape: d.Shape})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		got := move(d.X)
		short := 0
		for i := range got.Rows {
			was, is := d.X.Row(i), got.Row(i)
			norm, length := math.Sqrt(was.Dot(was)), math.Sqrt(is.Dot(is))
			want := radius
			if norm == 0 || norm <= radius && !sphere {
				want = norm
				short++
			}
			if math.Abs(length-want) > 1e-12 || math.Abs(is.Dot(was)-length*norm) > 1e-9 {
				t.Errorf("row %d of length %v has length %v, want %v", i, norm, length, want)
			}
		}
		if sphere != (short == 1) {
			t.Errorf("sphere is %t: %d rows are left alone", sphere, short)
		}
		again := move(got)
		if off := fl.Vector(again.Data).Distance(got.Data); off > 1e-12 {
			t.Errorf("once more moves rows by %v", off)
		}
	}
	if up, err := made(t, ClipNorm, nil).Summarize(&fl.SummaryInput{Data: d}); len(up) > 0 || err != nil {
		t.Errorf("clients send %v (%v)", up, err)
	}
}
