package engine

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A spill is a file that holds states of clients for which there is no memory. It has no name where
// the system lets an open file lose it, and so leaves nothing behind when the program is killed.
// What it holds of a client is what a checkpoint has of it, byte for byte.
type spill struct {
	folder string // where the file is made; empty: the system's folder for temporary files
	file   *os.File
	end    int64
	free   map[int64][]int64 // where there is room for so many bytes
	page   bytes.Buffer
}

// A place is where the state of a client lies in the file.
type place struct{ at, size int64 }

// write puts a state into the file.
func (s *spill) write(store *fl.Store) (place, error) {
	if s.file == nil {
		file, err := os.CreateTemp(s.folder, "hansa-clients-")
		if err != nil {
			return place{}, fmt.Errorf("client states: %w", err)
		}
		_ = os.Remove(file.Name()) // where it fails, close removes it
		s.file, s.free = file, map[int64][]int64{}
	}
	s.page.Reset()
	codec := newCodec(&s.page, nil)
	codec.state(&store)
	p := s.room(int64(s.page.Len()))
	if _, err := s.file.WriteAt(s.page.Bytes(), p.at); err != nil {
		s.release(p)
		return place{}, fmt.Errorf("client states: %w", err)
	}
	return p, nil
}

// room returns a free place of a size. States of one rule have one size, so places fit again.
func (s *spill) room(size int64) place {
	if list := s.free[size]; len(list) > 0 {
		s.free[size] = list[:len(list)-1]
		return place{list[len(list)-1], size}
	}
	p := place{s.end, size}
	s.end += size
	return p
}

// release makes a place free.
func (s *spill) release(p place) { s.free[p.size] = append(s.free[p.size], p.at) }

// bytes returns the bytes of a place.
func (s *spill) bytes(p place) io.Reader { return io.NewSectionReader(s.file, p.at, p.size) }

// read returns the state at a place.
func (s *spill) read(p place) (*fl.Store, error) {
	codec := newCodec(nil, &io.LimitedReader{R: s.bytes(p), N: p.size})
	var store *fl.Store
	codec.state(&store)
	if codec.err != nil {
		return nil, fmt.Errorf("client states: %w", codec.err)
	}
	return store, nil
}

// close removes the file.
func (s *spill) close() {
	if s.file == nil {
		return
	}
	name := s.file.Name()
	_ = s.file.Close()
	_ = os.Remove(name)
	s.file = nil
}
