package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// writeFile replaces the file at path by one with the given content, or leaves it as it
// was. It returns once the content and its name are on disk.
func writeFile(path string, content []byte) error {
	draft, err := writeBeside(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	return publish(draft, path)
}

// writeBeside writes a file next to path, and returns its name once the content is on disk, or
// leaves nothing.
func writeBeside(path string, write func(io.Writer) error) (draft string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	f, err := beside(path)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := write(f); err != nil {
		return "", errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return "", errors.Join(err, f.Close())
	}
	// A full disk or an exceeded quota on a shared file system is reported here.
	return f.Name(), f.Close()
}

// publish gives a file that was written beside path its name, or removes it.
func publish(draft, path string) error {
	if err := os.Rename(draft, path); err != nil {
		return errors.Join(err, os.Remove(draft))
	}
	return syncDir(filepath.Dir(path))
}

// beside creates a file of its own next to path: the name begins with a dot, so nobody
// takes it for the file itself.
func beside(path string) (*os.File, error) {
	for k := 0; ; k++ {
		name := fmt.Sprintf(".%s.%d.%d", filepath.Base(path), os.Getpid(), k)
		name = filepath.Join(filepath.Dir(path), name)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// leftover is the form of the names that beside gives.
var leftover = regexp.MustCompile(`^\..+\.(json|npy|ckpt)\.[0-9]+\.[0-9]+$`)

// Tidy removes what processes that were killed while they wrote have left beside its
// place, if it is older than the given time: it may else be somebody's who is at work. So it does
// with checkpoints of cells that have a result.
func (r Run) Tidy(before time.Time) error {
	root := os.DirFS(r.Dir)
	for _, folder := range []string{"", "quarantine/", "results/*/", "attempts/*/", "failures/*/",
		"arrays/*/", "checkpoints/*/"} {
		found, err := fs.Glob(root, folder+".*.*.*")
		if err != nil {
			return err
		}
		for _, path := range found {
			info, err := fs.Stat(root, path)
			if err != nil || !info.ModTime().Before(before) || !leftover.MatchString(info.Name()) {
				continue
			}
			err = os.Remove(filepath.Join(r.Dir, filepath.FromSlash(path)))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return r.dropFinished()
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
