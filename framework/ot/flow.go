package ot

import "math"

// A network carries a flow from a source through clients and cohorts to a sink. Client i
// may send at most its supply, to any of its cohorts and without limit there; a
// cohort may pass on at most its demand. Everything is counted in whole units.
//
// The maximal flow is found by Dinic's algorithm (E. A. Dinic 1970). gonum's version returns
// neither the flow nor the cut, and the certificate needs both.
type network struct {
	*block
	supply []int64 // what is left of each client's supply
	demand []int64 // what is left of each cohort's demand
	flow   []int64 // from member to cohort, as members

	begin []int   // the places of client i in members are places[begin[i]:begin[i+1]]
	place []int32 // … ascending
	owner []int32 // the cohort of each place, as members
	level []int32 // distance from the source in the residual graph, clients then cohorts; −1 none
	arc   []int   // first place that may still take flow, clients then cohorts
	queue []int32 // scratch of the search
}

const (
	// units is what the supplies, and what the demands, add up to.
	units = 1 << 60
	// crumbs is the residual capacity, about 1e-15 of all, up to which it may be due to the
	// rounding of p and q, and counts as none.
	crumbs = 1 << 10
)

// newNetwork returns the network of a block, p and q both normalised, with maximal flow.
func newNetwork(b *block) *network {
	n, m := len(b.ids), len(b.q)
	g := &network{
		block:  b,
		supply: quantise(make([]int64, n), b.p),
		demand: quantise(make([]int64, m), b.q),
		flow:   make([]int64, len(b.members)),
		begin:  make([]int, n+1),
		place:  make([]int32, len(b.members)),
		owner:  make([]int32, len(b.members)),
		level:  make([]int32, n+m),
		arc:    make([]int, n+m),
		queue:  make([]int32, 0, n+m),
	}
	for _, i := range b.members {
		g.begin[i+1]++
	}
	for i := range n {
		g.begin[i+1] += g.begin[i]
	}
	next := append([]int(nil), g.begin...)
	for j := range b.q {
		for e := b.start[j]; e < b.start[j+1]; e++ {
			i := b.members[e]
			g.place[next[i]] = int32(e)
			g.owner[e] = int32(j)
			next[i]++
		}
	}
	g.maximise()
	return g
}

// quantise sets whole to x in whole units that add up to units exactly, and returns it: what
// rounding adds or loses is the largest element's. Without any mass all are 0.
func quantise(whole []int64, x []float64) []int64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	clear(whole)
	if sum == 0 {
		return whole
	}
	left, largest := int64(units), 0
	for k, v := range x {
		whole[k] = int64(math.Round(v / sum * units))
		left -= whole[k]
		if whole[k] > whole[largest] {
			largest = k
		}
	}
	whole[largest] += left
	return whole
}

// maximise adds blocking flows until the sink cannot be reached.
func (g *network) maximise() {
	n := len(g.ids)
	for g.rank() {
		copy(g.arc, g.begin[:n])
		copy(g.arc[n:], g.start)
		for i := range n {
			if g.supply[i] > 0 {
				g.supply[i] -= g.fromClient(i, g.supply[i])
			}
		}
	}
}

// rank sets the levels by a search from the clients with supply left. It reports whether
// the sink can be reached.
func (g *network) rank() bool {
	n := len(g.ids)
	for v := range g.level {
		g.level[v] = -1
	}
	g.queue = g.queue[:0]
	for i, s := range g.supply {
		if s > 0 {
			g.level[i] = 0
			g.queue = append(g.queue, int32(i))
		}
	}
	reached := false
	visit := func(v int, level int32) {
		if g.level[v] < 0 {
			g.level[v] = level
			g.queue = append(g.queue, int32(v))
		}
	}
	for at := 0; at < len(g.queue); at++ {
		v := int(g.queue[at])
		next := g.level[v] + 1
		if v < n {
			for _, e := range g.place[g.begin[v]:g.begin[v+1]] {
				visit(n+int(g.owner[e]), next)
			}
			continue
		}
		j := v - n
		reached = reached || g.demand[j] > 0
		for e := g.start[j]; e < g.start[j+1]; e++ {
			if g.flow[e] > 0 {
				visit(int(g.members[e]), next)
			}
		}
	}
	return reached
}

// fromClient sends up to limit units on from client i along the levels and returns how
// many arrive.
func (g *network) fromClient(i int, limit int64) int64 {
	n := len(g.ids)
	var sent int64
	for ; g.arc[i] < g.begin[i+1]; g.arc[i]++ {
		e := g.place[g.arc[i]]
		if j := int(g.owner[e]); g.level[n+j] == g.level[i]+1 {
			got := g.fromCohort(j, limit-sent)
			g.flow[e] += got
			if sent += got; sent == limit {
				break
			}
		}
	}
	return sent
}

// fromCohort sends up to limit units on from cohort j: to the sink, or back to members that can
// send them elsewhere.
func (g *network) fromCohort(j int, limit int64) int64 {
	v := len(g.ids) + j
	sent := min(limit, g.demand[j])
	g.demand[j] -= sent
	for ; sent < limit && g.arc[v] < g.start[j+1]; g.arc[v]++ {
		e := g.arc[v]
		i := int(g.members[e])
		if g.flow[e] == 0 || g.level[i] != g.level[v]+1 {
			continue
		}
		got := g.fromClient(i, min(limit-sent, g.flow[e]))
		g.flow[e] -= got
		if sent += got; sent == limit {
			break
		}
	}
	return sent
}
