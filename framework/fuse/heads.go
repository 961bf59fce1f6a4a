package fuse

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Heads are the channels that attention ties together: head h of n has unit channels of each
// query, key and value, which lie one behind the other, and unit channels of what comes out. It is
// moved as a whole. What else leaves the function as it is, within a head, is not looked for: an
// invertible map of its queries with the inverse of its keys, and one of its values with the
// inverse of the weights that read them.
type heads struct{ n, unit int }

// parts returns how many times the channels of all heads follow each other in so many rows: three
// times where queries, keys and values are yielded, else once.
func (h heads) parts(rows int) int { return rows / (h.n * h.unit) }

// headsOf returns the heads of a graph, by root of ties, or why they cannot be moved: a layer meets
// them that tells channels apart.
func headsOf(l *fl.Layout, t ties) (map[int]heads, error) {
	found := map[int]heads{}
	fixed := map[int]bool{t.root(input): true, t.root(len(t) - 2): true}
	for i := range l.Layers {
		layer, at := &l.Layers[i], t.root(i)
		if (layer.Kind == fl.KindAttention || layer.Kind == fl.KindSelf) && !fixed[at] {
			if _, twice := found[at]; twice {
				return nil, fmt.Errorf("layer %d: cannot align attention to what attention "+
					"yields", i)
			}
			found[at] = heads{layer.Groups, layer.Out.C / layer.Groups}
		}
	}
	weights := map[int]bool{}
	for i := range l.Layers {
		at := t.root(i)
		if _, ok := found[at]; !ok {
			continue
		}
		switch k := l.Layers[i].Kind; k {
		case fl.KindDense, fl.KindConv:
			if weights[at] {
				return nil, fmt.Errorf("layer %d: cannot align heads that two layers yield", i)
			}
			weights[at] = true
		case fl.KindAttention, fl.KindSelf:
		default:
			if !alone(k) {
				return nil, fmt.Errorf("layer %d: cannot align heads of attention that meet a "+
					"layer of kind %s", i, k)
			}
		}
	}
	return found, nil
}

// alone reports whether a layer of a kind does the same to every channel, without the others and
// without parameters.
func alone(kind fl.LayerKind) bool {
	switch kind {
	case fl.KindReLU, fl.KindReLU6, fl.KindLeakyReLU, fl.KindTanh, fl.KindSigmoid, fl.KindGELU,
		fl.KindQuickGELU, fl.KindDropout, fl.KindMaxPool, fl.KindAvgPool, fl.KindFlatten,
		fl.KindSequence, fl.KindFirst, fl.KindLast:
		return true
	}
	return false
}

// rows returns a matrix with a row for each head, of the rows of its channels.
func (h heads) rows(m fl.Matrix) fl.Matrix {
	parts, size := h.parts(m.Rows), h.unit*m.Cols
	whole := fl.NewMatrix(h.n, parts*size)
	for k := range h.n {
		for part := range parts {
			copy(whole.Row(k)[part*size:], m.Data[(part*h.n+k)*size:][:size])
		}
	}
	return whole
}

// spread has a map of heads map their channels.
func (c *channels) spread(unit int) *channels {
	if c.headed = true; unit == 1 {
		return c
	}
	p := fl.NewMatrix(c.p.Rows*unit, c.p.Cols*unit)
	for i := range p.Rows {
		for j := range c.p.Cols {
			p.Row(i)[j*unit+i%unit] = c.p.Row(i / unit)[j]
		}
	}
	c.p = p
	if whole := c.alone; whole != nil {
		c.alone = make([]bool, p.Cols)
		for j := range c.alone {
			c.alone[j] = whole[j/unit]
		}
	}
	return c
}
