package compressor

import (
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// entries are all compressors but none.
func entries() []fl.CompressorEntry {
	return []fl.CompressorEntry{TopK, RandomK, Sign, QSGD, TernGrad, Int8, Float16, BFloat16, PowerSGD}
}

// long returns an update of a weight and a bias, of 400 times so many rows.
func long(rows int) *fl.Coding {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 400 * rows
	k := &fl.Coding{In: make(fl.Vector, n), Out: make(fl.Vector, n), Code: new(fl.Bits), RNG: rng,
		Shared: rng, State: fl.NewStore(), Layout: fl.Layout{Blocks: []fl.Block{
			{Name: fl.Weight, Rows: rows, Cols: 399},
			{Name: fl.Bias, Rows: rows, Cols: 1, Offset: 399 * rows}}}}
	for j := range k.In {
		k.In[j] = rng.NormFloat64()
	}
	return k
}

// shortcut compresses without a code.
func shortcut(c fl.Compressor, k *fl.Coding) {
	if sparse, ok := c.(fl.Sparse); ok {
		sparse.Sparsify(k)
	} else {
		c.(fl.Direct).Compress(k)
	}
}

// Once there is room, an update is compressed, encoded and decoded without an allocation.
func TestCompressorsAllocateNothing(t *testing.T) {
	for _, e := range entries() {
		c, k := built(t, e, nil), long(10)
		compress := func() {
			k.Recycle()
			shortcut(c, k)
		}
		code := func() {
			k.Recycle()
			k.Code.Reset()
			clear(k.Out)
			if err := c.Encode(k); err != nil {
				t.Fatal(err)
			}
			if err := c.Decode(k); err != nil {
				t.Fatal(err)
			}
		}
		for what, f := range map[string]func(){"Compress": compress, "Encode and Decode": code} {
			f()
			f()
			if n := testing.AllocsPerRun(10, f); n > 0 {
				t.Errorf("%s: %s allocates %v times", e.Name, what, n)
			}
		}
	}
}

// BenchmarkCompress is of an update of 400,000 numbers.
func BenchmarkCompress(b *testing.B) {
	for _, e := range entries() {
		b.Run(e.Name, func(b *testing.B) {
			c, k := built(b, e, nil), long(1000)
			b.SetBytes(8 * int64(len(k.In)))
			for b.Loop() {
				k.Recycle()
				shortcut(c, k)
			}
		})
	}
}
