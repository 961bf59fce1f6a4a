package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// runName returns what the run of an experiment file is called.
func runName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".toml") }

// openRun returns the run of an experiment in a folder, and stores its plan there.
func openRun(dir, file string, plan *store.Plan) (store.Run, error) {
	run := store.Run{Dir: dir}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return run, fmt.Errorf("%s is a file; name the folder of the run with --dir", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return run, unstorable(dir, err)
	}
	if err := claim(run, file); err != nil {
		return run, fmt.Errorf("%w; name another folder with --dir", err)
	}
	plan.File = seenFrom(dir, file)
	if err := errors.Join(run.Tidy(), run.SavePlan(plan)); err != nil {
		return run, unstorable(dir, err)
	}
	return run, nil
}

// unstorable says why nothing can be stored in a folder.
func unstorable(dir string, err error) error {
	return fault{fmt.Errorf("nothing can be stored in %s: %w", dir, cause(err))}
}

// cause returns what is wrong with a file, without the names of files that nobody knows.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// claim refuses a folder that holds the run of another experiment file: two files of one
// name would else take turns in it.
func claim(run store.Run, file string) error {
	if _, err := os.Stat(filepath.Join(run.Dir, "plan.json")); err != nil {
		return nil
	}
	old, err := run.LoadPlan()
	if err != nil {
		return faulty(err)
	}
	if old.File != seenFrom(run.Dir, file) {
		return fmt.Errorf("%s holds the run of %s, not of %s", run.Dir,
			filepath.Join(run.Dir, filepath.FromSlash(old.File)), file)
	}
	return nil
}

// seenFrom returns the path of a file from a folder. It is the same from wherever either
// is named, and stays the same when both are moved.
func seenFrom(dir, file string) string {
	path, err := filepath.Rel(real(dir), real(file))
	if err != nil { // on another drive
		path = real(file)
	}
	return filepath.ToSlash(path)
}

// real returns the one absolute path of a file that exists.
func real(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return path
}

// findRun returns the run that a command line calls by its name, by the experiment file
// or by its folder.
func findRun(arg string) (store.Run, error) {
	isRun := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "plan.json"))
		return err == nil
	}
	if isRun(arg) {
		return store.Run{Dir: arg}, nil
	}
	run := store.Run{Dir: filepath.Join("runs", runName(arg))}
	if isRun(run.Dir) {
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
			return run, claim(run, arg)
		}
		return run, nil
	}
	hint := "there are no runs in ./runs; hansa run FILE makes one"
	if names := runNames(); len(names) > 0 {
		hint = study.Suggest(runName(arg), names)
	}
	return run, fmt.Errorf("there is no run %q; %s", arg, hint)
}

// runNames lists the runs of the current folder.
func runNames() []string { return runsIn("runs") }

// runsIn lists the runs in a folder.
func runsIn(folder string) []string {
	found, err := fs.Glob(os.DirFS(folder), "*/plan.json")
	if err != nil {
		return nil // it says that the pattern is malformed
	}
	var names []string
	for _, path := range found {
		names = append(names, strings.TrimSuffix(path, "/plan.json"))
	}
	return names
}
