// PowerSGD — of each weight matrix of an update a product of two thin ones.
//
//	T. Vogels, S. P. Karimireddy, M. Jaggi. PowerSGD: Practical Low-Rank Gradient Compression for
//	Distributed Optimization. NeurIPS 2019, Algorithm 1. Checked against RankKReducer in
//	paper-code/gradient_reducers.py of epfml/powersgd.
//
// Notation: M is a weight of the update, m × n; Q, n × r, is that of the client's update before,
// and standard normal at first (r ≤ min(m, n)):
//
//	P ← MQ,   P̂ ← an orthonormal basis of the columns of P (Gram–Schmidt),   Q ← MᵀP̂,
//	C(M) = P̂Qᵀ.
//
// Where the client's updates are alike, this is a power iteration, which comes to the best matrix
// of rank r. Blocks with one column or row are sent in full, and so are those whose P̂ and Q have
// no fewer numbers than M. The paper has feedback = "ef".
//
// Encoding: P̂, Q and what is sent in full, a float32 for each number.
//
// Departures: every client has a Q of its own and sends its own P̂; the paper's clients add up P
// and Q, which all of them share, on the way.

package compressor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// PowerSGD describes the compressor to the registry.
var PowerSGD = fl.CompressorEntry{
	Name:       "power-sgd",
	Summary:    "weights of an update as products of two thin matrices",
	Paper:      "vogels2019",
	Deviations: "every client has a Q of its own, and sends its own factors",
	New: of(func(p *fl.Params) *powerSGD {
		return &powerSGD{p.Int("rank", 2, fl.AtLeast(1), "r, columns of both matrices, at most "+
			"those of the weight")}
	}),
}

// powerSGD keeps in State: q, the columns of Q of all weights, one after another.
type powerSGD struct{ rank int }

var (
	_ fl.Direct = (*powerSGD)(nil)
	_ fl.Sized  = (*powerSGD)(nil)
)

// of returns the rank of the product for a block, 0 where that is sent in full.
func (c *powerSGD) of(b *fl.Block) int {
	r := min(c.rank, b.Rows, b.Cols)
	if b.Rows == 1 || b.Cols == 1 || r*(b.Rows+b.Cols) >= b.Rows*b.Cols {
		return 0
	}
	return r
}

// factors returns P̂ and Q of all blocks by column, as they are sent.
func (c *powerSGD) factors(k *fl.Coding, f func(b *fl.Block, p, q fl.Matrix)) {
	kept, at := k.State.Vector("q", c.columns(k.Layout)), 0
	for i := range k.Layout.Blocks {
		b := &k.Layout.Blocks[i]
		r := c.of(b)
		m := b.Of(k.In)
		p := fl.Matrix{Rows: r, Cols: b.Rows, Data: k.Scratch(r * b.Rows)}
		q := fl.Matrix{Rows: r, Cols: b.Cols, Data: kept[at : at+r*b.Cols]}
		at += r * b.Cols
		for a := range r {
			v, w := fl.Vector(p.Row(a)), fl.Vector(q.Row(a))
			if largestOf(w) == 0 {
				for j := range w {
					w[j] = k.RNG.NormFloat64()
				}
			}
			for i := range v {
				v[i] = w.Dot(m.Row(i))
			}
		}
		orthogonalize(p)
		clear(q.Data)
		for a := range r {
			w := fl.Vector(q.Row(a))
			for i, x := range p.Row(a) {
				w.AddScaled(x, m.Row(i))
			}
			single32(w)
		}
		f(b, p, q)
	}
}

// columns returns how many numbers Q of all weights has.
func (c *powerSGD) columns(l fl.Layout) (n int) {
	for i := range l.Blocks {
		n += c.of(&l.Blocks[i]) * l.Blocks[i].Cols
	}
	return n
}

// orthogonalize makes the rows of p orthonormal, in their order, and rounds them. A row that
// depends on those before is zero.
func orthogonalize(p fl.Matrix) {
	for a := range p.Rows {
		v := fl.Vector(p.Row(a))
		before := v.Dot(v)
		for b := range a {
			w := fl.Vector(p.Row(b))
			v.AddScaled(-w.Dot(v), w)
		}
		if norm := v.Dot(v); norm > 1e-24*before {
			v.Scale(1 / math.Sqrt(norm))
		} else {
			clear(v)
		}
	}
	single32(p.Data)
}

// single32 rounds numbers to float32.
func single32(x fl.Vector) {
	for j, v := range x {
		x[j] = fl.RoundFloat32(v)
	}
}

// product adds P̂Qᵀ to a block.
func product(out, p, q fl.Matrix) {
	for a := range p.Rows {
		for i, x := range p.Row(a) {
			fl.Vector(out.Row(i)).AddScaled(x, q.Row(a))
		}
	}
}

// Encode implements fl.Compressor.
func (c *powerSGD) Encode(k *fl.Coding) error {
	write := func(x fl.Vector) {
		for _, v := range x {
			k.Code.AppendFloat32(v)
		}
	}
	c.factors(k, func(b *fl.Block, p, q fl.Matrix) {
		if p.Rows == 0 {
			write(b.Of(k.In).Data)
		}
		write(p.Data)
		write(q.Data)
	})
	return nil
}

// Decode implements fl.Compressor.
func (c *powerSGD) Decode(k *fl.Coding) error {
	read := func(x fl.Vector) {
		for j := range x {
			x[j] = k.Code.ReadFloat32()
		}
	}
	for i := range k.Layout.Blocks {
		b := &k.Layout.Blocks[i]
		r := c.of(b)
		if r == 0 {
			read(b.Of(k.Out).Data)
			continue
		}
		p := fl.Matrix{Rows: r, Cols: b.Rows, Data: k.Scratch(r * b.Rows)}
		q := fl.Matrix{Rows: r, Cols: b.Cols, Data: k.Scratch(r * b.Cols)}
		read(p.Data)
		read(q.Data)
		product(b.Of(k.Out), p, q)
	}
	return k.Code.Err()
}

// Compress implements fl.Direct.
func (c *powerSGD) Compress(k *fl.Coding) (bits int) {
	c.factors(k, func(b *fl.Block, p, q fl.Matrix) {
		out := b.Of(k.Out)
		if p.Rows == 0 {
			copy(out.Data, b.Of(k.In).Data)
			single32(out.Data)
			bits += 32 * len(out.Data)
			return
		}
		clear(out.Data)
		product(out, p, q)
		bits += 32 * (len(p.Data) + len(q.Data))
	})
	return bits
}

// Bits implements fl.Sized.
func (c *powerSGD) Bits(l fl.Layout) (bits int) {
	for i := range l.Blocks {
		b := &l.Blocks[i]
		if r := c.of(b); r > 0 {
			bits += 32 * r * (b.Rows + b.Cols)
		} else {
			bits += 32 * b.Rows * b.Cols
		}
	}
	return bits
}

// Guarantee implements fl.Compressor: a matrix whose Q is orthogonal to its rows is lost entirely.
func (c *powerSGD) Guarantee(int) (fl.Guarantee, bool) { return fl.Guarantee{}, false }
