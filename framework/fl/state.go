package fl

import (
	"iter"
	"maps"
	"slices"
)

// State is what a component keeps from one round to the next: named vectors and matrices, zero when
// first asked for. The engine owns it and saves it, so that a run stopped after any round continues
// with the same bits. What is returned may be written to; asking again gives the same memory. A
// name asked for with another length starts anew, at zero.
type State interface {
	Vector(name string, n int) Vector
	Matrix(name string, rows, cols int) Matrix
}

// ClientState is what a local rule keeps of one client from one round in which it trains to the
// next. It stays with the client: none of it is communication. A round in which the client is not
// selected, or in which it fails, changes nothing.
//
// It follows the rules of State. What is returned lives until Run returns.
type ClientState interface {
	State
	// Vector32 returns a vector in single precision, of half the memory. A name is that of a vector
	// of one precision: asked for with the other one it starts anew.
	Vector32(name string, n int) []float32
	// Renew returns what the client kept as a vector called name, read-only and zero where that is
	// nothing, and what is kept instead of it from now on: to be written to in every element, with
	// any numbers in it before. It copies nothing, for rules that renew all of what they keep.
	Renew(name string, n int) (old, next Vector)
}

// A Store is a ClientState in memory.
type Store struct{ items map[string]item }

// An item is numbers of one of two precisions.
type item struct {
	m      Matrix    // where it is of float64
	single []float32 // where it is of float32
	is32   bool
}

var _ ClientState = (*Store)(nil)

// NewStore returns an empty state.
func NewStore() *Store { return &Store{items: map[string]item{}} }

// Vector returns the vector called name, of length n.
func (s *Store) Vector(name string, n int) Vector { return s.Matrix(name, 1, n).Data }

// Matrix returns the matrix called name.
func (s *Store) Matrix(name string, rows, cols int) Matrix {
	i, ok := s.items[name]
	if !ok || i.is32 || i.m.Rows != rows || i.m.Cols != cols {
		i = item{m: NewMatrix(rows, cols)}
		s.items[name] = i
	}
	return i.m
}

// Vector32 returns the vector called name, of length n in single precision.
func (s *Store) Vector32(name string, n int) []float32 {
	i, ok := s.items[name]
	if !ok || !i.is32 || len(i.single) != n {
		i = item{single: make([]float32, n), is32: true}
		s.items[name] = i
	}
	return i.single
}

// Renew returns the vector called name, of length n, and another one that takes its place.
func (s *Store) Renew(name string, n int) (old, next Vector) {
	old, next = s.Vector(name, n), make(Vector, n)
	s.items[name] = item{m: Matrix{Rows: 1, Cols: n, Data: next}}
	return old, next
}

// Holds returns what is called name: a matrix, or a vector in single precision, or neither.
func (s *Store) Holds(name string) (m Matrix, single []float32, ok bool) {
	i, ok := s.items[name]
	return i.m, i.single, ok
}

// Exchange gives what s and o call name to the other one; where one has no such name, the other has
// none afterwards.
func (s *Store) Exchange(o *Store, name string) {
	x, has := s.items[name]
	y, gets := o.items[name]
	delete(s.items, name)
	delete(o.items, name)
	if gets {
		s.items[name] = y
	}
	if has {
		o.items[name] = x
	}
}

// Bytes returns how much memory the numbers of s take.
func (s *Store) Bytes() (bytes int64) {
	for _, i := range s.items {
		bytes += int64(8*len(i.m.Data) + 4*len(i.single))
	}
	return bytes
}

// Names lists what the state holds, sorted.
func (s *Store) Names() []string { return slices.Sorted(maps.Keys(s.items)) }

// All calls a function for each matrix, in the order of Names, with the memory of the state itself.
// Vectors in single precision are left out.
func (s *Store) All() iter.Seq2[string, Matrix] {
	return func(yield func(string, Matrix) bool) {
		for _, name := range s.Names() {
			if i := s.items[name]; !i.is32 && !yield(name, i.m) {
				return
			}
		}
	}
}

// Become makes s a deep copy of o, in the memory that it has where that fits.
func (s *Store) Become(o *Store) {
	for name := range s.items {
		if _, stays := o.items[name]; !stays {
			delete(s.items, name)
		}
	}
	for name, i := range o.items {
		own, has := s.items[name]
		if !has || own.is32 != i.is32 || len(own.m.Data) != len(i.m.Data) ||
			len(own.single) != len(i.single) {
			own = item{m: Matrix{Data: make([]float64, len(i.m.Data))},
				single: make([]float32, len(i.single)), is32: i.is32}
		}
		copy(own.m.Data, i.m.Data)
		copy(own.single, i.single)
		own.m.Rows, own.m.Cols = i.m.Rows, i.m.Cols
		s.items[name] = own
	}
}

// Clone returns a deep copy.
func (s *Store) Clone() *Store {
	c := NewStore()
	for name, i := range s.items {
		i.m.Data, i.single = slices.Clone(i.m.Data), slices.Clone(i.single)
		c.items[name] = i
	}
	return c
}
