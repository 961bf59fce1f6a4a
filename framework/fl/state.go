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

// A Store is a State in memory.
type Store struct{ items map[string]Matrix }

// NewStore returns an empty state.
func NewStore() *Store { return &Store{items: map[string]Matrix{}} }

// Vector returns the vector called name, of length n.
func (s *Store) Vector(name string, n int) Vector { return s.Matrix(name, 1, n).Data }

// Matrix returns the matrix called name.
func (s *Store) Matrix(name string, rows, cols int) Matrix {
	m, ok := s.items[name]
	if !ok || m.Rows != rows || m.Cols != cols {
		m = NewMatrix(rows, cols)
		s.items[name] = m
	}
	return m
}

// Names lists what the state holds, sorted.
func (s *Store) Names() []string { return slices.Sorted(maps.Keys(s.items)) }

// All calls a function for each name, in the order of Names, with the memory of the state itself.
func (s *Store) All() iter.Seq2[string, Matrix] {
	return func(yield func(string, Matrix) bool) {
		for _, name := range s.Names() {
			if !yield(name, s.items[name]) {
				return
			}
		}
	}
}

// Clone returns a deep copy.
func (s *Store) Clone() *Store {
	c := NewStore()
	for name, m := range s.items {
		m.Data = slices.Clone(m.Data)
		c.items[name] = m
	}
	return c
}
