package data

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"github.com/hansa-fl/hansa/framework/host"
)

// mostInflated is how many bytes one byte that is packed by gzip can stand for at most.
const mostInflated = 1032

// An unpacked is the content of a file, which may be packed by gzip.
type unpacked struct {
	io.Reader
	file *os.File
	most int64 // bytes that there can be at most; it bounds the memory that a header may ask for
}

// Close closes the file.
func (u *unpacked) Close() error { return u.file.Close() }

// Open opens a file and unpacks it where it is packed by gzip.
func Open(path string) (io.ReadCloser, error) {
	u, err := open(path)
	if err != nil {
		return nil, err
	}
	return u, nil
}

// open opens a file and unpacks it where it is packed.
func open(path string) (*unpacked, error) {
	f, err := host.Open(path)
	if err != nil {
		return nil, err
	}
	u := &unpacked{file: f}
	info, err := f.Stat()
	if err == nil {
		u.Reader, u.most, err = unpack(f, info.Size())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return u, nil
}

// unpack returns the content of a file of a size, and how long it can be at most.
func unpack(file io.Reader, size int64) (content io.Reader, most int64, err error) {
	r := bufio.NewReaderSize(file, 1<<16)
	// An error shows again when the content is read: too short a file has no magic.
	if magic, _ := r.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return r, size, nil
	}
	z, err := gzip.NewReader(r)
	return z, mostInflated * size, err
}

// fill reads until b is full. Where the content ends before, it returns io.EOF and how much
// there was; a packed file that is cut off ends with another error.
func fill(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var k int
		k, err = r.Read(b[n:])
		n += k
	}
	if n == len(b) {
		return n, nil
	}
	return n, err
}

// Read calls read for each of the parts with the given names, once and in any order, with
// the number of the part among them. A part is taken from a file of its name, packed by
// gzip or not, if all can be had in this way, otherwise all are taken from the archive. A
// part with other content than published is an error; it is found when read returns.
func (s *Set) Read(folders, names []string, read func(k int, r io.Reader) error) error {
	paths, missing := s.Loose(folders, names)
	if missing == nil {
		return s.readLoose(paths, names, read)
	}
	archive := find(s.Places(folders), s.Files[0])
	if archive == "" {
		return s.missing(missing, folders)
	}
	if err := Verify(archive, s.Files[0].SHA256); err != nil {
		return err
	}
	return s.readPacked(archive, names, read)
}

// Sources returns the paths of the files from which Read takes parts.
func (s *Set) Sources(folders, names []string) ([]string, error) {
	paths, missing := s.Loose(folders, names)
	if missing == nil {
		return paths, nil
	}
	if archive := find(s.Places(folders), s.Files[0]); archive != "" {
		return []string{archive}, nil
	}
	return nil, s.missing(missing, folders)
}

// readLoose reads parts from files of their own.
func (s *Set) readLoose(paths, names []string, read func(k int, r io.Reader) error) error {
	for k, path := range paths {
		u, err := open(path)
		if err != nil {
			return err
		}
		err = s.readPart(path, names[k], u, func(r io.Reader) error { return read(k, r) })
		if err := errors.Join(err, u.Close()); err != nil {
			return err
		}
	}
	return nil
}

// readPacked reads parts as they come in an archive.
func (s *Set) readPacked(
	archive string, names []string, read func(k int, r io.Reader) error,
) error {
	u, err := open(archive)
	if err != nil {
		return err
	}
	defer u.Close()
	t, found := tar.NewReader(u), 0
	for found < len(names) {
		head, err := t.Next()
		if err != nil {
			return fmt.Errorf("%s: %d of %d parts: %w", archive, found, len(names), err)
		}
		name := path.Base(head.Name)
		k := slices.Index(names, name)
		if k < 0 {
			continue
		}
		found++
		at := archive + ": " + name
		err = s.readPart(at, name, t, func(r io.Reader) error { return read(k, r) })
		if err != nil {
			return err
		}
	}
	return nil
}

// readPart reads a part, and the rest of it that read leaves, and compares its content.
func (s *Set) readPart(at, name string, r io.Reader, read func(io.Reader) error) error {
	h := sha256.New()
	tee := io.TeeReader(r, h)
	err := read(tee)
	if err == nil {
		_, err = io.Copy(io.Discard, tee)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	for _, p := range s.Parts {
		if got := hexadecimal(h); p.Name == name && got != p.SHA256 {
			return &DamagedError{Path: at, Got: got, Want: p.SHA256}
		}
	}
	return nil
}
