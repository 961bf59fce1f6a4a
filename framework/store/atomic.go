package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile replaces the file at path by one with the given content, or leaves it as it
// was. It returns once the content and its name are on disk.
func writeFile(path string, content []byte) error {
	return replace(path, os.Rename, whole(content))
}

// whole writes a content.
func whole(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(content))
		return err
	}
}

// replace writes a file beside its place and lets rename put it there. Somebody who takes it for
// the leftover of a process that is dead may remove it before: it is written once more then.
func replace(path string, rename func(from, to string) error, write func(io.Writer) error) error {
	d, err := writeBeside(path, write)
	if err != nil {
		return err
	}
	if err = d.publish(path, rename); !errors.Is(err, errSwept) {
		return err
	}
	if d, err = writeBeside(path, write); err != nil {
		return err
	}
	return d.publish(path, rename)
}

// A draft is a file that is not yet in its place: the name of it, and the digest of its content.
type draft struct {
	name string
	sum  [sha256.Size]byte
}

// errSwept is what publish wraps when somebody removed the draft.
var errSwept = errors.New("somebody removed the draft")

// writeBeside writes a file next to path, and returns it once the content is on disk, or leaves
// nothing.
func writeBeside(path string, write func(io.Writer) error) (d draft, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return d, err
	}
	f, err := beside(path)
	if err != nil {
		return d, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, drop(f.Name()))
		}
	}()
	h := sha256.New()
	if err := write(io.MultiWriter(f, h)); err != nil {
		return d, errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return d, errors.Join(err, f.Close())
	}
	d.name = f.Name()
	h.Sum(d.sum[:0])
	// A full disk or an exceeded quota on a shared file system is reported here.
	return d, f.Close()
}

// publish gives a file that was written beside path its name, or removes it. Over a network the
// answer to a renaming may be lost and the request sent again, which then fails because it was
// done before: what counts is what is in the place.
func (d draft) publish(path string, rename func(from, to string) error) error {
	if err := rename(d.name, path); err != nil && !d.is(path) {
		if _, gone := os.Lstat(d.name); errors.Is(gone, fs.ErrNotExist) {
			return fmt.Errorf("%w: %w", errSwept, err)
		}
		return errors.Join(err, drop(d.name))
	} else if err != nil {
		_ = drop(d.name) // somebody else's file says the same
	}
	return syncDir(filepath.Dir(path))
}

// linkOrRename is a renaming that replaces nothing: its error wraps fs.ErrExist then. Where the
// file system knows no links it is any renaming.
func linkOrRename(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		_ = os.Remove(from) // or Tidy does
		return nil
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.Rename(from, to)
}

// is reports whether the file at path has the content of the draft.
func (d draft) is(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && bytes.Equal(h.Sum(nil), d.sum[:])
}

// drop removes a file, if it is there.
func drop(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncDir makes the names in a directory durable. Not every file system can do that for a
// directory; where it cannot, the rename is as durable as it gets.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
