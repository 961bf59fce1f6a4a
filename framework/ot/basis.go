package ot

import (
	"cmp"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A basis is what the first tree of a simplex is made with.
type basis struct {
	few    nearest // the arcs of a row
	perCol []nearest
	room   []float64 // memory of perCol
	roomAt []int32
	keys   []uint64 // arcs by ascending reduced cost

	turns   []int32 // rows as they ship
	sent    []shipment
	listed  []int32 // of each node, the first shipment; −1 for none
	set     []int32 // of each node, another of its set, or itself
	part    []int32 // of each node, the component of what is shipped
	top     []int32 // of each set, its component that has no way up
	hanging []int32 // of each column, the first row below it; −1 for none
	beside  []int32 // of each row, the next below the same column
	waiting []int32 // nodes of the tree whose children are not
}

// A shipment is what a row sends to a column at first. It is in two lists.
type shipment struct {
	row, col         int32
	units            int64
	nextRow, nextCol int32
}

// several is how many arcs of each row and each column are listed at a time.
const several = 8

// A nearest is a short list of the least numbers seen, and where they are.
type nearest struct {
	limit float64 // what a number must be below to be listed
	value []float64
	at    []int32 // −1 for none
}

func (l *nearest) clear(limit float64) {
	l.value, l.at, l.limit = resize(l.value, several), resize(l.at, several), limit
	for k := range l.at {
		l.value[k], l.at[k] = limit, -1
	}
}

// insert lists x, which is below the limit.
func (l *nearest) insert(x float64, at int32) {
	k := several - 1
	for ; k > 0 && l.value[k-1] > x; k-- {
		l.value[k], l.at[k] = l.value[k-1], l.at[k-1]
	}
	l.value[k], l.at[k] = x, at
	l.limit = l.value[several-1]
}

// start makes the first tree: each column's least cost is its potential, and what is then the
// least of each row that of the row. Rows send what they have by their cheapest arcs by these
// potentials, and where that leaves components between which nothing is sent, arcs connect them.
func (s *simplex) start() {
	s.reduce()
	s.list()
	s.sort()
	s.send()
	s.connect()
	s.grow()
}

// reduce sets potentials that make all reduced costs at least 0.
func (s *simplex) reduce() {
	copy(s.g, s.cost.Row(0))
	for i := 1; i < s.n; i++ {
		row := s.cost.Row(i)
		g := s.g[:len(row)]
		for j, c := range row {
			if c < g[j] {
				g[j] = c
			}
		}
	}
	lowest(s.f, s.cost, s.g)
}

// lowest sets f to minⱼ (Cᵢⱼ − gⱼ).
func lowest(f tensor.Vector, cost tensor.Matrix, g tensor.Vector) {
	for i := range f {
		row, low := cost.Row(i), math.Inf(1)
		g := g[:len(row)]
		for j, c := range row {
			if r := c - g[j]; r < low {
				low = r
			}
		}
		f[i] = low
	}
}

// list fills the list of arcs: the nearest of each row, and then of each column.
func (s *simplex) list() {
	m := s.cost.Cols
	s.perCol, s.arcs = resize(s.perCol, m), s.arcs[:0]
	s.room, s.roomAt = resize(s.room, several*m), resize(s.roomAt, several*m)
	for j := range s.perCol {
		lo, hi := several*j, several*(j+1)
		s.perCol[j] = nearest{value: s.room[lo:hi], at: s.roomAt[lo:hi]}
		s.perCol[j].clear(math.Inf(1))
	}
	for i, f := range s.f {
		row := s.cost.Row(i)
		g, cols := s.g[:len(row)], s.perCol[:len(row)]
		s.few.clear(math.Inf(1))
		for j, c := range row {
			r := c - f - g[j]
			if r < s.few.limit {
				s.few.insert(r, int32(j))
			}
			if r < cols[j].limit {
				cols[j].insert(r, int32(i))
			}
		}
		for _, j := range s.few.at {
			if j >= 0 {
				s.arcs = append(s.arcs, arc{int32(i), j, row[j]})
			}
		}
	}
	s.listCols()
}

// listCols adds those nearest to the columns that are not listed.
func (s *simplex) listCols() {
	wide := min(several, s.cost.Cols)
	for j, list := range s.perCol {
		for _, i := range list.at {
			if i < 0 {
				continue
			}
			listed := s.arcs[int(i)*wide : (int(i)+1)*wide]
			if !slices.ContainsFunc(listed, func(a arc) bool { return int(a.col) == j }) {
				s.arcs = append(s.arcs, arc{i, int32(j), s.cost.Row(int(i))[j]})
			}
		}
	}
}

// sort lists arcs by ascending reduced cost, to 28 bits after the first, and equal ones by place.
func (s *simplex) sort() {
	const place = 1<<24 - 1
	s.keys = s.keys[:0]
	for k, a := range s.arcs[:min(len(s.arcs), place)] {
		bits := math.Float64bits(max(0, s.reduced(a)))
		s.keys = append(s.keys, bits&^place|uint64(k))
	}
	slices.Sort(s.keys)
	for k, key := range s.keys {
		s.keys[k] = key & place
	}
}

// send ships what each row has, by its cheapest arcs to columns that can still take some. Rows that
// lose most where they do not get the first choice come first (N. V. Reinfeld, W. R. Vogel.
// Mathematical programming. 1958).
func (s *simplex) send() {
	s.sent, s.listed = s.sent[:0], resize(s.listed, len(s.parent))
	for v := range s.listed {
		s.listed[v] = -1
	}
	wide := min(several, s.cost.Cols)
	s.turns = s.turns[:0]
	for i := range s.f {
		s.turns = append(s.turns, int32(i))
	}
	regret := func(i int32) float64 {
		if wide == 1 {
			return 0
		}
		return s.reduced(s.arcs[int(i)*wide+1]) - s.reduced(s.arcs[int(i)*wide])
	}
	slices.SortFunc(s.turns, func(i, k int32) int {
		return cmp.Or(cmp.Compare(regret(k), regret(i)), int(i-k))
	})
	for _, i := range s.turns {
		for _, a := range s.arcs[int(i)*wide : (int(i)+1)*wide] {
			s.ship(i, a.col)
		}
		for s.supply[i] > 0 {
			row, best, low := s.cost.Row(int(i)), int32(-1), math.Inf(1)
			for j, c := range row {
				if r := c - s.g[j]; r < low && s.demand[j] > 0 {
					best, low = int32(j), r
				}
			}
			s.ship(i, best)
		}
	}
}

func (s *simplex) ship(i, j int32) {
	amount := min(s.supply[i], s.demand[j])
	if amount == 0 {
		return
	}
	s.supply[i] -= amount
	s.demand[j] -= amount
	at, v := int32(len(s.sent)), int32(s.n)+j
	s.sent = append(s.sent, shipment{i, j, amount, s.listed[i], s.listed[v]})
	s.listed[i], s.listed[v] = at, at
}

// connect gives all components but one a way up: an arc from one of its rows to a column of
// another component, the nearest first, and one of all arcs where the list has none.
func (s *simplex) connect() {
	s.together()
	for _, k := range s.keys {
		s.raise(s.arcs[k].row, s.arcs[k].col)
	}
	for i := range s.f {
		set := s.find(int32(i))
		if s.top[set] != s.part[i] {
			continue // it has a way up
		}
		best, low := int32(-1), math.Inf(1)
		for j, c := range s.cost.Row(i) {
			if r := c - s.g[j]; r < low && s.find(int32(s.n+j)) != set {
				best, low = int32(j), r
			}
		}
		if best < 0 {
			s.root = int32(i)
			continue
		}
		s.raise(int32(i), best)
	}
}

// together finds the components of what is shipped.
func (s *simplex) together() {
	nodes := len(s.parent)
	s.set, s.top, s.part = resize(s.set, nodes), resize(s.top, nodes), resize(s.part, nodes)
	s.beside, s.hanging = resize(s.beside, s.n), resize(s.hanging, nodes-s.n)
	for v := range s.set {
		s.set[v], s.top[v] = int32(v), int32(v)
	}
	for j := range s.hanging {
		s.hanging[j] = -1
	}
	for _, x := range s.sent {
		s.set[s.find(x.row)] = s.find(int32(s.n) + x.col)
	}
	for v := range s.part {
		s.part[v] = s.find(int32(v))
	}
}

// find returns what the set of v is known by.
func (s *simplex) find(v int32) int32 {
	for s.set[v] != v {
		s.set[v] = s.set[s.set[v]]
		v = s.set[v]
	}
	return v
}

// raise makes the arc the way up of the component of row i, if that has none and column j is
// not in its set.
func (s *simplex) raise(i, j int32) {
	below, above := s.find(i), s.find(int32(s.n)+j)
	if s.top[below] != s.part[i] || below == above {
		return
	}
	s.set[below] = above
	s.beside[i], s.hanging[j] = s.hanging[j], i
}

// grow makes the tree of what is shipped and of the ways up.
func (s *simplex) grow() {
	s.parent[s.root], s.flow[s.root] = -1, 0
	s.waiting = append(s.waiting[:0], s.root)
	end := s.root
	for n := int32(s.n); len(s.waiting) > 0; {
		v := s.waiting[len(s.waiting)-1]
		s.waiting = s.waiting[:len(s.waiting)-1]
		s.follow(end, v)
		end = v
		if v < n {
			for k := s.listed[v]; k >= 0; k = s.sent[k].nextRow {
				s.attach(n+s.sent[k].col, v, s.sent[k].units)
			}
			continue
		}
		for k := s.listed[v]; k >= 0; k = s.sent[k].nextCol {
			s.attach(s.sent[k].row, v, s.sent[k].units)
		}
		for i := s.hanging[v-n]; i >= 0; i = s.beside[i] {
			s.attach(i, v, 0)
		}
	}
	s.follow(end, s.root)
	for v := range s.last {
		s.last[v] = int32(v)
	}
	for v := end; v != s.root; v = s.before[v] {
		if p := s.parent[v]; s.last[p] == p { // the last of its children
			s.last[p] = s.last[v]
		}
	}
}

// attach makes v a child of p unless it is the parent.
func (s *simplex) attach(v, p int32, units int64) {
	if s.parent[p] != v {
		s.parent[v], s.flow[v] = p, units
		s.waiting = append(s.waiting, v)
	}
}
