package weights

import (
	"fmt"
	"slices"
)

// Others name and lay out the same parameters in other ways. These methods change a File in memory
// until its tensors are those that a layout asks for.

// tensor returns a tensor by its name.
func (f *File) tensor(name string) (stored, error) {
	s, ok := f.stored[name]
	if !ok {
		return s, fmt.Errorf("has no tensor %s", short(name))
	}
	return s, nil
}

// Join puts tensors of one type and, but for the first dimension, of one shape one after the other
// along that dimension, under a name of their own. The parts are tensors no longer.
func (f *File) Join(name string, parts ...string) error {
	var made stored
	for k, of := range parts {
		s, err := f.tensor(of)
		if err != nil {
			return err
		}
		switch {
		case len(s.shape) == 0:
			return fmt.Errorf("tensor %s has no dimension", short(of))
		case k == 0:
			made = stored{s.kind, slices.Clone(s.shape), nil}
		case s.kind != made.kind || !slices.Equal(s.shape[1:], made.shape[1:]):
			return fmt.Errorf("tensor %s is of type %s and shape %d, which does not continue %s",
				short(of), s.kind, s.shape, short(parts[0]))
		default:
			made.shape[0] += s.shape[0]
		}
		made.data = append(made.data, s.data...)
	}
	for _, of := range parts {
		delete(f.stored, of)
	}
	f.stored[name] = made
	return nil
}

// Rename gives a tensor another name.
func (f *File) Rename(from, to string) error {
	s, err := f.tensor(from)
	if err != nil || from == to {
		return err
	}
	if _, taken := f.stored[to]; taken {
		return fmt.Errorf("has both tensors %s and %s", short(from), short(to))
	}
	delete(f.stored, from)
	f.stored[to] = s
	return nil
}

// Reshape gives a tensor another shape of as many elements, in the same order.
func (f *File) Reshape(name string, shape ...int) error {
	s, err := f.tensor(name)
	if err != nil {
		return err
	}
	if elements(shape) != elements(s.shape) {
		return fmt.Errorf("tensor %s has shape %d, the model needs %d", short(name), s.shape, shape)
	}
	s.shape = shape
	f.stored[name] = s
	return nil
}

// Transpose exchanges the two dimensions of a matrix.
func (f *File) Transpose(name string) error {
	s, err := f.tensor(name)
	if err != nil {
		return err
	}
	if len(s.shape) != 2 {
		return fmt.Errorf("tensor %s has shape %d, the model needs a matrix", short(name), s.shape)
	}
	rows, cols, size := s.shape[0], s.shape[1], sizes[s.kind]
	made := stored{s.kind, []int{cols, rows}, make([]byte, len(s.data))}
	for r := range rows {
		for c := range cols {
			copy(made.data[(c*rows+r)*size:][:size], s.data[(r*cols+c)*size:])
		}
	}
	f.stored[name] = made
	return nil
}

// elements is how many a tensor of a shape has.
func elements(shape []int) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}
