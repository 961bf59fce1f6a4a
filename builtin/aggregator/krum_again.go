package aggregator

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A krumAgain chooses by Krum, again and again among those that are left. The score of an update is
// the sum of the squared distances to as many of its neighbours as count. When an update is chosen,
// one neighbour less counts, and a score changes by one distance: by that to the chosen one if it
// counted, or else by that to the farthest one that did. Neighbours are sorted once, byte by byte,
// so that all choices together take O(n²). Sums are exact: what was subtracted leaves no rounding
// behind, and ties are ties.
type krumAgain struct {
	f        int
	distance fl.Matrix
	left     []int  // updates that are not chosen, by client
	gone     []bool // which are

	near   []int32 // row by row the other updates, the nearest first
	edges  []edge
	score  exactSums
	total  exactSums // of the distances to all that are left
	sorter rowSorter
}

// An edge is where the neighbours of an update that count end.
type edge struct {
	distance float64 // of the last one that counts, or of one that is gone
	other    int32   // which that is
	at       int32   // its place in the row
}

// start begins with all updates, in the order of clients.
func (c *krumAgain) start(distance fl.Matrix, f int, byClient []int) {
	n := distance.Rows
	c.f, c.distance, c.left = f, distance, byClient
	c.gone = slices.Grow(c.gone[:0], n)[:n]
	c.near = slices.Grow(c.near[:0], n*(n-1))[:n*(n-1)]
	c.edges = slices.Grow(c.edges[:0], n)[:n]
	clear(c.gone)
	c.score.reset(n, distance.Data)
	c.total.reset(n, distance.Data)
	for k := range n {
		row := c.row(k)
		c.sorter.sort(row, distance.Row(k), k)
		for at, j := range row {
			d := distance.Row(k)[j]
			if at < c.counted(n) {
				c.score.add(k, d)
			}
			c.total.add(k, d)
		}
		c.move(k, int32(c.counted(n)-1))
	}
}

// move sets the edge of an update to a place in its row.
func (c *krumAgain) move(k int, at int32) {
	if at >= 0 { // else no neighbour counts: it is the last one that is left
		other := c.row(k)[at]
		c.edges[k] = edge{c.distance.Row(k)[other], other, at}
	}
}

// row returns the neighbours of an update.
func (c *krumAgain) row(k int) []int32 {
	n := c.distance.Rows - 1
	return c.near[k*n : (k+1)*n]
}

// counted returns how many neighbours count when so many updates are left. Towards the end these
// are fewer than f + 3: one neighbour is what is left to ask then.
func (c *krumAgain) counted(left int) int { return min(max(left-c.f-2, 1), left-1) }

// next chooses an update.
func (c *krumAgain) next() int {
	best := 0
	for at := 1; at < len(c.left); at++ {
		k, least := c.left[at], c.left[best]
		by := c.score.compare(k, least)
		if by < 0 || by == 0 && c.total.compare(k, least) < 0 {
			best = at
		}
	}
	chosen := c.left[best]
	c.left = slices.Delete(c.left, best, best+1)
	c.gone[chosen] = true
	fewer := c.counted(len(c.left)) < c.counted(len(c.left)+1)
	for _, k := range c.left {
		c.leave(k, chosen, fewer)
	}
	return chosen
}

// leave takes an update that was chosen out of the sums of another one, for which fewer neighbours
// count now, or as many as before.
func (c *krumAgain) leave(k, chosen int, fewer bool) {
	d, e := c.distance.Row(chosen)[k], c.edges[k] // distances are symmetric to the bit
	c.total.sub(k, d)
	a, b := key(d), key(e.distance)
	counted := a < b || a == b && chosen <= int(e.other)
	if counted {
		c.score.sub(k, d)
	}
	if counted == fewer {
		return
	}
	row, at := c.row(k), e.at
	if counted { // the next one counts in its place
		for at++; c.gone[row[at]]; at++ {
		}
		c.score.add(k, c.distance.Row(k)[row[at]])
		c.move(k, at)
		return
	}
	for ; c.gone[row[at]]; at-- {
	}
	c.score.sub(k, c.distance.Row(k)[row[at]]) // the farthest one does not count any more
	c.move(k, at-1)
}

// key returns bits by which numbers that are not negative are ordered, and NaN after all.
func key(x float64) uint64 { return math.Float64bits(x) }

// A rowSorter sorts the neighbours of an update: byte by byte of their distances, the lowest first,
// which takes a time in proportion to how many they are.
type rowSorter struct {
	keys, keys2   []uint64
	others, spare []int32
}

// sort sets row to the indices of distances without own, by ascending distance and then by index.
func (s *rowSorter) sort(row []int32, distance []float64, own int) {
	const digits = 8
	var counts [digits][256]int32
	n := len(row)
	s.keys = slices.Grow(s.keys[:0], n)
	s.keys2, s.spare = slices.Grow(s.keys2[:0], n)[:n], slices.Grow(s.spare[:0], n)[:n]
	s.others = s.others[:0]
	for j, d := range distance {
		if j == own {
			continue
		}
		bits := key(d)
		s.keys, s.others = append(s.keys, bits), append(s.others, int32(j))
		for digit := range digits {
			counts[digit][byte(bits>>(8*digit))]++
		}
	}
	for digit := range digits {
		from := &counts[digit]
		if int(from[byte(s.keys[0]>>(8*digit))]) == n {
			continue // it is the same in all
		}
		sum := int32(0)
		for b, count := range from {
			from[b] = sum
			sum += count
		}
		for i, bits := range s.keys {
			b := byte(bits >> (8 * digit))
			s.keys2[from[b]], s.spare[from[b]] = bits, s.others[i]
			from[b]++
		}
		s.keys, s.keys2, s.others, s.spare = s.keys2, s.keys, s.spare, s.others
	}
	copy(row, s.others)
}
