package stats

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Merge joins two clusters. Clusters below n are single points, and n + k is what the k-th merge
// made.
type Merge struct {
	A, B   int
	Height float64 // distance between the two
}

// Ward clusters points by Ward's method (J. H. Ward, Journal of the American Statistical
// Association 58, 1963): those two are joined whose union adds least to the sum of squares within
// clusters. It holds memory for the next call.
type Ward struct {
	merges []Merge
	size   []int // of the cluster in each place; 0: it has gone into another one
	id     []int // of the cluster in each place
	chain  []int // places, each the nearest neighbour of the one before it
}

// Cluster returns the n − 1 merges of n points, whose distances are given and become those of
// clusters. Every cluster is made before it is joined to another one, and A < B. It takes O(n²)
// steps: clusters are joined as soon as each is the nearest neighbour of the other (F. Murtagh, The
// Computer Journal 26, 1983), and distances renewed by the formula of Lance and Williams,
//
//	d(x∪y, z)² = ((nₓ+n_z)d(x,z)² + (n_y+n_z)d(y,z)² − n_z·d(x,y)²)/(nₓ+n_y+n_z).
//
// Of neighbours at the same distance the one before in the chain is the nearest, or else the first.
// The result lives until the next call.
func (w *Ward) Cluster(d tensor.Matrix) []Merge {
	n := d.Rows
	w.merges, w.chain = w.merges[:0], w.chain[:0]
	w.size, w.id = w.size[:0], w.id[:0]
	for i := range n {
		w.size, w.id = append(w.size, 1), append(w.id, i)
	}
	for len(w.merges) < n-1 {
		if len(w.chain) == 0 {
			w.chain = append(w.chain, w.first())
		}
		for {
			x := w.chain[len(w.chain)-1]
			before := -1
			if len(w.chain) > 1 {
				before = w.chain[len(w.chain)-2]
			}
			y := w.nearest(d.Row(x), x, before)
			if y == before {
				break
			}
			w.chain = append(w.chain, y)
		}
		last := len(w.chain)
		w.join(d, w.chain[last-2], w.chain[last-1])
		w.chain = w.chain[:last-2]
	}
	return w.merges
}

// first returns the first place with a cluster.
func (w *Ward) first() int {
	i := 0
	for w.size[i] == 0 {
		i++
	}
	return i
}

// nearest returns the place of the nearest neighbour of the cluster in place x.
func (w *Ward) nearest(d tensor.Vector, x, before int) int {
	y, least := before, math.Inf(1)
	if before >= 0 {
		least = d[before]
	}
	for i, size := range w.size {
		if size > 0 && i != x && (y < 0 || d[i] < least) {
			y, least = i, d[i]
		}
	}
	return y
}

// join puts the union of the clusters in places x and y in place y.
func (w *Ward) join(d tensor.Matrix, x, y int) {
	a, b := d.Row(x), d.Row(y)
	between := b[x]
	nx, ny := float64(w.size[x]), float64(w.size[y])
	for z, size := range w.size {
		if size == 0 || z == x || z == y {
			continue
		}
		nz := float64(size)
		sum := (nx+nz)*a[z]*a[z] + (ny+nz)*b[z]*b[z] - nz*between*between
		b[z] = math.Sqrt(max(0, sum) / (nx + ny + nz))
		d.Row(z)[y] = b[z]
	}
	w.merges = append(w.merges, Merge{min(w.id[x], w.id[y]), max(w.id[x], w.id[y]), between})
	w.id[y] = len(w.size) + len(w.merges) - 1
	w.size[y] += w.size[x]
	w.size[x] = 0
}
