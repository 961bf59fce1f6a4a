package host

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Replace writes a file beside its place, and moves it there once it is whole.
func Replace(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	part := path + ".part"
	f, err := os.Create(part)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(f, 1<<16)
	err = errors.Join(write(buffered), buffered.Flush(), f.Close())
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return nil
}
