package ot

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A simplex is the network simplex method for a transport problem (Dantzig. Application of the
// simplex method to a transportation problem. 1951) whose masses are whole numbers above 0.
// Its plan is a spanning tree of rows and columns, whose edges all have cost fᵢ + gⱼ; a pivot adds
// an edge that costs less and takes another from the cycle. Pivots look for that edge among the
// arcs of a short list, block by block, and take the cheapest of a block (Grigoriadis. An
// efficient implementation of the network simplex method. Mathematical Programming Study, 1986).
// Where the list has none, arcs of the whole matrix are added to it that cost less than fᵢ + gⱼ,
// until there are none: then no plan is cheaper.
//
// An edge without flow leads towards the root of the tree, and of those that could leave it is
// the last on the cycle that does, which rules out that pivots without flow repeat (Cunningham. A
// network simplex method. Mathematical Programming, 1976).
//
// Nodes are the rows and then the columns. Mass goes from rows to columns, so the edge between a
// node and its parent leads up from a row and down to a column.
type simplex struct {
	cost   tensor.Matrix
	n      int           // rows
	f, g   tensor.Vector // potentials of rows and columns
	supply []int64
	demand []int64

	parent      []int32 // of each node; −1 for the root
	root        int32
	child       []int32 // one of each node; −1 for none
	left, right []int32 // siblings
	size        []int32 // nodes of the subtree
	flow        []int64 // on the edge to the parent
	order       []int32 // nodes, parents first, or those of a subtree

	arcs      []arc
	at        int     // place in arcs where the next block begins
	tolerance float64 // what counts as 0 of a reduced cost
	pivots    int
	basis
}

// An arc is a pair of a row and a column, by their numbers, at a cost.
type arc struct {
	row, col int32
	cost     float64
}

// perNode is how many pivots there are for each node before rounding is taken for their reason
// and the tolerance doubles.
const perNode = 64

// solve finds the plan of a problem none of whose supplies and demands is 0. Costs are at
// most largest.
func (s *simplex) solve(cost tensor.Matrix, largest float64) {
	s.cost, s.n = cost, cost.Rows
	nodes := cost.Rows + cost.Cols
	for _, list := range []*[]int32{&s.parent, &s.child, &s.left, &s.right, &s.size} {
		*list = resize(*list, nodes)
	}
	s.flow = resize(s.flow, nodes)
	s.f, s.g = resize(s.f, cost.Rows), resize(s.g, cost.Cols)
	s.tolerance, s.pivots, s.at = largest*0x1p-50, 0, 0
	s.start()
	s.refresh()
	for s.price() {
		s.improve()
		s.refresh()
	}
}

// reduced returns Cᵢⱼ − fᵢ − gⱼ, the cost of sending mass by an arc rather than by the tree.
func (s *simplex) reduced(a arc) float64 { return a.cost - s.f[a.row] - s.g[a.col] }

// price adds to the list the arcs of each row whose reduced costs are least, those that are
// negative. It reports whether the list or what was added has such an arc.
func (s *simplex) price() (more bool) {
	for i, f := range s.f {
		row := s.cost.Row(i)
		g := s.g[:len(row)]
		s.few.clear(-s.tolerance)
		for j, c := range row {
			if r := c - f - g[j]; r < s.few.limit {
				s.few.insert(r, int32(j))
			}
		}
		for _, j := range s.few.at {
			if j >= 0 {
				s.arcs = append(s.arcs, arc{int32(i), j, row[j]})
				more = true
			}
		}
	}
	return more
}

// improve pivots until no arc of the list has a negative reduced cost.
func (s *simplex) improve() {
	arcs, f, g := s.arcs, s.f, s.g
	block := max(16, int(math.Sqrt(float64(len(arcs)))))
	for seen := 0; seen < len(arcs); {
		best, low := -1, -s.tolerance
		for left := block; left > 0; {
			end := min(s.at+left, len(arcs))
			for k, a := range arcs[s.at:end] {
				if r := a.cost - f[a.row] - g[a.col]; r < low {
					best, low = s.at+k, r
				}
			}
			left -= end - s.at
			if s.at = end; end == len(arcs) {
				s.at = 0
			}
		}
		seen += block
		if best >= 0 {
			s.pivot(arcs[best])
			seen = 0
		}
	}
}

// pivot takes an arc into the tree.
func (s *simplex) pivot(a arc) {
	i, j := a.row, int32(s.n)+a.col
	join, out, ofCol := s.leaving(i, j)
	amount := s.flow[out]
	if amount > 0 {
		s.push(i, join, -amount)
		s.push(j, join, amount)
	}
	// The subtree that is cut off gets the arc as its way up.
	v, p, shift := i, j, s.reduced(a)
	if ofCol {
		v, p, shift = j, i, -shift
	}
	whole := s.size[out]
	for q := s.parent[out]; q != join; q = s.parent[q] {
		s.size[q] -= whole
	}
	for q := p; q != join; q = s.parent[q] {
		s.size[q] += whole
	}
	s.hang(v, p, out, amount)
	s.shift(v, shift)
	if s.pivots++; s.pivots%(perNode*len(s.parent)) == 0 {
		s.tolerance *= 2
	}
}

// leaving returns where the ways up from row i and column j join, and the node whose edge to its
// parent is the last with the least flow of those that lose flow, from the join down to i and
// from j up to it. It reports whether that is on the way from j.
func (s *simplex) leaving(i, j int32) (join, out int32, ofCol bool) {
	n, size, flow, parent := int32(s.n), s.size, s.flow, s.parent
	least, lowest := int64(math.MaxInt64), int64(math.MaxInt64)
	var ofRow, last int32
	for i != j {
		if size[i] < size[j] {
			if i < n && flow[i] < least {
				least, ofRow = flow[i], i
			}
			i = parent[i]
			continue
		}
		if j >= n && flow[j] <= lowest {
			lowest, last = flow[j], j
		}
		j = parent[j]
	}
	if lowest <= least {
		return i, last, true
	}
	return i, ofRow, false
}

// push adds to the flow of rows on the way up from v to join, and takes as much from columns.
func (s *simplex) push(v, join int32, amount int64) {
	for n := int32(s.n); v != join; v = s.parent[v] {
		if v < n {
			s.flow[v] += amount
		} else {
			s.flow[v] -= amount
		}
	}
}

// hang makes p the parent of v, and on the way from v up to out each node the parent of the next.
func (s *simplex) hang(v, p, out int32, flow int64) {
	for whole, below := s.size[out], int32(0); ; {
		up, before, size := s.parent[v], s.flow[v], s.size[v]
		s.unlink(v)
		s.link(v, p)
		s.flow[v], s.size[v] = flow, whole-below
		if v == out {
			return
		}
		flow, below = before, size
		v, p = up, v
	}
}

// link makes v a child of p.
func (s *simplex) link(v, p int32) {
	next := s.child[p]
	s.parent[v], s.left[v], s.right[v], s.child[p] = p, -1, next, v
	if next >= 0 {
		s.left[next] = v
	}
}

// unlink takes v from the children of its parent.
func (s *simplex) unlink(v int32) {
	left, right := s.left[v], s.right[v]
	if left >= 0 {
		s.right[left] = right
	} else {
		s.child[s.parent[v]] = right
	}
	if right >= 0 {
		s.left[right] = left
	}
}

// shift moves the potentials of the subtree of v, f up and g down, or those of all other nodes
// the other way, if they are fewer.
func (s *simplex) shift(v int32, by float64) {
	skip := int32(-1)
	if 2*int(s.size[v]) > len(s.parent) {
		v, skip, by = s.root, v, -by
	}
	n, list := int32(s.n), append(s.order[:0], v)
	f, g, child, right := s.f, s.g, s.child, s.right
	for len(list) > 0 {
		v = list[len(list)-1]
		list = list[:len(list)-1]
		if v < n {
			f[v] += by
		} else {
			g[v-n] -= by
		}
		for c := child[v]; c >= 0; c = right[c] {
			if c != skip {
				list = append(list, c)
			}
		}
	}
	s.order = list
}

// refresh computes the potentials and sizes of the tree without what rounding has added up.
func (s *simplex) refresh() {
	n := int32(s.n)
	s.order = append(s.order[:0], s.root)
	for at := 0; at < len(s.order); at++ {
		v := s.order[at]
		s.size[v] = 1
		switch p := s.parent[v]; {
		case p < 0:
			s.f[v] = 0
		case v < n:
			s.f[v] = s.cost.Row(int(v))[p-n] - s.g[p-n]
		default:
			s.g[v-n] = s.cost.Row(int(p))[v-n] - s.f[p]
		}
		for c := s.child[v]; c >= 0; c = s.right[c] {
			s.order = append(s.order, c)
		}
	}
	for at := len(s.order) - 1; at > 0; at-- {
		v := s.order[at]
		s.size[s.parent[v]] += s.size[v]
	}
}
