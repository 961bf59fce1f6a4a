// Package host is what the machine gives: files that a user names, memory, processors, the file of
// this program.
package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Open opens a file that a user names, for reading. It opens regular files, and links to them,
// alone: what is a folder, a device, a pipe or a socket is refused at once, and never waited for.
// The error is an *fs.PathError.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, err
	}
	// Another file may have taken its place: without O_NONBLOCK a pipe would be waited for.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Candidates returns what the name of a file may stand for: itself where it is absolute, or else
// the file of that name in each of some folders, in their order.
func Candidates(folders []string, name string) []string {
	if filepath.IsAbs(name) {
		return []string{name}
	}
	var all []string
	for _, f := range folders {
		all = append(all, filepath.Join(f, name))
	}
	return all
}

// Read returns the content of a file that a user names, which has at most so many bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(content)) > most {
		err = &fs.PathError{Op: "read", Path: path,
			Err: fmt.Errorf("has more than %d bytes", most)}
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}

// regular says what a path names that is no file.
func regular(path string, info fs.FileInfo) error {
	kind := "no file"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return &fs.PathError{Op: "open", Path: path,
		Err: fmt.Errorf("is %s; want a regular file", kind)}
}
