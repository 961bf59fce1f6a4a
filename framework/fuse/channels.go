package fuse

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Channels map the channels of one network to those of the other.
type channels struct {
	same bool
	p    fl.Matrix // T·diag(1/Tᵀ1): every column sums to 1; unused where they are the same

	headed  bool    // channels are those of heads
	alone   []bool  // channels of the other network to which nothing comes; nil: there are none
	in, out float64 // what weights are multiplied by on these sides as well; 0: by nothing
}

// scarce is the share of its mass below which next to nothing comes to a neuron.
const scarce = 1e-6

// newChannels returns the map of a plan. Dividing by the true sums makes up for a plan whose
// marginals are not exact.
func (a *Aligner) newChannels(plan fl.Matrix) *channels {
	c := &channels{p: fl.NewMatrix(plan.Rows, plan.Cols)}
	if a.Printed {
		copy(c.p.Data, plan.Data)
		c.in, c.out = 1/float64(plan.Rows), 1/float64(plan.Cols)
		return c
	}
	sums, least := make(fl.Vector, plan.Cols), 0.0
	for i := range plan.Rows {
		sums.Add(plan.Row(i))
	}
	if a.Loose {
		least = scarce / float64(plan.Cols)
	}
	for j, s := range sums {
		if s <= least {
			if c.alone == nil {
				c.alone = make([]bool, plan.Cols)
			}
			c.alone[j], sums[j] = true, math.Inf(1)
		}
	}
	for i := range plan.Rows {
		row := c.p.Row(i)
		copy(row, plan.Row(i))
		row.Div(sums)
	}
	return c
}

// fit says why the map is none from n channels to m. Those of heads are there three times, one
// after the other, where queries, keys and values are yielded.
func (c *channels) fit(n, m int) error {
	switch {
	case c.same && n != m:
		return fmt.Errorf("%d channels in one network and %d in the other, and they must be the "+
			"same", n, m)
	case !c.same && !(c.p.Rows == n && c.p.Cols == m) &&
		!(c.headed && 3*c.p.Rows == n && 3*c.p.Cols == m):
		return fmt.Errorf("%d and %d channels meet a plan of %d × %d", n, m, c.p.Rows, c.p.Cols)
	}
	return nil
}

// outgoing sets dst to diag(1/Tᵀ1)·Tᵀ·w, for as many times as its channels are there.
func (c *channels) outgoing(space *kernel.Workspace, dst, w fl.Matrix) {
	if c.same {
		copy(dst.Data, w.Data)
		return
	}
	for k := range w.Rows / c.p.Rows {
		kernel.Gemm64(space,
			kernel.RowMajor(dst.Data[k*c.p.Cols*dst.Cols:], c.p.Cols, dst.Cols),
			kernel.RowMajor(c.p.Data, c.p.Rows, c.p.Cols).T(),
			kernel.RowMajor(w.Data[k*c.p.Rows*w.Cols:], c.p.Rows, w.Cols), false)
	}
	if c.out != 0 {
		fl.Vector(dst.Data).Scale(c.out)
	}
}

// outgoingColumns sets dst to w·T·diag(1/Tᵀ1): channels that a layer yields are columns of some
// weights.
func (c *channels) outgoingColumns(space *kernel.Workspace, dst, w fl.Matrix) {
	if c.same {
		copy(dst.Data, w.Data)
		return
	}
	kernel.Gemm64(space, kernel.RowMajor(dst.Data, dst.Rows, dst.Cols),
		kernel.RowMajor(w.Data, w.Rows, w.Cols), kernel.RowMajor(c.p.Data, c.p.Rows, c.p.Cols),
		false)
	if c.out != 0 {
		fl.Vector(dst.Data).Scale(c.out)
	}
}

// keepRows sets the rows of channels without partners to those of the other network.
func (c *channels) keepRows(dst, to fl.Matrix) {
	if c.alone == nil {
		return
	}
	for j := range dst.Rows {
		if c.alone[j%len(c.alone)] {
			copy(dst.Row(j), to.Row(j))
		}
	}
}

// keepColumns sets the columns of channels without partners to those of the other network, for
// every pixel.
func (c *channels) keepColumns(dst, to fl.Matrix) {
	n := len(c.alone)
	if n == 0 {
		return
	}
	for k := range dst.Data {
		if c.alone[k%dst.Cols%n] {
			dst.Data[k] = to.Data[k]
		}
	}
}

// clone returns a copy of a matrix.
func clone(m fl.Matrix) fl.Matrix {
	m.Data = append([]float64(nil), m.Data...)
	return m
}

// input is the place of what a network is fed among the layers that tie channels.
const input = -1

// Ties say which layers yield the same channels: a forest over the input, at 0, and the
// layers, from 1.
type ties []int

// tie returns the ties of a graph.
func tie(l *fl.Layout) ties {
	t := make(ties, len(l.Layers)+1)
	for i := range t {
		t[i] = i
	}
	for i := range l.Layers {
		if yields(l.Layers[i].Kind) {
			continue // channels of its own
		}
		for _, from := range l.Layers[i].From {
			if l.Layers[i].Kind != fl.KindTied {
				t.join(i, from)
				continue
			}
			for k := range i { // what scores tokens has the channels of their embedding
				if l.Layers[k].Kind == fl.KindEmbedding {
					t.join(k, from)
				}
			}
		}
	}
	return t
}

// join ties the channels of two layers. The earlier one is the root, for either order of arguments.
func (t ties) join(i, k int) {
	a, b := t.root(i), t.root(k)
	t[max(a, b)] = min(a, b)
}

// yields reports whether layers of a kind yield channels that a plan is found for, by their
// weights.
func yields(kind fl.LayerKind) bool {
	return kind == fl.KindDense || kind == fl.KindConv || kind == fl.KindEmbedding
}

// root returns what stands for the channels of a layer, or of the input.
func (t ties) root(layer int) int {
	i := layer + 1
	for t[i] != i {
		i = t[i]
	}
	return i
}
