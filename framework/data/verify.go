package data

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/hansa-fl/hansa/framework/host"
)

// Examine compares the SHA-256 of a file with the one given in hexadecimal, and collects that it
// is another one. Where the time is over before, nothing is compared.
func Examine(path, want string, m *Mistakes) error {
	got, over, err := sumWithin(path, m)
	if err == nil && !over && got != want {
		m.Add("content", func() error { return &DamagedError{Path: path, Got: got, Want: want} })
	}
	return err
}

// ExamineAll compares one SHA-256 for several files as VerifyAll does, and collects that it is
// another one. Where the time is over before, nothing is compared.
func ExamineAll(paths, names []string, want string, m *Mistakes) error {
	h := sha256.New()
	for i, path := range paths {
		one, over, err := sumWithin(path, m)
		if err != nil || over {
			return err
		}
		fmt.Fprintf(h, "%s  %s\n", one, names[i])
	}
	if got := hexadecimal(h); got != want {
		at := fmt.Sprintf("%s and %d more files", paths[0], len(paths)-1)
		m.Add("content", func() error { return &DamagedError{Path: at, Got: got, Want: want} })
	}
	return nil
}

// sumWithin returns the SHA-256 of a file, or that the time was over before.
func sumWithin(path string, m *Mistakes) (hex string, over bool, err error) {
	f, err := host.Open(path)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, &bounded{from: f, mistakes: m})
	if errors.Is(err, errOver) {
		m.Partial = partly(n)
		return "", true, nil
	}
	return hexadecimal(h), false, err
}

// partly says how much of a file was examined.
func partly(n int64) string { return fmt.Sprintf("the first %d bytes", n) }

// Examine reads the parts with the given names, as Read does, and collects what is wrong.
func (s *Set) Examine(folders, names []string, m *Mistakes) error {
	err := s.Read(folders, names, func(_ int, r io.Reader) error {
		_, err := io.Copy(io.Discard, &bounded{from: r, mistakes: m})
		return err
	})
	if errors.Is(err, errOver) {
		m.Partial = "some of its parts"
		return nil
	}
	return err
}

// Examine reads all records of a file, packed by gzip or not, and keeps none. It returns how many
// there are.
func (c CIFAR) Examine(path string, m *Mistakes) (records int, err error) {
	u, err := open(path)
	if err != nil {
		return 0, err
	}
	defer u.Close()
	b, r := make([]byte, c.record()), &bounded{from: u, mistakes: m}
	for {
		switch n, err := fill(r, b); {
		case errors.Is(err, errOver):
			m.Partial = fmt.Sprintf("the first %d records", records)
			return records, nil
		case err == io.EOF && n == 0:
			return records, nil
		case err == io.EOF:
			return records, fmt.Errorf("%s: truncated or in another format: record %d has %d of "+
				"%d bytes, at offset %d", path, records, n, len(b), records*len(b))
		case err != nil:
			return records, fmt.Errorf("%s: damaged in record %d: %w", path, records, err)
		}
		if class := int(b[c.Labels-1]); class >= c.Classes {
			at, offset := records, records*len(b)+c.Labels-1
			m.Add("class", func() error {
				return fmt.Errorf("%s: class %d of record %d, at offset %d, is outside [0, %d)",
					path, class, at, offset, c.Classes)
			})
		}
		records++
	}
}
