package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A batch of packed rows is that of the same rows in double precision, to the bit, for images and
// vectors, all rows and some, in the order of an index.
func TestGatherPacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, in := range []Shape{{H: 5, W: 7, C: 1}, {H: 4, W: 3, C: 3}, {H: 3, W: 2, C: 4},
		{H: 1, W: 1, C: 37}} {
		const rows = 9
		size := in.Len()
		bytes, floats, ints := make([]uint8, rows*size), make([]float32, rows*size), make([]int32, rows*size)
		for k := range bytes {
			bytes[k], floats[k], ints[k] = uint8(rng.Uint32()), rng.Float32()-0.5, rng.Int32()
		}
		net, err := New(in, Flatten(), Dense(2))
		if err != nil {
			t.Fatal(err)
		}
		tape, other := net.Tape(1), net.Tape(1)
		for form, p := range []fl.Packed{
			{Bytes: bytes, Cols: size, Levels: fl.NewLevels(func(b float64) float64 { return b / 255 })},
			{Bytes: bytes, Cols: size, Levels: fl.NewLevels(math.Sqrt)},
			{Floats: floats, Cols: size}, {Ints: ints, Cols: size},
		} {
			turned := p.Pick([]int{8, 1, 1, 0, 5})
			for _, q := range []fl.Packed{p, turned, turned.Slice(1, 4), p.Slice(2, 7)} {
				for _, list := range [][]int{nil, {2, 0}, {1, 1, 2}} {
					got, want := tape.GatherPacked(&q, list), other.Gather(q.Matrix().Data, list)
					if len(got) != len(want) {
						t.Fatalf("%v, form %d: %d numbers, want %d", in, form, len(got), len(want))
					}
					for k, v := range got {
						if math.Float32bits(v) != math.Float32bits(want[k]) {
							t.Fatalf("%v, form %d: number %d is %v, want %v", in, form, k, v, want[k])
						}
					}
				}
			}
		}
	}
}

// BenchmarkGather makes a batch of 32 images of MNIST, scattered over 60,000, and of CIFAR-10.
func BenchmarkGather(b *testing.B) {
	for name, in := range map[string]Shape{"grey": {H: 28, W: 28, C: 1}, "colour": {H: 32, W: 32, C: 3}} {
		const n = 20_000
		net, err := New(in, Flatten(), Dense(10))
		if err != nil {
			b.Fatal(err)
		}
		tape, size := net.Tape(1), in.Len()
		p := fl.NewBytes(make([]uint8, n*size), size)
		x, rows := p.Matrix().Data, make([]int, 32)
		for _, packed := range []bool{false, true} {
			b.Run(name+map[bool]string{true: "/packed", false: "/wide"}[packed], func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				for b.Loop() {
					for k := range rows {
						rows[k] = rng.IntN(n)
					}
					if packed {
						tape.GatherPacked(&p, rows)
					} else {
						tape.Gather(x, rows)
					}
				}
			})
		}
	}
}

// Rows become a batch and rows again.
func TestBatchesBecomeRows(t *testing.T) {
	shape, rows := Shape{2, 3, 4}, make([]float64, 48)
	for i := range rows {
		rows[i] = float64(i)
	}
	batch, back := make([]float32, len(rows)), make([]float64, len(rows))
	shape.Interleave(batch, rows)
	if !slices.Equal(batch, mustNew(t, shape, Flatten()).Tape(2).Gather(rows, nil)) {
		t.Error("the batch is not that of Gather")
	}
	shape.AddRows(back, batch)
	shape.AddRows(back, batch)
	for i, v := range back {
		if v != 2*rows[i] {
			t.Fatalf("element %d is %v, want %v", i, v, 2*rows[i])
		}
	}
}
