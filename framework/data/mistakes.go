package data

import "fmt"

// Mistakes are what is wrong with a file that is examined: of every sort the first, and how many
// more there are. A reader that is given none of them returns the first mistake as its error.
type Mistakes struct {
	Over    func() bool // whether the time for the file is over; nil: never
	Partial string      // how far the reader went when it was, such as "the first 3 rows"

	sorts map[string]int // where a sort stands in list
	list  []mistake
}

// A mistake is the first of its sort.
type mistake struct {
	first error
	more  int
}

// report keeps a mistake and returns nil, or returns it where mistakes are not collected. Mistakes
// of one sort after the first are counted only.
func (m *Mistakes) report(sort string, mistake func() error) error {
	if m == nil {
		return mistake()
	}
	m.Add(sort, mistake)
	return nil
}

// Add keeps the first mistake of a sort, and counts the others.
func (m *Mistakes) Add(sort string, first func() error) {
	if k, known := m.sorts[sort]; known {
		m.list[k].more++
		return
	}
	if m.sorts == nil {
		m.sorts = map[string]int{}
	}
	m.sorts[sort] = len(m.list)
	m.list = append(m.list, mistake{first: first()})
}

// Any reports whether there are some.
func (m *Mistakes) Any() bool { return m != nil && len(m.list) > 0 }

// over reports whether no more is to be read.
func (m *Mistakes) over() bool { return m != nil && m.Over != nil && m.Over() }

// List returns one error for every sort of mistake, in the order in which they were found.
func (m *Mistakes) List() (errs []error) {
	for _, each := range m.list {
		err := each.first
		if each.more > 0 {
			err = fmt.Errorf("%w (and %d more like it)", err, each.more)
		}
		errs = append(errs, err)
	}
	return errs
}
