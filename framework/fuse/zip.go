package fuse

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// A Zip merges the features of several networks, within and across them, until as many are left as
// one network has:
//
//	G. Stoica, D. Bolya, J. Bjorner, P. Ramesh, T. Hearn, J. Hoffman. ZipIt! Merging Models from
//	Different Tasks without Training. ICLR 2024; and the authors' code, gstoica27/ZipIt,
//	matching_functions.py.
//
// Notation: K networks of n features each; ρ_ij the correlation of two features over samples.
//
//	until n are left: merge the features i < j of largest ρ_ij; ρ_ix ← α·min(ρ_ix, ρ_jx)
//
// Two features with parts of one network may come together ⌊β·⌊(K − 1)n/K⌋⌋ times for each
// network; with α = 0 never once one of them is merged. Where no pair is left that may, all may. Of
// equal correlations that of features without a common network is first, and then the smallest
// i and j. Features that never vary correlate with each other, and with no others.
type Zip struct {
	Alpha float64 // α ∈ [0, 1]
	Beta  float64 // β ∈ [0, 1]
}

// Zipped are features that were merged.
type Zipped struct {
	Of     [][]int // by network and feature the number of what it became part of, 0 … n − 1
	Within int     // times that features of one network came together
}

// Groups merges features, given by network what each says of the same samples, one a row. What they
// become is numbered by the first feature in it, network by network.
func (z Zip) Groups(features []fl.Matrix) Zipped {
	n := features[0].Rows
	m := &zipping{Zip: z, n: n, networks: len(features), of: make([]int, n*len(features)),
		has: make([][]bool, n*len(features)), merged: make([]bool, n*len(features)),
		budget: make([]int, len(features)), best: make([]int, n*len(features))}
	m.sims = correlations(features)
	for i := range m.of {
		m.of[i], m.left = i, append(m.left, i)
		m.has[i] = make([]bool, m.networks)
		m.has[i][i/n] = true
	}
	for k := range m.budget {
		m.budget[k] = int(z.Beta*float64((m.networks-1)*n/m.networks) + 1e-9) // 0.29·100 is 29
	}
	m.look(m.left)
	for len(m.left) > n {
		m.merge()
	}
	out := Zipped{Of: make([][]int, m.networks), Within: m.within}
	for k := range out.Of {
		out.Of[k] = make([]int, n)
		for a := range out.Of[k] {
			out.Of[k][a], _ = slices.BinarySearch(m.left, m.of[k*n+a])
		}
	}
	return out
}

// A zipping is a Zip on its way. A feature that is merged with an earlier one is left out.
type zipping struct {
	Zip
	n, networks int
	sims        fl.Matrix // ρ
	left        []int     // ascending
	of          []int     // by feature the one that it is part of
	has         [][]bool  // by feature which networks it has parts of
	merged      []bool
	budget      []int // by network
	best        []int // by feature the later one that it would be merged with; −1: none
	free        bool  // all may
	within      int
}

// common reports whether two features have parts of one network, and whether they may not come
// together.
func (m *zipping) common(i, j int) (common, barred bool) {
	for k, has := range m.has[i] {
		if has && m.has[j][k] {
			common = true
			barred = barred || m.budget[k] <= 0
		}
	}
	barred = barred || common && m.Alpha == 0 && (m.merged[i] || m.merged[j])
	return common, barred && !m.free
}

// before reports whether features i and j are merged before i and k.
func (m *zipping) before(i, j, k int) bool {
	if x, y := m.sims.Row(i)[j], m.sims.Row(i)[k]; x != y {
		return x > y
	}
	a, _ := m.common(i, j)
	b, _ := m.common(i, k)
	return !a && b || a == b && j < k
}

// look finds what features would be merged with.
func (m *zipping) look(features []int) {
	for _, i := range features {
		m.best[i] = -1
		at, _ := slices.BinarySearch(m.left, i)
		for _, j := range m.left[at+1:] {
			m.propose(i, j)
		}
	}
}

// propose has feature i merged with a later one, where it may and nothing goes before.
func (m *zipping) propose(i, j int) {
	if _, barred := m.common(i, j); !barred && (m.best[i] < 0 || m.before(i, j, m.best[i])) {
		m.best[i] = j
	}
}

// next returns the pair that is merged next.
func (m *zipping) next() (i, j int) {
	i = -1
	for _, k := range m.left {
		if m.best[k] < 0 {
			continue
		}
		if i < 0 {
			i = k
			continue
		}
		x, y := m.sims.Row(k)[m.best[k]], m.sims.Row(i)[m.best[i]]
		a, _ := m.common(k, m.best[k])
		b, _ := m.common(i, m.best[i])
		if x > y || x == y && !a && b {
			i = k
		}
	}
	if i < 0 { // none may
		m.free = true
		m.look(m.left)
		return m.next()
	}
	return i, m.best[i]
}

// merge merges two features.
func (m *zipping) merge() {
	i, j := m.next()
	spent := false
	if common, _ := m.common(i, j); common {
		m.within++
		for k := range m.budget {
			if m.has[i][k] && m.has[j][k] {
				m.budget[k]--
				spent = spent || m.budget[k] == 0
			}
		}
	}
	for k, has := range m.has[j] {
		m.has[i][k] = m.has[i][k] || has
	}
	m.merged[i] = true
	at, _ := slices.BinarySearch(m.left, j)
	m.left = slices.Delete(m.left, at, at+1)
	for f, of := range m.of {
		if of == j {
			m.of[f] = i
		}
	}
	stale := []int{i}
	for _, k := range m.left {
		if k == i {
			continue
		}
		x := m.Alpha * min(m.sims.Row(i)[k], m.sims.Row(j)[k])
		m.sims.Row(i)[k], m.sims.Row(k)[i] = x, x
		if m.best[k] == i || m.best[k] == j {
			stale = append(stale, k)
		} else if k < i {
			m.propose(k, i)
		}
	}
	if spent {
		stale = m.left
	}
	m.look(stale)
}

