package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// A rename gives a file another name in the same folder.
type rename func(from, to string) error

// write replaces a file by one with the given content, or leaves it as it was. It returns once the
// content and its name are on disk.
func (f *folder) write(name string, content []byte) error {
	return f.replace(name, f.root.Rename, whole(content))
}

// whole writes a content.
func whole(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(content))
		return err
	}
}

// replace writes a file beside its place and lets rename put it there. Another process that takes
// it for the leftover of a dead one may remove it before: it is written once more then.
func (f *folder) replace(name string, as rename, write func(io.Writer) error) error {
	if err := f.direct(name); err != nil {
		return err
	}
	d, err := f.beside(name, write)
	if err != nil {
		return f.named(err)
	}
	if err = f.publish(d, name, as); !errors.Is(err, errSwept) {
		return f.named(err)
	}
	if d, err = f.beside(name, write); err != nil {
		return f.named(err)
	}
	return f.named(f.publish(d, name, as))
}

// A draft is a file that is not yet in its place: the name of it, and the digest of its content.
type draft struct {
	name string
	sum  [sha256.Size]byte
}

// errSwept is what publish wraps when another process removed the draft.
var errSwept = errors.New("another process removed the draft")

// beside writes a file next to a name, and returns it once the content is on disk, or leaves
// nothing.
func (f *folder) beside(name string, write func(io.Writer) error) (d draft, err error) {
	if err := f.root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return d, err
	}
	file, at, err := f.create(name)
	if err != nil {
		return d, err
	}
	defer func() {
		if err != nil {
			err = joined(err, f.drop(at))
		}
	}()
	h := sha256.New()
	if err := write(io.MultiWriter(file, h)); err != nil {
		return d, joined(err, file.Close())
	}
	if err := file.Sync(); err != nil {
		return d, joined(err, file.Close())
	}
	d.name = at
	h.Sum(d.sum[:0])
	// A full disk or an exceeded quota on a shared file system is reported here.
	return d, file.Close()
}

// joined joins errors as errors.Join does, and leaves one alone as it is.
func joined(err, other error) error {
	if other == nil {
		return err
	}
	return errors.Join(err, other)
}

// publish gives a file that was written beside a name that name, or removes it. Over a network the
// answer to a renaming may be lost and the request sent again, which then fails because it was
// done before: what counts is what is in the place.
func (f *folder) publish(d draft, name string, as rename) error {
	if err := as(d.name, name); err != nil && !f.is(d, name) {
		if _, gone := f.root.Lstat(d.name); errors.Is(gone, fs.ErrNotExist) {
			return fmt.Errorf("%w: %w", errSwept, err)
		}
		return joined(err, f.drop(d.name))
	} else if err != nil {
		_ = f.drop(d.name) // another file says the same
	}
	return f.sync(path.Dir(name))
}

// linkOrRename is a renaming that replaces nothing: its error wraps fs.ErrExist then. Where the
// file system knows no links it is any renaming.
func (f *folder) linkOrRename(from, to string) error {
	err := f.root.Link(from, to)
	switch {
	case err == nil:
		_ = f.root.Remove(from) // or Tidy does
		return nil
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return err
	}
	return f.root.Rename(from, to)
}

// is reports whether a file has the content of the draft.
func (f *folder) is(d draft, name string) bool {
	file, err := f.open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	return err == nil && bytes.Equal(h.Sum(nil), d.sum[:])
}

// sync makes the names in a folder durable. Not every file system can do that for a folder; where
// it cannot, the rename is as durable as it gets.
func (f *folder) sync(name string) error {
	d, err := f.root.Open(name)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
