package data

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// errOver ends the examination of a file whose time is over.
var errOver = errors.New("the time for the file is over")

// mostExamined is how many bytes of a file, unpacked, an examination reads at most: what a line
// or a cell holds is in memory while it is read.
const mostExamined = 1 << 30

// bounded reads until mistakes say that the time is over.
type bounded struct {
	from     io.Reader
	mistakes *Mistakes
	read     int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.mistakes != nil && (b.read > mostExamined || b.mistakes.over()) {
		return 0, errOver
	}
	n, err := b.from.Read(p)
	b.read += int64(n)
	return n, err
}

// A Scan examines a file of an array: what its header says, then every value. It keeps nothing.
type Scan struct {
	Mistakes *Mistakes
	Head     func(dims []int, bytes bool) // values are bytes, 0 to 255
	Visit    func(row, column int, v float64)
}

// Array examines an array as ReadArray reads it, and returns its name. An error says what is
// wrong with the form of the file: it is cut off, or no such file.
func (s *Scan) Array(path, name string) (own string, err error) {
	u, err := open(path)
	if err != nil {
		return "", err
	}
	own, err = s.content(u, path, name)
	if errors.Is(err, errOver) {
		err = nil
	}
	if err := errors.Join(err, u.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return own, nil
}

// content examines an array by what its file begins with.
func (s *Scan) content(u *unpacked, path, name string) (string, error) {
	r := bufio.NewReader(u)
	// An error shows again when the content is read: too short a file has no magic.
	switch magic, _ := r.Peek(len(npyMagic)); {
	case string(magic) == npyMagic:
		return "", s.npy(r, u.most)
	case strings.HasPrefix(string(magic), "PK"):
		return name, readMember(path, name, func(f *zip.File) error {
			return s.zipped(f, mostInflated*u.most)
		})
	case len(magic) > 0 && magic[0] != 0:
		return "", fmt.Errorf("neither .npy or .npz nor IDX: begins with %q", magic)
	}
	return "", s.idx(r, u.most)
}

// IDX examines a file as ReadIDX reads it.
func (s *Scan) IDX(path string) error {
	u, err := open(path)
	if err != nil {
		return err
	}
	err = s.idx(u, u.most)
	if errors.Is(err, errOver) {
		err = nil
	}
	if err := errors.Join(err, u.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// zipped examines a file of an archive, which can have at most that many bytes.
func (s *Scan) zipped(f *zip.File, most int64) error {
	if f.UncompressedSize64 < uint64(most) {
		most = int64(f.UncompressedSize64)
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	return errors.Join(s.npy(r, most), r.Close())
}

// idx examines what has at most that many bytes.
func (s *Scan) idx(r io.Reader, most int64) error {
	x, err := readIDXHeader(r)
	if err != nil {
		return err
	}
	s.Head(x.Dims, !x.Floats)
	size, err := x.size(most)
	if err != nil {
		return err
	}
	width := 1
	if x.Floats {
		width = 4
	}
	cols := columnsOf(x.Dims)
	return s.values(r, scanned{size, width, x.Dims}, func(k int, b []byte) {
		for i := range len(b) / width {
			v := float64(b[i])
			if x.Floats {
				v = float64(idxFloat(b, i))
			}
			s.Visit((k+i)/cols, (k+i)%cols, v)
		}
	})
}

// columnsOf returns how many values an entry along the outermost dimension has.
func columnsOf(dims []int) int {
	cols := 1
	for _, n := range dims[1:] {
		cols *= n
	}
	return cols
}

// npy examines what has at most that many bytes.
func (s *Scan) npy(r io.Reader, most int64) error {
	header, err := readNPYHeader(r)
	if err != nil {
		return err
	}
	h, err := parseNPY(header)
	if err != nil {
		return err
	}
	s.Head(h.dims, false)
	size, err := volume(h.dims, h.size, most)
	if err != nil {
		return err
	}
	rows, cols := h.dims[0], columnsOf(h.dims)
	return s.values(r, scanned{size, h.size, h.dims}, func(k int, b []byte) {
		for i := range len(b) / h.size {
			row, column := (k+i)/cols, (k+i)%cols
			if h.fortran {
				row, column = (k+i)%rows, h.column((k+i)/rows)
			}
			s.Visit(row, column, h.decode(b[i*h.size:]))
		}
	})
}

// scanned are the values of an array: so many bytes in all, and of each.
type scanned struct {
	size, width int
	dims        []int
}

// values reads all values, and hands them out in pieces: from the k-th value on.
func (s *Scan) values(r io.Reader, v scanned, take func(k int, b []byte)) error {
	b := make([]byte, 1<<14*v.width)
	for done := 0; done < v.size; {
		if s.Mistakes.over() {
			s.Mistakes.Partial = fmt.Sprintf("the first %d rows",
				done/v.width/columnsOf(v.dims))
			return errOver
		}
		n, err := fill(r, b[:min(len(b), v.size-done)])
		if err != nil {
			return cutOff(err, done+n, v.size, v.dims)
		}
		take(done/v.width, b[:n])
		done += n
	}
	return ended(r, v.size, v.dims)
}