// correlations returns ρ of all features, network by network.
func correlations(features []fl.Matrix) fl.Matrix {
	n, samples := features[0].Rows, features[0].Cols
	all, idles := fl.NewMatrix(n*len(features), samples), make([]bool, n*len(features))
	for i := range all.Rows {
		row := fl.Vector(all.Row(i))
		copy(row, features[i/n].Row(i%n))
		mean := row.Sum() / float64(samples)
		for s := range row {
			row[s] -= mean
		}
		norm := row.Norm()
		if idles[i] = !(norm > idle*math.Abs(mean)*math.Sqrt(float64(samples))); !idles[i] {
			row.Scale(1 / norm)
		}
	}
	rho := fl.NewMatrix(all.Rows, all.Rows)
	kernel.Gemm64(new(kernel.Workspace), kernel.RowMajor(rho.Data, all.Rows, all.Rows),
		kernel.RowMajor(all.Data, all.Rows, samples),
		kernel.RowMajor(all.Data, all.Rows, samples).T(), false)
	for i := range all.Rows {
		for j := range i + 1 {
			x := rho.Row(i)[j] // of both orders one, so that rounding prefers none
			if idles[i] || idles[j] {
				x = 0
				if idles[i] && idles[j] {
					x = 1
				}
			}
			rho.Row(i)[j], rho.Row(j)[i] = x, x
		}
	}
	return rho
}

// Zips returns why networks of a layout cannot be zipped.
func Zips(l *fl.Layout) error {
	if l.Layers == nil {
		return errors.New("a model without layers has no features to merge")
	}
	for i := range l.Layers {
		if k := l.Layers[i].Kind; k != fl.KindDense && k != fl.KindConv && k != fl.KindAdd &&
			!alone(k) {
			return fmt.Errorf("features are merged in networks of dense layers and convolutions "+
				"without norms, and layer %d is %s", i, k)
		}
	}
	return nil
}

// Fuse returns the parameters of a network that has the merged features of all networks, which are
// of one layout and have Neurons, and how these were merged, by layer. A feature is the mean of
// those that are merged in it, which count by the weights of their networks, and what it feeds gets
// it in the place of each of them:
//
//	W = Σ_k M_k·W_k·U_k
//
// M_k the means of this layer, U_k which feature of the layer before is part of which. Inputs are
// in their places, and scores are Σ w_k of those of networks.
func (z Zip) Fuse(nets []Network, w fl.Vector) (fl.Vector, []Zipped, error) {
	l := &nets[0].Layout
	if err := Zips(l); err != nil {
		return nil, nil, err
	}
	t := tie(l)
	fixed := []int{t.root(input), t.root(len(l.Layers) - 1)}
	zipped, list := map[int]Zipped{}, []Zipped(nil)
	for i := range l.Layers {
		root := t.root(i)
		if _, done := zipped[root]; done || slices.Contains(fixed, root) {
			continue
		}
		features := make([]fl.Matrix, len(nets))
		for k := range nets {
			if len(nets[k].Neurons) > 0 {
				features[k] = nets[k].Neurons[root-1]
			}
			if features[k].Rows == 0 {
				return nil, nil, fmt.Errorf("layer %d: its neurons are seen by no dense layer or "+
					"convolution, or the model does not show them, so that there are no features "+
					"to merge", i)
			}
		}
		zipped[root] = z.Groups(features)
		list = append(list, zipped[root])
	}
	out := make(fl.Vector, l.Len())
	for i := range l.Layers {
		if k := l.Layers[i].Kind; k != fl.KindDense && k != fl.KindConv {
			continue
		}
		to, from := zipped[t.root(i)].Of, zipped[t.root(l.Layers[i].From[0])].Of
		for _, name := range []string{fl.Weight, fl.Bias} {
			if b := l.Block(i, name); b != nil {
				if name == fl.Bias {
					from = nil
				}
				zipInto(b, out, nets, w, [2][][]int{to, from})
			}
		}
	}
	return out, list, nil
}

// zipInto adds the blocks of networks to one that is zero: rows by groups, to which they count by
// the weights of their networks, and columns by groups, pixel by pixel; nil: in their places.
func zipInto(b *fl.Block, out fl.Vector, nets []Network, w fl.Vector, groups [2][][]int) {
	to, from := groups[0], groups[1]
	total, members := make(fl.Vector, b.Rows), make(fl.Vector, b.Rows)
	for k := range nets {
		for r := range b.Rows {
			g := placed(to, k, r)
			total[g] += w[k]
			members[g]++
		}
	}
	dst := b.Of(out)
	for k := range nets {
		own := b.Of(nets[k].Params)
		for r := range own.Rows {
			g := placed(to, k, r)
			by := 1 / members[g]
			if to == nil {
				by = w[k]
			} else if total[g] > 0 {
				by = w[k] / total[g]
			}
			row := dst.Row(g)
			for c, x := range own.Row(r) {
				if from != nil {
					n := len(from[k])
					c = c/n*n + from[k][c%n]
				}
				row[c] += by * x
			}
		}
	}
}

// placed returns the group of a feature of a network; without groups it is in its place.
func placed(groups [][]int, k, r int) int {
	if groups == nil {
		return r
	}
	return groups[k][r]
}
