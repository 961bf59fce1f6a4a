package fuse

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/ot"
)

// A Matcher permutes the neurons of a network so that its weights agree most with those of
// another, weight matching of
//
//	S. K. Ainsworth, J. Hayase, S. Srinivasa. Git Re-Basin: Merging Models modulo Permutation
//	Symmetries. ICLR 2023, Algorithm 1.
//
// It climbs ⟨θ_A, π(θ_B)⟩ over permutations π, one layer after another: given those of its
// neighbours, that of a layer is a linear assignment. Biases, scales and offsets of norms count, as
// in the authors' code. Every change raises the product, so the end is reached, but it need not be
// the largest value: with one hidden layer it is. One goroutine uses a Matcher at a time.
type Matcher struct {
	Passes int // the most passes over the layers; 0: until one changes nothing

	solver ot.Exact
	space  kernel.Workspace
	layout *fl.Layout
	sets   []set
	order  []int     // of sets
	room   fl.Vector // a copy of the parameters
	part   fl.Vector // a copy of a block
	perm   []int     // which channel comes to a place

	agree, cost, plan fl.Matrix
}

// A Matching says how a match ended.
type Matching struct {
	Passes    int
	Changes   int  // of permutations of a layer
	Converged bool // the last pass changed nothing
}

// A set is channels, or heads of them, that one permutation orders, and the sides of blocks that
// list them.
type set struct {
	n, groups int // groups: channels stay in theirs
	unit      int // channels that are moved as one
	sides     []side
}

// A side is the rows of a block, or its columns.
type side struct {
	*fl.Block
	columns, carried bool // carried: permuted, and not compared
}

// spans returns how the numbers of a side lie: so many times all of a set, one after the other,
// with so many neighbours of each.
func (s *set) spans(x side) (times, size int) {
	all := x.Rows * x.Cols
	switch {
	case x.columns:
		size = s.unit
	case s.unit == 1:
		size = all / s.n
	default:
		size = s.unit * x.Cols
	}
	return all / (s.n * size), size
}

// minGain is by what share of ‖θ_A‖‖θ_B‖ a permutation has to raise their product: less is
// rounding.
const minGain = 1e-12

// Match permutes the neurons of params in place, so that they agree with those of to; both are laid
// out by l. It visits layers in an order by rng; nil: as they are computed.
func (m *Matcher) Match(params, to fl.Vector, l *fl.Layout, rng *rand.Rand) (Matching, error) {
	if err := m.prepare(l); err != nil {
		return Matching{}, err
	}
	if !params.Finite() || !to.Finite() {
		return Matching{}, errors.New("a network with NaN or Inf cannot be aligned")
	}
	trained := l.Trained(len(to))
	norm := params[:trained].Norm() * to[:trained].Norm()
	m.room = append(m.room[:0], params...)
	var done Matching
	for m.Passes == 0 || done.Passes < m.Passes {
		before := done.Changes
		done.Passes++
		m.visit(rng)
		for _, k := range m.order {
			s := &m.sets[k]
			m.assign(s, params, to)
			m.permute(s, params)
			gain := params[:trained].Dot(to[:trained]) - m.room[:trained].Dot(to[:trained])
			if gain > minGain*norm {
				done.Changes++
				copy(m.room, params)
			} else {
				copy(params, m.room)
			}
		}
		if done.Changes == before {
			done.Converged = true
			break
		}
	}
	return done, nil
}

// visit sets the order of a pass.
func (m *Matcher) visit(rng *rand.Rand) {
	m.order = m.order[:0]
	for k := range m.sets {
		m.order = append(m.order, k)
	}
	if rng != nil {
		rng.Shuffle(len(m.order), func(a, b int) {
			m.order[a], m.order[b] = m.order[b], m.order[a]
		})
	}
}

