package data

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"strings"
)

// names are those under which a file may lie: its own and, where its content is known, that of
// the unpacked file.
func (f File) names() []string {
	if f.Content == "" {
		return []string{f.Name}
	}
	return []string{f.Name, strings.TrimSuffix(f.Name, ".gz")}
}

// Verify reads a file and compares its SHA-256 with the published one. Where it differs and that
// of the content is known, the content is compared.
func (f File) Verify(path string) error {
	m := new(Mistakes)
	if err := f.Examine(path, m); err != nil {
		return err
	}
	return errors.Join(m.List()...)
}

// Examine compares as Verify does, and collects that a file holds something else. Where the time
// is over before, nothing is compared.
func (f File) Examine(path string, m *Mistakes) error {
	got, over, err := sumWithin(path, m)
	if err != nil || over || got == f.SHA256 {
		return err
	}
	if f.Content != "" {
		content, over := contentWithin(path, m)
		if over || content == f.Content {
			return nil
		}
	}
	m.Add("content", func() error {
		return &DamagedError{Path: path, Got: got, Want: f.SHA256}
	})
	return nil
}

// Likely reports whether a file looks like the published one: by its size or, where its content is
// known and it has another size, by its content.
func (f File) Likely(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if f.Size == 0 || info.Size() == f.Size {
		return true
	}
	return f.Content != "" && f.Verify(path) == nil
}

// contentWithin returns the SHA-256 of what a file unpacks to, nothing where it cannot be
// unpacked, or that the time was over before.
func contentWithin(path string, m *Mistakes) (hex string, over bool) {
	u, err := open(path)
	if err != nil {
		return "", false
	}
	defer u.Close()
	h := sha256.New()
	n, err := io.Copy(h, &bounded{from: u, mistakes: m})
	switch {
	case errors.Is(err, errOver):
		m.Partial = partly(n)
		return "", true
	case err != nil:
		return "", false
	}
	return hexadecimal(h), false
}
