package aggregator

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// apart is a graph of updates, with an edge between two that are too far apart to be in one set.
// Sets are bits, a word for 64 updates.
type apart struct {
	n     int
	edges []uint64 // row by row the neighbours of an update
	left  []uint64 // updates that are yet to be placed
	room  []uint64 // for sets
}

// words returns how many words a set has.
func (g *apart) words() int { return (g.n + 63) / 64 }

// row returns the neighbours of an update.
func (g *apart) row(k int) []uint64 { return g.edges[k*g.words() : (k+1)*g.words()] }

// link makes edges between updates that are not within a squared distance of each other.
func (g *apart) link(distance fl.Matrix, within float64) {
	g.n = distance.Rows
	g.edges = slices.Grow(g.edges[:0], g.n*g.words())[:g.n*g.words()]
	clear(g.edges)
	for k := range g.n {
		row := g.row(k)
		for l, d := range distance.Row(k) {
			if l != k && !(d <= within) {
				row[l/64] |= 1 << (l % 64)
			}
		}
	}
	g.left = append(g.left[:0], make([]uint64, g.words())...)
	for k := range g.n {
		g.left[k/64] |= 1 << (k % 64)
	}
}

// degree returns how many neighbours of an update are in a set.
func (g *apart) degree(k int, set []uint64) (n int) {
	for i, word := range g.row(k) {
		n += bits.OnesCount64(word & set[i])
	}
	return n
}

// leave takes an update out of a set.
func leave(set []uint64, k int) { set[k/64] &^= 1 << (k % 64) }

// within reports whether an update is in a set.
func within(set []uint64, k int) bool { return set[k/64]>>(k%64)&1 == 1 }

// coveredBy reports whether at most f updates that are left have one end of every edge.
func (g *apart) coveredBy(f int) bool {
	depth := (f + 2) * g.words()
	g.room = slices.Grow(g.room[:0], depth)[:depth]
	return g.covered(append(g.room[:0], g.left...), f)
}

// covered is coveredBy for a set, which it changes. What follows that set in its memory is room.
//
// A vertex of more neighbours than f is in the cover. So may be one that has all neighbours of one
// of its own (it does for that one what that one would do for it), and any vertex of a circle. What
// is left has a vertex of three neighbours or more: either it is in the cover or they all are. So
// T(f) = T(f − 1) + T(f − 3) steps are the most, 1.47^f.
func (g *apart) covered(set []uint64, f int) bool {
	for {
		most, at, edges := g.survey(set)
		if edges == 0 {
			return true
		} else if edges > f*most {
			return false
		}
		v := at
		if most <= f {
			v = g.dominant(set)
		}
		if v < 0 && most == 2 {
			v = at // there are circles only
		}
		if v >= 0 {
			leave(set, v)
			f--
			continue
		}
		other := append(set[len(set):], set...) // in the memory that follows
		leave(other, at)
		if g.covered(other, f-1) {
			return true
		}
		g.leaveNeighbours(set, at)
		f -= most
	}
}

// survey returns the most neighbours that a vertex of a set has in it, the first such vertex, and
// the number of edges.
func (g *apart) survey(set []uint64) (most, at, edges int) {
	for k := range members(set) {
		degree := g.degree(k, set)
		edges += degree
		if degree > most {
			most, at = degree, k
		}
	}
	return most, at, edges / 2
}

// dominant returns a vertex of a set that has all neighbours of one of its own, or −1.
func (g *apart) dominant(set []uint64) int {
	for k := range members(set) {
		for i, word := range g.row(k) {
			for word &= set[i]; word != 0; word &= word - 1 {
				if v := 64*i + bits.TrailingZeros64(word); g.has(v, k, set) {
					return v
				}
			}
		}
	}
	return -1
}

// has reports whether a vertex has all other neighbours of its neighbour k.
func (g *apart) has(v, k int, set []uint64) bool {
	own := g.row(v)
	for i, word := range g.row(k) {
		missing := word & set[i] &^ own[i]
		if i == v/64 {
			missing &^= 1 << (v % 64)
		}
		if missing != 0 {
			return false
		}
	}
	return true
}

// members yields what is in a set.
func members(set []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range set {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// leaveNeighbours takes all neighbours of a vertex out of a set.
func (g *apart) leaveNeighbours(set []uint64, k int) {
	for i, word := range g.row(k) {
		set[i] &^= word
	}
}

// first returns all but f updates without an edge between them, of which there must be a choice: as
// many of the first in an order as can be.
func (g *apart) first(order []int, f int) (kept []int) {
	most := g.n - f
	for _, k := range order {
		if len(kept) == most {
			break
		}
		if !within(g.left, k) {
			continue
		}
		leave(g.left, k)
		before, cost := slices.Clone(g.left), g.degree(k, g.left)
		g.leaveNeighbours(g.left, k)
		if cost <= f && g.coveredBy(f-cost) {
			kept, f = append(kept, k), f-cost
			continue
		}
		copy(g.left, before)
		f--
	}
	return kept
}
