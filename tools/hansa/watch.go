package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
)

// settled is how long nothing must happen to a file before it is read: programs save one in
// several steps.
const settled = 100 * time.Millisecond

func (c *command) watchCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "watch FILE",
		GroupID: "run",
		Short:   "Run what changed whenever the experiment or a strategy is saved",
		Long: "Run an experiment as run does, and again whenever the file or a strategy that it " +
			"names is saved with other content. What has a result already is not run again, so " +
			"that only what changed is. A run at work stops after its round, keeps what is " +
			"finished, and begins again. A mistake is shown, and the next save awaited. Ctrl-C " +
			"ends it, with exit code 130. It takes the flags of run.\n\n" +
			"Saves are told by the file system; some network file systems do not.",
		Example: "  hansa watch mine/mine.toml\n" +
			"  hansa watch experiments/quickstart.toml --seeds 2 --set rounds=200 --dir try",
		Args:              want(1, 1, "one FILE"),
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.on != onHere {
				return fmt.Errorf("--on %s: hansa watch runs here", f.on)
			}
			if _, err := os.Stat(args[0]); err != nil {
				return session.Unreadable(args[0], err)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), host.EndSignals()...)
			defer stop()
			defer context.AfterFunc(ctx, stop)() // the second interrupt ends the process
			for ctx.Err() == nil {
				if err := c.watchOnce(ctx, cmd, args[0], &f); err != nil {
					return err
				}
			}
			return fault.ErrInterrupted
		},
	}
	f.flags(cmd)
	return cmd
}

// watchOnce runs an experiment, and returns when it or a strategy was saved since.
func (c *command) watchOnce(
	ctx context.Context, cmd *cobra.Command, file string, f *runFlags,
) error {
	saves, err := newLookout(file)
	if err != nil {
		return fault.Of(err)
	}
	defer saves.watcher.Close()
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	saved := make(chan string, 1)
	go func() {
		if path, ok := saves.await(ctx); ok {
			saved <- path
			cancel(fault.ErrSaved)
		}
		close(saved)
	}()
	if err := c.run(running, cmd, file, f); err != fault.ErrSaved && ctx.Err() == nil {
		if err != nil {
			c.conclude(err)
		}
		c.Sayf("watching %s; Ctrl-C ends", strings.Join(saves.paths, ", "))
	}
	if path, ok := <-saved; ok {
		c.Sayf("\n%s was saved", path)
	}
	return nil
}

// A lookout tells when one of several files or folders has other content.
type lookout struct {
	watcher *fsnotify.Watcher
	paths   []string // the experiment, and strategies
	digests []string // of what they held
}

// newLookout watches an experiment and the strategies that it names.
func newLookout(file string) (*lookout, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	l := &lookout{watcher: watcher, paths: []string{file}}
	// A spec stands beside mistakes, if the file is TOML at all.
	if spec, _ := study.Read(file, study.Overrides{}); spec != nil {
		for _, p := range spec.Plugins {
			l.paths = append(l.paths, p.Path)
		}
	}
	for i, path := range l.paths {
		// Folders are watched, as most programs put a new file in the place of the old one.
		for _, folder := range []string{filepath.Dir(path), filepath.Dir(session.Real(path)),
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

// await returns the path whose content is another one than when the lookout was made.
func (l *lookout) await(ctx context.Context) (path string, ok bool) {
	timer := time.NewTimer(settled) // for what was saved meanwhile
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return "", false
		case _, open := <-l.watcher.Events:
			if !open {
				return "", false
			}
			timer.Reset(settled)
		case _, open := <-l.watcher.Errors: // events were lost: look
			if !open {
				return "", false
			}
			timer.Reset(settled)
		case <-timer.C:
			if path, ok := l.changed(); ok {
				return path, true
			}
		}
	}
}

// changed returns a path that has other content than when the lookout was made. What is not there
// is about to be replaced.
func (l *lookout) changed() (path string, ok bool) {
	for i, path := range l.paths {
		if digest := digestOf(path); digest != "" && digest != l.digests[i] {
			return path, true
		}
	}
	return "", false
}
