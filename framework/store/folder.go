package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A folder is the folder of a run, or another one of hansa's, opened. Names in it have slashes and
// are relative to it. No name leads out of it, whatever lies in it: the folder itself may be a
// link, as its user named it, but nothing in it is followed that is one.
type folder struct {
	root *os.Root
	dir  string // as its user named it; "" where messages need no place
}

// A LinkError says that something in a run is a link. Hansa makes none there, so one that is
// followed might lead to files that are not the run's.
type LinkError struct{ Path string }

// Error implements error.
func (e *LinkError) Error() string {
	return e.Path + " is a link, and hansa follows none inside a run; put there what it leads " +
		"to, or remove it"
}

// openFolder opens a folder that exists.
func openFolder(dir string) (*folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &folder{root, dir}, nil
}

// makeFolder opens a folder, and makes it where it does not exist.
func makeFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return openFolder(dir)
}

func (f *folder) close() { _ = f.root.Close() } // nothing was written through it

// within opens the folder of the run, does something in it and closes it.
func (r Run) within(do func(f *folder) error) error {
	f, err := openFolder(r.Dir)
	if err != nil {
		return err
	}
	defer f.close()
	return do(f)
}

// storing does something in the folder of the run, which it makes where it does not exist.
func (r Run) storing(do func(f *folder) error) error {
	f, err := makeFolder(r.Dir)
	if err != nil {
		return err
	}
	defer f.close()
	return do(f)
}

// path returns where a name is, for messages and other programs.
func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// named gives an error the path that its reader knows, where it has the name within the folder.
func (f *folder) named(err error) error {
	if one, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: strings.TrimSuffix(one.Op, "at"), Path: f.path(one.Path),
			Err: one.Err}
	}
	if two, ok := err.(*os.LinkError); ok {
		return &os.LinkError{Op: strings.TrimSuffix(two.Op, "at"), Old: f.path(two.Old),
			New: f.path(two.New), Err: two.Err}
	}
	return err
}

// direct refuses a name that leads out of the folder, or that is a link or lies below one. What
// does not exist is no link.
func (f *folder) direct(name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is no name of a file in %s", name, f.dir)
	}
	for end := range len(name) + 1 {
		if end < len(name) && name[end] != '/' {
			continue
		}
		info, err := f.root.Lstat(name[:end])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return f.named(err)
		case info.Mode()&fs.ModeSymlink != 0:
			return &LinkError{f.path(name[:end])}
		}
	}
	return nil
}

// open opens a regular file to read it. Others may never come to an end, or to a beginning.
func (f *folder) open(name string) (*os.File, error) {
	if err := f.direct(name); err != nil {
		return nil, err
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, f.named(err)
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		return file, nil
	}
	if err == nil {
		err = &fs.PathError{Op: "read", Path: f.path(name), Err: errors.New(irregular(info))}
	}
	return nil, errors.Join(err, file.Close())
}

// irregular says what is no file.
func irregular(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return "is a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "is a named pipe"
	case mode&fs.ModeDevice != 0:
		return "is a device"
	}
	return "is no regular file"
}

// mostRead is how many bytes of a file are read at once: more than any that hansa writes and reads
// so, and less than would exhaust a machine.
const mostRead = 1 << 30

// read returns the content of a regular file.
func (f *folder) read(name string) ([]byte, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, f.named(err)
	}
	if info.Size() > mostRead {
		return nil, &fs.PathError{Op: "read", Path: f.path(name), Err: fmt.Errorf(
			"it has %d bytes, and no file of a run has more than %d", info.Size(), mostRead)}
	}
	content := make([]byte, 0, info.Size()+1)
	for {
		n, err := file.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		switch {
		case err == io.EOF:
			return content, nil
		case err != nil:
			return nil, f.named(err)
		case len(content) == cap(content):
			content = slices.Grow(content, len(content)+1)
		}
	}
}

// entries lists what lies in a folder, by name; nothing where there is no such folder.
func (f *folder) entries(name string) ([]fs.DirEntry, error) {
	if err := f.direct(name); err != nil {
		return nil, err
	}
	dir, err := f.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, f.named(err)
	}
	defer dir.Close()
	list, err := dir.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, f.named(err)
}

// match lists what lies at a pattern, by name. Links are left out, and the error names them.
func (f *folder) match(pattern string) ([]string, error) {
	found := []string{"."}
	var trouble error
	parts := strings.Split(pattern, "/")
	for k, part := range parts {
		var deeper []string
		for _, name := range found {
			entries, err := f.entries(name)
			trouble = errors.Join(trouble, err)
			for _, e := range entries {
				fits, _ := path.Match(part, e.Name()) // the patterns are ours
				at := path.Join(name, e.Name())
				switch {
				case !fits:
				case e.Type()&fs.ModeSymlink != 0:
					trouble = errors.Join(trouble, &LinkError{f.path(at)})
				case k == len(parts)-1 || e.IsDir():
					deeper = append(deeper, at)
				}
			}
		}
		found = deeper
	}
	return found, trouble
}

// drop removes a file, if it is there.
func (f *folder) drop(name string) error {
	if err := f.direct(path.Dir(name)); err != nil {
		return err
	}
	if err := f.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return f.named(err)
	}
	return nil
}

// hex64 is the form of a SHA-256: of a cell, of a program.
var hex64 = regexp.MustCompile(`^[0-9a-f]{64}$`)

// place returns where a file of a cell lies. The first two digits of the id keep every
// directory small.
func place(kind, id, ending string) (string, error) {
	if !hex64.MatchString(id) {
		return "", fmt.Errorf("%.80q is no id of a training run", id)
	}
	return kind + "/" + id[:2] + "/" + id + ending, nil
}
