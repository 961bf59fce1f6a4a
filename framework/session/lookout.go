package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
)

// saveTime is how long nothing must happen to a file before it is read: programs save one in
// several steps.
const saveTime = 100 * time.Millisecond

// A Lookout tells when one of several files or folders has other content.
type Lookout struct {
	watcher *fsnotify.Watcher
	Paths   []string // the experiment, and strategies
	digests []string // of their contents
}

// NewLookout watches an experiment and the strategies that it names.
func NewLookout(file string) (*Lookout, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	l := &Lookout{watcher: watcher, Paths: []string{file}}
	// A spec stands beside mistakes, if the file is TOML at all.
	if spec, _ := study.Read(file, study.Overrides{}); spec != nil {
		for _, p := range spec.Plugins {
			l.Paths = append(l.Paths, p.Path)
		}
	}
	for i, path := range l.Paths {
		// Folders are watched, as most programs put a new file in the place of the old one.
		for _, folder := range []string{filepath.Dir(path), filepath.Dir(Real(path)),
			path} {
			info, err := os.Stat(folder)
			if err == nil && info.IsDir() {
				err = watcher.Add(folder)
			}
			if err != nil && i == 0 && folder != path {
				return nil, errors.Join(err, watcher.Close())
			}
		}
		l.digests = append(l.digests, digestOf(path))
	}
	return l, nil
}

// digestOf returns what a file, or a folder with a strategy, holds; nothing while it is not there.
func digestOf(path string) string {
	if toolbox.IsStrategy(path) {
		source, err := plugins.Read(path)
		if err != nil {
			return ""
		}
		return source.Hash
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Await returns the path whose content is another one than when the lookout was made.
func (l *Lookout) Await(ctx context.Context) (path string, ok bool) {
	timer := time.NewTimer(saveTime) // for what was saved meanwhile
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return "", false
		case _, open := <-l.watcher.Events:
			if !open {
				return "", false
			}
			timer.Reset(saveTime)
		case _, open := <-l.watcher.Errors: // events were lost: look
			if !open {
				return "", false
			}
			timer.Reset(saveTime)
		case <-timer.C:
			if path, ok := l.changed(); ok {
				return path, true
			}
		}
	}
}

// changed returns a path that has other content than when the lookout was made. What is not there
// is about to be replaced.
func (l *Lookout) changed() (path string, ok bool) {
	for i, path := range l.Paths {
		if digest := digestOf(path); digest != "" && digest != l.digests[i] {
			return path, true
		}
	}
	return "", false
}

// Close ends it.
func (l *Lookout) Close() error { return l.watcher.Close() }
