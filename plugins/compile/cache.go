package compile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Programs that were used within a day are kept, and of the others the newest. Each takes as much
// as hansa itself.
const (
	kept  = 8
	fresh = 24 * time.Hour
)

// touch notes that a program is used.
func (k *Kit) touch(path string) {
	_ = os.Chtimes(path, k.Now, k.Now) // else it is forgotten earlier
}

// alone waits until no other process makes the program of that place, and has others wait until
// what it returns is called. Where the file system knows no locks two processes make a program
// twice, and either will do.
func (k *Kit) alone(ctx context.Context, path string) (release func(), err error) {
	dir := filepath.Join(k.Cache, "locks")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, filepath.Base(path)), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	held := make(chan error, 1)
	go func() { held <- hold(f) }()
	select {
	case <-held:
		return func() { _ = f.Close() }, nil // as the system does when the process ends
	case <-ctx.Done():
		go func() { // waiting for a lock cannot be called off
			<-held
			_ = f.Close()
		}()
		return nil, ctx.Err()
	}
}

// whole moves a program to its place. What is there after a loss of power is all of it.
func whole(made, path string) error {
	f, err := os.OpenFile(made, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	err = os.Rename(made, path)
	if _, there := os.Stat(path); there == nil {
		return nil // one that runs cannot be replaced everywhere, and is as good
	}
	return err
}

// forget removes programs, their locks, and what was left half made, that were not used for long.
// That something cannot be removed does no harm.
func (k *Kit) forget() {
	k.forgetLocks()
	dir := filepath.Join(k.Cache, "programs")
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var old []fs.FileInfo
	for _, e := range list {
		info, err := e.Info()
		switch {
		case err != nil || k.Now.Sub(info.ModTime()) <= fresh:
		case info.IsDir():
			_ = os.RemoveAll(filepath.Join(dir, info.Name()))
		default:
			old = append(old, info)
		}
	}
	slices.SortFunc(old, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range old[min(kept, len(old)):] {
		_ = os.Remove(filepath.Join(dir, info.Name()))
	}
}

// forgetLocks removes locks that were made long ago. While a process has one of them, another may
// make the same program.
func (k *Kit) forgetLocks() {
	dir := filepath.Join(k.Cache, "locks")
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		info, err := e.Info()
		if err == nil && k.Now.Sub(info.ModTime()) > fresh {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
