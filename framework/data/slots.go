package data

import (
	"errors"
	"fmt"
	"slices"
)

// Unknown is the treatment of slots in which the availability of a device is not known.
type Unknown string

// What can be made of them.
const (
	UnknownAbsent     Unknown = "absent"      // it was not
	UnknownAvailable  Unknown = "available"   // it was
	UnknownRepeatLast Unknown = "repeat-last" // as in the last slot that is known, around the end
	UnknownError      Unknown = "error"       // the file is refused
)

// Slots say for every slot of time, and every device, whether it was there.
type Slots struct {
	Path  string
	Cells [][]byte // by slot, then by device: '0', '1', or ' ' for unknown
	skip  int      // cells of a line before those of devices
	first int      // line of the first slot

	mistakes *Mistakes
}

// ReadSlots reads a matrix from a CSV file, packed by gzip or not: a line for every slot, a column
// for every device, cells 0, 1 or nothing where it is not known. The first skip cells of a line
// hold something else. A first line in which no device has one of these is a header. Mistakes are
// collected in m, unless it is nil: then the first one is the error.
func ReadSlots(path string, skip int, m *Mistakes) (*Slots, error) {
	s := &Slots{Path: path, skip: skip, mistakes: m}
	if err := readCSV(path, m, s.line); err != nil {
		return nil, err
	}
	if len(s.Cells) == 0 && (m == nil || len(m.list) == 0) {
		return nil, fmt.Errorf("%s: there are no slots", path)
	}
	return s, nil
}

// line takes one line.
func (s *Slots) line(number int, cells []string) error {
	if len(cells) <= s.skip {
		return fmt.Errorf("%d cells, of which the first %d are skipped", len(cells), s.skip)
	}
	cells = cells[s.skip:]
	if number == 1 && !slices.ContainsFunc(cells, isPresence) {
		return nil
	}
	if len(s.Cells) == 0 {
		s.first = number
	} else if want := len(s.Cells[0]); len(cells) != want {
		return fmt.Errorf("%d cells, want %d as in line %d",
			len(cells)+s.skip, want+s.skip, s.first)
	}
	row := make([]byte, len(cells))
	for k, cell := range cells {
		switch {
		case !isPresence(cell):
			return s.stray(cells, k)
		case cell == "":
			row[k] = ' '
		default:
			row[k] = cell[0]
		}
	}
	s.Cells = append(s.Cells, row)
	return nil
}

// stray says that a cell of a device has something else, and where it is in leading columns that
// these can be skipped.
func (s *Slots) stray(cells []string, k int) error {
	message := fmt.Sprintf("cell %d is %q, want 0, 1 or nothing", s.skip+k+1, cells[k])
	if slices.ContainsFunc(cells[:k], isPresence) || !slices.ContainsFunc(cells[k:], isPresence) {
		return errors.New(message)
	}
	columns := s.skip + k + slices.IndexFunc(cells[k:], isPresence)
	return fmt.Errorf("%s; where columns before those of devices hold something else, such as "+
		"dates, skip them: skip = %d", message, columns)
}

func isPresence(cell string) bool { return cell == "" || cell == "0" || cell == "1" }

// Trace returns the trace of the first slots, all when that is 0: slot k lasts from k to k + 1.
func (s *Slots) Trace(slots int, u Unknown) (*Trace, error) {
	if slots > len(s.Cells) {
		return nil, fmt.Errorf("%s: %d slots asked for, %d there", s.Path, slots, len(s.Cells))
	}
	if slots == 0 {
		slots = len(s.Cells)
	}
	t := &Trace{Period: float64(slots)}
	column := make([]byte, slots)
	for device := range s.Cells[0] {
		var spans []span
		for k := range column {
			column[k] = s.Cells[k][device]
			if u == UnknownError && column[k] == ' ' {
				return nil, fmt.Errorf("%s:%d: cell %d is not known",
					s.Path, s.first+k, s.skip+device+1)
			}
		}
		u.fill(column)
		for k, cell := range column {
			if cell == '1' {
				spans = append(spans, span{from: float64(k), to: float64(k + 1)})
			}
		}
		t.add(spans)
	}
	return t, nil
}

// fill replaces what is not known of a device.
func (u Unknown) fill(column []byte) {
	last := byte('0') // where nothing is known at all
	switch u {
	case UnknownAvailable:
		last = '1'
	case UnknownRepeatLast:
		for _, cell := range column { // the end is before the beginning
			if cell != ' ' {
				last = cell
			}
		}
	}
	for k, cell := range column {
		switch {
		case cell == ' ':
			column[k] = last
		case u == UnknownRepeatLast:
			last = cell
		}
	}
}