// prepare finds the sets of a layout, unless it is the one before.
func (m *Matcher) prepare(l *fl.Layout) error {
	if m.layout != nil && l.Layers != nil && &m.layout.Layers[0] == &l.Layers[0] {
		return nil
	}
	if err := Fits(l); err != nil {
		return err
	}
	t, at := tie(l), map[int]int{}
	m.sets, m.layout = m.sets[:0], nil
	headed, err := headsOf(l, t)
	if err != nil {
		return err
	}
	for i := range l.Layers {
		layer := &l.Layers[i]
		switch {
		case layer.Kind == fl.KindTied: // its weight is that of the embedding
		case layer.Kind == fl.KindEmbedding || layer.Kind == fl.KindPosition ||
			layer.Kind == fl.KindToken:
			m.list(at, t, t.root(i), side{l.Block(i, fl.Weight), true, false})
		case layer.Kind == fl.KindDense || layer.Kind == fl.KindConv:
			m.list(at, t, t.root(layer.From[0]), side{l.Block(i, fl.Weight), true, false})
			m.list(at, t, t.root(i), side{l.Block(i, fl.Weight), false, false})
			m.list(at, t, t.root(i), side{l.Block(i, fl.Bias), false, false})
		default: // what has no such block is not listed
			for _, name := range []string{fl.NormScale, fl.NormOffset} {
				m.list(at, t, t.root(i), side{l.Block(i, name), false, false})
			}
			for _, name := range []string{fl.RunningMean, fl.RunningVariance} {
				m.list(at, t, t.root(i), side{l.Block(i, name), false, true})
			}
		}
		if k, ok := at[t.root(i)]; ok && layer.Kind == fl.KindGroupNorm {
			m.sets[k].groups = max(m.sets[k].groups, layer.Groups)
		} else if h, ok2 := headed[t.root(i)]; ok && ok2 {
			m.sets[k].n, m.sets[k].unit = h.n, h.unit
		} else if w := l.Block(i, fl.Weight); ok && layer.Kind == fl.KindEmbedding {
			m.sets[k].n = w.Cols
		} else if ok && yields(layer.Kind) {
			m.sets[k].n = w.Rows
		}
	}
	for _, s := range m.sets {
		if s.n%s.groups != 0 {
			return fmt.Errorf("%d channels do not divide into %d groups", s.n, s.groups)
		}
	}
	m.layout = l
	return nil
}

// list adds a side to the set of its channels. Those of the input and of the output keep their
// places, and are in no set.
func (m *Matcher) list(at map[int]int, t ties, root int, s side) {
	if s.Block == nil || root == t.root(input) || root == t.root(len(t)-2) {
		return
	}
	k, ok := at[root]
	if !ok {
		k = len(m.sets)
		at[root] = k
		m.sets = append(m.sets, set{groups: 1, unit: 1})
	}
	m.sets[k].sides = append(m.sets[k].sides, s)
}

// assign finds which channel of params comes to which place: the permutation that makes the sides
// of a set agree most with those of to.
func (m *Matcher) assign(s *set, params, to fl.Vector) {
	m.perm = m.perm[:0]
	agree := square(&m.agree, s.n)
	clear(agree.Data)
	for _, x := range s.sides {
		if x.carried {
			continue
		}
		a, b := x.Of(to).Data, x.Of(params).Data
		times, size := s.spans(x)
		if size == 1 {
			kernel.Gemm64(&m.space, kernel.RowMajor(agree.Data, s.n, s.n),
				kernel.RowMajor(a, times, s.n).T(), kernel.RowMajor(b, times, s.n), true)
			continue
		}
		for k := range times {
			kernel.Gemm64(&m.space, kernel.RowMajor(agree.Data, s.n, s.n),
				kernel.RowMajor(a[k*s.n*size:], s.n, size),
				kernel.RowMajor(b[k*s.n*size:], s.n, size).T(), true)
		}
	}
	n := s.n / s.groups
	cost, plan := square(&m.cost, n), square(&m.plan, n)
	for g := range s.groups {
		most := 0.0
		for r := range n {
			row := cost.Row(r)
			copy(row, agree.Row(g*n + r)[g*n:])
			most = max(most, slices.Max(row))
		}
		for k, x := range cost.Data {
			cost.Data[k] = most - x
		}
		m.solver.Solve(ot.Transport{Cost: cost, A: uniform(n), B: uniform(n)})
		m.solver.Plan(plan)
		for r := range n {
			for c, mass := range plan.Row(r) {
				if mass > 0 {
					m.perm = append(m.perm, g*n+c)
					break
				}
			}
		}
	}
}

// square returns an n×n matrix in memory that lasts.
func square(room *fl.Matrix, n int) fl.Matrix {
	if cap(room.Data) < n*n {
		room.Data = make([]float64, n*n)
	}
	*room = fl.Matrix{Rows: n, Cols: n, Data: room.Data[:n*n]}
	return *room
}

// permute brings the channels of a set to their places.
func (m *Matcher) permute(s *set, params fl.Vector) {
	for _, x := range s.sides {
		data := x.Block.Of(params).Data
		m.part = append(m.part[:0], data...)
		times, size := s.spans(x)
		for k := range times {
			for j, from := range m.perm {
				copy(data[(k*s.n+j)*size:][:size], m.part[(k*s.n+from)*size:])
			}
		}
	}
}
