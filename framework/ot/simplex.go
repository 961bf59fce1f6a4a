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
	f, g   tensor.Vector // potentials of rows and columns; while there are pivots, g is in down
	down   tensor.Vector // of each node: fᵢ of a row, −gⱼ of a column, so that both move alike
	supply []int64
	demand []int64

	parent []int32 // of each node; −1 for the root
	root   int32
	// Each subtree lies together in one order of all nodes, its root first; the root of the tree
	// follows on the last node.
	next, before []int32
	last         []int32 // of each node, the last of its subtree
	size         []int32 // nodes of the subtree
	flow         []int64 // on the edge to the parent

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
	for _, list := range []*[]int32{&s.parent, &s.next, &s.before, &s.last, &s.size} {
		*list = resize(*list, nodes)
	}
	s.flow = resize(s.flow, nodes)
	s.down, s.g = resize(s.down, nodes), resize(s.g, cost.Cols)
	s.f = s.down[:s.n]
	s.tolerance, s.pivots, s.at = largest*0x1p-50, 0, 0
	s.start()
	s.refresh()
	for s.price() {
		s.improve()
		s.refresh()
	}
	for j, h := range s.down[s.n:] {
		s.g[j] = -h
	}
}

// reduced returns Cᵢⱼ − fᵢ − gⱼ, the cost of sending mass by an arc rather than by the tree.
func (s *simplex) reduced(a arc) float64 { return a.cost - s.f[a.row] - s.g[a.col] }

// price adds to the list the arcs of each row whose reduced costs are least, those that are
// negative. It reports whether the list or what was added has such an arc.
func (s *simplex) price() (more bool) {
	for i, f := range s.f {
		row := s.cost.Row(i)
		h := s.down[s.n:][:len(row)]
		s.few.clear(-s.tolerance)
		for j, c := range row {
			if r := c - f + h[j]; r < s.few.limit {
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
	arcs, f, h := s.arcs, s.f, s.down[s.n:]
	block := max(16, int(math.Sqrt(float64(len(arcs)))))
	for seen := 0; seen < len(arcs); {
		best, low := -1, -s.tolerance
		for left := block; left > 0; {
			end := min(s.at+left, len(arcs))
			for k, a := range arcs[s.at:end] {
				if r := a.cost - f[a.row] + h[a.col]; r < low {
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
			s.pivot(arcs[best], low)
			seen = 0
		}
	}
}

// pivot takes an arc of a reduced cost into the tree.
func (s *simplex) pivot(a arc, reduced float64) {
	i, j := a.row, int32(s.n)+a.col
	join, out, ofCol := s.leaving(i, j)
	amount := s.flow[out]
	if amount > 0 {
		s.push(i, join, -amount)
		s.push(j, join, amount)
	}
	// The subtree that is cut off gets the arc as its way up.
	v, p, shift := i, j, reduced
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
	s.cut(out)
	end := s.turn(v, out)
	for w, to, whole, below := v, p, s.size[out], int32(0); ; {
		up, before, size := s.parent[w], s.flow[w], s.size[w]
		s.parent[w], s.flow[w], s.size[w], s.last[w] = to, flow, whole-below, end
		if w == out {
			break
		}
		flow, below = before, size
		w, to = up, w
	}
	after := s.next[p]
	s.follow(p, v)
	s.follow(end, after)
	for u := p; u >= 0 && s.last[u] == p; u = s.parent[u] {
		s.last[u] = end
	}
}

// follow makes w the next node after v.
func (s *simplex) follow(v, w int32) { s.next[v], s.before[w] = w, v }

// cut takes the subtree of v out of the order. It stays in order itself.
func (s *simplex) cut(v int32) {
	before, end := s.before[v], s.last[v]
	s.follow(before, s.next[end])
	for p := s.parent[v]; p >= 0 && s.last[p] == end; p = s.parent[p] {
		s.last[p] = before
	}
}

// turn orders the subtree of out, which was cut, for v to be its root, and returns its last node:
// what is below v comes first, and then, for each node from there up to out, what is below it and
// was not before.
func (s *simplex) turn(v, out int32) (end int32) {
	end = s.last[v]
	low, before, after := end, s.before[v], s.next[end] // of what has been ordered, as it was
	for v != out {
		v = s.parent[v]
		above := s.before[v]
		s.follow(end, v)
		end = before
		if high := s.last[v]; high != low {
			s.follow(end, after)
			end, low, after = high, high, s.next[high]
		}
		before = above
	}
	return end
}

// shift moves the potentials of the subtree of v, f up and g down, or those of all other nodes
// the other way, if they are fewer.
func (s *simplex) shift(v int32, by float64) {
	count := int(s.size[v])
	if all := len(s.parent); 2*count > all {
		v, count, by = s.next[s.last[v]], all-count, -by
	}
	down, next := s.down, s.next
	for ; count > 0; count-- {
		down[v] += by
		v = next[v]
	}
}

// refresh computes the potentials and sizes of the tree without what rounding has added up.
func (s *simplex) refresh() {
	n, v := int32(s.n), s.root
	for range s.parent {
		s.size[v] = 1
		switch p := s.parent[v]; {
		case p < 0:
			s.down[v] = 0
		case v < n:
			s.down[v] = s.cost.Row(int(v))[p-n] + s.down[p]
		default:
			s.down[v] = s.down[p] - s.cost.Row(int(p))[v-n]
		}
		v = s.next[v]
	}
	for v = s.before[s.root]; v != s.root; v = s.before[v] {
		s.size[s.parent[v]] += s.size[v]
	}
}
