package study

import (
	"bytes"
	"encoding/json"
	"sync"
)

// A Reader reads cells that were stored, for several goroutines at once. Thousands of cells of one
// plan differ in little else than their seeds: components of the same text are read once, and the
// cells share what they refer to.
type Reader struct {
	lock     sync.RWMutex
	picks    map[string]Pick    // by text
	measures map[string]Measure // by text
}

// NewReader returns a Reader that has read nothing.
func NewReader() *Reader {
	return &Reader{picks: map[string]Pick{}, measures: map[string]Measure{}}
}

// storedCell is a Cell of which the components are not read.
type storedCell struct {
	bareCell
	Picks      map[string]json.RawMessage
	Preprocess []json.RawMessage
	Measures   []json.RawMessage
}

// Read reads what MarshalJSON wrote, with the same identity.
func (r *Reader) Read(text []byte, c *Cell) error {
	var s storedCell
	if err := decodeNumbers(text, &s); err != nil {
		return err
	}
	if s.Picks != nil {
		s.bareCell.Picks = make(map[string]Pick, len(s.Picks))
	}
	for slot, text := range s.Picks {
		p, err := shared(r, r.picks, text, readPick)
		if err != nil {
			return err
		}
		s.bareCell.Picks[slot] = p
	}
	var err error
	if s.bareCell.Preprocess, err = sharedList(r, r.picks, s.Preprocess, readPick); err != nil {
		return err
	}
	if s.bareCell.Measures, err = sharedList(r, r.measures, s.Measures, readMeasure); err != nil {
		return err
	}
	*c = Cell(s.bareCell)
	return nil
}

// shared returns what a text says: what it was read as before, if it was.
func shared[T any](r *Reader, known map[string]T, text []byte,
	read func(text []byte) (T, error)) (T, error) {
	r.lock.RLock()
	v, found := known[string(text)]
	r.lock.RUnlock()
	if found {
		return v, nil
	}
	v, err := read(text)
	if err == nil {
		r.lock.Lock()
		known[string(text)] = v
		r.lock.Unlock()
	}
	return v, err
}

func sharedList[T any](r *Reader, known map[string]T, texts []json.RawMessage,
	read func(text []byte) (T, error)) ([]T, error) {
	if texts == nil {
		return nil, nil
	}
	list := make([]T, len(texts))
	for i, text := range texts {
		var err error
		if list[i], err = shared(r, known, text, read); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func readPick(text []byte) (p Pick, err error) {
	err = decodeNumbers(text, &p)
	return p.mapped(readNumber), err
}

func readMeasure(text []byte) (m Measure, err error) {
	err = decodeNumbers(text, &m)
	m.Pick = m.Pick.mapped(readNumber)
	return m, err
}

// decodeNumbers reads a JSON value, numbers without a type of their own as they are written.
func decodeNumbers(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}
